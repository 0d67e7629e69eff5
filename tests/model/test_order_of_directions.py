"""Lists of directions keep the order in which they are given, or are refused: what belongs to them
stands in the same order."""

from itertools import permutations

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.joints import Gimbal
from armillary.textbook.cooperating import cooperating, grasp
from armillary.textbook.tip_constraint import corrective_force, tip_constraint

ARM = am.example("puma560")
Q = np.array([0.3, -0.5, 0.4, -0.9, 0.7, 0.6])
TIP = ARM.frames[-1]
DIRECTIONS = ("rx", "ry", "rz", "dx", "dy", "dz")


def joint(**options):
    b = am.Builder("one", gravity=(0.0, 0.0, 0.0))
    b.body("a", mass=1.0, inertia=(1.0, 2.0, 2.5), **options)
    return b.build()


def about(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    turn = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}  # fmt: skip
    return np.array(turn[axis])


def test_a_gimbal_is_refused_in_another_order_and_its_cure_works():
    with pytest.raises(ModelError, match=r'\'a\'.*found rz, ry, rx.*axes \["z", "y", "x"\]'):
        joint(joint="gimbal", free=("rz", "ry", "rx"))
    with pytest.raises(ModelError, match="in the order rx"):
        Gimbal(("dx", "rz"))
    b = am.Builder("ring")
    b.body("a", mass=1.0)
    with pytest.raises(ModelError, match=r"found ry, rx"):
        b.loop("shut", "world", "a", "gimbal", free=("ry", "rx"))
    m = joint(joint="general", axes=["z", "y", "x"])
    R = about("z", 0.3) @ about("y", 0.4) @ about("x", 0.5)
    np.testing.assert_allclose(m.pose([0.3, 0.4, 0.5], "a")[0], R, atol=1e-15)
    m = joint(joint="general", axes=[[0, 0, 0, 1, 0, 0], "z"])  # moves along x, then turns there
    np.testing.assert_allclose(m.pose([2.0, 0.5], "a")[1], [2, 0, 0], atol=1e-15)


def test_what_is_given_along_directions_of_a_tip_belongs_to_them():
    """g_c, the given acceleration, and h_c stand along the directions as they are named."""
    zero, named = np.zeros(6), ["dx", "dz", "ry"]
    x = tip_constraint(ARM, TIP, Q, zero, zero, named, g_c=[1.0, 0.0, 0.0])
    np.testing.assert_allclose(x.xdd[[3, 5, 1]], [1.0, 0.0, 0.0], atol=1e-10)
    again = ARM.acceleration(Q, zero, x.qdd, TIP, "world_aligned")
    np.testing.assert_allclose(again[[3, 5, 1]], [1.0, 0.0, 0.0], atol=1e-10)
    np.testing.assert_array_equal(x.f[[3, 5, 1]], x.h_c)
    with pytest.raises(InputError, match="different ones"):
        corrective_force(ARM, TIP, Q, zero, ["dx", "dx"], np.zeros(3), 1.0, 1.0)


def test_rows_of_a_common_load_stay_in_order():
    """The acceleration of the load comes along the rows as they are named."""
    b = am.Builder("bars", gravity=(0.0, -9.0, 0.0))
    for k, x in enumerate((0.0, 1.0)):
        for n, name in enumerate("abc"):
            parent, at = (f"{'abc'[n - 1]}{k}", (0.5, 0, 0)) if n else ("world", (x, 0, 0))
            b.body(f"{name}{k}", parent, "revolute", at, axis="z", mass=1.0, com=(0.2, 0, 0),
                   inertia=(0.1, 0.1, 0.1))  # fmt: skip
    b.body("load", joint="planar", mass=2.0, inertia=(0.3, 0.3, 0.3))
    m = b.build()
    q, v, tau = np.array([0.9, 0.8, -0.3, 2.1, -0.7, 0.2, 0.1, 0.4, 0.7]), np.zeros(9), np.ones(9)
    tau[6:] = 0.0
    usual = cooperating(grasp(m, "load", ("c0", "c1"), q, v, tau, ("rz", "dx", "dy")))
    turned = cooperating(grasp(m, "load", ("c0", "c1"), q, v, tau, ("dy", "dx", "rz")))
    np.testing.assert_allclose(turned.alpha_c, usual.alpha_c[::-1], rtol=1e-9)
    np.testing.assert_allclose(turned.acceleration, usual.acceleration, rtol=1e-8, atol=1e-10)
    assert abs(np.diff(usual.alpha_c)).min() > 0.1  # so that the order shows


def test_rows_of_contacts_tasks_and_analyses_stay_in_order():
    b = am.Builder("touch")
    b.body("a", joint="free", mass=1.0, inertia=(1.0, 2.0, 2.5))
    b.contact("c", "world", "a", ("dz", "rx", "ry"))
    m = b.build()
    assert m.constraint_rows == ("c.fz", "c.nx", "c.ny")
    forces = m.solve(m.initial, np.zeros(6), np.zeros(6)).multipliers
    np.testing.assert_allclose(np.ravel(forces), [9.81, 0, 0], atol=1e-12)
    with pytest.raises(ModelError, match="twice"):
        b.contact("d", "world", "a", ("dz", "dz"))
    named = ("dz", "rx", "dx")
    found = ARM.task_dynamics(Q, np.zeros(6), rows=named)
    J = ARM.jacobian(Q, found.frame, "world_aligned")[[DIRECTIONS.index(d) for d in named]]
    inverse = J @ np.linalg.solve(ARM.mass_matrix(Q), J.T)
    np.testing.assert_allclose(found.inertia, np.linalg.inv(inverse), rtol=1e-9)
    assert ARM.dexterity(Q, rows=named).task.rows == ARM.classify(Q, task=named).task == named


def rolling(rows, kind="disc"):
    b = am.Builder("rim")
    b.body("rim", joint="free", mass=2.0, inertia=(0.1, 0.1, 0.2))
    b.wheel(am.Wheel("tyre", "rim", 0.3, kind=kind, rows=rows))
    return b.build()


def test_rows_of_wheels_stay_in_order():
    """A rim that stands on its ground, pushed along its track with 3 N and lifted by twice its
    weight: forces by name, and the word that the wheel is pulled."""
    lifted = {"rim": [0, 0, 0, 3.0, 0.0, 4.0 * 9.81]}
    for rows in permutations(("normal", "longitudinal", "lateral")):
        m = rolling(rows)
        assert m.constraint_rows == tuple(f"tyre.{row}" for row in rows)
        there = m.solve(m.assemble(m.initial).q, np.zeros(6), np.zeros(6), lifted)
        rolls = 0.1 / (0.1 + 2.0 * 0.3**2)  # of the push: the rest goes into the turn
        # J = 0.1 about the axle: m a = 3 - f and J a / r = f r
        want = {"normal": -2.0 * 9.81, "longitudinal": -3.0 * rolls, "lateral": 0.0}
        np.testing.assert_allclose(there.multipliers, [want[row] for row in rows], atol=1e-9)
        assert there.wheel_forces["tyre"] == pytest.approx(want, abs=1e-9)
        assert "wheel 'tyre' pulls" in str(there.notes).lower()
    with pytest.raises(ModelError, match="each once; found"):
        rolling(("normal", "normal"))
    assert rolling(("lateral", "normal"), "knife").constraint_rows == (
        "tyre.lateral",
        "tyre.normal",
    )
    with pytest.raises(ModelError, match=r"'tyre': a knife edge slides .* Leave longitudinal out"):
        rolling(("lateral", "longitudinal"), "knife")


@pytest.mark.parametrize("kind", ["inverse_kinematics", "OperationalSpace"])
@pytest.mark.parametrize("rows", [("x", "z", "x"), ()])
def test_rows_of_a_goal_are_different_ones(kind, rows):
    with pytest.raises(InputError, match="rows: expected different ones of rx"):
        if kind == "OperationalSpace":
            am.OperationalSpace(ARM, TIP, [0.4, 0.3, 0.5], kp=1.0, kd=1.0, rows=rows)
        else:
            ARM.inverse_kinematics(TIP, [0.4, 0.3, 0.5], Q, rows=rows)
