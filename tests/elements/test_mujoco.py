"""Tendons of MuJoCo, live: the same springs, dampers and cables, read from its file."""

import numpy as np
import pytest

import armillary as am

mujoco = pytest.importorskip("mujoco")

FILE = """<mujoco model="tendons">
 <option gravity="0 0 -9.81"><flag contact="disable"/></option>
 <worldbody>
  <site name="wall" pos="0.3 -0.2 1.1"/>
  <body name="arm" pos="0 0 1" euler="10 20 30">
   <joint name="arm" type="hinge" axis="0 1 0.5" pos="0.05 0 0.02"/>
   <inertial pos="0.1 0 -0.2" mass="1.3" diaginertia="0.03 0.02 0.01" euler="5 0 10"/>
   <site name="mid" pos="0.1 0.05 -0.3"/>
   <body name="hand" pos="0.1 0 -0.5">
    <joint name="hand" type="ball"/>
    <inertial pos="0 0.1 -0.1" mass="0.7" diaginertia="0.02 0.01 0.015"/>
    <site name="tip" pos="0.05 0.1 -0.2"/>
   </body>
  </body>
  <body name="bob" pos="0.5 0.5 0.5">
   <joint name="bob" type="slide" axis="1 0 1"/>
   <inertial pos="0 0 0" mass="0.4" diaginertia="0.01 0.01 0.01"/>
   <site name="eye" pos="0.1 0 0"/>
   <geom name="ball" size="0.01" mass="0"/>
  </body>
 </worldbody>
 <tendon>
  <spatial name="spring" stiffness="40" damping="3" springlength="0.4">
   <site site="wall"/><site site="tip"/></spatial>
  <spatial name="rope" stiffness="30" damping="2" springlength="0 0.6">
   <site site="wall"/><site site="mid"/><site site="eye"/></spatial>
  <spatial name="band" stiffness="50" springlength="0.9 1.4">
   <site site="tip"/><site site="eye"/></spatial>
  <spatial name="default" stiffness="20"><site site="mid"/><site site="eye"/></spatial>
  <spatial name="bare"><site site="mid"/><site site="eye"/></spatial>
  <fixed name="fixed" stiffness="5" damping="0.7" springlength="0.3">
   <joint joint="arm" coef="1"/><joint joint="bob" coef="-2.5"/></fixed>
  <fixed name="play" stiffness="9" springlength="-0.1 0.2"><joint joint="bob" coef="3"/></fixed>
  <spatial name="wrapped" stiffness="5"><site site="mid"/><geom geom="ball"/><site site="eye"/>
  </spatial>
 </tendon>
</mujoco>"""


def test_tendons_as_mujoco_has_them(tmp_path):
    path = tmp_path / "tendons.xml"
    path.write_text(FILE)
    m = am.load(path)
    names = tuple(part.name for part in m.model.elements)
    assert names == ("spring", "rope", "rope.damper", "band", "band.push", "default",
                     "fixed", "play", "play.push")  # fmt: skip
    notes = str(m.report)
    assert "neither stiffness nor damping" in notes and "it runs over spheres" in notes
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.tendon_stiffness[-1] = 0.0  # the wrapped tendon, which is not read
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(2)
    seen = set()
    for scale in (0.2, 0.5, 1.0, 1.5):
        for _ in range(5):
            q = m.integrate(m.neutral(), scale * rng.uniform(-1, 1, m.nv))
            v = rng.normal(size=m.nv)
            data.qpos[:], data.qvel[:] = q, v
            mujoco.mj_forward(peer, data)
            a = m.forward_dynamics(q, v, np.zeros(m.nv))
            np.testing.assert_allclose(a, data.qacc, atol=1e-9 * np.abs(data.qacc).max())
            along = m.element_forces(q, v).along
            read = ("spring", "rope", "band", "default")
            lengths = [along[names.index(n), 1] for n in read]
            np.testing.assert_allclose(lengths, data.ten_length[:4], rtol=1e-12)
            sums = [along[names.index(n), 1] for n in ("fixed", "play")]
            np.testing.assert_allclose(sums, data.ten_length[5:7], rtol=1e-12)
            seen |= {
                (n, bool(along[names.index(n), 0]))
                for n in ("rope", "band", "band.push", "play", "play.push")
            }
    assert {("band", True), ("band", False), ("band.push", True), ("rope", True)} <= seen
    assert {("play", True), ("play", False), ("play.push", True)} <= seen
