"""Closed mechanisms against Pinocchio, MuJoCo's matrices, closed forms, and their own energy."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from closed_machines import allowed, closed_tree

import armillary as am
from compare import close, derivative
from oracles.pinocchio_model import pin_from_model, se3

# -- Pinocchio -------------------------------------------------------------------------------------


class PinocchioLoops:
    """The tree and 6D or 3D constraints between its joints; proximal steps until they are exact."""

    def __init__(self, model):
        self.tree = pin_from_model(model)
        self.model, self.data = self.tree.model, self.tree.data
        self.constraints, self.memory = (
            pin.StdVec_RigidConstraintModel(),
            pin.StdVec_RigidConstraintData(),
        )
        for loop in model.loops:
            kind = {"fixed": pin.ContactType.CONTACT_6D, "spherical": pin.ContactType.CONTACT_3D}
            ends = [x for frame in (loop.first, loop.second) for x in self.place(frame)]
            tie = pin.RigidConstraintModel(kind[loop.joint.kind], self.model, *ends, pin.LOCAL)
            self.constraints.append(tie)
            self.memory.append(tie.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.memory)

    def place(self, frame):
        """Joint number and pose in it."""
        if frame.body == "world":
            return 0, se3(frame.pose)
        host = self.model.frames[self.tree.places[frame.body]]
        return host.parentJoint, host.placement * se3(frame.pose)

    def forward_dynamics(self, q, v, tau):
        proximal = pin.ProximalSettings(1e-15, 1e-10, 100)
        a = pin.constraintDynamics(
            self.model, self.data, self.tree.q(q), self.tree.v(v), self.tree.v(tau),
            self.constraints, self.memory, proximal,
        )  # fmt: skip
        return self.tree.back(a.copy())


@pytest.mark.parametrize("base", [None, "free"])
@pytest.mark.parametrize("ties", [("fixed",), ("spherical",), ("fixed", "spherical"),
                                  ("spherical", "spherical", "spherical")])  # fmt: skip
def test_pinocchio(ties, base):
    """Where rows are independent: Pinocchio's answer to others depends on its settings."""
    compared = 0
    for seed in range(1, 20):
        m, q = closed_tree(seed, ties, bodies=10, joints=("revolute", "prismatic", "spherical"),
                           roots=0.0, base=base)  # fmt: skip
        m = m.compile(tier=1)
        s = np.linalg.svd(m.constraint_jacobian(q), compute_uv=False)
        if len(s) < len(m.constraint_rows) or s[-1] < 0.02 * s[0]:
            continue
        v, tau = allowed(m, q), np.random.default_rng(seed).normal(size=m.nv)
        expected = PinocchioLoops(m.model).forward_dynamics(q, v, tau)
        close(m.forward_dynamics(q, v, tau), expected, 1e-10)
        compared += 1
        if compared == 2:
            return
    raise AssertionError("no trees to compare")


# -- MuJoCo ----------------------------------------------------------------------------------------

ARMS = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.5 -1 -9"/>
  <worldbody>
    <body name="a1" pos="0 0 1" euler="0.2 0.1 -0.3">
      <inertial pos="0.1 0.02 -0.03" mass="2" fullinertia="0.03 0.05 0.04 0.004 -0.002 0.003"/>
      <joint name="a1" type="hinge" axis="0 1 0"/>
      <body name="a2" pos="0.4 0 0.1" euler="0.5 0 0.2">
        <inertial pos="0.1 0.02 0.05" mass="1" fullinertia="0.02 0.03 0.025 0.001 0.002 -0.003"/>
        <joint name="a2" type="ball"/>
        <body name="a3" pos="0.3 0.1 0" euler="0 0.4 0.1">
          <inertial pos="0.05 0 0.05" mass="1.5" fullinertia="0.02 0.03 0.025 0.001 0 -0.003"/>
          <joint name="a3" type="slide" axis="1 0 1"/>
        </body>
      </body>
    </body>
    <body name="b1" pos="1 0 1" euler="0.1 -0.4 0.6">
      <inertial pos="-0.1 0.02 -0.03" mass="2" fullinertia="0.03 0.05 0.04 0.004 -0.002 0.003"/>
      <freejoint name="b1"/>
      <body name="b2" pos="-0.3 0.1 0">
        <inertial pos="-0.1 0.05 0" mass="0.7" fullinertia="0.01 0.02 0.02 0.001 -0.002 0.001"/>
        <joint name="b2" type="hinge" axis="1 1 0"/>
      </body>
    </body>
  </worldbody>
  <equality>{}</equality>
</mujoco>
"""
EQUALITIES = {
    "connect": '<connect name="tie" body1="a3" body2="b2" anchor="0.1 0.05 0"/>',
    "weld": '<weld name="tie" body1="a2" body2="b1"/>',
    "both": '<connect name="one" body1="b2" anchor="0.1 0 0"/>'
            '<weld name="two" body1="a3" body2="b1"/>',
}  # fmt: skip


@pytest.mark.parametrize("name", EQUALITIES)
def test_mujoco_at_rest(name, tmp_path):
    """MuJoCo's constraints are soft, its matrices M and J are not: solved as hard ones.

    At rest, because its rows leave out dJ/dt v."""
    import mujoco

    path = tmp_path / "arms.xml"
    path.write_text(ARMS.format(EQUALITIES[name]))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    for unit, column in zip(np.eye(theirs.nv), M, strict=True):
        mujoco.mj_mulM(theirs, data, column, unit)
    J = data.efc_J.reshape(data.nefc, theirs.nv)
    B = np.eye(theirs.nv)  # theirs = B ours
    free = theirs.joint("b1").dofadr[0]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, data.qpos[theirs.joint("b1").qposadr[0] + 3 :][:4].copy())
    B[free : free + 6, free : free + 6] = 0.0
    B[free : free + 3, free + 3 : free + 6] = R.reshape(3, 3)
    B[free + 3 : free + 6, free : free + 3] = np.eye(3)
    tau = np.linspace(-2, 2, theirs.nv)
    force = np.linalg.inv(B).T @ tau - data.qfrc_bias
    N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :].T
    a = N @ np.linalg.solve(N.T @ M @ N, N.T @ force)
    m = am.load(path)
    start = theirs.joint("b1").qposadr[0]
    q = data.qpos.copy()
    q[start : start + 7] = np.r_[q[start + 3 : start + 7], q[start : start + 3]]
    assert np.abs(m.constraint_residual(q)).max() < 1e-14
    found = m.forward_dynamics(q, np.zeros(m.nv), tau)
    close(found, np.linalg.solve(B, a), 1e-10)


# -- the planar four-bar in one coordinate ---------------------------------------------------------


class FourBar:
    """The crank's angle alone: the others by circles, slopes by differences of sixth order."""

    def __init__(self, m):
        self.bodies = [m.model.body(name) for name in ("crank", "coupler", "rocker")]
        (pin_loop,) = m.model.loops
        self.a = self.bodies[1].at.position[0]
        self.b = pin_loop.first.pose.position[0]
        self.c = pin_loop.second.pose.position[0]
        self.d = self.bodies[2].at.position[0]
        self.weights = np.array([b.mass.mass for b in self.bodies]) * -m.model.gravity[2]
        self.side = 1.0
        coupler, _ = self.angles(m.initial[0])
        self.side = 1.0 if abs(coupler - m.initial[0] - m.initial[1]) < 1e-9 else -1.0

    def angles(self, t):
        """Of coupler and rocker, from x to z; two circles meet on this side of their centres."""
        A, D = self.a * np.exp(1j * t), self.d
        far = abs(D - A)
        along = (self.b**2 - self.c**2 + far**2) / (2 * far)
        B = A + (D - A) / far * (along + self.side * 1j * np.sqrt(self.b**2 - along**2))
        return np.angle(B - A), np.angle(B - D)

    def places(self, t):
        """(x, z, angle) of the three centres of mass."""
        coupler, rocker = self.angles(t)
        joints = ((0, t), (self.a * np.exp(1j * t), coupler), (self.d, rocker))
        rows = []
        for (start, angle), body in zip(joints, self.bodies, strict=True):
            p = start + (body.mass.com[0] + 1j * body.mass.com[2]) * np.exp(1j * angle)
            rows.append((p.real, p.imag, angle))
        return np.array(rows)

    def inertia(self, t):
        """I(t) of the kinetic energy I t'^2 / 2."""
        slope = derivative(lambda x: self.places(t + x))
        mass = np.array([b.mass.mass for b in self.bodies])
        turning = np.array([b.mass.tensor[1] for b in self.bodies])
        return np.sum(mass * (slope[:, 0] ** 2 + slope[:, 1] ** 2) + turning * slope[:, 2] ** 2)

    def acceleration(self, t, rate, torque):
        """Lagrange's equation of one coordinate."""
        weight = derivative(lambda x: self.weights @ self.places(t + x)[:, 1])
        centrifugal = derivative(lambda x: self.inertia(t + x)) * rate**2 / 2
        return (torque - weight - centrifugal) / self.inertia(t)


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.2, 1.9, -0.8, -2.0])
def test_four_bar_in_closed_form(turn):
    m = am.example("four-bar")
    form = FourBar(m)
    t, rate, torque = m.initial[0] + turn, 1.7, 0.4
    coupler, rocker = form.angles(t)
    q = np.array([t, coupler - t, rocker])
    assert np.abs(m.constraint_residual(q)).max() < 1e-14
    slopes = derivative(lambda x: np.array(form.angles(t + x)))
    v = np.array([rate, slopes[0] * rate - rate, slopes[1] * rate])
    assert np.abs(m.constraint_rate(q, v)).max() < 1e-10
    a = form.acceleration(t, rate, torque)
    curves = derivative(lambda x: derivative(lambda y: np.array(form.angles(t + x + y))))
    others = slopes * a + curves * rate**2
    found = m.forward_dynamics(q, v, np.array([torque, 0.0, 0.0]), passive=False)
    close(found, [a, others[0] - a, others[1]], 1e-8)


# -- wheels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lean", [1.0, 0.6, 1.5, 2.2])
@pytest.mark.parametrize("turn", [0.8, 3.0, -2.0])
def test_disc_turns_steadily(lean, turn):
    """(C + m r²) n Ω sin θ - A Ω² sin θ cos θ + m g r cos θ = 0: a circle at constant lean θ
    (axle to vertical), turning rate Ω and spin n about the axle."""
    m = am.example("rolling-disc")
    body, wheel = m.model.bodies[0], m.model.wheels[0]
    A, C, mass, r = body.mass.tensor[0], body.mass.tensor[1], body.mass.mass, wheel.radius
    s, c = np.sin(lean), np.cos(lean)
    n = (A * turn**2 * s * c - mass * 9.81 * r * c) / ((C + mass * r**2) * turn * s)
    e1, e2 = np.array([1.0, 0, 0]), np.array([0, c, s])  # track; up in the disc's plane
    axle = np.cross(e1, e2)
    assert axle[2] == pytest.approx(c)
    w = turn * s * e2 + n * axle
    velocity = np.cross(w, r * e2)
    R = np.array([np.cross(axle, e2), axle, e2]).T  # body x, y (the axle), z in the world
    q = np.array([*quaternion(R), 0.3, -0.2, r * s])
    v = np.r_[R.T @ w, R.T @ velocity]
    assert np.abs(m.constraint_residual(q)).max() < 1e-15
    assert np.abs(m.constraint_rate(q, v)).max() < 1e-14 * max(1.0, np.abs(v).max())
    a = m.forward_dynamics(q, v, np.zeros(6))
    up = np.array([0, 0, turn])
    # body components: dω/dt = R^T (α), dv/dt = R^T (a - ω × v)
    alpha, acceleration = np.cross(up, w), np.cross(up, velocity)
    close(a, np.r_[R.T @ alpha, R.T @ (acceleration - np.cross(w, velocity))], 1e-12)


def quaternion(R):
    q = pin.Quaternion(R)
    return q.w, q.x, q.y, q.z


# Seed case 002_wheeled_systems.yaml, "synthetic cart accelerations at rest":
# torques -> along y, yaw, pitch of the axle, forces of the ground on the wheels (y, z)
CART = {
    (1.0, 1.0): (-0.821917808219, 0.0, -100.0, (-2.87671232877, 34.335), (-2.87671232877, 34.335)),
    (1.0, -1.0): (0.0, 2.62008733624, 0.0, (-2.75109170306, 34.335), (2.75109170306, 34.335)),
    (1.0, 0.4): (-0.575342465753, 0.786026200873, -70.0,
                 (-2.83902614105, 34.335), (-1.18837111922, 34.335)),
}  # fmt: skip


@pytest.mark.parametrize("torques", CART)
def test_cart_of_the_document(torques):
    m = am.example("two-wheeled-cart")
    tau = np.array([0.0] * 6 + list(torques))
    s = m.solve(m.initial, np.zeros(8), tau)
    along, yaw, pitch, *forces = CART[torques]
    for a in (s.acceleration, m.forward_dynamics(m.initial, np.zeros(8), tau)):
        np.testing.assert_allclose([a[4], a[2], a[0]], [along, yaw, pitch], rtol=1e-11, atol=1e-11)
    for wheel, force in zip(m.model.wheels, forces, strict=True):
        R, _ = m.pose(m.initial, wheel.body)
        f = R @ s.constraint_forces[wheel.name][3:]
        np.testing.assert_allclose(f, [0.0, *force], rtol=1e-11, atol=1e-10)


# -- energy ----------------------------------------------------------------------------------------


def drift(m, q, v, step, duration=0.16):
    """Relative change of energy over a free motion: RK4 on velocities, projected every step."""
    zero = np.zeros(m.nv)

    def a(q, v):
        return m.forward_dynamics(q, v, zero, passive=False)

    start = sum(m.energy(q, v))
    for _ in range(round(duration / step)):
        k1 = a(q, v)
        v2 = v + step / 2 * k1
        k2 = a(m.integrate(q, step / 2 * v), v2)
        v3 = v + step / 2 * k2
        k3 = a(m.integrate(q, step / 2 * v2), v3)
        v4 = v + step * k3
        k4 = a(m.integrate(q, step * v3), v4)
        q = m.integrate(q, step / 6 * (v + 2 * v2 + 2 * v3 + v4))
        v = v + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        q, v = m.project(q, v)
    assert np.abs(m.constraint_residual(q)).max() < 1e-11
    return abs(sum(m.energy(q, v)) - start) / max(1.0, abs(start))


# order of the steps: of the second where quaternions are stepped along constant velocities
ORDERS = {"four-bar": 4, "bricard": 4, "slider-crank": 4, "rolling-disc": 2, "bicycle": 2,
          "delta": 2}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_energy_stays(name):
    """Loops and rolling do no work: what drifts is the integrator's, and falls with its order."""
    model = am.example(name).model
    bodies = [replace(b, joint=replace(b.joint, passive=(), rotors=())) for b in model.bodies]
    m = am.Mechanism(replace(model, bodies=tuple(bodies)))
    q = np.array(m.initial)
    v = allowed(m, q, 3)
    v *= 2.0 / np.abs(v).max()
    coarse, fine = (drift(m, q, v, step) for step in (0.008, 0.004))
    assert fine < 3e-5
    assert fine < coarse / 2 ** (ORDERS[name] - 0.5) or fine < 1e-11
