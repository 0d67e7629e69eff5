"""What a frame can reach: points, how far they go, and the outline of a section.

Positions at random coordinates (within the joints' limits, angles without limits all round) fill
the workspace; its extremes are then followed to where they stand still, so that they are exact and
not those of the sample.  The outline of a plane section is that of the cells that hold points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.analysis.classification import asked_frame
from armillary.analysis.columns import columns
from armillary.doors import WorkspaceDoors
from armillary.errors import ModelError, unknown_name
from armillary.evaluate.inputs import Array, whole_number
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@shown
@dataclass(frozen=True)
class Workspace(WorkspaceDoors):
    """points (n, 3) m: where the frame's origin can be, in the world; extremes: {what: (m, q)}.

    extremes: smallest and largest x, y, z, distance from the base (`center`) and distance from its
    vertical axis (`radius`), each with a configuration that reaches it."""

    mechanism_name: str
    frame: str
    center: Array
    points: Array
    extremes: dict[str, tuple[float, Array]]

    def __getitem__(self, name: str) -> float:
        """An extreme by name, m."""
        if name not in self.extremes:
            raise unknown_name("extreme", name, self.extremes)
        return self.extremes[name][0]

    def outline(self, plane: str = "rz", cells: int | None = None) -> tuple[Array, float]:
        """(k, 2) m: centres of the cells at the edge of the section, and its area, m².

        plane: xy, xz or yz (all points seen along the third axis), or rz: distance from the
        vertical axis through the base and height.  cells: along the longer side (default: so many
        that a cell inside holds about ten points).  An empty cell among three full ones is full."""
        flat = self.flat(plane)
        cells = cells or int(np.clip(np.sqrt(len(flat) / 15.0), 10, 200))
        low, high = flat.min(axis=0), flat.max(axis=0)
        size = max(float((high - low).max()), 1e-12) / cells
        index = np.floor((flat - low) / size).astype(int) + 1
        filled = np.zeros(index.max(axis=0) + 2, bool)
        filled[tuple(index.T)] = True
        sides = (filled[:-2, 1:-1], filled[2:, 1:-1], filled[1:-1, :-2], filled[1:-1, 2:])
        filled[1:-1, 1:-1] |= sum(side.astype(int) for side in sides) >= 3
        inside = filled[1:-1, 1:-1]
        around = filled[:-2, 1:-1] & filled[2:, 1:-1] & filled[1:-1, :-2] & filled[1:-1, 2:]
        edge = np.argwhere(inside & ~around)
        return low + (edge + 0.5) * size, float(inside.sum()) * size * size

    def flat(self, plane: str) -> Array:
        """(n, 2) m: the points in a plane."""
        if plane == "rz":
            away = self.points[:, :2] - self.center[:2]
            return np.column_stack([np.linalg.norm(away, axis=1), self.points[:, 2]])
        if plane not in PLANES:
            raise unknown_name("plane", plane, ("rz", *PLANES))
        return np.asarray(self.points[:, PLANES[plane]])

    def __str__(self) -> str:
        names = ("x", "y", "z", "reach", "radius")
        rows = [[n, self[f"least {n}"], self[f"largest {n}"], "m"] for n in names]
        title = f"workspace of '{self.frame}' of '{self.mechanism_name}', {len(self.points)} points"
        return "\n".join([title, *columns(["quantity", "from", "to", "unit"], rows)])


def workspace(
    mechanism: Mechanism, frame: str | None = None, *, samples: int = 20_000, seed: int = 0
) -> Workspace:
    """What a frame of an open mechanism can reach within the limits of its joints.

    samples: random configurations; seed: of them.  A slide without limits is refused."""
    name = asked_frame(mechanism.model, frame)
    if mechanism.constraints:
        raise ModelError(
            f"workspace: '{mechanism.name}' is closed. Follow it with linkage(q).curve('{name}'), "
            f"or ask for mechanism.tree."
        )
    if not mechanism.additive:
        raise ModelError(f"workspace: '{mechanism.name}' turns by quaternions; use gimbal joints.")
    samples = whole_number("workspace: samples", samples, 100, 10_000_000)
    low, high = _ranges(mechanism)
    rng = np.random.default_rng(whole_number("workspace: seed", seed, 0))
    q = rng.uniform(low, high, (samples, mechanism.nq))
    points = np.asarray(mechanism.pose(q, name)[1], float)
    center = _base(mechanism)
    measures: dict[str, Callable[[Array], Array]] = {
        "x": lambda p: p[..., 0],
        "y": lambda p: p[..., 1],
        "z": lambda p: p[..., 2],
        "reach": lambda p: np.linalg.norm(p - center, axis=-1),
        "radius": lambda p: np.linalg.norm(p[..., :2] - center[:2], axis=-1),
    }
    extremes = {}
    for what, measure in measures.items():
        values = measure(points)
        for word, sign in (("least", 1.0), ("largest", -1.0)):
            order = np.argsort(sign * values)[:3]
            best = [_followed(mechanism, name, measure, sign, q[k], low, high) for k in order]
            extremes[f"{word} {what}"] = min(best, key=lambda pair: sign * pair[0])
    return Workspace(mechanism.name, name, center, points, extremes)


def _followed(
    mechanism: Mechanism,
    frame: str,
    measure: Callable[[Array], Array],
    sign: float,
    start: Array,
    low: Array,
    high: Array,
) -> tuple[float, Array]:
    """The nearest extreme of a measure of the frame's position, and where it is."""
    from scipy.optimize import minimize

    def cost(q: Array) -> float:
        return sign * float(measure(np.asarray(mechanism.pose(q, frame)[1], float)))

    bounds = list(zip(low, high, strict=True))
    found = minimize(
        cost, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    better = found.fun <= cost(start)
    q = np.asarray(found.x if better else start, float)
    return float(sign * cost(q)), q


def _ranges(mechanism: Mechanism) -> tuple[Array, Array]:
    """(nq,) lower and upper bounds: limits, or a whole turn about the start."""
    model = mechanism.model
    low, high = np.full(mechanism.nq, np.nan), np.full(mechanism.nq, np.nan)
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, limit in enumerate(body.joint.limits):
            place = slot.q.start + k
            low[place] = np.nan if limit.lower is None else limit.lower
            high[place] = np.nan if limit.upper is None else limit.upper
    start = np.asarray(mechanism.initial, float)
    for k, unit in enumerate(model.q_units):
        if np.isnan(low[k]) or np.isnan(high[k]):
            if unit != "rad":
                raise ModelError(
                    f"workspace: the slide '{mechanism.q_labels[k]}' has no limits, so there is no "
                    f"end to what it reaches. Give it limits in the model."
                )
            low[k], high[k] = start[k] - np.pi, start[k] + np.pi
    return low, high


def _base(mechanism: Mechanism) -> Array:
    """Where the first joint that moves stands, in the world, m."""
    for body, parent, joint in zip(
        mechanism.model.bodies, mechanism.model.parents, mechanism.model.joints, strict=True
    ):
        if joint.nv:
            R, p = mechanism.poses(mechanism.initial)
            at = np.asarray(body.at.position, float)
            return at if parent < 0 else np.asarray(p[parent] + R[parent] @ at, float)
    raise ModelError(f"workspace: '{mechanism.name}' does not move.")
