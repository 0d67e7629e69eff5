"""Where one looks from: an orthographic view, given by the user or chosen for the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.viewer.sketch.skeleton import Skeleton, unit

# Azimuths are from one side only: a mirrored mechanism must not be shown from a mirrored side.
_AZIMUTHS, _ELEVATIONS = np.radians(np.linspace(20.0, 70.0, 11)), np.radians((16.0, 25.0, 34.0))
_VIEWS = ("front", "back", "left", "right", "top", "bottom", "oblique")
_CLOSE = 34.0  # pixels between two joints that look like one


@dataclass(frozen=True)
class View:
    """Unit vectors in the world: to the right and to the top of the picture, and to the viewer."""

    right: Array
    up: Array
    toward: Array

    def flat(self, points: Array) -> Array:
        """Points (n, 3) in the plane of the picture (n, 2), m, y upward."""
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def depth(self, points: Array) -> Array:
        """Distance toward the viewer, m."""
        return points @ self.toward

    @property
    def plane(self) -> str:
        """In words: 'looking along -y', or where the viewer stands."""
        for letter, axis in zip("xyz", np.eye(3), strict=True):
            for sign in ("", "-"):
                if np.allclose(self.toward, -axis if sign else axis):
                    return f"seen from {sign or '+'}{letter}"
        return "seen from ({:.2f}, {:.2f}, {:.2f})".format(*self.toward)


def looking(toward: Array, up: Array) -> View:
    """The view from a direction, with `up` upward where it is not along it."""
    toward = unit(toward)
    if np.linalg.norm(np.cross(up, toward)) < 1e-6:
        up = min((np.eye(3)[k] for k in (1, 2, 0)), key=lambda e: abs(float(e @ toward)))
    right = unit(np.cross(up, toward))
    return View(right, np.cross(toward, right), toward)


def view_of(skeletons: Sequence[Skeleton], view: str | Sequence[float] | None) -> View:
    """The view asked for, or one that shows these configurations well."""
    up = skeletons[0].up
    ahead, aside = horizontal(up)
    if view is None:
        return _chosen(skeletons, up)
    if isinstance(view, str):
        named = {
            "front": -aside, "back": aside, "right": ahead, "left": -ahead, "top": up,
            "bottom": -up, "oblique": _direction(np.radians(45.0), np.radians(25.0), up),
        }  # fmt: skip
        if view not in named:
            raise InputError(
                f"view: expected one of {', '.join(_VIEWS)} or a direction of three numbers, "
                f"found '{view}'."
            )
        return looking(named[view], aside if view in ("top", "bottom") else up)
    toward = as_floats("view", view)
    if toward.shape != (3,) or not np.isfinite(toward).all() or not toward.any():
        raise InputError(f"view: expected three finite numbers, not all zero; found {view!r}.")
    return looking(toward, up)


def horizontal(up: Array) -> tuple[Array, Array]:
    """Two level directions that make a right-handed triple with `up`: x and y where z is up."""
    k = int(np.argmax(np.abs(up)))
    ahead = np.eye(3)[(k + 1) % 3]
    ahead = unit(ahead - (ahead @ up) * up)
    return ahead, np.cross(up, ahead)


def _direction(azimuth: float, elevation: float, up: Array) -> Array:
    ahead, aside = horizontal(up)
    level = np.cos(azimuth) * ahead - np.sin(azimuth) * aside
    return np.cos(elevation) * level + np.sin(elevation) * up


def _chosen(skeletons: Sequence[Skeleton], up: Array) -> View:
    normal = _plane_normal(skeletons[0])
    if normal is not None:
        ahead, aside = horizontal(up)
        right = np.cross(up, normal)
        sign = 1.0 if float(right @ (ahead + 0.9 * aside + 0.8 * up)) > 0 else -1.0
        if np.linalg.norm(right) < 1e-6:  # it lies flat: from above
            return looking(normal * (1.0 if normal @ up > 0 else -1.0), aside)
        return looking(sign * normal, up)
    views = [looking(_direction(a, e, up), up) for e in _ELEVATIONS for a in _AZIMUTHS]
    return min(views, key=lambda view: _confusion(skeletons[0], view))


def _plane_normal(skeleton: Skeleton) -> Array | None:
    """The common axis of all rotations of a planar mechanism, or None.

    Wheels with free bodies move in space, whatever their axes."""
    joints = [joint for joint in skeleton.joints if not joint.floats or joint.kind == "planar"]
    turns = [axis for joint in joints for axis in joint.turns]
    free = [joint for joint in skeleton.joints if joint.floats and joint.kind != "planar"]
    if not turns or (free and skeleton.rims):
        return None
    normal = turns[0]
    level = all(np.linalg.norm(np.cross(axis, normal)) < 1e-6 for axis in turns)
    level &= all(abs(float(s @ normal)) < 1e-6 for joint in joints for s in joint.slides)
    return normal if level else None


def _confusion(skeleton: Skeleton, view: View) -> float:
    """How badly a view shows a mechanism: joints that hide each other, links that overlap."""
    points = skeleton.points
    flat = view.flat(points)
    shown = np.linalg.norm(flat - flat.mean(axis=0), axis=1).sum()
    whole = np.linalg.norm(points - points.mean(axis=0), axis=1).sum()
    spread = np.ptp(flat, axis=0)
    scale = 1.0 / max(spread[0] / 560.0, spread[1] / 400.0, 1e-9)
    spots = np.array([joint.outboard for joint in skeleton.joints if not joint.floats][:60])
    cost = 4.0 * (1.0 - float(shown) / max(float(whole), 1e-12))  # what is foreshortened
    if len(spots) > 1:
        seen = view.flat(spots) * scale
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1)
        real = np.linalg.norm(spots[:, None] - spots[None], axis=-1)
        hidden = (apart < _CLOSE) & (real * scale > _CLOSE)
        cost += float(((_CLOSE - apart) / _CLOSE)[hidden].sum())
    return cost + 0.5 * _overlaps(skeleton, view, scale)


def _overlaps(skeleton: Skeleton, view: View, scale: float) -> float:
    """Links that run side by side, nearly parallel and close to each other."""
    pairs = [np.array(p) for link in skeleton.links[:40] for p in pairwise(link.points)]
    ends = [view.flat(p) * scale for p in pairs]
    if len(ends) < 2:
        return 0.0
    seen = np.array(ends).reshape(-1, 2, 2)
    along = seen[:, 1] - seen[:, 0]
    length = np.linalg.norm(along, axis=1)
    seen, along, length = seen[length > 1.0], along[length > 1.0], length[length > 1.0]
    along /= length[:, None]
    middle = seen.mean(axis=1)
    sine = np.abs(along[:, None, 0] * along[None, :, 1] - along[:, None, 1] * along[None, :, 0])
    offset = middle[:, None] - middle[None]
    aside = np.abs(offset[..., 0] * along[:, None, 1] - offset[..., 1] * along[:, None, 0])
    along_it = np.abs((offset * along[:, None]).sum(-1))
    reach = 0.5 * (length[:, None] + length[None])
    bad = (sine < 0.15) & (aside < 14.0) & (along_it < reach)
    return float(np.triu(bad, 1).sum())
