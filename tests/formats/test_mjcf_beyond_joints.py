"""What MJCF says of a mechanism elsewhere than at its joints: rotors and dampers of actuators,
switches, totals.  The oracle is MuJoCo, asked the same state."""

import numpy as np
import pytest
from mujoco_peer import MujocoPeer

import armillary as am

ARM = """<mujoco>{before}<worldbody><geom size=".1"/>
<body name="post"><geom size=".2"/>
 <body name="a"><joint name="j" axis="0 1 0" {joint}/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
  <body name="b" pos=".5 0 0"><joint name="k" axis="0 1 0"/><geom type="box" size=".1 .2 .05"/>
   <body name="tip" pos=".2 0 0"><geom size=".1"/></body></body></body></body>
<body name="c" pos="0 2 0"><joint name="ball" type="ball"/><geom size=".1" pos=".3 0 0"/></body>
</worldbody>{after}</mujoco>"""
Q, V = np.array([0.3, -0.7, 1.0, 0.0, 0.0, 0.0]), np.array([0.5, 1.1, 0.3, -0.2, 0.6])


def both(tmp_path, before="", joint="", after=""):
    """(our mechanism, MuJoCo's) of one text; M and the passive forces of ours."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(before=before, joint=joint, after=after))
    m = am.load(path)
    tree = m.tree
    passive = tree.bias_forces(Q, V, passive=False) - tree.bias_forces(Q, V)
    return m, MujocoPeer(path, m.model), tree.mass_matrix(Q), passive


def told(m, level):
    return "\n".join(note.text for note in m.report.of(level))


def test_rotors_and_dampers_of_actuators(tmp_path):
    """Along the joint they count gear² times; two of them add up."""
    motors = ('<actuator><motor joint="j" gear="5" armature=".01" damping=".3"/>'
              '<position jointinparent="j" gear="-2" armature=".1" damping=".2"/>'
              '<motor joint="k" gear="3"/></actuator>')  # fmt: skip
    m, peer, M, passive = both(tmp_path, joint='armature=".02" damping=".1"', after=motors)
    if not hasattr(peer.m, "actuator_armature"):
        pytest.skip("this MuJoCo has none")
    np.testing.assert_allclose(M, peer.mass_matrix(Q), atol=1e-12)
    assert passive == pytest.approx(peer.passive_forces(Q, V), abs=1e-12)
    assert passive[0] == pytest.approx(-(0.1 + 25 * 0.3 + 4 * 0.2) * V[0], rel=1e-12)
    m, _, _, _ = both(tmp_path, after='<actuator><motor joint="ball" armature=".1"/></actuator>')
    assert "armature is read on hinges and slides only" in told(m, "warning")


@pytest.mark.parametrize("flag", ["constraint", "frictionloss", "equality", "damper"])
def test_what_is_switched_off_does_not_act(tmp_path, flag):
    """Friction and equalities are constraints to MuJoCo: `constraint` switches off both."""
    before = f'<option><flag {flag}="disable"/></option>'
    joint = 'frictionloss=".3" damping=".4"'
    after = '<equality><joint joint1="j" joint2="k" polycoef="0.1 2 0 0 0"/></equality>'
    m, peer, _, passive = both(tmp_path, before, joint, after)
    peer.set(Q, V)
    efc = set(peer.d.efc_type.tolist())  # equality 0, friction of a joint 1
    assert bool(m.model.constraints) == (0 in efc)
    dry = passive[0] - peer.passive_forces(Q, V)[0]
    assert dry == pytest.approx(-0.3 if 1 in efc else 0.0, abs=1e-12)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("fused", ["true", "false"])
def test_a_total_mass_is_that_of_mujoco(tmp_path, fused, kept):
    """What is fused into the world is not among the total; a body that others name is not fused."""
    before = f'<compiler settotalmass="7" fusestatic="{fused}"/>'
    after = '<contact><exclude body1="post" body2="a"/></contact>' if kept else ""
    m, peer, M, _ = both(tmp_path, before, after=after)
    np.testing.assert_allclose(M, peer.mass_matrix(Q), rtol=1e-12, atol=1e-13)
    assert m.bias_forces(Q, V) == pytest.approx(peer.bias_forces(Q, V), rel=1e-11, abs=1e-12)


def test_an_armature_of_a_tendon_is_told(tmp_path):
    """Alone, too: MuJoCo counts it in the mass matrix."""
    after = '<tendon><fixed name="t" armature=".5"><joint joint="j" coef="1"/></fixed></tendon>'
    m, peer, M, _ = both(tmp_path, after=after)
    assert peer.mass_matrix(Q)[0, 0] - M[0, 0] == pytest.approx(0.5)
    assert "not read: its armature" in told(m, "warning")
