"""A motion worth seeing of every built-in mechanism, as arguments of `simulate`.

What is not named here falls from where it starts."""

from __future__ import annotations

from collections.abc import Mapping

_ROVER_DRIVES = tuple(
    f"{axle}-{side}-drive" for axle in ("front", "rear") for side in ("left", "right")
)
MOTIONS: Mapping[str, Mapping[str, object]] = {
    "stanford-six": {"duration": 0.6},
    "stanford": {"duration": 0.6},  # its slide falls out of sight later
    "four-bar": {"inputs": {"crank": 0.3}},
    "slider-crank": {"v0": {"crank": 12.0}},
    "four-bar-ladder": {"v0": {"rod0": 1.0}},
    "four-link-closed": {"duration": 1.0},
    "bricard": {"v0": {"rod1": 2.0}},
    "puma560": {"v0": {"joint1": 3.0, "joint2": -1.0, "joint3": 1.5}},
    "differential": {"inputs": {"pinion": 0.05}, "v0": {"left": 2.0}},
    "dual-arm-free-flyer": {"v0": {"arm1-link1": 0.5}},
    "stewart": {"duration": 0.5},
    "delta": {"duration": 0.4},
    "hslm": {"duration": 0.5},
    "rolling-disc": {"v0": {"disc.wy": 6.0}},
    "unicycle": {"v0": {"wheel.wx": 12.0}},
    "two-wheeled-cart": {"inputs": {"wheel1": 0.3, "wheel2": 0.5}},
    "bicycle": {"v0": {"rear-wheel": 15.0}},
    "rover": {"inputs": dict.fromkeys(_ROVER_DRIVES, 2.0)},
}


def motion(name: str) -> dict[str, object]:
    """Arguments of `simulate` for the built-in mechanism of that name."""
    return {"duration": 2.0, **MOTIONS.get(name, {})}
