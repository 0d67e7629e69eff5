"""`compare`: two mechanisms, or two recorded runs, and what differs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from armillary.analysis.comparison import compare as compare_mechanisms
from armillary.cli import screen
from armillary.cli.models import find
from armillary.cli.options import Source
from armillary.errors import InputError
from armillary.sim.record.run_difference import run_difference
from armillary.sim.record.storage import FORMATS, is_run
from armillary.sim.record.stored_run import load_run


def compare(first: str, second: str, states: int, seed: int, tolerance: float, json: bool) -> bool:
    """True: the same, to the tolerance."""
    runs = [is_run(Path(name)) for name in (first, second)]
    if any(runs):
        if not all(runs):
            raise InputError(
                f"compare: '{first}' and '{second}' are a run and a mechanism. Give two runs "
                f"({', '.join(FORMATS)}) or two mechanisms."
            )
        gap = run_difference(load_run(Path(first)), load_run(Path(second)))
        same = gap.largest() <= tolerance
        if json:
            screen.print_json({"same": same, **asdict(gap)})
        else:
            screen.say(gap)
            screen.say(f"\n{'the same' if same else 'different'}, to {tolerance:g} of each column")
        return same
    found = compare_mechanisms(find(Source(first)), find(Source(second)), states, seed, tolerance)
    if json:
        differences = [asdict(x) | {"first": str(x.first), "second": str(x.second)}
                       for x in found.differences]  # fmt: skip
        content = asdict(found) | {"same": found.same, "differences": differences}
        screen.print_json(content)
    else:
        screen.say(found)
    return found.same
