"""`validate`: is this mechanism sound, and do independent formulations agree on it?"""

from __future__ import annotations

from typing import Any

from armillary import Mechanism
from armillary.cli import models, screen
from armillary.cli.show import notes, notes_json, summary
from armillary.errors import ArmillaryError
from armillary.functions.results import Check

# Two formulations of a sound mechanism agree to about 1e-12; numbers far beyond are of no use.
AGREEMENT = 1e-6
SINGULAR = "its acceleration is undefined"  # what forward dynamics says of a joint without inertia


def validate(name: str, base: str | None, strict: bool, seed: int, json: bool) -> bool:
    """Print what there is to say; True where the mechanism is sound."""
    try:
        mechanism = models.find(name, base, strict)
    except ArmillaryError as fault:
        if json:
            screen.print_json({"valid": False, "error": str(fault)})
            return False
        raise
    check, reason = _check(mechanism, seed)
    sound = SINGULAR not in reason and (check is None or check.worst < AGREEMENT)
    warnings = len(mechanism.report.of("warning")) + len(mechanism.report.of("repaired"))
    if json:
        content: dict[str, Any] = {
            "valid": sound,
            "mechanism": mechanism.name,
            "warnings": warnings,
            "notes": notes_json(mechanism.report),
            "check": check.errors() if check is not None else None,
            "not_checked": reason,
        }
        screen.print_json(content)
        return sound
    _print(mechanism, check, reason, seed)
    tail = f"{warnings} warning{'' if warnings == 1 else 's'}"
    if sound:
        screen.say(f"valid: {tail}", "green")
    elif check is None:
        screen.complain(f"{reason} ({tail})")
    else:
        screen.complain(
            f"independent formulations differ by more than {AGREEMENT:g}: the mass matrix is not "
            f"positive definite or nearly singular. Look at the masses and tensors ({tail})."
        )
    return sound


def _print(mechanism: Mechanism, check: Check | None, reason: str, seed: int) -> None:
    summary(mechanism)
    notes(mechanism.report)
    if models.open_parts(mechanism):
        screen.say(f" warning  {models.open_parts(mechanism)}", "yellow")
    screen.say()
    if check is None and SINGULAR not in reason:
        screen.say(f"not checked by independent formulations: {reason}\n", "yellow")
    if check is not None:
        rows = [(f"{error:.1e}", what) for what, error in check.errors().items()]
        heads = [">difference", f"the same by two formulations, random state {seed}"]
        screen.table(heads, rows)


def _check(mechanism: Mechanism, seed: int) -> tuple[Check | None, str]:
    """The comparison at a random state, or why there is none."""
    if mechanism.nv == 0:
        return None, "nothing moves"
    q, v, a = mechanism.random_state(seed)
    try:
        return mechanism.check(q, v, mechanism.inverse_dynamics(q, v, a)), ""
    except ArmillaryError as fault:
        return None, str(fault)
    except (ArithmeticError, ValueError) as fault:  # interpreted, or of numpy's dense solver
        return None, f"a joint has no inertia behind it in some state, {SINGULAR} ({fault})"
