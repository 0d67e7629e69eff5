"""What ties a mechanism, in plain numpy from poses and Jacobians of the open tree.

An oracle for loops (fixed, revolute, spherical), couplings and wheels; nothing of the library's
own constraints is used.
"""

import numpy as np


def frame_place(poses, frame):
    """(R, p) in the world of a frame on a body."""
    R, p = poses[frame.body] if frame.body != "world" else (np.eye(3), np.zeros(3))
    return R @ np.array(frame.pose.rotation), p + R @ np.array(frame.pose.position)


def body_poses(mechanism, q):
    return {name: mechanism.pose(q, name) for name in mechanism.bodies}


def errors(mechanism, q):
    """How far loops are open (m, rad), couplings off and wheels above the ground."""
    model, poses = mechanism.model, body_poses(mechanism, q)
    found = []
    for loop in model.loops:
        (R, p), (S, r) = (frame_place(poses, f) for f in (loop.first, loop.second))
        found += list(r - p)
        if loop.joint.kind == "revolute":
            axis = np.array(loop.joint.axes[0])
            found += list(np.cross(R @ axis, S @ axis))
        elif loop.joint.kind == "fixed":
            found += list(sum(np.cross(R[:, k], S[:, k]) for k in range(3)) / 2)
            found.append(3.0 - np.trace(R.T @ S))  # not turned by half a turn
    for c in model.couplings:
        at = {name: q[k] for k, name in enumerate(mechanism.q_labels)}
        found.append(at[c.joint] - c.ratio * at[c.source] - c.offset)
    for wheel in model.wheels:
        found.append(contact(poses, wheel)[1][2])
    return np.array(found)


def contact(poses, wheel):
    """(axis, lowest point) of a disc in the world; the ground is z = 0."""
    R, p = poses[wheel.body]
    axis = R @ np.array(wheel.axis)
    down = axis * axis[2] - np.array([0.0, 0.0, 1.0])
    centre = p + R @ np.array(wheel.center)
    return axis, centre + wheel.radius * down / np.linalg.norm(down)


def point_jacobian(mechanism, q, body, point):
    """(6, nv): turning and velocity of the point of a body that is at a place in the world."""
    if body == "world":
        return np.zeros((6, mechanism.nv))
    J = np.array(mechanism.jacobian(q, body, "world_aligned"))
    arm = point - mechanism.pose(q, body)[1]
    J[3:] -= np.cross(arm, J[:3].T).T
    return J


def constraint_jacobian(mechanism, q):
    """(rows, nv): what the ties forbid; 3 rows of a ball, 5 of a pin, 6 of a weld, 3 of a wheel."""
    return np.concatenate([position_rows(mechanism, q), rolling_rows(mechanism, q)])


def position_rows(mechanism, q):
    """Rows of loops and couplings, and those that keep wheels on the ground."""
    model, poses = mechanism.model, body_poses(mechanism, q)
    rows = [np.zeros((0, mechanism.nv))]
    for loop in model.loops:
        (R, p), _ = (frame_place(poses, f) for f in (loop.first, loop.second))
        ends = (loop.first.body, loop.second.body)
        here, there = (point_jacobian(mechanism, q, body, p) for body in ends)
        J = np.kron(np.eye(2), R.T) @ (there - here)
        if loop.joint.kind == "revolute":
            across = np.linalg.svd(np.array(loop.joint.axes))[2][1:]
            J = np.concatenate([across @ J[:3], J[3:]])
        rows.append(J[3:] if loop.joint.kind == "spherical" else J)
    labels = list(mechanism.v_labels)
    for c in model.couplings:
        row = np.zeros((1, mechanism.nv))
        row[0, labels.index(c.joint)], row[0, labels.index(c.source)] = 1.0, -c.ratio
        rows.append(row)
    for wheel in model.wheels:
        _, point = contact(poses, wheel)
        rows.append(point_jacobian(mechanism, q, wheel.body, point)[5:])
    return np.concatenate(rows)


def rolling_rows(mechanism, q):
    """Rows that keep wheels from slipping: along the track and across it."""
    poses = body_poses(mechanism, q)
    rows = [np.zeros((0, mechanism.nv))]
    for wheel in mechanism.model.wheels:
        _, point = contact(poses, wheel)
        rows.append(point_jacobian(mechanism, q, wheel.body, point)[3:5])
    return np.concatenate(rows)


def rank(J):
    return int(np.linalg.matrix_rank(J, tol=1e-9))


def motions(J):
    """A basis (columns) of the velocities that the rows leave."""
    return np.linalg.svd(J)[2][rank(J) :].T


def closed(mechanism, q, held=()):
    """Newton: the nearest place where the ties hold, with some coordinates (of v) held."""
    moving = [k for k in range(mechanism.nv) if k not in held]
    for _ in range(12):
        J = position_rows(mechanism, q)
        step = np.zeros(mechanism.nv)
        step[moving] = np.linalg.lstsq(J[:, moving], -_rates(mechanism, q), rcond=1e-9)[0]
        q = mechanism.integrate(q, step)
        if abs(step).max() < 1e-14:
            break
    return q


def _rates(mechanism, q):
    """Errors in the order of `position_rows`, to first order."""
    model, poses = mechanism.model, body_poses(mechanism, q)
    found = []
    for loop in model.loops:
        (R, p), (S, r) = (frame_place(poses, f) for f in (loop.first, loop.second))
        turn = R.T @ sum(np.cross(R[:, k], S[:, k]) for k in range(3)) / 2
        if loop.joint.kind == "revolute":
            axis = np.array(loop.joint.axes[0])
            across = np.linalg.svd(axis[None])[2][1:]
            turn = across @ (R.T @ np.cross(R @ axis, S @ axis))
        shift = R.T @ (r - p)
        found.append(shift if loop.joint.kind == "spherical" else np.concatenate([turn, shift]))
    rest = len(model.couplings) + len(model.wheels)
    found.append(errors(mechanism, q)[-rest:] if rest else [])
    return np.concatenate(found)


def accelerations(mechanism, q, tau=None):
    """(a, force of each row) from rest: M a + h = tau + J^T f with J a = 0, f of least norm."""
    n, J = mechanism.nv, constraint_jacobian(mechanism, q)
    M, rest = mechanism.mass_matrix(q), np.zeros(n)
    force = (rest if tau is None else np.asarray(tau)) - mechanism.bias_forces(q, rest)
    N = motions(J)
    a = N @ np.linalg.solve(N.T @ M @ N, N.T @ force)
    return a, np.linalg.lstsq(J.T, M @ a - force, rcond=1e-11)[0]
