"""What helps against an error, as it is typed on the command line (errors.PYTHON: in Python)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from armillary.errors import EnergyWarning, Message, ProjectionWarning

COMMAND = {
    "overwrite": "Choose another name or use --overwrite.",
    "resume": "Make room, then go on with --resume.",
    "resume or overwrite": "Go on with --resume, or use --overwrite to begin anew.",
    "lossy": "Write the native YAML format, or use --lossy to leave it out.",
    "root": "{otherwise}, or use --root a folder that holds both.",
    "format": "",
    "no base": "Leave --base out.",
    "hold schedule": "Give more rows, a shorter run, or --stay.",
    "assemble": "`armillary solve --assemble` closes the mechanism",
    "project": "`armillary solve --assemble` corrects it",
    "assemble q": "Close it with --assemble where the command has it, or give the --q that "
    "`armillary assemble` finds; if the numbers have few digits, --geometry-tolerance tells how "
    "many.",
    "assemble q0": "Close it with --assemble.",
    "assemble q0 at motions": "Close it with --assemble, which holds driven joints where their "
    "motion begins.",
    "project v0": "Leave --no-project out.",
    "keep by projection": "Leave --draw-back out.",
    "draw back": "Draw them back instead: --draw-back rates=40,40 (1/s).",
    "load a frame": "or give some: --external FRAME=nx,ny,nz,fx,fy,fz.",
    "hold v0": "Give --v {joint}={value:.6g} to hold the named joints and find the others, or "
    "--project-start to begin with the nearest.",
    "project a": "--a joint=value keeps the named joints and finds the others; --tree answers for "
    "the open tree.",
    "rest": "`armillary equilibrium` finds a place of rest; --keep takes the forces that keep this "
    "one; `armillary linearize` describes this instant.",
    "hold joint": "Hold the joint (--hold {joint}), give it a force (--tau), or try another --q.",
    "more actuators": "Name more of them with --actuator.",
    "derive tree": "--tree derives those of its tree.",
    "no limits": "Give them in the model, or leave --limits out.",
    "fewer limits": "{otherwise}, or leave --limits out.",
    "range of a joint": "Give them: --limit {joint}=-1.5:1.5, rad or m.",
    "leading joints": "Name the joints that lead its motion: --joint {joint}.",
    "driven joints": "Name those that drive it: --joint {joint}.",
    "excite": "The joints must move; `armillary excite MODEL` proposes a motion.",
    "known masses": "Keep what is known in the model: --no-inertias, or --body the unknown ones "
    "alone (weigh the others, or a payload).",
    "fewer parameters": "Measure longer, raise --cutoff, or ask for less: --body, --friction.",
}


def spelled(text: str) -> str:
    """A message of the library, with its remedy in the words of the command line."""
    return text.spelled(COMMAND) if isinstance(text, Message) else text


def with_notes(
    ask: Callable[..., object], *given: object, **options: object
) -> tuple[Any, list[str]]:
    """An answer, and what the library warned of while it was found."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask(*given, **options)
    notes = []
    for warning in caught:
        told = warning.message
        assert isinstance(told, Warning)
        if isinstance(told, (EnergyWarning, ProjectionWarning)):
            notes.append(spelled(told.args[0]))
        else:
            warnings.warn_explicit(told, None, warning.filename, warning.lineno)
    return answer, notes
