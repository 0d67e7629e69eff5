"""The four-link chain of [VanDerMerwe1995, section 5.5] stepped as the source does it.

Case 000_four_link_closed: explicit Euler with 1 ms, the pin of the tip solved at every step and a
force on the tip that pulls it back (5.75; errata 0-27), dJ/dt exact or as the source takes it, by
differences (5.63).  The extremes of the 10 s fall into the first 1.5 s, which are stepped here.

Not covered: the largest distance from the exact motion over 10 s.
"""

import numpy as np
import pytest

import armillary as am
from seeds.cases import assert_rows, case, columns, serial, table

FOUR = case("000_four_link_closed")
SIMULATION = FOUR.problem["simulation"]
HELD = [3, 5]  # x and z of the tip
JOINTS = range(1, 5)


@pytest.fixture(scope="module")
def chain() -> am.Mechanism:
    chain = serial("four-link", FOUR.problem)
    friction = am.Passive(viscous=SIMULATION["viscous_friction_per_joint"])
    return chain.replace(bodies={name: {"passive": friction} for name in chain.bodies})


def step_through(chain, count: int, exact: bool):
    """Rows (q, v, a, force by the tip, pull on the tip, tip error), one per step."""
    h, gains = SIMULATION["step"], SIMULATION["corrective_force"]
    place = np.array(FOUR.problem["tip"]["position"], float)[[0, 2]]
    q, v, before, rows = np.zeros(4), np.zeros(4), None, []
    for _ in range(count + 1):
        M, J = chain.mass_matrix(q), chain.jacobian(q, "tip", "world_aligned")[HELD]
        if exact:
            bend = chain.acceleration(q, v, np.zeros(4), "tip", "world_aligned")[HELD]
        else:
            bend = np.zeros(2) if before is None else (J - before) / h @ v
        K = np.block([[M, -J.T], [J, np.zeros((2, 2))]])
        solution = np.linalg.solve(K, np.concatenate([-chain.bias_forces(q, v), -bend]))
        a, f = solution[:4], solution[4:]
        error = chain.pose(q, "tip")[1][[0, 2]] - place
        pull = -gains["kp"] * error - gains["kv"] * (J @ v)
        a = a + np.linalg.solve(M, J.T @ pull)
        rows.append([*q, *v, *a, *-f, *pull, *error])
        q, v, before = q + h * v, v + h * a, J
    return np.array(rows)


@pytest.mark.parametrize("name", ["euler_exactJdot", "euler_numJdot"])
def test_euler_steps(chain, name):
    rows = step_through(chain, 1500, exact=name == "euler_exactJdot")
    if name == "euler_exactJdot":
        data = table("000_four_link_closed_euler1ms")
        states = (f"{x}{k}" for x in ("q", "qd", "qdd") for k in JOINTS)
        pairs = (f"{x}_{axis}" for x in ("f_env", "fcorr", "tip_err") for axis in "xz")
        assert_rows(rows[::100], columns(data, *states, *pairs))
    value = FOUR["Euler 1 ms replica of the document (corrective gains 60/40)"][name]
    force, pull, error = np.abs(np.split(rows[:, 12:], 3, axis=1))
    size = np.hypot(*force.T)
    exact = columns(table("000_four_link_closed_reference"), *(f"q{k}" for k in JOINTS))
    found = {
        "peak_tip_force_norm": size.max(),
        "t_peak": size.argmax() * SIMULATION["step"],
        "peak_fx": force[:, 0].max(),
        "peak_fz": force[:, 1].max(),
        "max_component_of_tip_position_error": error.max(),
        "max_component_of_corrective_force": pull.max(),
        "max_joint_error_first_1s": np.abs(rows[:1001:100, :4] - exact[:11]).max(),
    }
    assert found == pytest.approx({key: value[key] for key in found}, rel=1e-9)


# -- the same by a run ----------------------------------------------------------------------------


def pinned() -> am.Mechanism:
    """The chain with its tip in a contact along the base's axes, which 5.75 pulls along."""
    model = am.example("four-link-closed").model
    b = am.Builder("pinned", gravity=model.gravity)
    for body in model.bodies:
        b.add(body)
    for frame in model.frames:
        b.frame(frame.name, frame.body, frame.pose)
    spot = am.Frame("spot", "world", am.Pose(tuple(FOUR.problem["tip"]["position"])))
    b.contact("pin", spot, "tip", ("dx", "dz"))
    return b.build()


def test_a_corrective_force_on_a_contact_steps_as_the_source_does():
    """q of every recorded row; all that acts on the tip is f_corr - f (0-27), and f_corr the part
    recorded as `corrective_force`."""
    data = table("000_four_link_closed_euler1ms")
    gains = {key: SIMULATION["corrective_force"][key] for key in ("kp", "kv")}
    run = am.simulate(
        pinned(), np.zeros(4), np.zeros(4), duration=1.5, step=1e-3, every=100, method="euler",
        project=am.CorrectiveForce(**gains),
        record="q,constraint_forces,corrective_force,constraint_forces:world_aligned",
    )  # fmt: skip
    np.testing.assert_allclose(run.q, columns(data, *(f"q{k}" for k in JOINTS)), atol=1e-8)
    by_tip, pull = (columns(data, *(f"{x}_{axis}" for axis in "xz")) for x in ("f_env", "fcorr"))
    whole = run["constraint_forces:world_aligned"][:, [3, 5]]
    np.testing.assert_allclose(whole, pull - by_tip, atol=1e-6)
    own, part = (run[name][:, 3:] for name in ("constraint_forces", "corrective_force"))
    np.testing.assert_allclose(
        np.linalg.norm(part, axis=1), np.linalg.norm(pull, axis=1), atol=1e-6
    )
    np.testing.assert_allclose(
        np.linalg.norm(own - part, axis=1), np.linalg.norm(by_tip, axis=1), atol=1e-6
    )
