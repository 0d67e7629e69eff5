"""Rest and small motion: linear models about a state, modes, equilibria.

Each question is a method of `Mechanism` (doors.py): `linearize`, `modes`, `equilibrium`.
"""

from armillary.analysis.equilibrium import Equilibrium, equilibrium
from armillary.analysis.linear_model import LinearModel
from armillary.analysis.linearize import linearize
from armillary.analysis.modes import Mode, Modes, modes

__all__ = ["Equilibrium", "LinearModel", "Mode", "Modes", "equilibrium", "linearize", "modes"]
