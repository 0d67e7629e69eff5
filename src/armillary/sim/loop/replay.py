"""`replay`: a given motion as a run, without integration.

Positions, velocities and accelerations are known; forces, energies, reactions and everything else
that a run can record are asked for blocks of instants at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.assembled import beyond_limits
from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.along_constraints import led_motion, whole_motion
from armillary.sim.motion.given_motion import (
    GivenMotion,
    Motion,
    differentiated,
    given_motion,
    plain_places,
)
from armillary.sim.motion.rates import rates, slopes
from armillary.sim.record.quantities import acting, listed
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.run import Run

Wrenches = Mapping[str, ArrayLike | Callable[[float], ArrayLike]] | None
# known without masses: of the mechanism, and of its frames (`pose:tip`)
KINEMATIC = {"q", "v", "a", "body_velocity", "drift", "external"}
OF_FRAMES = {"pose", "velocity", "acceleration", "condition"}


def replay(
    mechanism: Mechanism,
    trajectory: Motion,
    *,
    record: str | Iterable[str] | None = None,
    times: ArrayLike | None = None,
    step: float = 1e-2,
    duration: float | None = None,
    external: Wrenches = None,
    actuators: Sequence[str] | None = None,
    start: State | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Run:
    """A given motion as a `Run`, with every quantity that a run can record, without integration:
    tau are the joint forces that the motion takes (inverse dynamics).

    trajectory: one of sim.motion.trajectories; arrays (t, q), (t, q, v) or (t, q, v, a); a
    recorded run; or motions by name, {"crank": trajectory, function of time, Schedule or
    constant}, as arrays (t, {"crank": x}).  Rates that are not given are those of polynomials
    through neighbouring instants, and a note says so.  In a tree joints that are not named stay
    where they start; in a closed mechanism they follow from the constraints, assembled at the first
    instant near `start` and without jumps from there.  A motion that the constraints do not allow
    is refused, with the instant.  Force elements with states of their own (tyres that relax) are
    taken where these are steady, and a note says so.

    times, or step and duration (s): the instants of motions that are functions of time.
    external: wrenches {frame: (6,), (T, 6) or f(t)}.  actuators: joints whose forces are asked
    for, of a closed mechanism (default: those that are named, else as inverse_dynamics has it).
    record: default q, v, a and tau; without masses q, v and a.  out: stream to this file."""
    given = given_motion(mechanism, trajectory, times, step, duration)
    q, v, a, notes = _motion(mechanism, given, start)
    names = _recorded(mechanism, record)
    if given.entries is not None and mechanism.constraints and actuators is None:
        actuators = [mechanism.v_labels[k] for k in given.entries]
    wrenches = _wrenches(mechanism, external, given.t)
    known = acting(names, list(wrenches))
    own = {"method": "replay", "out": out, "overwrite": overwrite, "extras": known}
    with closing(Recorder(mechanism, names, **own)) as recorder:  # type: ignore[arg-type]
        for text in (*notes, *beyond_limits(mechanism.model, q)):
            recorder.event(float(given.t[0]), text)
        tau = None
        if not set(names) <= KINEMATIC:
            for text in _steady_elements(mechanism):
                recorder.event(float(given.t[0]), text)
            tau = _forces(mechanism, given.t, (q, v, a), wrenches, actuators)
        recorder.extend(given.t, q, v, a, tau, {"external": wrenches} if wrenches else None)
        return recorder.finish()


def _motion(
    mechanism: Mechanism, given: GivenMotion, start: State | None
) -> tuple[Array, Array, Array, list[str]]:
    """q, v, a at all instants, and what has to be said of them."""
    begin = np.array(mechanism.initial, float)
    if start is not None:
        (begin,) = mechanism.evaluator.complete({"q": start}).values()  # type: ignore[assignment]
        begin = as_floats("start", begin)
    if mechanism.constraint_rows:
        if given.entries is None:
            return whole_motion(mechanism, given)
        return led_motion(mechanism, given, begin)
    notes = list(given.notes)
    if given.entries is None:
        unit = mechanism.integrate(given.x, np.zeros((len(given.t), mechanism.nv)))
        if given.v is None:
            notes.append(differentiated(1))
            return unit, *rates(mechanism, given.t, unit), notes
        if given.a is None:
            notes.append(differentiated(2))
            return unit, given.v, slopes(given.t, given.v)[0], notes
        return unit, given.v, given.a, notes
    return _spread(mechanism, given, begin), *_placed(mechanism, given), notes


def _steady_elements(mechanism: Mechanism) -> list[str]:
    """What has to be said of elements with states of their own, which one instant does not tell."""
    parts = mechanism.model.elements
    names = {
        steady: [p.name for p in parts if p.law.state_names() and p.law.answers_steady == steady]
        for steady in (True, False)
    }
    found = []
    for steady, own in names.items():
        listed_ = ", ".join(own[:4]) + (", ..." if len(own) > 4 else "")
        how = "steady at every instant" if steady else "those that the model holds"
        if own:
            found.append(
                f"note: own states of {listed_} are {how}: forces that build up with a lag are not "
                f"in this replay"
            )
    return found


def _spread(mechanism: Mechanism, given: GivenMotion, begin: Array) -> Array:
    """q (T, nq) of a tree with the named coordinates as given and the others at their start."""
    q = np.tile(begin, (len(given.t), 1))
    q[:, plain_places(mechanism, given.entries or ())] = given.x
    return q


def _placed(mechanism: Mechanism, given: GivenMotion) -> tuple[Array, Array]:
    """v and a (T, nv): zero where nothing is given."""
    found = []
    for x in (given.v, given.a):
        whole = np.zeros((len(given.t), mechanism.nv))
        whole[:, list(given.entries or ())] = x
        found.append(whole)
    return found[0], found[1]


def _recorded(mechanism: Mechanism, record: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names to record; forces of a mechanism without masses are refused."""
    light = _without_mass(mechanism)
    if record is None:
        return ("q", "v", "a") if light else ("q", "v", "a", "tau")
    names = listed(record)
    of_frames = {name for name in names if ":" in name and name.partition(":")[0] in OF_FRAMES}
    forces = [name for name in names if name not in KINEMATIC | of_frames]
    if light and forces:
        raise InputError(
            f"record: {', '.join(forces)} depend on masses, and the model gives none for {light}. "
            f"Record {', '.join(sorted(KINEMATIC - {'drift'}))} and {', '.join(sorted(OF_FRAMES))} "
            f"of frames alone, or give the masses."
        )
    return names


def _without_mass(mechanism: Mechanism) -> str:
    """Bodies whose masses are not known, in words; empty: they are."""
    model = mechanism.model
    if not any(body.mass.mass for body in model.bodies):
        return f"'{mechanism.name}'"
    if mechanism.constraints or not model.massless_joints:
        return ""
    return ", ".join(f"'{name}'" for name in model.massless_joints[:3])


def _wrenches(mechanism: Mechanism, external: Wrenches, t: Array) -> dict[str, Array]:
    """(T, 6) by frame."""
    found = {}
    if not isinstance(external, Mapping | None):
        raise InputError(
            f"external: expected wrenches by frame name, {{'hand': (nx, ny, nz, fx, fy, fz)}}, "
            f"found {external!r:.60}."
        )
    for frame, given in (external or {}).items():
        mechanism.model.frame(frame)
        value = [given(x) for x in t.tolist()] if callable(given) else given
        x = as_floats(f"external['{frame}']", value).astype(float)
        if x.shape not in ((6,), (len(t), 6)) or not np.isfinite(x).all():
            raise InputError(
                f"external['{frame}']: expected 6 finite numbers (nx, ny, nz, fx, fy, fz), or "
                f"{len(t)} rows of them, found shape {x.shape}."
            )
        found[frame] = np.array(np.broadcast_to(x, (len(t), 6)))
    return found


def _forces(
    mechanism: Mechanism,
    t: Array,
    motion: tuple[Array, Array, Array],
    wrenches: dict[str, Array],
    actuators: Sequence[str] | None,
) -> Array:
    """tau (T, nv) that the motion takes, of all instants at once."""
    loads = wrenches or None
    try:
        return np.asarray(mechanism.inverse_dynamics(*motion, loads, actuators=actuators))
    except ArmillaryError as fault:
        row = getattr(fault, "row", None)
        where = "" if row is None else f"at t = {t[row]:g} s: "
        raise InputError(f"replay: {where}{fault}") from None
