"""The recorded cases in tests/data/seeds, ways to build their mechanisms, and how to compare.

The sources differ from the library in two habits, converted here and nowhere else: gravity is an
upward acceleration of the base, and a tip force is the one exerted *by* the tip.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from scipy.integrate import solve_ivp

import armillary as am
from dense import motion_matrix

DATA = Path(__file__).resolve().parent.parent / "data" / "seeds"
FREE = ("rx", "ry", "rz", "dx", "dy", "dz")


class Case:
    """The problem and the recorded values of one case file; `case["H_4"]` is a value."""

    def __init__(self, name: str):
        content = yaml.safe_load((DATA / f"{name}.yaml").read_text())
        self.problem = content["problem"]
        self.values = {check["quantity"]: check["value"] for check in content["checks"]}
        assert len(self.values) == len(content["checks"])

    def __getitem__(self, quantity: str):
        value = self.values[quantity]
        return np.array(value, float) if isinstance(value, list) else value


@cache
def case(name: str) -> Case:
    return Case(name)


@cache
def table(name: str) -> dict[str, np.ndarray]:
    """Columns of a recorded trajectory."""
    lines = [s for s in (DATA / f"{name}.csv").read_text().splitlines() if not s.startswith("#")]
    head, *rows = csv.reader(lines)
    numbers = np.array(rows, float)
    return {name: numbers[:, k] for k, name in enumerate(head)}


def columns(data: dict[str, np.ndarray], *names: str) -> np.ndarray:
    return np.stack([data[name] for name in names], axis=1)


# -- comparing -----------------------------------------------------------------------------------


def assert_value(actual, recorded, rounding: float = 1e-13) -> None:
    """Equal to 12 significant digits; next to larger entries, to rounding of the largest."""
    recorded = np.asarray(recorded, float)
    actual = np.asarray(actual, float)
    assert actual.shape == recorded.shape
    scale = np.abs(recorded).max(initial=1e-3)
    np.testing.assert_allclose(actual, recorded, rtol=5.5e-12, atol=rounding * scale)


def assert_rows(actual, recorded, digits: float = 5e-10) -> None:
    """Trajectories, column by column: equal to `digits` of each column's largest number."""
    recorded = np.asarray(recorded, float)
    scale = np.abs(recorded).max(axis=0)
    error = np.abs(np.asarray(actual, float) - recorded).max(axis=0)
    assert (error <= digits * scale).all(), f"{error / scale} of the largest numbers {scale}"


# -- mechanisms ----------------------------------------------------------------------------------


def gravity(problem: dict) -> tuple[float, ...]:
    """Gravity from the acceleration of the base that stands for it."""
    return tuple(-x for x in problem["gravity"]["base_acceleration"][3:])


def six_numbers(rows) -> tuple[float, ...]:
    """(xx, yy, zz, xy, xz, yz) of a tensor given by rows."""
    I = np.array(rows, float)
    return (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])


def add_chain(builder, links, base=(0.0, 0.0, 0.0), prefix: str = "") -> None:
    """Bodies from six-parameter rows; the last displacement places the frame `prefix + "tip"`.

    A free slide belongs to its joint: our body frame sits at its far end, so the tabulated centre
    of mass moves back by the tabulated slide."""
    parent, at = "world", np.array(base, float)
    for link in links:
        axes = [int(np.argmax(column)) for column in link["motion_space_columns"]]
        slides = np.array([3 + k in axes for k in range(3)])
        shift = np.array(link["gamma"][3:], float)
        spec = {"joint": "gimbal", "free": [FREE[k] for k in axes]}
        if len(axes) == 1 and axes[0] < 3:
            spec = {"joint": "revolute", "axis": "xyz"[axes[0]]}
        builder.body(
            prefix + link["name"], parent, at=tuple(at), mass=link["mass"],
            com=tuple(np.array(link["com"], float) - np.where(slides, shift, 0.0)),
            inertia=six_numbers(link["inertia_com"]), **spec,
        )  # fmt: skip
        parent, at = prefix + link["name"], np.where(slides, 0.0, shift)
    builder.frame(prefix + "tip", parent, tuple(at))


def serial(name: str, problem: dict, count: int | None = None) -> am.Mechanism:
    """The open chain of the first `count` links of a case, by the reader of such tables."""
    return am.sixparameter(problem["links"][:count], name=name, gravity=gravity(problem))


# -- quantities the sources print and the library has in another form ----------------------------


def transform(mechanism: am.Mechanism, q, to: str, of: str) -> np.ndarray:
    """X (6, 6) from coordinates in the frame `of` to coordinates in the frame `to`."""
    R_A, p_A = mechanism.pose(q, to)
    R_B, p_B = mechanism.pose(q, of)
    return motion_matrix(R_A.T @ R_B, R_B.T @ (p_A - p_B))


def in_frame_axes(mechanism: am.Mechanism, q, frame: str, wrench) -> np.ndarray:
    """A wrench at the frame's origin, given along the world's axes, along the frame's own."""
    R, _ = mechanism.pose(q, frame)
    parts = np.reshape(wrench, (*np.shape(wrench)[:-1], 2, 3))
    return (parts @ R).reshape(np.shape(wrench))


def constrained(M, force, J, rate):
    """(a, f): M a = force + J^T f with J a + rate = 0, f of least norm where it is not unique."""
    n, m = len(M), len(J)
    K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    solution = np.linalg.lstsq(K, np.concatenate([force, -rate]), rcond=1e-11)[0]
    return solution[:n], solution[n:]


def motion(rate, start, times, rtol: float = 1e-13) -> np.ndarray:
    """States (rows) at the given times of  dx/dt = rate(t, x)."""
    run = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", times, rtol=rtol, atol=1e-14)
    assert run.success
    return run.y.T
