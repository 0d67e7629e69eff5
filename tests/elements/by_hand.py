"""The laws of force elements once more, in numpy and scipy, from poses and velocities alone.

Nothing here knows paths, kernel frames or scalars: the wrench on both bodies of an element comes
from where its ends are in the world and how they move."""

import numpy as np
from scipy.spatial.transform import Rotation

import armillary as am


class Ends:
    """World poses and velocities of the ends of an element, of a mechanism at a state."""

    def __init__(self, m: am.Mechanism, element, q, v):
        self.R, self.p, self.w, self.u = [], [], [], []
        for end in element.ends:
            R, p, motion = np.eye(3), np.zeros(3), np.zeros(6)
            if end.body != "world":
                R, p = m.pose(q, end.body)
                motion = m.velocity(q, v, end.body, coordinates="world_aligned")
            arm = R @ np.array(end.pose.position)
            self.R.append(R @ np.array(end.pose.rotation))
            self.p.append(p + arm)
            self.w.append(motion[:3])
            self.u.append(motion[3:] + np.cross(motion[:3], arm))

    def seen(self):
        """Pose (4x4-like pair) and twist (w; u) of end 2 in end 1, along end 1's axes."""
        R1 = self.R[0]
        R = R1.T @ self.R[1]
        r = R1.T @ (self.p[1] - self.p[0])
        w = R1.T @ (self.w[1] - self.w[0])
        u = R1.T @ (self.u[1] - self.u[0] - np.cross(self.w[0], self.p[1] - self.p[0]))
        return R, r, w, u


def wrenches(m, element, q, v):
    """(n; f) on every end, along the world's axes at the end's origin."""
    ends = Ends(m, element, q, v)
    return LAWS[type(element.law).__name__](element.law, ends)


def external(m, q, v):
    """All elements as external wrenches on bodies, in their frames: what `external=` takes."""
    total = {}
    for element in m.model.elements:
        ends = Ends(m, element, q, v)
        for end, R_WE, wrench in zip(element.ends, ends.R, wrenches(m, element, q, v), strict=True):
            if end.body == "world":
                continue
            R_WB = R_WE @ np.array(end.pose.rotation).T
            n, f = R_WB.T @ wrench[:3], R_WB.T @ wrench[3:]
            n = n + np.cross(end.pose.position, f)
            total[end.body] = total.get(end.body, 0.0) + np.concatenate([n, f])
    return total


def _line(law, ends):
    arms = np.diff(ends.p, axis=0)
    sizes = np.linalg.norm(arms, axis=1)
    x = sizes.sum() - law.rest
    rate = sum(a @ d / s for a, d, s in zip(arms, np.diff(ends.u, axis=0), sizes, strict=True))
    T = law.force + law.stiffness * x + law.cubic * x**3 + law.damping * rate
    for table, at in ((law.table, x), (law.damper_table, rate)):
        if table:
            T += np.interp(at, *np.array(table).T)
    if law.side == "pull":
        T = max(T, 0.0) if x > 0 else 0.0
    if law.side == "push":
        T = min(T, 0.0) if x < 0 else 0.0
    found = np.zeros((len(ends.p), 6))
    for k, (arm, size) in enumerate(zip(arms, sizes, strict=True)):
        found[k, 3:] += T * arm / size
        found[k + 1, 3:] -= T * arm / size
    return found


def _pair(ends, wrench_1):
    """Both ends' wrenches from that on 2 (at its origin, along the axes of end 1)."""
    n, f = ends.R[0] @ wrench_1[:3], ends.R[0] @ wrench_1[3:]
    back = np.concatenate([-n - np.cross(ends.p[1] - ends.p[0], f), -f])
    return np.array([back, np.concatenate([n, f])])


def _gradient(coordinates, R, r):
    """d coordinates / d twist of 2 (along the axes of 1), by central differences."""
    columns = []
    for d in 1e-6 * np.eye(6):
        ends = [
            coordinates(Rotation.from_rotvec(s * d[:3]).as_matrix() @ R, r + s * d[3:])
            for s in (1.0, -1.0)
        ]
        columns.append((np.asarray(ends[0]) - np.asarray(ends[1])) / 2e-6)
    return np.array(columns).T


def _torsion(law, ends):
    R, r, w, u = ends.seen()
    axis = np.array(law.axis)

    def angle(R, r):
        x, y, z, s = Rotation.from_matrix(R).as_quat()
        return [2.0 * np.arctan2(axis @ (x, y, z) * np.sign(s), abs(s))]

    J = _gradient(angle, R, r)
    phi, rate = angle(R, r)[0], float(J[0] @ np.concatenate([w, u]))
    return _pair(ends, -J[0] * (law.stiffness * (phi - law.rest) + law.damping * rate))


def _bushing(law, ends):
    R, r, w, u = ends.seen()

    def place(R, r):
        return np.concatenate([Rotation.from_matrix(R).as_rotvec(), r]) - law.rest

    J = _gradient(place, R, r)
    K, C = np.array(law.stiffness), np.array(law.damping)
    force = np.array(law.preload) - K @ place(R, r) - C @ (J @ np.concatenate([w, u]))
    return _pair(ends, J.T @ force)


def _fixed(law, ends):
    return _pair(ends, np.array([*law.moment, *law.force]))


def _gravity(law, ends):
    r = ends.p[1] - ends.p[0]
    f = -law.strength * law.mass * r / np.linalg.norm(r) ** 3
    return np.array([[0, 0, 0, *-f], [0, 0, 0, *f]])


def _drag(law, ends):
    u = ends.u[1] - law.wind
    f = -(law.linear + law.quadratic * np.linalg.norm(u)) * u
    return _pair(ends, np.array([0, 0, 0, *(ends.R[0].T @ f)]))


def _user(law, ends):
    R, r, w, u = ends.seen()
    found = np.array(law.law(r, R, w, u, **dict(zip(law.names, law.values, strict=True))), float)
    return _pair(ends, np.concatenate([np.zeros(6 - len(found)), found]))


LAWS = {
    "LineForce": _line, "TorsionSpring": _torsion, "Bushing": _bushing, "FixedWrench": _fixed,
    "PointGravity": _gravity, "Drag": _drag, "UserForce": _user,
}  # fmt: skip
