"""`validate`: is this mechanism sound, and do independent formulations agree on it?"""

from __future__ import annotations

import numpy as np

from armillary import Mechanism
from armillary.cli import closing, models, screen
from armillary.cli.options import Source
from armillary.cli.remedies import spelled
from armillary.cli.show import counts_json, notes, notes_json, summary
from armillary.constraints.assembled import beyond_limits
from armillary.constraints.pressing import PullNote
from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import ArmillaryError, ModelError, SingularError

# Two formulations of a sound mechanism agree to about 1e-12; numbers far beyond are of no use.
AGREEMENT = 1e-6
_FEW = 30  # velocities: small motion of larger mechanisms takes seconds
Errors = dict[str, float]


def validate(source: Source, strict: bool, seed: int, json: bool) -> bool:
    """Print what there is to say; True where the mechanism is sound."""
    try:
        mechanism = models.find(source, strict)
    except ArmillaryError as fault:
        if json:
            screen.print_json({"valid": False, "error": spelled(fault.message)})
            return False
        raise
    check, reason, sound, remarks = _check(mechanism, seed)
    sound = sound and max(check.values(), default=0.0) < AGREEMENT
    warnings = len(mechanism.report.of("warning")) + len(mechanism.report.of("repaired"))
    warnings += len(remarks)
    if json:
        content: dict[str, object] = {
            "valid": sound,
            "mechanism": mechanism.name,
            "counts": counts_json(mechanism.counts),
            "warnings": warnings,
            "notes": notes_json(mechanism.report),
            "start": remarks,
            "check": check or None,
            "not_checked": reason,
        }
        screen.print_json(content)
        return sound
    _print(mechanism, check, reason if sound else "", seed)
    for text in remarks:
        screen.note(f"where it starts: {text}")
    tail = f"{warnings} warning{'' if warnings == 1 else 's'}"
    if sound:
        screen.say(f"valid: {tail}", "green")
    elif reason:
        screen.complain(f"{reason} ({tail})")
    else:
        screen.complain(
            f"independent formulations differ by more than {AGREEMENT:g}: the mass matrix is not "
            f"positive definite or nearly singular. Look at the masses and tensors ({tail})."
        )
    return sound


def _print(mechanism: Mechanism, check: Errors, reason: str, seed: int) -> None:
    summary(mechanism)
    notes(mechanism.report)
    screen.say()
    if reason:
        screen.say(f"not checked by independent formulations: {reason}\n", "yellow")
    if check:
        rows = [(f"{error:.1e}", what) for what, error in check.items()]
        heads = [">difference", f"the same by two formulations, random state {seed}"]
        screen.table(heads, rows)


def _check(mechanism: Mechanism, seed: int) -> tuple[Errors, str, bool, list[str]]:
    """Differences at a random state; what was not checked or is wrong; whether it may be used; and
    what there is to say of where it starts."""
    errors, reason, sound = _check_tree(mechanism.tree, seed)
    start = np.array(mechanism.model.start())
    if not mechanism.constraints:
        remarks = [*beyond_limits(mechanism.model, start[None])]
        return errors, reason, sound, remarks + (_leaving(mechanism, start) if sound else [])
    try:  # a tree that cannot move by itself may do so with its constraints
        found, remarks = _check_closed(mechanism, seed)
        q = closing.closed_configuration(mechanism, mechanism.initial).q
        remarks += _leaving(mechanism, q)
        return errors | found, f"the tree: {reason}" if reason else "", True, remarks
    except ArmillaryError as fault:
        return errors, spelled(fault.message), False, []


def _leaving(mechanism: Mechanism, q: np.ndarray) -> list[str]:
    """A remark where it rests, and would not stay."""
    if mechanism.nv > _FEW:
        return []
    try:
        growth = float(mechanism.modes(q).eigenvalues.real.max(initial=0.0))
    except ArmillaryError:  # it accelerates there, or has no linear model
        return []
    if growth <= 0.0:
        return []
    return [f"it rests there and does not stay: small changes grow with {growth:.4g} 1/s"]


def _check_tree(mechanism: Mechanism, seed: int) -> tuple[Errors, str, bool]:
    if mechanism.nv == 0:
        return {}, "nothing moves", True
    q, v, a = mechanism.random_state(seed)
    try:
        return mechanism.check(q, v, mechanism.inverse_dynamics(q, v, a)).errors(), "", True
    except ArmillaryError as fault:
        return {}, spelled(fault.message), not isinstance(fault, SingularError)
    except (ArithmeticError, ValueError) as fault:  # interpreted, or of numpy's dense solver
        return {}, f"the mass matrix is singular in some state ({fault})", False


def _check_closed(mechanism: Mechanism, seed: int) -> tuple[Errors, list[str]]:
    """The constraints, where the mechanism starts: it closes, they agree, power is in balance; and
    what there is to say of that place."""
    assembly = closing.closed_configuration(mechanism, mechanism.initial)
    q, slowest = mechanism.project(assembly.q)
    rest = mechanism.solve(q, slowest, np.zeros(mechanism.nv))
    assert isinstance(rest, ConstrainedSolution)
    if faults := [text for text in rest.messages if not isinstance(text, PullNote)]:
        raise ModelError("; ".join(map(spelled, faults)))
    _, wish, tau = mechanism.random_state(seed)
    q, v = mechanism.project(q, wish)
    solution = mechanism.solve(q, v, tau)
    assert isinstance(solution, ConstrainedSolution)
    a, power = solution.acceleration, solution.balance
    flows = (power.energy_rate, power.actuators, power.constraints, power.passive)
    size = max(*(abs(float(x)) for x in flows), float(np.abs(tau * wish).max(initial=1e-300)))
    gap = np.abs(mechanism.forward_dynamics(q, v, tau) - a).max(initial=0.0)
    pulls = [text for text in rest.messages if isinstance(text, PullNote)]
    return {
        "closed, accelerations: null space of the constraints, and compiled": float(
            gap / max(np.abs(a).max(initial=0.0), 1.0)
        ),
        "closed, power: rate of the energy, and work of all forces": float(
            abs(power.imbalance) / size
        ),
    }, [*assembly.messages, *pulls]
