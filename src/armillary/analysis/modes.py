"""`modes`: eigenvalues, frequencies, damping and shapes of small motion about rest or a steady
motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from armillary.analysis.linear_model import LinearModel
from armillary.analysis.linearize import model_about, rounding_of
from armillary.analysis.point import Forces, point, scales
from armillary.analysis.zero_modes import echelon, staircase
from armillary.doors import ModesDoors
from armillary.errors import InputError, Remedy, unknown_name
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown

_PARTS = 4  # entries of a shape that the table shows
Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class Mode:
    """One free motion  dq(t) = Re(shape e^(eigenvalue t)).

    shape (nv): changes of all coordinates, its largest (1 rad against the size of the machine) is
    1; complex where coordinates are out of phase."""

    eigenvalue: complex  # 1/s, of a pair the one with the positive imaginary part
    shape: Complex
    labels: tuple[str, ...]

    @property
    def kind(self) -> str:
        """zero, oscillation, decay or growth."""
        s = self.eigenvalue
        if s == 0:
            return "zero"
        return "oscillation" if s.imag else "growth" if s.real > 0 else "decay"

    @property
    def frequency(self) -> float:
        """Im / 2π, Hz: that of the motion, damped."""
        return float(self.eigenvalue.imag / (2 * np.pi))

    @property
    def natural_frequency(self) -> float:
        """|eigenvalue| / 2π, Hz, of an oscillation; 0 of others."""
        return float(abs(self.eigenvalue) / (2 * np.pi)) if self.eigenvalue.imag else 0.0

    @property
    def damping(self) -> float:
        """Damping ratio -Re / |eigenvalue|: below 0 it grows; NaN of a zero mode."""
        size = abs(self.eigenvalue)
        return float(-self.eigenvalue.real / size) + 0.0 if size else np.nan

    @property
    def time_constant(self) -> float:
        """1 / |Re|, s: after it the motion is e times smaller, or larger; inf: neither."""
        return float(1.0 / abs(self.eigenvalue.real)) if self.eigenvalue.real else np.inf

    def __getitem__(self, label: str) -> complex:
        """Part of a coordinate."""
        if label not in self.labels:
            raise unknown_name("coordinate", label, self.labels)
        return complex(self.shape[self.labels.index(label)])


@shown
@dataclass(frozen=True)
class Modes(ModesDoors):
    """All modes: zero ones first, then by the size of their eigenvalues.

    eigenvalues: all roots of the linear model, each zero as often as it occurs; `model`: that
    linear model."""

    model: LinearModel
    eigenvalues: Complex
    modes: tuple[Mode, ...]

    def __len__(self) -> int:
        return len(self.modes)

    @overload
    def __getitem__(self, k: int) -> Mode: ...

    @overload
    def __getitem__(self, k: slice) -> tuple[Mode, ...]: ...

    def __getitem__(self, k: int | slice) -> Mode | tuple[Mode, ...]:
        """By number, zero modes first; -1 is the last one."""
        if isinstance(k, slice):
            return self.modes[k]
        count = len(self)
        whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
        if not whole or not -count <= k < count:
            raise InputError(
                f"modes: '{self.model.mechanism_name}' has {count} modes here; expected a number "
                f"from 0 to {count - 1}, found {k!r:.60}."
            )
        return self.modes[k]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    @property
    def zeros(self) -> int:
        """Eigenvalues that are zero: free motions, and speeds that stay as they are."""
        return int(np.sum(self.eigenvalues == 0))

    @property
    def frequencies(self) -> Array:
        """Hz, damped, of every mode; 0 where it does not oscillate."""
        return np.array([mode.frequency for mode in self.modes])

    @property
    def damping(self) -> Array:
        """Damping ratio of every mode; NaN of zero modes."""
        return np.array([mode.damping for mode in self.modes])

    @property
    def shapes(self) -> Complex:
        """(modes, nv)."""
        return np.array([mode.shape for mode in self.modes]).reshape(len(self), -1)

    @property
    def stable(self) -> bool:
        """Does nothing grow exponentially?  Zero modes may still drift."""
        return bool((self.eigenvalues.real <= 0).all())

    def __str__(self) -> str:
        model = self.model
        growing = sum(mode.eigenvalue.real > 0 for mode in self.modes)
        state = f"unstable, {growing} growing" if growing else "nothing grows"
        zeros = f", {self.zeros} zero eigenvalues" if self.zeros else ""
        about = model.about if model.about == "rest" else f"a {model.about}"
        lines = [
            f"modes of '{model.mechanism_name}' about {about}: {state}{zeros}",
            f"{'':>3}  {'kind':<12}{'frequency [Hz]':>15}{'damping':>12}{'e-time [s]':>12}  shape",
        ]
        for k, mode in enumerate(self.modes):
            numbers = ["-", "-", "-"]
            if mode.kind != "zero":
                numbers[2] = "-" if np.isinf(mode.time_constant) else f"{mode.time_constant:.5g}"
            if mode.kind == "oscillation":
                numbers[:2] = f"{mode.frequency:.6g}", f"{mode.damping:.4g}"
            columns = f"{numbers[0]:>15}{numbers[1]:>12}{numbers[2]:>12}"
            lines.append(f"{k:>3}  {mode.kind:<12}{columns}  {_words(mode)}")
        return "\n".join([*lines, *(f"note: {text}" for text in model.notes)])


def _words(mode: Mode) -> str:
    """The largest parts of a shape with their names."""
    size = np.abs(mode.shape)
    order = [k for k in np.argsort(-size, kind="stable")[:_PARTS] if size[k] > 1e-6 * size.max()]
    more = ", ..." if np.sum(size > 1e-3 * size.max(initial=0.0)) > len(order) else ""
    return ", ".join(f"{mode.labels[k]} {_number(mode.shape[k])}" for k in order) + more


def _number(x: complex) -> str:
    """Size and phase where it has one."""
    if abs(x.imag) < 1e-9 * abs(x):
        return f"{x.real:.3g}"
    return f"{abs(x):.3g} ∠{np.angle(x) / np.pi * 180:.0f}°"


def modes(
    mechanism: Mechanism,
    q: State | None = None,
    v: State | None = None,
    tau: Forces = None,
    *,
    external: External = None,
    independent: Iterable[str] | None = None,
) -> Modes:
    """Eigenvalues, frequencies, damping and shapes of small motion about rest (or steady motion).

    q, v, tau, external: the state and what acts there, as for `linearize`; tau = "hold" takes the
    forces that keep it.  A state that accelerates has no modes and is refused.  Zero eigenvalues
    (free bodies, rolling, speeds that nothing changes) are exact zeros, not rounding."""
    at = point(mechanism, "modes", q, v, tau, external)
    model = model_about(mechanism, at, independent=independent)
    if model.about == "passing state":
        raise InputError(
            f"modes: '{mechanism.name}' has no modes here, for {model.notes[0]}.", Remedy("rest")
        )
    size, d = scales(mechanism), model.variations
    n, moving = len(d.positions), len(d.positions) + len(d.velocities)
    unit = np.ones(len(model.A))
    unit[:moving] = size[[*d.positions, *d.velocities]]
    noise = rounding_of(mechanism, model)
    stairs = staircase(model.A * unit / unit[:, None], noise * unit / unit[:, None])
    roots, vectors = stairs.others()
    places = echelon(stairs.null[:n], np.ones(n))[0].T
    found: list[tuple[complex, Complex]] = []
    found += [(0j, np.where(np.abs(x) < 1e-9, 0.0, x).astype(complex)) for x in places]
    found += [(s, x) for s, x in zip(roots.tolist(), vectors[:n].T, strict=True) if s.imag >= 0]
    found.sort(key=lambda one: (float(f"{abs(one[0]):.9e}"), one[0].real))  # of a pair ±s, -s first
    labels = mechanism.v_labels
    listed = tuple(Mode(s, _shape(d.N @ (x * unit[:n]), size), labels) for s, x in found)
    every = np.concatenate([np.zeros(stairs.zeros, complex), np.sort_complex(roots)])
    return Modes(model, every, listed)


def _shape(x: Complex, size: Array) -> Complex:
    """Divided by its largest entry, lengths counted in sizes of the machine."""
    k = int(np.argmax(np.abs(x / size)))
    shape = x / x[k] if x[k] else x
    return np.asarray(np.where(np.abs(shape) < 1e-12, 0.0, shape))
