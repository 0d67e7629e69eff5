"""The same mechanism in Pinocchio, asked in this library's order and conventions.

Pinocchio is linear-first, keeps quaternions as xyzw and the free-flyer as (position; quaternion),
(linear; angular).  Everything here is converted at the edge: q, v, tau in the order of the model,
spatial vectors angular first, quaternions wxyz.  A joint that Pinocchio does not have is a
composite of screws.  Trees must be numbered depth first (they are), or its mass matrix is wrong.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio as pin

from armillary.model import WORLD, JointSpec, Model
from oracles.direct import joint_sizes, screws

FRAMES = {
    "local": pin.ReferenceFrame.LOCAL,
    "world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "world": pin.ReferenceFrame.WORLD,
}
SWAP = [3, 4, 5, 0, 1, 2]  # linear first <-> angular first
BALL = [1, 2, 3, 0]  # wxyz -> xyzw
FLOAT = [4, 5, 6, 1, 2, 3, 0]  # wxyz p -> p xyzw


class Pinocchio:
    """A Pinocchio model with the maps to the library's coordinates.

    q_of[i] is the entry of our q that stands at Pinocchio's place i; a continuous joint takes two
    places, listed in `cosines` as (place, our entry).  v_of likewise for v and tau."""

    def __init__(self, model, q_of, v_of, places, cosines=()):
        self.model, self.data = model, model.createData()
        self.q_of, self.v_of = np.asarray(q_of, int), np.asarray(v_of, int)
        self.places = places  # frame name -> Pinocchio frame number
        self.cosines = tuple(cosines)
        self.nv = model.nv

    # -- coordinates -----------------------------------------------------------------------------

    def q(self, q) -> np.ndarray:
        result = np.asarray(q, float)[self.q_of]
        for place, entry in self.cosines:
            result[place : place + 2] = np.cos(q[entry]), np.sin(q[entry])
        return result

    def v(self, v) -> np.ndarray:
        return np.asarray(v, float)[self.v_of]

    def back(self, x) -> np.ndarray:
        """A vector over Pinocchio's v (last axis) in our order."""
        result = np.empty_like(x)
        result[..., self.v_of] = x
        return result

    # -- dynamics --------------------------------------------------------------------------------

    def inverse_dynamics(self, q, v, a, external: Mapping | None = None) -> np.ndarray:
        forces = self.forces(external)
        return self.back(
            pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a), forces).copy()
        )

    def forces(self, external: Mapping | None):
        """Wrenches (n; f) on frames, in their own axes, as forces on joints."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for name, wrench in (external or {}).items():
            frame = self.model.frames[self.places[name]]
            force = pin.Force(np.asarray(wrench, float)[SWAP])
            forces[frame.parentJoint] += frame.placement.act(force)
        return forces

    def forward_dynamics(self, q, v, tau, external: Mapping | None = None) -> np.ndarray:
        forces = self.forces(external)
        return self.back(
            pin.aba(self.model, self.data, self.q(q), self.v(v), self.v(tau), forces).copy()
        )

    def mass_matrix(self, q) -> np.ndarray:
        M = pin.crba(self.model, self.data, self.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.back(self.back(M).T)

    def bias_forces(self, q, v) -> np.ndarray:
        return self.back(pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(v)).copy())

    def gravity_forces(self, q) -> np.ndarray:
        return self.back(pin.computeGeneralizedGravity(self.model, self.data, self.q(q)).copy())

    # -- kinematics ------------------------------------------------------------------------------

    def pose(self, q, frame: str) -> np.ndarray:
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return self.data.oMf[self.places[frame]].homogeneous.copy()

    def jacobian(self, q, frame: str, coordinates: str = "local") -> np.ndarray:
        J = pin.computeFrameJacobian(
            self.model, self.data, self.q(q), self.places[frame], FRAMES[coordinates]
        )
        return self.back(J.reshape(6, -1)[SWAP])

    def jacobian_dot(self, q, v, frame: str, coordinates: str = "local") -> np.ndarray:
        """Pinocchio leaves out dS/dt: right only where joint axes stand still in their bodies."""
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.v(v))
        pin.updateFramePlacements(self.model, self.data)
        J = pin.getFrameJacobianTimeVariation(
            self.model, self.data, self.places[frame], FRAMES[coordinates]
        )
        return self.back(J.reshape(6, -1)[SWAP])

    def velocity(self, q, v, frame: str, coordinates: str = "local") -> np.ndarray:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v))
        velocity = pin.getFrameVelocity(
            self.model, self.data, self.places[frame], FRAMES[coordinates]
        )
        return velocity.vector[SWAP]

    def acceleration(
        self, q, v, a, frame: str, coordinates: str = "local", kind: str = "classical"
    ) -> np.ndarray:
        pin.forwardKinematics(self.model, self.data, self.q(q), self.v(v), self.v(a))
        ask = pin.getFrameClassicalAcceleration if kind == "classical" else pin.getFrameAcceleration
        return ask(self.model, self.data, self.places[frame], FRAMES[coordinates]).vector[SWAP]

    # -- whole-body quantities -------------------------------------------------------------------

    def center_of_mass(self, q) -> np.ndarray:
        return pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    def momentum(self, q, v) -> np.ndarray:
        """About the centre of mass, world axes."""
        momentum = pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.v(v))
        return momentum.vector[SWAP]

    def energy(self, q, v) -> tuple[float, float]:
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.v(v))
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def reactions(self, q, v, a) -> dict[str, np.ndarray]:
        """Wrench through each moving joint on its body, at the joint's frame, by joint name."""
        pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a))
        names = list(self.model.names)
        return {name: self.data.f[k].vector[SWAP] for k, name in enumerate(names) if k > 0}


# ---------------------------------------------------------------- from a model of this library


def pin_from_model(model: Model) -> Pinocchio:
    """Joint by joint, with the bodies' inertias, frames and gravity."""
    target = pin.Model()
    target.name = model.name
    target.gravity.linear = np.array(model.gravity, float)
    hosts = {WORLD: (0, pin.SE3.Identity())}  # body -> joint number, body frame in the joint frame
    q_of: list[int] = []
    v_of: list[int] = []
    nq = nv = 0
    for body in model.bodies:
        joint, inside = hosts[body.parent]
        placement = inside * se3(body.at)
        sizes = joint_sizes(body.joint)
        if sizes[1] > 0:
            kind, q_local, v_local, inside = pin_joint(body.joint)
            joint = target.addJoint(joint, kind, placement, body.joint.name)
            q_of += [nq + k for k in q_local]
            v_of += [nv + k for k in v_local]
        else:
            inside = placement
        nq, nv = nq + sizes[0], nv + sizes[1]
        target.appendBodyToJoint(joint, pin_inertia(body.mass), inside)
        target.addFrame(pin.Frame(body.name, joint, 0, inside, pin.FrameType.BODY), False)
        hosts[body.name] = (joint, inside)
    for frame in model.frames:
        joint, inside = hosts[frame.body]
        at = inside * se3(frame.pose)
        target.addFrame(pin.Frame(frame.name, joint, 0, at, pin.FrameType.OP_FRAME), False)
    places = {f.name: k for k, f in enumerate(target.frames)} | {WORLD: 0}
    return Pinocchio(target, q_of, v_of, places)


def se3(pose) -> pin.SE3:
    return pin.SE3(np.array(pose.rotation, float), np.array(pose.position, float))


def pin_inertia(mass) -> pin.Inertia:
    xx, yy, zz, xy, xz, yz = mass.tensor
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return pin.Inertia(mass.mass, np.array(mass.com), tensor)


def pin_joint(spec: JointSpec):
    """(joint model, our q entry at each place, our v entry at each place, body in joint frame)."""
    one = pin.SE3.Identity()
    if spec.kind == "spherical":
        return pin.JointModelSpherical(), BALL, [0, 1, 2], one
    if spec.kind == "free":
        return pin.JointModelFreeFlyer(), FLOAT, SWAP, one
    if spec.kind == "universal":
        axes = [np.array(axis) for axis in spec.axes]
        return pin.JointModelUniversal(*axes), [0, 1], [0, 1], one
    sequence = screws(spec)
    points = [np.cross(w, v) for w, v, _ in sequence]  # on the axis of a turn
    order = [k for _, _, k in sequence]
    end = pin.SE3(np.eye(3), -points[-1])
    if len(sequence) == 1 and not points[0].any():
        return screw_joint(*sequence[0][:2]), order, order, one
    composite = pin.JointModelComposite()
    previous = np.zeros(3)
    for (w, v, _), point in zip(sequence, points, strict=True):
        composite.addJoint(screw_joint(w, v), pin.SE3(np.eye(3), point - previous))
        previous = point
    return composite, order, order, end


def screw_joint(w, v):
    """One axis through the origin: a slide, a turn or a screw."""
    if not w.any():
        return pin.JointModelPrismaticUnaligned(v)
    if w @ v == 0.0:
        return pin.JointModelRevoluteUnaligned(w)
    return pin.JointModelHelicalUnaligned(w, float(w @ v))


# ---------------------------------------------------------------- from a URDF file


def pin_from_urdf(path: str | Path, base: str, model: Model) -> Pinocchio:
    """Pinocchio's own reading of the file, mapped by joint names to the order of our `model`.

    Pinocchio sorts children by name and stores continuous joints as (cos, sin); a free base is its
    joint "root_joint", ours is whichever free joint hangs on the world."""
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    target = pin.buildModelFromUrdf(str(path), *root)
    target.gravity.linear = np.array(model.gravity, float)
    slots = {body.joint.name: slot for body, slot in zip(model.bodies, model.slots, strict=True)}
    floating = [b.joint.name for b in model.bodies if b.joint.kind == "free"]
    q_of = np.zeros(target.nq, int)
    v_of = np.zeros(target.nv, int)
    cosines = []
    for k in range(1, target.njoints):
        joint, name = target.joints[k], target.names[k]
        slot = slots[floating[0] if name == "root_joint" and floating else name]
        q0, v0 = joint.idx_q, joint.idx_v
        v_of[v0 : v0 + joint.nv] = slot.v.start + np.array(SWAP if joint.nv == 6 else [0])
        if joint.nq == 7:
            q_of[q0 : q0 + 7] = slot.q.start + np.array(FLOAT)
        elif joint.nq == 2 and joint.nv == 1:
            cosines.append((q0, slot.q.start))
        else:
            q_of[q0] = slot.q.start
    places = {f.name: k for k, f in enumerate(target.frames) if f.type == pin.FrameType.BODY} | {
        WORLD: 0
    }
    return Pinocchio(target, q_of, v_of, places, cosines)
