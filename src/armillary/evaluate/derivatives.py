"""Derivatives as results, and what they are good for: products both ways, identification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.tree.regressor import PARAMETERS
from armillary.errors import InputError
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.inputs import Array, as_floats
from armillary.model.model import Model
from armillary.model.parts import inertia_of
from armillary.model.varied import Varied
from armillary.shown import shown

TWIST = ("rx", "ry", "rz", "dx", "dy", "dz")


@shown
class InverseDerivatives(NamedTuple):
    """tau(q, v, a): matrices (..., nv, nv) on the tangent space; da is the mass matrix."""

    dq: Array
    dv: Array
    da: Array

    def __str__(self) -> str:
        return arrays_text("derivatives of tau(q, v, a), on the tangent space", self._asdict())

    def jvp(self, q: ArrayLike = 0.0, v: ArrayLike = 0.0, a: ArrayLike = 0.0) -> Array:
        """Change of tau for small changes of q (tangent), v and a."""
        return _times(self.dq, q) + _times(self.dv, v) + _times(self.da, a)

    def vjp(self, weight: ArrayLike) -> tuple[Array, Array, Array]:
        """Gradient of weight · tau with respect to q (tangent), v and a."""
        return (
            _times_back(weight, self.dq),
            _times_back(weight, self.dv),
            _times_back(weight, self.da),
        )


@shown
class ForwardDerivatives(NamedTuple):
    """a(q, v, tau): matrices (..., nv, nv) on the tangent space; dtau is M^-1."""

    dq: Array
    dv: Array
    dtau: Array

    def __str__(self) -> str:
        return arrays_text("derivatives of a(q, v, tau), on the tangent space", self._asdict())

    def jvp(self, q: ArrayLike = 0.0, v: ArrayLike = 0.0, tau: ArrayLike = 0.0) -> Array:
        """Change of a for small changes of q (tangent), v and tau."""
        return _times(self.dq, q) + _times(self.dv, v) + _times(self.dtau, tau)

    def vjp(self, weight: ArrayLike) -> tuple[Array, Array, Array]:
        """Gradient of weight · a with respect to q (tangent), v and tau."""
        return (
            _times_back(weight, self.dq),
            _times_back(weight, self.dv),
            _times_back(weight, self.dtau),
        )


def _times(matrix: Array, change: ArrayLike) -> Array:
    """Entries that do not change have no say, whatever their columns are."""
    vector = _vector("change", change, matrix.shape[:-1])
    product = (matrix @ vector[..., None])[..., 0]
    if not np.isfinite(product).all():
        kept = np.where(vector[..., None, :] == 0.0, 0.0, matrix)
        product = (kept @ vector[..., None])[..., 0]
    return np.asarray(product)


def _vector(name: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Numbers in a shape, or fewer that stand for all."""
    array = as_floats(name, given)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise InputError(f"{name}: expected shape {shape}, found {array.shape}.") from None


def _times_back(weight: ArrayLike, matrix: Array) -> Array:
    vector = _vector("weight", weight, matrix.shape[:-1])
    return np.asarray((vector[..., None, :] @ matrix)[..., 0, :])


@shown
@dataclass(frozen=True)
class BaseParameters:
    """Which combinations of inertial parameters the joint forces can tell apart.

    `names[i]` with the combination `matrix[i]` of all parameters (bodies x 10): tau = Y_base beta
    with beta = matrix @ pi and Y_base the columns `columns` of the regressor."""

    names: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: Array
    singular_values: Array

    @property
    def rank(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        lines = [f"{self.rank} base parameters of {self.matrix.shape[1]}:"]
        return "\n".join([*lines, *("  " + name for name in self.names)])


def inertia_names(model: Model) -> tuple[str, ...]:
    """body.parameter for every column of the regressor."""
    return tuple(f"{body.name}.{name}" for body in model.bodies for name in PARAMETERS)


def parameter_names(model: Model) -> tuple[str, ...]:
    """Inertias of the bodies, and after them the numbers of the force elements."""
    elements = (name for part in model.elements for name in part.parameter_names())
    return (*inertia_names(model), *elements, *model.varied)


def offset_names(model: Model) -> tuple[str, ...]:
    """body.rx .. body.dz for turns about and shifts along the axes of every joint frame."""
    return tuple(f"{body.name}.{axis}" for body in model.bodies for axis in TWIST)


def parameter_values(model: Model) -> Array:
    """The model's own parameters, in the order of `parameter_names`."""
    inertias = [float(x) for body in model.bodies for x in inertia_of(body.mass).leaves()]
    elements = [float(x) for part in model.elements for x in part.parameter_values()]
    return np.array(inertias + elements + Varied(model).values())


_LAST = 0.999  # how good the last parameter must look to stand for the first


def base_parameters(model: Model, stacked: Array, tolerance: float = 1e-9) -> BaseParameters:
    """Of the inertias alone, from a regressor stacked over many states."""
    return combinations(stacked, inertia_names(model), tolerance)


def combinations(stacked: Array, names: tuple[str, ...], tolerance: float = 1e-9) -> BaseParameters:
    """From the columns (rows, parameters) of many states: pivoted QR finds independent ones, and
    how the others depend on them.  Of columns that are as good as each other the first is taken, by
    a small preference: rounding, which is another on every processor, has no say."""
    from scipy.linalg import qr

    scale = np.linalg.norm(stacked, axis=0)
    used = np.flatnonzero(scale > tolerance * max(scale.max(initial=0.0), 1e-300))
    preference = np.linspace(1.0, _LAST, len(scale))
    scale = scale / preference
    r, pivot = qr(stacked[:, used] / scale[used], mode="r", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.sum(diagonal > tolerance * diagonal[0])) if len(diagonal) else 0
    first = np.linalg.solve(r[:rank, :rank], r[:rank, rank:]) if rank else r[:0, :0]
    columns = used[pivot[:rank]]
    matrix = np.zeros((rank, stacked.shape[1]))
    matrix[np.arange(rank), columns] = 1.0
    rest = used[pivot[rank:]]
    matrix[:, rest] = first * scale[rest] / scale[columns][:, None]
    matrix[np.abs(matrix) < 1e-9] = 0.0
    order = np.argsort(columns)
    values = np.zeros(min(stacked.shape))
    triangle = r[: len(used)] / preference[used[pivot]]
    values[: min(triangle.shape)] = np.linalg.svd(triangle, compute_uv=False)
    return BaseParameters(
        tuple(_combination(matrix[i], names) for i in order),
        tuple(int(columns[i]) for i in order),
        matrix[order],
        values,
    )


def _combination(row: Array, names: tuple[str, ...]) -> str:
    terms = [f"{row[k]:+.6g} {names[k]}" for k in np.flatnonzero(row)]
    return " ".join(terms)
