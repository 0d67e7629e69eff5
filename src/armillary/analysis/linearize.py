"""`linearize`: the equations of small motion about a state, from analytic derivatives.

With the independent changes y of q and w of v (variations.py)

    dy/dt = (C + K N) y + V w           K: brackets of quaternion joints that move
    dw/dt =  a_y y + a_w w + a_tau (du + f_z z)
    dz/dt = (r_q N + r_v C) y + r_v V w + r_z z + r_u du     own states of force elements
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from armillary.analysis.linear_model import LinearModel
from armillary.analysis.own_states import OwnStates, own_states
from armillary.analysis.point import Forces, Point, carried_weights, point, scales
from armillary.analysis.rounding import rounding, weight_rounding
from armillary.analysis.signals import inputs_of, outputs_of
from armillary.analysis.variations import Variations, brackets, variations
from armillary.analysis.zero_modes import spectrum
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism

_REST = 1e-6  # of the accelerations in play: less is none
_WAY = 0.3  # rad, or sizes of the machine: how far along the motion A is looked at again
_SAME = 1e-6  # of each eigenvalue
_KNOWN = 1e-8  # of the entries of A: how well a place further along the motion is found
_TURNS = (0.6, 1.7, 2.6)  # rad


def linearize(
    mechanism: Mechanism,
    q: State | None = None,
    v: State | None = None,
    tau: Forces = None,
    *,
    inputs: str | Iterable[str] | None = None,
    outputs: str | Iterable[str] | None = None,
    wrenches: Iterable[str] = (),
    external: External = None,
    independent: Iterable[str] | None = None,
) -> LinearModel:
    """The linear model dx/dt = A x + B u, y = C x + D u of small motion about one state.

    q, v, tau: the state and the joint forces there (default: the start, rest, none); tau = "hold"
    takes the forces that keep it at rest or in steady motion.  A state that accelerates is
    allowed: `about` says what the model holds for.

    x: the independent coordinates and velocities; in a tree all of them, of a closed mechanism
    those named in `independent`, or chosen.  Of rolling ones q has more freedoms than v.  Behind
    them stand the own states of force elements ("damper.tension"), at the values of the model.
    inputs: joints whose forces are u (default: those with motors, else all), and force elements:
    what is added to the force of a spring ("jack"), to a fixed wrench ("gust", one of its six
    "gust.fx"), to the road of a tyre; wrenches: frames whose wrenches are, too, in their own axes.
    outputs: coordinates ("elbow", "v.elbow", "a.elbow") and what frames do ("hand.position",
    "hand.rotation", "hand.velocity", one row: "hand.position.x"), default all coordinates and
    velocities.  external: wrenches that act, {frame: (6)}.

    Derivatives are analytic (`forward_dynamics.derivatives`)."""
    at = point(mechanism, "linearize", q, v, tau, external)
    return model_about(mechanism, at, inputs, outputs, wrenches, independent)


def model_about(
    mechanism: Mechanism,
    at: Point,
    inputs: str | Iterable[str] | None = None,
    outputs: str | Iterable[str] | None = None,
    wrenches: Iterable[str] = (),
    independent: Iterable[str] | None = None,
) -> LinearModel:
    """The linear model about a point, see `linearize`."""
    free, own = variations(mechanism, at, independent), own_states(mechanism, at)
    A = system_matrix(mechanism, at, free, own)
    mechanism.evaluator.refuse_not_finite({"q": at.q, "v": at.v, "tau": at.tau}, A)
    u = inputs_of(mechanism, at, inputs, wrenches, own.names)
    y = outputs_of(mechanism, at, outputs)
    k, w = len(free.positions), list(free.velocities)
    by_force = free.a_tau @ u.forces
    B = np.concatenate([np.zeros((k, len(u.names))), by_force[w], u.rates])
    C = np.concatenate(
        [
            y.by_q @ free.N + y.by_v @ free.C + y.by_a @ free.a_y,
            y.by_v @ free.V + y.by_a @ free.a_w,
            y.by_a @ free.a_tau @ own.forces,
        ],
        axis=1,
    )
    labels, units = mechanism.v_labels, mechanism.v_units
    about, notes = _about(mechanism, at, free, own, A)
    states = (*(labels[i] for i in free.positions), *(f"v.{labels[i]}" for i in w), *own.names)
    state_units = (*(units[i] for i in free.positions), *(f"{units[i]}/s" for i in w), *own.units)
    named = (states, state_units, u.names, u.units, y.names, y.units)
    notes = (*notes, *_dry(mechanism, at))
    D = y.by_a @ by_force
    return LinearModel(mechanism.name, A, B, C, D, *named, about, at, free, notes)


def system_matrix(mechanism: Mechanism, at: Point, free: Variations, own: OwnStates) -> Array:
    """A of the independent changes."""
    y, w = list(free.positions), list(free.velocities)
    turning = free.C + brackets(mechanism, at.v) @ free.N
    by_z = free.a_tau @ own.forces
    return np.block(
        [
            [turning[y], free.V[y], np.zeros((len(y), len(own.names)))],
            [free.a_y[w], free.a_w[w], by_z[w]],
            [own.by_q @ free.N + own.by_v @ free.C, own.by_v @ free.V, own.by_z],
        ]
    )


def rounding_of(mechanism: Mechanism, model: LinearModel) -> Array:
    """What rounding can do to every entry of A."""
    return _rounding(mechanism, model.point, model.variations, model.A)


def _rounding(mechanism: Mechanism, at: Point, free: Variations, A: Array) -> Array:
    own = own_states(mechanism, at)
    names = [mechanism.v_labels[k] for k in free.velocities] if mechanism.constraints else None

    def again(there: Point) -> Array:
        also = variations(mechanism, there, names)
        same = (also.positions, also.velocities) == (free.positions, free.velocities)
        return system_matrix(mechanism, there, also, own) if same else np.empty(0)

    found = rounding(mechanism, at, A, again)
    k, w = len(free.positions), list(free.velocities)
    found[k : k + len(w), :k] += np.abs(free.a_tau[w]) @ weight_rounding(mechanism) @ np.abs(free.N)
    return found


def _about(
    mechanism: Mechanism, at: Point, free: Variations, own: OwnStates, A: Array
) -> tuple[str, tuple[str, ...]]:
    """What the model holds for, and why no more."""
    if (much := _acceleration(mechanism, at, free)) is not None:
        word = "moving" if at.moving else "at rest"
        return "passing state", (
            f"the state is {word} and accelerates, most '{much}': the model holds for this "
            f"instant{_own_axes(mechanism, much) if at.moving else ''}",
        )
    if (name := own.changing) is not None:
        return "passing state", (
            f"the own state '{name}' changes there: the model holds for this instant",
        )
    if not at.moving:
        return "rest", ()
    if not _same_on_the_way(mechanism, at, free, A):
        return "passing state", ("A changes along the motion: the model holds for this instant",)
    return "steady motion", ()


def _own_axes(mechanism: Mechanism, label: str) -> str:
    """What may be meant where speeds along axes that turn with their body change."""
    model, k = mechanism.model, mechanism.v_labels.index(label)
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        if joint.nq != joint.nv and slot.v.start <= k < slot.v.stop:
            return (
                f" (speeds of '{body.joint.name}' are along the body's own axes, which turn with "
                f"it; where heading, lean and spin are joints of their own, they stay in circles)"
            )
    return ""


def _acceleration(mechanism: Mechanism, at: Point, free: Variations) -> str | None:
    """The independent velocity that changes most, where any does: by the force that takes, against
    the forces that meet in its own row, here and after a change of 1."""
    size, w = scales(mechanism), list(free.velocities)
    if not w:
        return None
    V, M = free.V * size[w], mechanism.mass_matrix(at.q)
    needed = V.T @ M @ V @ (at.a[w] / size[w])
    stiffness = np.abs(V.T @ M @ (free.V @ free.a_y[w])) * size[list(free.positions)]
    turning = np.abs(M) * np.outer(size, size) @ (at.v / size) ** 2
    here = np.abs(mechanism.tree.static_torques(at.q, at.external)) + np.abs(at.tau)
    forces = (carried_weights(mechanism) + turning) / size + here
    in_play = np.abs(V).T @ forces + stiffness.max(axis=1, initial=0.0)
    share = np.abs(needed) / np.where(in_play > 0.0, in_play, 1e-300)
    changing = np.where(share > _REST, np.abs(at.a / size)[w], -1.0)
    k = int(np.argmax(changing))
    return mechanism.v_labels[w[k]] if changing[k] > 0.0 else None


def _same_on_the_way(mechanism: Mechanism, at: Point, free: Variations, A: Array) -> bool:
    """Does A keep its eigenvalues a little further along the motion?"""
    fast = float(np.max(np.abs(at.v / scales(mechanism))))
    q = mechanism.integrate(at.q, at.v * (_WAY / fast))
    v = at.v
    names = [mechanism.v_labels[k] for k in free.velocities]
    if mechanism.constraints:
        given = {name: at.v[k] for name, k in zip(names, free.velocities, strict=True)}
        q, _ = mechanism.project(q)
        v = mechanism.project(q, given)[1]
    a = mechanism.forward_dynamics(q, v, at.tau, at.external)
    there = Point(q, v, at.tau, a, at.external)
    also = variations(mechanism, there, names if mechanism.constraints else None)
    if _acceleration(mechanism, there, also) is not None or also.positions != free.positions:
        return False
    own = own_states(mechanism, there)
    known = _rounding(mechanism, at, free, A) + _KNOWN * np.abs(A)
    return _same_roots(A, system_matrix(mechanism, there, also, own), known)


def _same_roots(A: Array, B: Array, E: Array) -> bool:
    """Equal eigenvalues, slow ones as well as fast ones: by Σ z / (z - s) at numbers z of the size
    of each, which is smooth where roots meet.  E: what A and B are known to."""
    n, sizes = len(A), np.abs(spectrum(A, E))
    decades = {round(float(x)) for x in np.log10(sizes[sizes > 0.0])}
    for z in (10.0**x * np.exp(1j * turn) for x in decades for turn in _TURNS):
        one, two = (np.linalg.inv(np.eye(n) - X / z) for X in (A, B))
        known = float(np.sum(np.abs(one @ one).T * E)) / abs(z)
        if abs(np.trace(one) - np.trace(two)) > _SAME * n + known:
            return False
    return True


def _dry(mechanism: Mechanism, at: Point) -> tuple[str, ...]:
    """Dry friction of joints at rest holds them; a linear model lets them slide freely."""
    model, names = mechanism.model, []
    for body, slot in zip(model.bodies, model.slots, strict=True):
        rough = (p.dry and not p.smoothing for p in body.joint.passive)
        if any(rough) and not at.v[slot.v].any():
            names.append(body.joint.name)
    if not names:
        return ()
    return (f"dry friction of {', '.join(names)} at rest is left out: it is no linear force",)
