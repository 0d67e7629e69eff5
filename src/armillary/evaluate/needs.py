"""What questions need of a model: mass, inertia behind every joint, force elements, and forces that
are defined at the state."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from armillary.algorithms.forces.element_forces import element_forces
from armillary.algorithms.interpreter import Run
from armillary.algorithms.tree.locking import axes_status
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import ModelError, NotFiniteError, SingularError
from armillary.evaluate.inputs import Array
from armillary.model.checks import principal_moments
from armillary.model.elements.element import ForceElement
from armillary.model.elements.tyre import Tyre
from armillary.model.elements.user import UserForce
from armillary.model.lowering.tree import Tables
from armillary.model.model import Model

Interpret = Callable[..., Run]  # (algorithm, inputs), as `Evaluator.interpret`
_ORDINARY = 1e6  # coordinates beyond make numbers overflow, whatever the forces
_LOCKED = 1e-10  # of the square of an axis: what is left beside those it coincides with
_LARGEST_INERTIA_CHECK = 120  # degrees of freedom


def refuse_no_mass(model: Model, tables: Tables) -> None:
    """Something that is not welded to the world must have mass."""
    if sum(body.inertia.mass for body in tables.bodies) <= 0.0:
        raise ModelError(f"'{model.name}': nothing that moves has mass, so it has no centre.")


def refuse_no_elements(model: Model, tyres: bool = False) -> None:
    """Questions about force elements need some; those about tyres need tyres."""
    if tyres and not any(isinstance(part.law, Tyre) for part in model.elements):
        raise ModelError(
            f"'{model.name}' has no tyres. Add some: Builder.tyre(name, wheel, radius=...), or "
            f"`type: tyre` under `forces:` in its file."
        )
    if not model.elements:
        raise ModelError(
            f"'{model.name}' has no force elements. Add some: Builder.spring(...), "
            f"Builder.force(...), or `forces:` in its file."
        )


def undefined_elements(
    model: Model, given: Mapping[str, Array], interpret: Interpret
) -> list[ForceElement]:
    """Of one state: springs whose ends coincide, and the like."""
    if not model.elements:
        return []
    q, v = (np.ravel(given.get(name, np.zeros(0))) for name in ("q", "v"))
    if len(q) != model.nq or not np.isfinite(q).all():
        return []
    v = v if len(v) == model.nv and np.isfinite(v).all() else np.zeros(model.nv)
    if max(np.abs(q).max(initial=0.0), np.abs(v).max(initial=0.0)) > _ORDINARY:
        return []
    found = interpret(element_forces, {"q": q.tolist(), "v": v.tolist()})
    numbers = np.array(found.result("readings"), float)
    pairs = zip(model.elements, numbers, strict=True)
    return [part for part, row in pairs if not np.isfinite(row).all()]


def why_undefined(part: ForceElement) -> tuple[str, str]:
    """Why an element has no force at a state, and what helps."""
    if isinstance(part.law, UserForce):
        return (
            "its law gave no number",
            "Guard the law with armillary.scalar.where, or move the state",
        )
    return (
        "its ends coincide, or are half a turn apart",
        "Move the state or its ends; a plain spring without damping whose rest length is 0 needs "
        "no direction",
    )


def refuse_undefined_elements(parts: Sequence[ForceElement]) -> None:
    """parts: those whose force is undefined."""
    for part in parts:
        why, cure = why_undefined(part)
        raise NotFiniteError(
            f"{part.title}: its force is undefined at this state ({why}), so the answer is not a "
            f"finite number. {cure}."
        )


def refuse_locked(model: Model, given: Mapping[str, Array]) -> None:
    """Of one state: a joint whose axes coincide there."""
    found = given.get("q")
    q = [] if found is None else found.reshape(-1).tolist()
    if len(q) != model.nq or not all(map(math.isfinite, q)):
        return
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        if not joint.may_lock:
            continue
        if math.isnan(axes_status(joint.motion_space(q[slot.q]), _LOCKED)):
            raise SingularError(
                f"joint '{body.joint.name}' is locked at this q: its axes coincide (a gimbal "
                f"turned by a quarter), so how an acceleration is divided among them is undefined. "
                f"Move q off that place, or use a spherical or free joint, which has none."
            )


def refuse_no_inertia(model: Model, tables: Tables, interpret: Interpret) -> None:
    """A degree of freedom without inertia has no acceleration: found once, at one state."""
    for name in model.massless_joints[:1]:
        body = model.bodies[model.joint_index[name]].name
        raise ModelError(
            f"body '{body}': joint '{name}' moves '{body}', but neither it nor anything beyond "
            f"it has mass: forward dynamics is undefined for it. Give it a mass "
            f"(replace(bodies={{name: {{'mass': ...}}}})), or lock its joint."
        )
    if not 0 < model.nv <= _LARGEST_INERTIA_CHECK:
        return
    from armillary.codegen.cache import remembered
    from armillary.evaluate.fingerprint import identity

    number = remembered(
        identity("inertia", tables),
        "axis without inertia",
        lambda: _axis_without_inertia(model, interpret),
    )
    if number >= 0:
        if fault := _negative_beyond(model, number):
            raise SingularError(
                f"degree of freedom '{model.v_labels[number]}': what it moves has no positive "
                f"inertia against it, so its acceleration is undefined: {fault}."
            )
        raise SingularError(
            f"degree of freedom '{model.v_labels[number]}': nothing that it moves has "
            f"inertia against it, so its acceleration is undefined. Give a body beyond it a "
            f"mass off the axis, a moment of inertia or a rotor, or lock the joint."
        )


def _negative_beyond(model: Model, number: int) -> str:
    """Which bodies that a degree of freedom moves have a negative moment of inertia; else empty."""
    joint = model.v_labels[number].partition(".")[0]
    moved = {model.bodies[model.joint_index[joint]].name}
    for body in model.bodies:  # parents come first
        if body.parent in moved:
            moved.add(body.name)
    negative = {
        body.name: low
        for body in model.bodies
        if body.name in moved and (low := principal_moments(body.mass.tensor)[0]) < 0.0
    }
    if not negative:
        return ""
    named = ", ".join(f"of '{name}' {low:.3g} kg m²" for name, low in negative.items())
    return f"the smallest principal moment {named} is negative, which no body has. Correct it"


def _axis_without_inertia(model: Model, interpret: Interpret) -> int:
    """A degree of freedom that moves no inertia, at a state in general position; else -1."""
    shift = {True: 0.3, False: 0.0}  # quaternions stay
    q = [x + shift[joint.nq == joint.nv] for joint in model.joints for x in joint.neutral()]
    M = np.array(interpret(mass_matrix, {"q": q}).result("M"), float)
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not size.all():
        return int(np.flatnonzero(size == 0.0)[0])
    values, vectors = np.linalg.eigh(M / np.outer(size, size))
    return int(np.argmax(np.abs(vectors[:, 0]))) if values[0] < 1e-14 else -1
