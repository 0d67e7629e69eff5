"""Dynamics from first principles: homogeneous matrices, their derivatives, and nothing else.

Every body is a 4x4 pose H in the world, its mass a 4x4 pseudo-inertia P = ∫ x x^T dm over
homogeneous points x of the body.  Along a motion H', H'' follow from the product rule, exactly,
and d'Alembert's principle needs only traces (Uicker's form of Lagrange's equations):

    M_jk = Σ tr(∂_j H P ∂_k H^T)        tau_k = Σ tr(∂_k H P (H'' - G)^T)

with G the matrix of the gravity field.  No spatial vector, no recursion over forces, no bias
terms: nothing is shared with the library's algorithms.  Accuracy: rounding only, about 1e-13
relative; the pose function accepts complex q, so `lagrange_bias` differentiates M by complex steps.
"""

from collections.abc import Mapping

import numpy as np

from armillary.model import WORLD, JointSpec, Model

X, Y, Z = np.eye(3)


# ---------------------------------------------------------------- twists as 4x4 matrices


def cross_matrix(w) -> np.ndarray:
    x, y, z = w
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def twist_matrix(w, v) -> np.ndarray:
    """The 4x4 matrix of the velocity field v + ω × p."""
    field = np.zeros((4, 4), dtype=np.result_type(np.asarray(w), np.asarray(v), float))
    field[:3, :3], field[:3, 3] = cross_matrix(w), v
    return field


def twist_vector(field) -> np.ndarray:
    """(ω; v) of a 4x4 velocity field."""
    return np.array([field[2, 1], field[0, 2], field[1, 0], *field[:3, 3]])


def screw_pose(w, v, x) -> np.ndarray:
    """The pose reached by moving x along the unit screw (ω; v): Rodrigues about a line."""
    w, v = np.asarray(w, float), np.asarray(v, float)
    H = np.eye(4, dtype=np.result_type(np.asarray(x), float))
    if not w.any():
        H[:3, 3] = v * x
        return H
    point, pitch = np.cross(w, v), w @ v
    H[:3, :3] = np.outer(w, w) * (1 - np.cos(x)) + np.eye(3) * np.cos(x)
    H[:3, :3] += cross_matrix(w) * np.sin(x)
    H[:3, 3] = point - H[:3, :3] @ point + pitch * x * w
    return H


def quaternion_pose(q) -> np.ndarray:
    """(w, x, y, z[, px, py, pz]) by p -> q p q*, for a quaternion of any length."""
    w, u = q[0], np.asarray(q[1:4])
    H = np.eye(4, dtype=np.result_type(np.asarray(q), float))
    H[:3, :3] = np.eye(3) + 2 * (w * cross_matrix(u) + cross_matrix(u) @ cross_matrix(u)) / (
        w * w + u @ u
    )
    if len(q) == 7:
        H[:3, 3] = q[4:]
    return H


# ---------------------------------------------------------------- joints as sequences of screws


def plane_axes(normal) -> tuple[np.ndarray, np.ndarray]:
    """In-plane x and y of a planar joint: those of z turned to the normal the shortest way.

    Along letters they are the next letters in the cycle x y z; a normal on the lower side is the
    opposite normal with y (and z) reversed."""
    n = np.asarray(normal, float)
    if n[2] < -0.9 or any((n == -letter).all() for letter in (X, Y, Z)):
        x, y = plane_axes(-n)
        return x, -y
    for k, letter in enumerate((X, Y, Z)):
        if (n == letter).all():
            return np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
    turn = np.cross(Z, n)
    sine, cosine = np.linalg.norm(turn), n[2]
    R = screw_pose(turn / sine, np.zeros(3), np.arctan2(sine, cosine))[:3, :3]
    return R[:, 0], R[:, 1]


def screws(spec: JointSpec) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """(ω, v, index of its coordinate), in the order the motions are carried out."""
    none = np.zeros(3)
    axes = [np.asarray(axis, float) for axis in spec.axes]
    if spec.kind == "revolute":
        return [(axes[0], none, 0)]
    if spec.kind == "prismatic":
        return [(none, axes[0], 0)]
    if spec.kind == "helical":
        return [(axes[0], spec.pitch * axes[0], 0)]
    if spec.kind == "cylindrical":
        return [(axes[0], none, 0), (none, axes[0], 1)]
    if spec.kind == "universal":
        return [(axes[0], none, 0), (axes[1], none, 1)]
    if spec.kind == "planar":
        x, y = plane_axes(axes[0])
        return [(none, x, 1), (none, y, 2), (axes[0], none, 0)]
    if spec.kind == "gimbal":
        named = dict(zip(("rx", "ry", "rz", "dx", "dy", "dz"), [X, Y, Z] * 2, strict=True))
        return [
            (named[f], none, k) if f[0] == "r" else (none, named[f], k)
            for k, f in enumerate(spec.free)
        ]
    if spec.kind == "general":
        return [(a[:3], a[3:], k) for k, a in enumerate(axes)]
    return []


def joint_sizes(spec: JointSpec) -> tuple[int, int]:
    if spec.kind in ("spherical", "free"):
        return (4, 3) if spec.kind == "spherical" else (7, 6)
    return len(screws(spec)), len(screws(spec))


def joint_pose(spec: JointSpec, q) -> np.ndarray:
    """The body frame in the joint frame."""
    if spec.kind in ("spherical", "free"):
        return quaternion_pose(np.asarray(q))
    H = np.eye(4)
    for w, v, k in screws(spec):
        H = H @ screw_pose(w, v, q[k])
    return H


def joint_tangents(spec: JointSpec, q) -> list[np.ndarray]:
    """∂_k H for every velocity coordinate of the joint."""
    if spec.kind in ("spherical", "free"):
        H = joint_pose(spec, q)
        units = [twist_matrix(e[:3], e[3:]) for e in np.eye(6)]
        return [H @ unit for unit in units[: joint_sizes(spec)[1]]]
    sequence = screws(spec)
    tangents: list[np.ndarray] = [np.eye(4)] * len(sequence)
    for w, v, k in sequence:
        H = np.eye(4)
        for w2, v2, k2 in sequence:
            if k2 == k:
                H = H @ twist_matrix(w, v)
            H = H @ screw_pose(w2, v2, q[k2])
        tangents[k] = H
    return tangents


Jet = tuple[np.ndarray, np.ndarray, np.ndarray]


def times(a: Jet, b: Jet) -> Jet:
    """Product rule: pose, first and second time derivative."""
    return (a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2 * a[1] @ b[1] + a[0] @ b[2])


def constant(H) -> Jet:
    return H, np.zeros((4, 4)), np.zeros((4, 4))


def joint_jet(spec: JointSpec, q, v, a) -> Jet:
    """H, H', H'' of the joint along q(t) with velocity v and acceleration a."""
    if spec.kind in ("spherical", "free"):
        H = joint_pose(spec, q)
        V, A = (twist_matrix(x[:3], x[3:] if len(x) == 6 else np.zeros(3)) for x in (v, a))
        return H, H @ V, H @ (V @ V + A)
    jet = constant(np.eye(4))
    for w, u, k in screws(spec):
        H, field = screw_pose(w, u, q[k]), twist_matrix(w, u)
        step = field * v[k]
        jet = times(jet, (H, step @ H, (step @ step + field * a[k]) @ H))
    return jet


# ---------------------------------------------------------------- the mechanism


def pose_matrix(pose) -> np.ndarray:
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = pose.rotation, pose.position
    return H


def pseudo_inertia(mass) -> np.ndarray:
    """∫ x x^T dm over homogeneous points, from mass, centre and tensor about it."""
    xx, yy, zz, xy, xz, yz = mass.tensor
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    second = np.trace(tensor) / 2 * np.eye(3) - tensor
    centre = np.append(mass.com, 1.0)
    P = mass.mass * np.outer(centre, centre)
    P[:3, :3] += second
    return P


class Direct:
    """The same questions as the library's `Mechanism`, answered by 4x4 matrices."""

    def __init__(self, model: Model, passive: bool = False):
        self.model = model
        self.passive = passive
        self.offsets = [pose_matrix(body.at) for body in model.bodies]
        self.masses = [pseudo_inertia(body.mass) for body in model.bodies]
        self.specs = [body.joint for body in model.bodies]
        names = [body.name for body in model.bodies]
        self.number = {name: k for k, name in enumerate(names)} | {WORLD: -1}
        self.parents = [self.number[body.parent] for body in model.bodies]
        sizes = np.array([joint_sizes(spec) for spec in self.specs]).reshape(-1, 2)
        ends = np.vstack([[0, 0], np.cumsum(sizes, axis=0)])
        self.q_slots = [slice(i, j) for i, j in zip(ends[:-1, 0], ends[1:, 0], strict=True)]
        self.v_slots = [slice(i, j) for i, j in zip(ends[:-1, 1], ends[1:, 1], strict=True)]
        self.nq, self.nv = (int(n) for n in ends[-1])
        self.gravity = np.zeros((4, 4))
        self.gravity[:3, 3] = model.gravity

    def ancestors(self, body: int) -> list[int]:
        """The body itself and all bodies that carry it."""
        chain = []
        while body >= 0:
            chain.append(body)
            body = self.parents[body]
        return chain

    def descends(self, body: int, from_body: int) -> bool:
        return from_body in self.ancestors(body)

    # -- kinematics ------------------------------------------------------------------------------

    def poses(self, q) -> list[np.ndarray]:
        poses: list[np.ndarray] = []
        for k, spec in enumerate(self.specs):
            parent = poses[self.parents[k]] if self.parents[k] >= 0 else np.eye(4)
            poses.append(parent @ self.offsets[k] @ joint_pose(spec, q[self.q_slots[k]]))
        return poses

    def frame(self, name: str) -> tuple[int, np.ndarray]:
        """Number of the body that carries the frame, and its pose there."""
        if name in self.number:
            return self.number[name], np.eye(4)
        (found,) = [f for f in self.model.frames if f.name == name]
        return self.number[found.body], pose_matrix(found.pose)

    def pose(self, q, frame: str) -> np.ndarray:
        body, inside = self.frame(frame)
        return (self.poses(q)[body] if body >= 0 else np.eye(4)) @ inside

    def fields(self, q) -> np.ndarray:
        """(nv, 4, 4): velocity field in the world of each unit joint velocity."""
        poses = self.poses(q)
        fields = np.zeros((self.nv, 4, 4), dtype=np.result_type(np.asarray(q), float))
        for k, spec in enumerate(self.specs):
            parent = poses[self.parents[k]] if self.parents[k] >= 0 else np.eye(4)
            back = np.linalg.inv(poses[k])
            for column, tangent in zip(
                range(self.v_slots[k].start, self.v_slots[k].stop),
                joint_tangents(spec, q[self.q_slots[k]]),
                strict=True,
            ):
                fields[column] = parent @ self.offsets[k] @ tangent @ back
        return fields

    def mask(self, body: int) -> np.ndarray:
        """1 for the velocities that move the body, else 0."""
        moves = np.zeros(self.nv)
        for k in self.ancestors(body):
            moves[self.v_slots[k]] = 1.0
        return moves

    def tangents(self, q) -> list[np.ndarray]:
        """(nv, 4, 4) per body: ∂_k H."""
        fields, poses = self.fields(q), self.poses(q)
        return [self.mask(k)[:, None, None] * (fields @ poses[k]) for k in range(len(self.specs))]

    def jets(self, q, v, a) -> list[Jet]:
        """Pose, velocity and acceleration of every body; a moving world comes first."""
        base_v = np.asarray(self.model.base_velocity or np.zeros(6))
        base_a = np.asarray(self.model.base_acceleration or np.zeros(6))
        spin = twist_matrix(base_v[:3], np.zeros(3))
        world = (
            np.eye(4),
            twist_matrix(base_v[:3], base_v[3:]),
            twist_matrix(base_a[:3], base_a[3:]) + spin @ spin,
        )
        jets: list[Jet] = []
        for k, spec in enumerate(self.specs):
            parent = jets[self.parents[k]] if self.parents[k] >= 0 else world
            joint = joint_jet(spec, q[self.q_slots[k]], v[self.v_slots[k]], a[self.v_slots[k]])
            jets.append(times(times(parent, constant(self.offsets[k])), joint))
        return jets

    def jacobian(self, q, frame: str, coordinates: str = "local") -> np.ndarray:
        """(6, nv), angular first: at the frame's origin in its own axes ("local"), in world axes

        ("world_aligned"), or at the world's origin in world axes ("world")."""
        body, _ = self.frame(frame)
        twists = np.array([twist_vector(f) for f in self.fields(q)]).reshape(self.nv, 6)
        J = (twists * self.mask(body)[:, None]).T
        return seen_from(self.pose(q, frame), J, coordinates)

    def jacobian_dot(self, q, v, frame: str, coordinates: str = "local") -> np.ndarray:
        """Time derivative of the matrix `jacobian`, by a complex step along the motion."""
        step = 1e-30
        moved = np.asarray(q) + 1j * step * self.rate(q, v)
        return self.jacobian(moved, frame, coordinates).imag / step

    def velocity(self, q, v, frame: str, coordinates: str = "local") -> np.ndarray:
        body, inside = self.frame(frame)
        H, H1, _ = times(self.jets(q, v, 0 * np.asarray(v))[body], constant(inside))
        field = twist_vector(H1 @ np.linalg.inv(H))
        return seen_from(H, field, coordinates)

    def acceleration(
        self, q, v, a, frame: str, coordinates: str = "local", kind: str = "classical"
    ) -> np.ndarray:
        """(α; a).  "spatial": rate of the velocity field at a fixed place; "classical": of the

        material point that is at the place."""
        body, inside = self.frame(frame)
        H, H1, H2 = times(self.jets(q, v, a)[body], constant(inside))
        back = np.linalg.inv(H)
        V = H1 @ back
        rate = H2 @ back - V @ V  # d/dt of the field H' H^-1, in the fixed world
        acceleration = seen_from(H, twist_vector(rate), coordinates)
        if kind == "spatial":
            return acceleration
        velocity = seen_from(H, twist_vector(V), coordinates)
        return acceleration + np.r_[np.zeros(3), np.cross(velocity[:3], velocity[3:])]

    # -- dynamics --------------------------------------------------------------------------------

    def mass_matrix(self, q) -> np.ndarray:
        M = np.zeros((self.nv, self.nv), dtype=np.result_type(np.asarray(q), float))
        for P, tangent in zip(self.masses, self.tangents(q), strict=True):
            M += np.einsum("jab,bc,kac->jk", tangent, P, tangent, optimize=True)
        return M + np.diag(self.armature())

    def armature(self) -> np.ndarray:
        armature = np.zeros(self.nv)
        if self.passive:
            for slot, spec in zip(self.v_slots, self.specs, strict=True):
                for k, rotor in enumerate(spec.rotors):
                    armature[slot.start + k] = rotor.inertia * rotor.gear**2
        return armature

    def loads(self, q, v, a) -> list[np.ndarray]:
        """Per body P (H'' - G)^T: what its points resist with, before projection."""
        return [
            P @ (H2 - self.gravity).T
            for P, (_, _, H2) in zip(self.masses, self.jets(q, v, a), strict=True)
        ]

    def inverse_dynamics(self, q, v, a, external: Mapping | None = None) -> np.ndarray:
        """tau of d'Alembert's principle; `external`: frame -> wrench on it, in its own axes."""
        tau = self.armature() * a
        for tangent, load in zip(self.tangents(q), self.loads(q, v, a), strict=True):
            tau = tau + np.einsum("kab,ba->k", tangent, load)
        for frame, wrench in (external or {}).items():
            tau = tau - self.jacobian(q, frame).T @ np.asarray(wrench)
        return tau + self.resistance(q, v)

    def resistance(self, q, v) -> np.ndarray:
        """Viscous, Coulomb (Stribeck) friction and springs."""
        tau = np.zeros(self.nv)
        for k, spec in enumerate(self.specs):
            for axis, p in enumerate(spec.passive if self.passive else ()):
                speed = v[self.v_slots[k].start + axis]
                fade = np.exp(-((speed / p.stribeck) ** 2)) if p.stribeck else 0.0
                level = p.coulomb + (max(p.static - p.coulomb, 0.0)) * fade
                sign = np.tanh(speed / p.smoothing) if p.smoothing else np.sign(speed)
                tau[self.v_slots[k].start + axis] += p.viscous * speed + level * sign
                if p.spring:
                    tau[self.v_slots[k].start + axis] += p.spring * (
                        q[self.q_slots[k].start + axis] - p.rest
                    )
        return tau

    def bias_forces(self, q, v) -> np.ndarray:
        return self.inverse_dynamics(q, v, np.zeros(self.nv))

    def gravity_forces(self, q) -> np.ndarray:
        return self.inverse_dynamics(q, np.zeros(self.nv), np.zeros(self.nv))

    def forward_dynamics(self, q, v, tau, external: Mapping | None = None) -> np.ndarray:
        bias = self.inverse_dynamics(q, v, np.zeros(self.nv), external)
        return np.linalg.solve(self.mass_matrix(q), np.asarray(tau) - bias)

    def energy(self, q, v) -> tuple[float, float]:
        """Kinetic and potential (gravity; zero at the world's origin)."""
        jets = self.jets(q, v, np.zeros(self.nv))
        kinetic = sum(
            0.5 * np.trace(H1 @ P @ H1.T) for P, (_, H1, _) in zip(self.masses, jets, strict=True)
        )
        return kinetic + 0.5 * np.sum(self.armature() * np.square(v)), self.potential(q)

    def potential(self, q) -> float:
        """Real or complex, for differentiation."""
        return -sum(
            np.asarray(self.model.gravity) @ (H @ P[:, 3])[:3]
            for P, H in zip(self.masses, self.poses(q), strict=True)
        )

    def center_of_mass(self, q) -> np.ndarray:
        moment = sum(H @ P[:, 3] for P, H in zip(self.masses, self.poses(q), strict=True))
        return moment[:3] / moment[3]

    def momentum(self, q, v) -> np.ndarray:
        """(6,) about the centre of mass, world axes: Σ x x'^T over all points, split."""
        jets = self.jets(q, v, np.zeros(self.nv))
        total = sum(H @ P @ H1.T for P, (H, H1, _) in zip(self.masses, jets, strict=True))
        linear = total[3, :3]
        return np.r_[moment_of(total) - np.cross(self.center_of_mass(q), linear), linear]

    def reactions(self, q, v, a, external: Mapping | None = None) -> dict[str, np.ndarray]:
        """Wrench through every joint on its body, at the body's origin in its axes.

        Newton's and Euler's law for everything beyond the joint, as one sum over its points."""
        jets, loads = self.jets(q, v, a), self.loads(q, v, a)
        result = {}
        for k, body in enumerate(self.model.bodies):
            beyond = [j for j in range(len(jets)) if self.descends(j, k)]
            total = sum(jets[j][0] @ loads[j] for j in beyond)
            wrench = np.r_[moment_of(total), total[3, :3]]
            for frame, given in (external or {}).items():
                if self.frame(frame)[0] in beyond:
                    wrench = wrench - carry_wrench(self.pose(q, frame), given)
            result[body.name] = carry_wrench(np.linalg.inv(jets[k][0]), wrench)
        return result

    # -- Lagrange's equations, for mechanisms without quaternions ----------------------------------

    def lagrange_bias(self, q, v) -> np.ndarray:
        """h_i = Σ (∂_k M_ij - ½ ∂_i M_jk) v_j v_k + ∂_i V: derivatives by complex steps."""
        step = 1e-30
        q, v = np.asarray(q), np.asarray(v)
        shifts = q + 1j * step * np.eye(self.nq)
        dM = np.array([self.mass_matrix(x).imag / step for x in shifts])
        dV = np.array([np.imag(self.potential(x)) / step for x in shifts])
        return np.einsum("kij,j,k->i", dM, v, v) - 0.5 * np.einsum("ijk,j,k->i", dM, v, v) + dV

    # -- coordinates -------------------------------------------------------------------------------

    def rate(self, q, v) -> np.ndarray:
        """dq/dt."""
        rate = np.zeros(self.nq)
        for k, spec in enumerate(self.specs):
            here, u = q[self.q_slots[k]], v[self.v_slots[k]]
            if spec.kind in ("spherical", "free"):
                w, x = here[0], here[1:4]
                rate_here = 0.5 * np.r_[-(x @ u[:3]), w * u[:3] + np.cross(x, u[:3])]
                if spec.kind == "free":
                    rate_here = np.r_[rate_here, quaternion_pose(here)[:3, :3] @ u[3:]]
                rate[self.q_slots[k]] = rate_here
            else:
                rate[self.q_slots[k]] = u
        return rate


def moment_of(tensor) -> np.ndarray:
    """∫ p × f from the 4x4 matrix ∫ x f^T of points x and forces f."""
    A = tensor[:3, :3]
    return np.array([A[1, 2] - A[2, 1], A[2, 0] - A[0, 2], A[0, 1] - A[1, 0]])


def carry_wrench(H, wrench) -> np.ndarray:
    """A wrench in frame H's axes at its origin, in the world at the world's origin."""
    n, f = H[:3, :3] @ wrench[:3], H[:3, :3] @ wrench[3:]
    return np.r_[n + np.cross(H[:3, 3], f), f]


def seen_from(H, motions, coordinates: str) -> np.ndarray:
    """World motions (6,) or (6, n) at the world's origin, in the wanted coordinates of frame H."""
    if coordinates == "world":
        return motions
    R, p = H[:3, :3], H[:3, 3]
    linear = motions[3:] + cross_matrix(-p) @ motions[:3]
    if coordinates == "world_aligned":
        return np.concatenate([motions[:3], linear])
    if coordinates != "local":
        raise ValueError(f"coordinates: {coordinates!r}")
    return np.concatenate([R.T @ motions[:3], R.T @ linear])
