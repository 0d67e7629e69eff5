"""A car of trailing arms in another engine: the same accelerations for the same tyre forces."""

import numpy as np
import pytest

import armillary as am

mujoco = pytest.importorskip("mujoco")
V = am.vehicles


def text(values):
    return " ".join(f"{float(x):.17g}" for x in values)


def inertial(body):
    xx, yy, zz, xy, xz, yz = (*body.mass.tensor, 0.0, 0.0, 0.0)[:6]
    full = text((xx, yy, zz, xy, xz, yz))
    return (
        f'<inertial pos="{text(body.mass.com)}" mass="{body.mass.mass:.17g}" fullinertia="{full}"/>'
    )


def written(car):
    """The car in MuJoCo's language: hinges by hard points, struts as tendons, no tyres."""
    bodies = {body.name: body for body in car.mechanism.model.bodies}
    arms, sites, tendons = "", "", ""
    for axle, x in zip(car.data["axles"], car.axles, strict=True):
        made = axle.made
        for side, sign in (("left", 1.0), ("right", -1.0)):
            name = f"{axle.name}-{side}"
            inner, outer, center, low, top = (
                np.array(p) * [1, sign, 1] + [x, 0, 0]
                for p in (
                    made.pivot_inner, made.pivot_outer, made.wheel_center,
                    made.strut_low, made.strut_top,
                )
            )  # fmt: skip
            middle, axis = (inner + outer) / 2, outer - inner
            axis = axis / np.linalg.norm(axis)
            if np.cross(axis, center - middle)[2] < 0:
                axis = -axis
            arms += f"""
    <body name="{name}-arm" pos="{text(middle)}">
      <joint name="{name}-arm" axis="{text(axis)}"/> {inertial(bodies[f"{name}-arm"])}
      <site name="{name}-low" pos="{text(low - middle)}"/>
      <body name="{name}-wheel" pos="{text(center - middle)}">
        <joint name="{name}-wheel" axis="0 1 0"/> {inertial(bodies[f"{name}-wheel"])}
      </body>
    </body>"""
            sites += f'<site name="{name}-top" pos="{text(top)}"/>\n'
            strut = made.strut
            rest = np.linalg.norm(top - low) + strut.load / strut.stiffness
            tendons += (
                f'<spatial stiffness="{strut.stiffness}" damping="{strut.damping}" '
                f'springlength="{rest:.17g}"><site site="{name}-top"/><site site="{name}-low"/>'
                f"</spatial>\n"
            )
    return f"""<mujoco><compiler angle="radian"/>
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody><body name="chassis"><freejoint/> {inertial(bodies["chassis"])}
    {sites}{arms}
  </body></worldbody><tendon>{tendons}</tendon></mujoco>"""


def test_a_car_has_the_accelerations_of_another_engine():
    """Bouncing, rolling and turning at 15 m/s; wheels spin (gyroscopic moments), dampers work."""
    strut = V.Strut(stiffness=26e3, damping=2.1e3, bump=0.0, rebound=0.0)
    car = V.car(
        V.TrailingArm(strut=strut), V.TrailingArm(strut=strut, pivot_outer=(0.5, 0.6, 0.27)),
        front_anti_roll=0.0, rear_anti_roll=0.0, drive="rear",
    )  # fmt: skip
    m = car.mechanism
    rng = np.random.default_rng(11)
    q, v = car.start(15.0)
    q = m.integrate(q, rng.normal(scale=0.02, size=m.nv))
    v = v + rng.normal(scale=0.3, size=m.nv)
    tau = np.zeros(m.nv)
    tau[[m.v_labels.index(w) for w in car.driven]] = 150.0
    ours = dict(zip(m.v_labels, np.asarray(m.forward_dynamics(q, v, tau)), strict=True))
    model = mujoco.MjModel.from_xml_string(written(car))
    data = mujoco.MjData(model)
    of_q, of_v = (dict(zip(x, y, strict=True)) for x, y in ((m.q_labels, q), (m.v_labels, v)))
    R = np.asarray(m.pose(q, "chassis")[0])
    w, u = (np.array([of_v[f"chassis.{k}{x}"] for x in "xyz"]) for k in ("w", "v"))
    data.qpos[:7] = [of_q[f"chassis.{x}"] for x in ("px", "py", "pz", "w", "x", "y", "z")]
    data.qvel[:3], data.qvel[3:6] = R @ u, w
    forces = m.element_forces(q, v)
    for wheel, tyre in zip(car.wheels, car.tyres, strict=True):
        wrench, Rw = np.asarray(forces[tyre]), np.asarray(m.pose(q, wheel)[0])
        data.xfrc_applied[model.body(wheel).id] = np.concatenate([Rw @ wrench[3:], Rw @ wrench[:3]])
        data.qfrc_applied[model.joint(wheel).dofadr] = tau[m.v_labels.index(wheel)]
        for joint in (wheel, wheel.replace("wheel", "arm")):
            data.qpos[model.joint(joint).qposadr] = of_q[joint]
            data.qvel[model.joint(joint).dofadr] = of_v[joint]
    mujoco.mj_forward(model, data)
    rate, turning = (np.array([ours[f"chassis.{k}{x}"] for x in "xyz"]) for k in ("v", "w"))
    assert np.abs(data.qacc).max() > 30.0  # nothing is at rest
    size = np.abs(data.qacc).max()
    assert np.allclose(data.qacc[:3], R @ (rate + np.cross(w, u)), atol=1e-9 * size)
    assert np.allclose(data.qacc[3:6], turning, atol=1e-9 * size)
    for joint in (*car.wheels, *(w.replace("wheel", "arm") for w in car.wheels)):
        found = data.qacc[model.joint(joint).dofadr][0]
        assert found == pytest.approx(ours[joint], abs=1e-9 * size)
