"""The methods by name.

| name              | order | what it is for                                                      |
|-------------------|-------|---------------------------------------------------------------------|
| euler             | 1     | comparison with sources                                             |
| semi-implicit     | 1     | long runs at one evaluation per step; v first, then q with the new v |
| heun              | 2     |                                                                     |
| rk3               | 3     | [Swartz1982], corrected                                             |
| rk4               | 4     | the default                                                         |
| dopri5            | 5     | adaptive, with dense output                                         |
| implicit          | 3     | stiff springs and dampers (linearly implicit, ROS34PW2)             |
| exponential-euler | 1     | flexible joints, coefficients frozen over the step [Yesiloglu2007]  |
| exponential       | 2     | the same with a corrector                                           |
| variational       | 2     | symplectic: long conservative runs (forced midpoint, RATTLE)        |
"""

from __future__ import annotations

from collections.abc import Callable

from armillary.errors import InputError
from armillary.sim.methods.integrators import (
    ExplicitRungeKutta,
    Exponential,
    LinearlyImplicit,
    SemiImplicitEuler,
    Stepper,
)
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.tableaux import EXPLICIT, LINEARLY_IMPLICIT, Rosenbrock, Tableau
from armillary.sim.methods.variational import Variational

Maker = Callable[[RunView], Stepper]


def _explicit(table: Tableau) -> Maker:
    return lambda view: ExplicitRungeKutta(table)


def _implicit(table: Rosenbrock) -> Maker:
    return lambda view: LinearlyImplicit(table)


METHODS: dict[str, Maker] = {
    **{name: _explicit(table) for name, table in EXPLICIT.items()},
    "semi-implicit": lambda view: SemiImplicitEuler(),
    **{name: _implicit(table) for name, table in LINEARLY_IMPLICIT.items()},
    "exponential-euler": lambda view: Exponential(view, corrected=False),
    "exponential": lambda view: Exponential(view, corrected=True),
    "variational": Variational,
}


def stepper(name: str, view: RunView) -> Stepper:
    """The named method, for this run."""
    if name not in METHODS:
        raise InputError(f"method: expected one of {', '.join(METHODS)}; found {name!r}.")
    return METHODS[name](view)
