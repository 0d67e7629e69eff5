"""Static trim: springs that carry the vehicle at its design position.

An axle's wheel load follows from the masses by the lever rule; what its strut has to carry follows
from virtual work on the rig: load × rise of the contact + force of the strut × its shortening
= weight of the unsprung parts × their rise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Passive
from armillary.model.parts import Body
from armillary.vehicles.axle import Axle
from armillary.vehicles.axles import Suspension
from armillary.vehicles.kinematics import design_ratios
from armillary.vehicles.rig import Rig


def strut_load(axle: Axle, wheel_load: float, gravity: float) -> float:
    """Compression of a strut (N) with which the axle rests at the design position."""
    rig = Rig(axle, gravity)
    if rig.compliant:
        rig = Rig(replace(axle, suspension=_stiff(axle)), gravity)
    ratio, rise = design_ratios(rig)
    own = float(rig.loads(np.zeros((1, 3)))[0, 0])  # unsprung weight at the wheel's centre
    carried = wheel_load * rise - own
    if not carried > 0.0:
        raise InputError(
            f"{axle.title}: its wheels carry {wheel_load:.5g} N each, less than its own unsprung "
            f"parts weigh ({own:.5g} N). Give a heavier body, or lighter wheels."
        )
    return carried / ratio


def _stiff(axle: Axle) -> Suspension:
    """The same suspension without rubber, or with ideal guides."""
    made = axle.made
    changes = {"bushing": None} if hasattr(made, "bushing") else {"guide": "ideal"}
    stiff: Suspension = replace(made, **changes)  # type: ignore[type-var]
    return stiff


def with_loads(axle: Axle, wheel_load: float, gravity: float) -> Axle:
    """The axle with struts that carry their share, where no load was given."""
    strut = getattr(axle.made, "strut", None)
    if strut is None or strut.load is not None:
        return axle
    free = replace(axle, suspension=replace(axle.made, strut=replace(strut, load=0.0)))  # type: ignore[type-var]
    load = strut_load(free, wheel_load, gravity)
    carrying = replace(strut, load=load)
    return replace(axle, suspension=replace(axle.made, strut=carrying))  # type: ignore[type-var]


def springs_at_rest(mechanism: Mechanism, hold: Sequence[str] = ()) -> Mechanism:
    """With springs of joints wound so that nothing moves at the start; hold: entries of v that are
    driven, and stay.

    Along every free motion N the springs' forces x = stiffness × rest balance what the tree needs:
    N^T bias = N_s^T x; of the many x the one that stores least, Σ x² / stiffness."""
    m, q = mechanism, mechanism.initial
    sprung = [
        (body.name, k, axis, law)
        for body, k in _entries(m)
        for axis, law in enumerate(body.joint.passive)
        if law.spring
    ]
    if not sprung:
        return m
    needed = np.asarray(m.bias_forces(q, np.zeros(m.nv)))
    N = np.asarray(m.mobility(q).motions) if m.constraint_rows else np.eye(m.nv)
    held = N[[m.v_labels.index(name) for name in hold]]
    if hold:
        _, sizes, axes = np.linalg.svd(held)
        N = N @ axes[np.count_nonzero(sizes > 1e-9 * sizes.max()) :].T
    rows = [k + axis for _, k, axis, _ in sprung]
    root = np.sqrt([law.spring for *_, law in sprung])
    x = root * (np.linalg.pinv((N[rows] * root[:, None]).T, rcond=1e-10) @ (N.T @ needed))
    changes: dict[str, dict[str, list[Passive]]] = {}
    for (name, _, axis, law), force in zip(sprung, x, strict=True):
        body = m.model.bodies[m.model.index[name]]
        own = changes.setdefault(name, {"passive": list(body.joint.passive)})["passive"]
        own[axis] = replace(law, rest=law.rest + float(force) / law.spring)
    return m.replace(bodies=changes)


def _entries(m: Mechanism) -> list[tuple[Body, int]]:
    """Bodies with the first of their entries in v."""
    return [(body, slot.v.start) for body, slot in zip(m.model.bodies, m.model.slots, strict=True)]
