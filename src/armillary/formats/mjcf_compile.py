"""MuJoCo's own reading of an MJCF file: parsed, freed of what is not read here, compiled."""

from __future__ import annotations

import re
import warnings

from armillary.errors import FormatError, how_to_install
from armillary.formats.mjcf_assets import Assets
from armillary.formats.mjcf_strip import MuJoCo
from armillary.formats.references import Bounds
from armillary.formats.xml import shortened

_LINE = re.compile(r"[Ll]ine(?: number)?[ =:]+(\d+)")


def compiled_model(name: str, bounds: Bounds) -> tuple[MuJoCo, MuJoCo, Assets, list[str]]:
    """MuJoCo's specification, its compiled model with every body kept, what became of the files
    it names, and its remarks."""
    try:
        import mujoco
    except ImportError:
        raise FormatError(
            f"reading MJCF needs the package mujoco. {how_to_install('mjcf')}", name
        ) from None
    try:
        with warnings.catch_warnings(record=True) as remarks:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_file(name)
            fused, spec.compiler.fusestatic = bool(spec.compiler.fusestatic), False
            assets = Assets(spec, bounds, name)
            compiled = spec.compile()
            if fused and getattr(spec.compiler, "settotalmass", 0.0) > 0.0:
                compiled = _with_its_total(spec, _moving_mass(compiled))
        words = [" ".join(str(remark.message).split()) for remark in remarks]
        return spec, compiled, assets, words
    except FormatError:
        raise
    except Exception as fault:
        text = " ".join(str(fault).split())
        line = _LINE.search(text)
        raise FormatError(
            f"MuJoCo refuses the model: {shortened(text, 300)}",
            name,
            int(line.group(1)) if line else None,
        ) from None


def _with_its_total(spec: MuJoCo, moving: float) -> MuJoCo:
    """The model with the masses that `settotalmass` gives it where bodies are fused: what MuJoCo
    puts into the world is not among the total.  moving: mass of moving bodies without that, kg."""
    other = spec.copy()
    other.compiler.fusestatic = True
    if moving:
        spec.compiler.settotalmass *= _moving_mass(other.compile()) / moving
    return spec.compile()


def _moving_mass(compiled: MuJoCo) -> float:
    """Of the bodies that are not welded to the world."""
    pairs = zip(compiled.body_mass, compiled.body_weldid, strict=True)
    return float(sum(mass for mass, weld in pairs if weld))
