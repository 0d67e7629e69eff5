"""How the laboratory reads what is answered to its questions: a value, or an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.errors import InputError


def yes(answer: str) -> bool:
    if answer.lower() not in ("y", "yes", "n", "no"):
        raise InputError(f"expected yes or no, found '{answer:.60}'.")
    return answer.lower().startswith("y")


def steps(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise InputError(f"steps: expected a number of time steps, a whole number from 1 to "
                         f"999999999, found '{text:.60}'.")  # fmt: skip
    return int(text)


def file_name(text: str) -> str:
    if not text:
        raise InputError("expected the name of a file.")
    return text


def seconds(key: str, least: float, most: float = np.inf) -> Callable[[str], float]:
    """How an instant of the simulation is read."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            raise InputError(
                f"print_simulation: expected a number of seconds for {key}, found '{text:.60}'. It "
                f"asks for start, finish and step; or say them on its line: print_simulation "
                f"step=0.1"
            ) from None
        if not least - 1e-9 <= found <= most * (1.0 + 1e-9):
            span = f"{least:g} to {most:g} s" if most < np.inf else f"{least:g} s or more"
            raise InputError(
                f"print_simulation: {key}: expected {span}"
                f"{', as was simulated' if most < np.inf else ''}, found {text} s."
            )
        return found

    return read
