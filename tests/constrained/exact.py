"""Constrained dynamics in 60 digits, from positions alone.

Poses are 4x4 matrices of `mpf`; every derivative is a difference quotient with a step of 1e-18,
good to about 30 digits.  A loop joint has coordinates of its own here, and its rows say that two
poses do not part; wheels say that two material points move alike.  No Jacobian, no bias,
no constraint space is written down: nothing is shared with the library.

    M_jk = Σ tr(∂_j H P ∂_k H^T)     h_k = Σ tr(∂_k H P (H'' - G)^T)     [d'Alembert, Uicker]
"""

from itertools import pairwise

import numpy as np
from big_numbers import (
    STEP,
    back,
    big,
    cross,
    exponential,
    eye,
    field,
    mp,
    null_space,
    pose_matrix,
    screw_motion,
    small,
    solution,
    solved,
    unit,
)

from armillary.model import WORLD, Model
from oracles.direct import joint_sizes, screws

RANK = 1e-12  # rows that double numbers cannot tell apart count as dependent


class Pair:
    """A joint: its place is a pose (ball, free) or a list of coordinates."""

    def __init__(self, spec, closes: bool = False):
        self.poses = spec.kind in ("spherical", "free")
        self.nq, self.nv = joint_sizes(spec)
        if closes and self.poses:  # its rows say nothing about turns: no coordinates are needed
            self.nv = 0
        self.screws = [(big(w), big(v), k) for w, v, k in screws(spec)]

    def place(self, q):
        if not self.poses:
            return big(np.asarray(q, float))[: self.nq]
        H, w, u = eye(4), big(q[0]), big(q[1:4])
        U = field(u, big(np.zeros(3)))[:3, :3]
        H[:3, :3] = eye(3) + (U * w + U @ U) * 2 / (w * w + u @ u)
        if len(q) == 7:
            H[:3, 3] = big(q[4:])
        return H

    def moved(self, place, v):
        if not len(v):
            return place
        if not self.poses:
            return place + v
        return place @ exponential(field(v[:3], v[3:] if len(v) == 6 else [0, 0, 0]))

    def matrix(self, place) -> np.ndarray:
        if self.poses:
            return place
        H = eye(4)
        for w, v, k in self.screws:
            H = H @ screw_motion(w, v, place[k])
        return H

    def fitted(self, H):
        """The place at which the joint comes to the pose H (Gauss-Newton from several starts)."""
        rng = np.random.default_rng(0)
        for _ in range(20):
            x = big(rng.uniform(-1, 1, self.nv))
            for _ in range(60):
                e = (self.matrix(x) - H)[:3].ravel()
                slopes = np.array([((self.matrix(x + u * STEP) - H)[:3].ravel() - e) / STEP
                                   for u in eye(self.nv)])  # fmt: skip
                step = solved(slopes @ slopes.T + eye(self.nv) * ((e @ e) / 100), -slopes @ e)
                x = x + step
                if all(abs(s) < 1e-30 for s in step):
                    break
            if abs(max(map(abs, (self.matrix(x) - H)[:3].ravel()))) < 1e-9:
                return x
        raise AssertionError("the loop is not closed")


class Exact:
    """One mechanism at one closed state."""

    def __init__(self, model: Model):
        self.model = model
        self.number = {b.name: k for k, b in enumerate(model.bodies)} | {WORLD: -1}
        self.parents = [self.number[b.parent] for b in model.bodies]
        self.at = [pose_matrix(b.at) for b in model.bodies]
        self.inertias = [pseudo_inertia(b.mass) for b in model.bodies]
        self.tree = [Pair(b.joint) for b in model.bodies]
        self.loops = [Pair(x.joint, True) for x in model.loops]
        self.pairs = [*self.tree, *self.loops]
        self.nv = sum(pair.nv for pair in self.tree)
        self.n = sum(pair.nv for pair in self.pairs)
        ends = np.cumsum([0] + [pair.nv for pair in self.pairs])
        self.slots = [slice(i, j) for i, j in pairwise(ends)]
        self.frames = {
            id(f): (self.number[f.body], pose_matrix(f.pose))
            for part in (*model.loops, *model.distances, *model.surfaces, *model.contacts)
            for f in (part.first, part.second)
        }

    def state(self, q) -> list:
        state, start = [], 0
        for pair in self.tree:
            state.append(pair.place(q[start : start + pair.nq]))
            start += pair.nq
        poses = self.poses(state)
        for pair, loop in zip(self.loops, self.model.loops, strict=True):
            relative = back(self.frame(poses, loop.first)) @ self.frame(poses, loop.second)
            state.append(pair.fitted(relative) if pair.nv else pair.place([1, 0, 0, 0, 0, 0, 0]))
        return state

    def moved(self, state, v) -> list:
        return [p.moved(x, v[s]) for p, x, s in zip(self.pairs, state, self.slots, strict=True)]

    def poses(self, state) -> list:
        """Of the bodies; the world is the last."""
        poses: list = []
        for k, pair in enumerate(self.tree):
            parent = poses[self.parents[k]] if self.parents[k] >= 0 else eye(4)
            poses.append(parent @ self.at[k] @ pair.matrix(state[k]))
        return [*poses, eye(4)]

    def frame(self, poses, frame) -> np.ndarray:
        body, inside = self.frames[id(frame)]
        return poses[body] @ inside

    # -- rows ------------------------------------------------------------------------------------

    def places(self, state, poses) -> np.ndarray:
        """Everything that must stay as it is along a motion."""
        model, rows = self.model, []
        for loop, pair, x in zip(model.loops, self.loops, state[len(self.tree) :], strict=True):
            one, two = self.frame(poses, loop.first), self.frame(poses, loop.second)
            if loop.joint.kind == "spherical":
                rows += list((one - two)[:3, 3])
            elif loop.joint.kind != "free":
                D = back(one @ pair.matrix(x)) @ two
                rows += [*D[:3, 3], D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]]
        for rod in model.distances:
            p = (self.frame(poses, rod.first) - self.frame(poses, rod.second))[:3, 3]
            rows.append(mp.sqrt(p @ p))
        for part in model.surfaces:
            p = (back(self.frame(poses, part.first)) @ self.frame(poses, part.second))[:3, 3]
            kept = {"plane": p[2:], "cylinder": p[:2], "sphere": p}[part.shape]
            rows.append(p[2] if part.shape == "plane" else mp.sqrt(kept @ kept))
        return np.array(rows, object)

    def rates(self, poses, velocities) -> np.ndarray:
        """Velocities that must vanish, from poses and their rates of change: contacts, wheels."""
        model, rows = self.model, []
        for part in model.contacts:
            along = self.contact_rates(part, poses, velocities)
            rows += [along[d] for d in part.constrained]
        for wheel in model.wheels:
            g, b = self.number[wheel.ground], self.number[wheel.body]
            normal = poses[g][:3, :3] @ unit(big(np.array(wheel.normal)))
            axle = poses[b][:3, :3] @ unit(big(np.array(wheel.axis)))
            x = (poses[b] @ big(np.append(wheel.center, 1.0)))[:3]
            if wheel.kind == "disc":
                x = x - unit(normal - axle * (normal @ axle)) * mp.mpf(wheel.radius)
            elif wheel.kind == "sphere":
                x = x - normal * mp.mpf(wheel.radius)
            slip = self.material(poses, velocities, b, x) - self.material(poses, velocities, g, x)
            track = unit(cross(axle, normal))
            along = {"normal": normal, "longitudinal": track, "lateral": cross(normal, track)}
            rows += [along[row] @ slip for row in wheel.rows]
        return np.array(rows, object)

    def contact_rates(self, part, poses, velocities) -> dict:
        """Turning and sliding of frame 2 in frame 1, along the axes of 1."""
        (i, F1), (j, F2) = (self.frames[id(f)] for f in (part.first, part.second))
        H1, H2 = poses[i] @ F1, poses[j] @ F2
        V = back(H1) @ (velocities[j] @ F2 - velocities[i] @ F1 @ back(H1) @ H2)
        W = V[:3, :3] @ (back(H1) @ H2)[:3, :3].T
        turn = dict(zip(("rx", "ry", "rz"), (W[2, 1], W[0, 2], W[1, 0]), strict=True))
        return turn | dict(zip(("dx", "dy", "dz"), V[:3, 3], strict=True))

    def material(self, poses, velocities, body, x) -> np.ndarray:
        """Velocity of the point of a body that is at x."""
        return (velocities[body] @ back(poses[body]) @ np.append(x, mp.mpf(1)))[:3]

    def axis_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(J, target) of couplings and prescribed motions."""
        labels, rows, target = list(self.model.v_labels), [], []
        for part in self.model.couplings:
            row = big(np.zeros(self.n))
            row[labels.index(part.joint)] += 1
            row[labels.index(part.source)] -= mp.mpf(part.ratio)
            rows.append(row)
            target.append(mp.mpf(0))
        for part in self.model.prescribed:
            row = big(np.zeros(self.n))
            row[labels.index(part.joint)] += 1
            rows.append(row)
            target.append(mp.mpf(part.acceleration))
        return np.array(rows, object).reshape(-1, self.n), np.array(target, object)

    # -- dynamics --------------------------------------------------------------------------------

    def tangents(self, state):
        """∂_k of all poses, and J of `places`."""
        columns, rows = [], []
        for u in eye(self.n):
            ahead, behind = self.moved(state, u * STEP), self.moved(state, -u * STEP)
            P, B = self.poses(ahead), self.poses(behind)
            columns.append([(a - b) / (2 * STEP) for a, b in zip(P, B, strict=True)])
            rows.append((self.places(ahead, P) - self.places(behind, B)) / (2 * STEP))
        return columns, np.array(rows, object).reshape(self.n, -1).T

    def jvp(self, state, v, columns):
        """H'' of all poses and what J a must be, along the motion with constant v."""
        poses, ahead, behind = (self.poses(self.moved(state, v * s)) for s in (0, STEP, -STEP))
        second = [(a + b - 2 * c) / STEP**2
                  for c, a, b in zip(poses, ahead, behind, strict=True)]  # fmt: skip
        g, g1, g2 = (
            self.places(x := self.moved(state, v * s), self.poses(x)) for s in (0, STEP, -STEP)
        )
        slip = [self._rates_at(self.moved(state, v * s), v) for s in (STEP, -STEP)]
        return second, -(g1 + g2 - 2 * g) / STEP**2, -(slip[0] - slip[1]) / (2 * STEP)

    def _rates_at(self, state, v) -> np.ndarray:
        P, A, B = (self.poses(self.moved(state, v * s)) for s in (0, STEP, -STEP))
        return self.rates(P, [(a - b) / (2 * STEP) for a, b in zip(A, B, strict=True)])

    def equations(self, q, v, tau):
        """(M, force, J, target) over the coordinates of the tree and of the loop joints.

        The velocities of the loop joints follow from v."""
        state = self.state(q)
        columns, J = self.tangents(state)
        poses = self.poses(state)
        J_rates = np.array([self.rates(poses, c) for c in columns], object).reshape(self.n, -1).T
        v = np.append(big(np.asarray(v, float)), big(np.zeros(self.n - self.nv)))
        if self.n > self.nv:
            own = J[:, self.nv :]
            v[self.nv :] = solution(own, -J[:, : self.nv] @ v[: self.nv], 1e-20, True)
        second, bias, slip_bias = self.jvp(state, v, columns)
        axis_J, axis_target = self.axis_rows()
        J = np.concatenate([J, J_rates, axis_J])
        target = np.concatenate([bias, slip_bias, axis_target])
        G = big(np.zeros((4, 4)))
        G[:3, 3] = big(np.array(self.model.gravity))
        M = big(np.zeros((self.n, self.n)))
        force = np.append(big(np.asarray(tau, float)), big(np.zeros(self.n - self.nv)))
        for part in self.model.contacts:
            along = [self.contact_rates(part, poses, c) for c in columns]
            for direction, size in part.force:
                force = force + np.array([x[direction] for x in along], object) * mp.mpf(size)
        for k, P in enumerate(self.inertias):
            moves = [i for i in range(self.n) if any(columns[i][k].ravel())]
            D = np.array([columns[i][k].ravel() for i in moves], object).reshape(-1, 16)
            DP = np.array([(columns[i][k] @ P).ravel() for i in moves], object).reshape(-1, 16)
            M[np.ix_(moves, moves)] += D @ DP.T
            force[moves] -= DP @ (second[k] - G).ravel()
        return M, force, J, target

    def accelerations(self, q, v, tau) -> np.ndarray:
        """a (nv) of the tree."""
        return self.solved(*self.equations(q, v, tau))

    def with_rounding(self, q, v, tau) -> tuple[np.ndarray, float]:
        """a, and how much it changes (at most) where M, forces and J change by 1e-16 of their
        entries: no answer from double numbers can be better."""
        rng = np.random.default_rng(0)
        M, force, J, target = self.equations(q, v, tau)
        a = self.solved(M, force, J, target)
        change = 0.0
        for _ in range(2):
            noise = big(1e-16 * rng.normal(size=M.shape))
            other = self.solved(
                M * (1 + noise + noise.T),
                force * (1 + big(1e-16 * rng.normal(size=len(force)))),
                J * (1 + big(1e-16 * rng.normal(size=J.shape))),
                target,
            )
            change = max(change, np.abs(other - a).max())
        return a, change

    def solved(self, M, force, J, target) -> np.ndarray:
        a, N = solution(J, target, RANK), null_space(J, RANK)
        if N.shape[1]:
            a = a + N @ solved(N.T @ M @ N, N.T @ (force - M @ a))
        return small(a[: self.nv]).astype(float)


def pseudo_inertia(mass) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = (mp.mpf(x) for x in mass.tensor)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], object)
    centre = big(np.append(mass.com, 1.0))
    P = np.outer(centre, centre) * mp.mpf(mass.mass)
    P[:3, :3] += eye(3) * ((xx + yy + zz) / 2) - tensor
    return P
