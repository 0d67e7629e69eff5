"""Inverse operational-space inertia J M^-1 J^T of a frame, in O(n).

Articulated inertias from the tips to the root, then outward what each joint adds to the body's
readiness to move:  W_B = P^T W_P P + S D^-1 S^T  [VanDerMerwe1995, 5.12; Yesiloglu2007, 3.38].
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, FrameStep, Inward, Outward
from armillary.algorithms.tree.forward_dynamics import articulate, articulated_status
from armillary.algorithms.tree.kinematics import axes, pose
from armillary.spatial import ForceDyad, Motion, MotionDyad, Transform


def _outward(b, p, j):
    pose(b, p, j)
    b.I_A = ForceDyad.from_inertia(b.inertia)


def _inward(b, p, j):
    articulate(b)
    p.I_A += b.X.T @ b.I_a @ b.X


def _readiness(b, p, j):
    """W = (1 - S D^-1 U^T) X W_p X^T (1 - U D^-1 S^T) + S D^-1 S^T."""
    carried = b.X @ p.W @ b.X.T
    n, status = len(b.S), articulated_status(b) if b.joint.may_lock else 0
    inverse = [b.D.solve([1 + status if i == k else 0 for i in range(n)]) for k in range(n)]
    gains = [b.S @ row for row in inverse]  # columns of S D^-1
    moved = [carried @ u for u in b.U]  # carried U
    # carried - S D^-1 (carried U)^T - (carried U) D^-1 S^T + S D^-1 (U^T carried U + D) D^-1 S^T
    inner = [[m.dot(u) for u in b.U] for m in moved]
    kept = [
        m - sum((g * (x * 0.5) for g, x in zip(gains, row, strict=True)), Motion.zero())
        for m, row in zip(moved, inner, strict=True)
    ]
    W = carried
    W = W - _two_sided(gains, kept)
    b.W = W + MotionDyad.outer(gains, list(b.S))


def _two_sided(left, right):
    """Σ l r^T + r l^T: symmetric though its halves are not."""
    total = MotionDyad.zero()
    for u, w in zip(left, right, strict=True):
        total = total + MotionDyad(
            (u.angular.outer(w.angular) + w.angular.outer(u.angular)).symmetric(),
            u.angular.outer(w.linear) + w.angular.outer(u.linear),
            (u.linear.outer(w.linear) + w.linear.outer(u.linear)).symmetric(),
        )
    return total


def operational_inertia(coordinates: str) -> Algorithm:
    def at(b, x):
        X = axes(b, x, coordinates)
        x.W = X @ b.W @ X.T

    return Algorithm(
        f"operational_inertia_{coordinates}",
        (Outward(_outward), Inward(_inward), Outward(_readiness), FrameStep(at)),
        lambda g: {
            "Y": Transform.identity(),
            "I_A": ForceDyad.zero(),
            "W": MotionDyad.zero(),
        },
        ("q",),
        {"W": "frame"},
        {"W": MotionDyad},
    )
