"""Poses and Newton-Euler torques of a model with plain matrices: the oracle of the table readers.

Only the numbers of `lower` are used; the recursion is written out in numpy."""

import numpy as np

from armillary.model.lowering.tree import lower


def world_poses(model, q):
    """Body name -> (rotation with the body's axes as columns, origin), in the world."""
    tables = lower(model, fuse=False)
    R_W, p_W = {-1: np.eye(3)}, {-1: np.zeros(3)}
    poses = {}
    for k, (body, part) in enumerate(zip(tables.bodies, model.bodies, strict=True)):
        slot = model.slots[k]
        X = body.joint.transform([float(x) for x in q[slot.q]]) @ body.placement
        parent = tables.parents[k]
        R_W[k] = R_W[parent] @ np.array(X.E.rows, float).T
        p_W[k] = p_W[parent] + R_W[parent] @ np.array(X.r.leaves(), float)
        poses[part.name] = (R_W[k] @ np.array(body.own.rows, float).T, p_W[k])
    return poses


def frame_pose(model, q, name):
    """4x4 pose of a named frame in the world."""
    frame = model.frame(name)
    inner = homogeneous(np.array(frame.pose.rotation), np.array(frame.pose.position))
    if frame.body == "world":
        return inner
    return homogeneous(*world_poses(model, q)[frame.body]) @ inner


def homogeneous(R, p):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def torques(model, q, v, a):
    """Inverse dynamics without friction: Newton-Euler over the lowered tables."""
    tables = lower(model, passive=False)
    base = np.concatenate([np.zeros(3), -np.array(model.gravity)])
    motion = {-1: (np.zeros(6), base)}
    kept = []
    for k, body in enumerate(tables.bodies):
        n, m = body.joint.nq, body.joint.nv
        i, j = tables.q_offsets[k], tables.v_offsets[k]
        qk, vk, ak = [float(x) for x in q[i : i + n]], np.array(v[j : j + m]), a[j : j + m]
        X = six(body.joint.transform(qk) @ body.placement)
        S = np.array([c.leaves() for c in body.joint.motion_space(qk)], float).T
        bias = np.array(body.joint.bias(qk, list(vk)).leaves(), float)
        v_p, a_p = motion[tables.parents[k]]
        v_J = S @ vk
        v_k = X @ v_p + v_J
        a_k = X @ a_p + S @ np.array(ak) + bias + cross(v_k) @ v_J
        motion[k] = (v_k, a_k)
        I = dense(body.inertia)
        kept.append([X, S, I @ a_k - cross(v_k).T @ (I @ v_k), j, m])
    tau = np.zeros(model.nv)
    for k in reversed(range(len(kept))):
        X, S, f, j, m = kept[k]
        tau[j : j + m] = S.T @ f
        if tables.parents[k] >= 0:
            kept[tables.parents[k]][2] = kept[tables.parents[k]][2] + X.T @ f
    return tau


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def six(X):
    E, r = np.array(X.E.rows, float), np.array(X.r.leaves(), float)
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])


def cross(v):
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def dense(inertia):
    h = skew(inertia.moment.leaves())
    tensor = np.array(inertia.tensor.matrix().rows, float)
    return np.block([[tensor, h], [h.T, inertia.mass * np.eye(3)]])
