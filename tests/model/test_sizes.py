"""Numbers that are finite and still too large to calculate with are refused by their place."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError

URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial>
<origin xyz="{com} 0 0"/><mass value="{mass}"/>
<inertia ixx="{tensor}" iyy="{tensor}" izz="{tensor}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<origin xyz="{place} 0 0"/><limit effort="1e308" velocity="1e308" lower="-1" upper="1"/>
<dynamics damping="{damping}"/></joint></robot>"""
PLAIN = {"com": 0.1, "mass": 1.0, "tensor": 0.1, "place": 0.2, "damping": 0.3}


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("value", [1e308, 1e160])
def test_files_with_endless_numbers_are_refused(tmp_path, name, value):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(**PLAIN))
    arm = am.load(path)  # limits are not calculated with
    assert np.isfinite(arm.forward_dynamics([0.1], [0.2], [0.3])).all()
    path.write_text(URDF.format(**PLAIN | {name: value}))
    with pytest.raises(ModelError, match=r"(1e\+308|1e\+160).* too large"):
        am.load(path)


def test_edits_and_constraints_are_looked_at_too():
    arm = am.example("two-link")
    with pytest.raises(ModelError, match=r"body 'link2', mass.* 1e\+300 is too large"):
        arm.replace(bodies={"link2": {"mass": 1e300}})
    with pytest.raises(ModelError, match=r"gravity: -?1e\+200 is too large"):
        arm.replace(gravity=(0.0, 0.0, -1e200))
    b = am.Builder("tied")
    b.body("a", joint="revolute", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("b", joint="revolute", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.coupling(am.Coupling("gear", "a", "b", 1e200))
    with pytest.raises(ModelError, match=r"coupling 'gear', ratio: 1e\+200 is too large"):
        b.build()


@pytest.mark.parametrize("size", [1e49, 1e-49])
def test_the_largest_numbers_still_give_answers(size):
    """The law of scales: with all masses times s, forces are s times as large."""
    arm = am.example("two-link")
    bodies = {
        body.name: {"mass": body.mass.mass * size, "inertia": [x * size for x in body.mass.tensor]}
        for body in arm.model.bodies
        if body.mass.mass
    }
    heavy = arm.replace(bodies=bodies)
    q, v, a = arm.random_state(0)
    np.testing.assert_allclose(
        heavy.inverse_dynamics(q, v, a, passive=False),
        size * arm.inverse_dynamics(q, v, a, passive=False),
        rtol=1e-12,
    )
