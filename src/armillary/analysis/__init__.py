"""Rest and small motion, and what a designer asks of a mechanism.

Each question is a method of `Mechanism` (doors.py): `linearize`, `modes`, `equilibrium`;
`classify`, `dexterity`, `force_limits`, `payload`, `task_dynamics`, `force_sources`, `workspace`;
of linkages `linkage`, `assembly_modes`.
"""

from armillary.analysis.equilibrium import Equilibrium, equilibrium
from armillary.analysis.linear_model import LinearModel
from armillary.analysis.linearize import linearize
from armillary.analysis.modes import Mode, Modes, modes

__all__ = ["Equilibrium", "LinearModel", "Mode", "Modes", "equilibrium", "linearize", "modes"]
