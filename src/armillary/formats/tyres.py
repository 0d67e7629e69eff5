"""Models of tyres, and where their numbers are read from: the names of `armillary.tyres`."""

from armillary.formats.tir import read_tir
from armillary.model.tyres.fiala import Fiala
from armillary.model.tyres.magic_formula import MagicFormula
from armillary.model.tyres.simple import Brush, Linear
from armillary.model.tyres.spring_damper import SpringDamper
from armillary.model.tyres.tyre_model import TyreModel

__all__ = [
    "Brush",
    "Fiala",
    "Linear",
    "MagicFormula",
    "SpringDamper",
    "TyreModel",
    "read_tir",
]
