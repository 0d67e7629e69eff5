"""Densities of common materials, kg/m³: typical values of handbooks and data sheets.

Alloys differ by a per cent or so between makers, plastics and composites by some per cent; weigh
a part that matters and give its `mass`."""

from __future__ import annotations

METALS = "typical wrought metal, handbook value"
PLASTICS = "typical unfilled grade, handbook value"
MATERIALS: dict[str, tuple[float, str]] = {
    "aluminium": (2700.0, METALS),
    "aluminium-6061": (2700.0, METALS),
    "aluminium-7075": (2810.0, METALS),
    "brass": (8500.0, METALS),
    "bronze": (8800.0, METALS),
    "cast-iron": (7200.0, METALS),
    "copper": (8960.0, METALS),
    "lead": (11340.0, METALS),
    "magnesium": (1740.0, METALS),
    "stainless-steel": (7900.0, METALS),
    "steel": (7850.0, METALS),
    "titanium-6al4v": (4430.0, METALS),
    "tungsten": (19300.0, METALS),
    "neodymium-magnet": (7500.0, "typical sintered NdFeB, data sheets"),
    "abs": (1050.0, PLASTICS),
    "nylon": (1140.0, PLASTICS),
    "peek": (1300.0, PLASTICS),
    "pla": (1240.0, PLASTICS),
    "polycarbonate": (1200.0, PLASTICS),
    "pom": (1410.0, PLASTICS),
    "ptfe": (2200.0, PLASTICS),
    "rubber": (1200.0, PLASTICS),
    "carbon-fibre": (1600.0, "epoxy laminate of 60 % fibre, by the rule of mixtures"),
    "glass-fibre": (1900.0, "epoxy laminate of 50 % fibre, by the rule of mixtures"),
    "glass": (2500.0, "soda-lime glass, handbook value"),
    "water": (998.0, "at 20 °C"),
}
