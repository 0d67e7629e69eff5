"""What a person may choose: compliances, the accuracy of the geometry, a driven base; and the
condition of the rows over a path."""

import numpy as np

import armillary as am


def test_compliance_spares_a_joint_and_changes_nothing_else():
    m = am.example("four-bar")
    rest = np.zeros(3)
    plain = m.solve(m.initial, rest, rest)
    spared = m.solve(m.initial, rest, rest, compliance={"pin": 1e6})
    known = plain.determinacy.of("pin")
    np.testing.assert_allclose(spared.acceleration, plain.acceleration, atol=1e-10)
    np.testing.assert_allclose(
        spared.constraint_forces["pin"][known], plain.constraint_forces["pin"][known], atol=1e-10
    )
    open_ = ~known
    assert np.abs(plain.constraint_forces["pin"][open_]).max() > 1e-3
    assert np.linalg.norm(spared.constraint_forces["pin"][open_]) < 0.01 * np.linalg.norm(
        plain.constraint_forces["pin"][open_]
    )
    assert spared.convention != plain.convention


def test_condition_along_a_path_grows_towards_a_singularity():
    """The smallest singular value of the flat ladder's rows goes to zero with its height."""
    m = am.example("four-bar-ladder", n=1)
    angles = np.pi / 2 - np.array([1.0, 1e-1, 1e-2, 1e-3])
    q = angles[:, None] * np.array([1.0, -1.0, 1.0])
    found = m.conditions(q)
    assert found.shape == (4,) and (np.diff(found) > 0).all()
    assert found[3] / found[2] > 5.0
    assert m.conditions(q[0]) == found[0]


def crooked(tilt: float):
    """A four-bar with a ball for its last pin, whose rocker leans by `tilt` out of the plane."""
    b = am.Builder("crooked")
    rod = {"joint": "revolute", "axis": "y", "inertia": (0.02, 0.02, 0.02)}
    b.body("crank", mass=1.0, com=(0.2, 0, 0), **rod)
    b.body("coupler", "crank", at=(0.4, 0, 0), mass=1.0, com=(0.5, 0, 0), **rod)
    b.body("rocker", at=(1.2, 0, 0), rpy=(0, 0, tilt), mass=1.0, com=(0.3, 0, 0), **rod)
    b.frame("coupler-end", "coupler", (1.0, 0, 0))
    b.frame("rocker-end", "rocker", (0.6, 0, 0))
    b.loop("pin", "coupler-end", "rocker-end", "spherical")
    return b.build()


def test_geometry_tolerance_frees_what_digits_lock():
    """With seven digits the third row is noise: told so, the crank moves as in the exact model."""
    exact = crooked(0.0)
    q = exact.assemble([-0.9, 0.5, -1.8]).q
    rest, tau = np.zeros(3), np.array([0.5, 0.0, 0.0])
    expected = exact.forward_dynamics(q, rest, tau)
    assert np.abs(expected).max() > 1.0
    rough = crooked(1e-7).compile(geometry_tolerance=1e-6)
    np.testing.assert_allclose(rough.forward_dynamics(q, rest, tau), expected, rtol=1e-4)
    np.testing.assert_allclose(rough.solve(q, rest, tau).acceleration, expected, rtol=1e-4)
    assert rough.mobility(q).instantaneous == exact.mobility(q).instantaneous == 1


def test_a_base_that_moves_as_prescribed():
    """All six coordinates of a free base driven: the arm on it feels the world's motion."""
    b = am.Builder("carried")
    b.body("base", joint="free", mass=3.0, inertia=(0.1, 0.2, 0.3))
    b.body("arm", "base", "revolute", axis="y", mass=1.0, com=(0.3, 0.1, -0.2),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    wanted = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -3.0])
    for name, value in zip(("wx", "wy", "wz", "vx", "vy", "vz"), wanted, strict=True):
        b.prescribe(f"drive-{name}", f"base.{name}", acceleration=value)
    m = b.build()
    q, v, tau = m.initial, np.zeros(7), np.zeros(7)
    a = m.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a[:6], wanted, atol=1e-12)
    # the same arm on a world that moves so
    b = am.Builder("alone")
    b.body("arm", "world", "revolute", axis="y", mass=1.0, com=(0.3, 0.1, -0.2),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    alone = b.build().replace(base_acceleration=wanted)
    np.testing.assert_allclose(a[6:], alone.forward_dynamics([0.0], [0.0], [0.0]), atol=1e-12)
