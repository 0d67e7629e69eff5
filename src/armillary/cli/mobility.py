"""`mobility`: what the constraints leave free, here and on the way, and which forces they hide."""

from __future__ import annotations

import numpy as np

from armillary import Mechanism, __version__
from armillary.cli import closing, models, screen
from armillary.cli.options import Source, Words
from armillary.cli.solving import determinacy_json
from armillary.cli.states import Array, from_options
from armillary.constraints.assembled import beyond_limits
from armillary.constraints.mobility import Mobility
from armillary.constraints.self_stress import Determinacy
from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import ArmillaryError, Message

FACTS = (
    *("closed", "opening", "coordinates", "rows", "rank", "redundancy", "finite", "instantaneous"),
    *("singular", "redundant", "condition", "singular_values"),
)
SINGULAR = {
    "": "none",
    "locked": "locked: a velocity that leads nowhere",
    "branching": "branching: more velocities here than freedoms nearby",
}


def mobility(source: Source, q: Words, assemble: bool, hold: Words, json: bool) -> None:
    mechanism = models.find(source)
    values = from_options(mechanism, {"q": q}, None).values
    notes: list[str] = []
    if assemble:
        values, notes = closing.close(mechanism, values, hold or ())
    else:
        notes += beyond_limits(mechanism.model, values["q"][None])
    q_ = values["q"]
    found = mechanism.mobility(q_)
    if not mechanism.constraints:
        notes.append(f"'{mechanism.name}' has no constraints: every coordinate is free")
    if not found.closed:
        opening = f"{found.opening:.2g} of the machine's size"
        notes.append(f"q is open by {opening}; --assemble closes it first")
    forces, reason = _determinacy(mechanism, q_)
    notes += [reason] if reason else []
    for text in notes:
        screen.note(text)
    if json:
        screen.print_json(as_json(mechanism, q_, found, forces, notes))
    else:
        _print(mechanism, found, forces)


def _determinacy(mechanism: Mechanism, q: Array) -> tuple[Determinacy | None, str]:
    """Self-stresses, from the solution at rest; or why there is none."""
    rest = np.zeros(mechanism.nv)
    try:
        solution = mechanism.solve(q, rest, rest)
    except ArmillaryError as fault:
        return None, Message(fault.message, before="self-stresses are not known: ")
    return (solution.determinacy if isinstance(solution, ConstrainedSolution) else None), ""


def motions(found: Mobility) -> tuple[list[str], Array]:
    """The free velocities (nv, free), each with one named coordinate at 1 and the other named
    ones at 0."""
    N, names = found.motions, []
    pivots: list[int] = []
    left = N.copy()
    for _ in range(N.shape[1]):  # the first coordinate with a large part in what is left
        size = np.linalg.norm(left, axis=1)
        k = int(np.flatnonzero(size > 0.5 * size.max())[0])
        along = left[k] / size[k]
        left = left - np.outer(left @ along, along)
        pivots.append(k)
        names.append(found.labels[k])
    order = np.argsort(pivots)
    rows = [pivots[i] for i in order]
    velocities = N @ np.linalg.inv(N[rows]) if rows else N
    velocities[np.abs(velocities) < 1e-12] = 0.0
    return [names[i] for i in order], velocities


# -- for people ----------------------------------------------------------------------------------


def _print(mechanism: Mechanism, found: Mobility, forces: Determinacy | None) -> None:
    constraints = models.constraint_counts(mechanism)
    screen.say(
        f"mobility of '{mechanism.name}'"
        + (f", constrained by {constraints}" if constraints else "")
        + "\n"
    )
    rows = [
        ("coordinates of the tree", str(found.coordinates)),
        ("constraint rows", str(found.rows)),
        ("rank of the rows", str(found.rank)),
        ("redundant rows", str(found.redundancy)),
        ("mobility, finite", str(found.finite)),
        ("mobility, instantaneous", str(found.instantaneous)),
        ("condition number of J, lengths over the machine's size", f"{found.condition:.4g}"),
    ]
    screen.table(["quantity", ">value"], rows)
    screen.say(f"singularity: {SINGULAR[found.singular]}")
    if found.redundant:
        screen.say(f"constraints with redundant rows: {', '.join(found.redundant)}")
    if forces is not None and forces.static_indeterminacy:
        screen.say(
            f"self-stresses: {forces.static_indeterminacy}; every reaction becomes determinate "
            f"without: {', '.join(forces.proposals())}"
        )
    elif forces is not None:
        screen.say("self-stresses: none, every reaction is determinate")
    screen.say()
    names, velocities = motions(found)
    if names:
        units = models.units(mechanism, "v")
        lines = [
            [label, *screen.numbers(velocities[k]), units[k]]
            for k, label in enumerate(found.labels)
        ]
        heads = ["coordinate", *(f">with {name} = 1" for name in names), "unit"]
        screen.table(heads, lines, "free motions: velocities that the constraints allow")
    else:
        screen.say("free motions: none")


# -- for programs --------------------------------------------------------------------------------


def as_json(
    mechanism: Mechanism, q: Array, found: Mobility, forces: Determinacy | None, notes: list[str]
) -> dict[str, object]:
    names, velocities = motions(found)
    return {
        "armillary": __version__,
        "command": "mobility",
        "mechanism": mechanism.name,
        "labels": {"q": mechanism.q_labels, "v": mechanism.v_labels},
        "units": {kind: models.units(mechanism, kind) for kind in ("q", "v")},
        "notes": notes,
        "q": q,
        **{name: getattr(found, name) for name in FACTS},
        "determinacy": determinacy_json(forces) if forces is not None else None,
        "motions": [
            {"coordinate": name, "velocity": velocities[:, k]} for k, name in enumerate(names)
        ],
    }
