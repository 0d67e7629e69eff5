"""The oracle of linear models: differences along the constraint manifold.

States near a point are found by Newton's method on the open rows with the independent changes
given, velocities from J v = 0, and rates of change by going a little along nominal and changed
motion: nothing of variations.py and of the analytic derivatives is in it."""

import numpy as np

import armillary as am


class Manifold:
    """Closed states by their independent changes (y, w) about (q, v)."""

    def __init__(self, m: am.Mechanism, model):
        self.m, self.at = m, model.point
        self.y, self.w = list(model.variations.positions), list(model.variations.velocities)
        rows = bool(m.constraints)
        holonomic = m.constraint_solver.equations.constraints.holonomic if rows else ()
        self.holonomic = np.array(holonomic, bool)

    def state(self, x):
        """q and v of the changes x."""
        m, y, w = self.m, x[: len(self.y)], x[len(self.y) :]
        given = np.eye(m.nv)[self.y]
        theta = np.linalg.pinv(given) @ y
        for _ in range(20 if m.constraints else 0):
            q = m.integrate(self.at.q, theta)
            J = m.constraint_jacobian(q)[self.holonomic]
            gap = np.concatenate([m.constraint_residual(q)[self.holonomic], given @ theta - y])
            theta = theta - np.linalg.pinv(np.vstack([J, given]), rcond=1e-10) @ gap
            if np.abs(gap).max() < 1e-9:  # quadratic: the rest is rounding
                break
        q = m.integrate(self.at.q, theta)
        v = self.at.v.copy()
        v[self.w] += w
        if m.constraints:
            J, chosen = m.constraint_jacobian(q), np.eye(m.nv)[self.w]
            right = np.concatenate([np.zeros(len(J)), v[self.w]])
            v = np.linalg.pinv(np.vstack([J, chosen]), rcond=1e-10) @ right
        return q, v

    def rate(self, x, tau, h=1e-4):
        """dx/dt against the nominal motion."""
        m, (q, v) = self.m, self.state(x)
        ends = []
        for s in (h, -h):
            nominal = m.integrate(self.at.q, s * self.at.v)
            ends.append(m.difference(nominal, m.integrate(q, s * v)))
        turned = (ends[0] - ends[1]) / (2 * h)
        a = m.forward_dynamics(q, v, tau, self.at.external)
        return np.concatenate([turned[self.y], (a - self.at.a)[self.w]])

    def output(self, names, x, tau):
        """Outputs by name at the changed state, as they are."""
        m, (q, v) = self.m, self.state(x)
        a = m.forward_dynamics(q, v, tau, self.at.external)
        moved, found = m.difference(self.at.q, q), []
        for name in names:
            frame, _, part = name.rpartition(".")
            head, _, kind = frame.rpartition(".")
            if name in m.v_labels:
                found.append(moved[m.v_labels.index(name)])
            elif name[:2] in ("v.", "a."):
                found.append((v if name[0] == "v" else a)[m.v_labels.index(name[2:])])
            elif kind == "position":
                found.append(m.pose(q, head)[1]["xyz".index(part)])
            elif kind == "rotation":
                turn = m.pose(q, head)[0] @ m.pose(self.at.q, head)[0].T
                k = "xyz".index(part)
                i, j = (k + 1) % 3, (k + 2) % 3
                found.append((turn[j, i] - turn[i, j]) / 2)
            else:
                twist = m.velocity(q, v, head, coordinates="world_aligned")
                found.append(twist["wv".index(part[0]) * 3 + "xyz".index(part[1])])
        return np.array(found)

    def matrices(self, model, step=1e-5):
        """A, B, C, D by central differences."""
        n, at = len(model.A), self.at
        A, B, C, D = (np.zeros_like(x) for x in (model.A, model.B, model.C, model.D))

        def slope(f, k, size, h=step):
            d = h * np.eye(size)[k]
            return (f(d) - f(-d)) / (2 * h)

        for k in range(n):
            A[:, k] = slope(lambda d: self.rate(d, at.tau), k, n)
            C[:, k] = slope(lambda d: self.output(model.outputs, d, at.tau), k, n)
        forces = np.zeros((self.m.nv, len(model.inputs)))
        for k, name in enumerate(model.inputs):
            if name in self.m.v_labels:
                forces[self.m.v_labels.index(name), k] = 1.0
            else:
                frame, _, part = name.rpartition(".")
                wrench = np.eye(6)[("nx", "ny", "nz", "fx", "fy", "fz").index(part)]
                zero = np.zeros(self.m.nv)
                tree = self.m.tree  # what a wrench changes in the joint forces of a motion
                forces[:, k] = tree.inverse_dynamics(at.q, zero, zero) - tree.inverse_dynamics(
                    at.q, zero, zero, external={frame: wrench}
                )
        none = np.zeros(n)
        for k in range(len(model.inputs)):
            u = len(model.inputs)
            B[:, k] = slope(lambda d: self.rate(none, at.tau + forces @ d), k, u, 1e-3)
            D[:, k] = slope(
                lambda d: self.output(model.outputs, none, at.tau + forces @ d), k, u, 1e-3
            )
        return A, B, C, D
