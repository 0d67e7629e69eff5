"""Forces that cancel leave rounding: differences of it are measured against the forces in play."""

import numpy as np

import armillary as am
from armillary.constraints.questions import identities


def tilted_drive() -> am.Mechanism:
    """Two wheels under a base on a plane that no axis of the world is along; gravity across it."""
    c, s, d, e = np.cos(0.3), np.sin(0.3), np.cos(0.4), np.sin(0.4)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[d, 0, e], [0, 1, 0], [-e, 0, d]])
    up, across = tuple(R @ [0, 0, 1.0]), tuple(R @ [0, 1.0, 0])
    b = am.Builder("drive", gravity=tuple(-9.81 * x for x in up))
    solid = {"mass": 10.0, "com": tuple(R @ [0, 0, 0.1]), "inertia": (0.3, 0.3, 0.3)}
    b.body("base", joint="planar", axis=up, **solid)
    for side, y, rows in (
        ("left", 0.2, ("longitudinal", "lateral")), ("right", -0.2, ("longitudinal",)),
    ):  # fmt: skip
        rim = {"axis": across, "mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
        b.body(side, "base", "revolute", tuple(R @ [0, y, 0.1]), **rim)
        b.wheel(am.Wheel(f"{side}-rolls", side, 0.1, axis=across, normal=up, rows=rows))
    return b.build()


def test_rounding_of_cancelled_weights_is_no_difference():
    """At rest nothing accelerates; 118 N of weight leave 1e-15, which no way has alike."""
    m = tilted_drive()
    q, still = m.initial, np.zeros(m.nv)
    assert np.abs(m.forward_dynamics(q, still, still)).max() < 1e-12
    assert identities(m, q, still, still).worst < 1e-10
