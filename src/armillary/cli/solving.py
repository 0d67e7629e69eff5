"""`solve`: motion, every force, what is determinate, and the power balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armillary.cli import answers, closing, models, screen
from armillary.cli.answers import Answer, Question
from armillary.cli.states import Array, from_prescribed, to_csv
from armillary.constraints.self_stress import Determinacy
from armillary.constraints.solution import ConstrainedSolution
from armillary.evaluate.results import Solution
from armillary.units import WRENCH, WRENCH_UNITS

_MOST = 200  # lines of a table on the screen


@dataclass(frozen=True)
class Wishes:
    """What `solve` and `mobility` can be told beyond the state."""

    assemble: bool = False
    hold: Sequence[str] = ()
    prescribed: Sequence[str] = ()


def answer(
    question: Question, wishes: Wishes, out: Path | None, overwrite: bool, json: bool
) -> None:
    result, solution, prescribed = solve(question, wishes)
    for text in result.remarks():
        screen.remark(text)
    if out is not None:
        from armillary.formats.files import write_text

        columns = [*answers.columns(result), *_constraint_columns(solution)]
        write_text(to_csv(result.states.carried, columns), out, overwrite)
    if json:
        screen.print_json(answers.as_json(result) | as_json(solution, prescribed))
    elif out is not None:
        count = 1 if result.single else len(result.values["a"])
        screen.say(f"{count} state{'s' if count > 1 else ''} written to {out}")
    else:
        print_solution(result, solution)


def solve(question: Question, wishes: Wishes) -> tuple[Answer, Solution, dict[str, Array]]:
    mechanism = models.find(question.model, question.how)
    prescribed = from_prescribed(mechanism, wishes.prescribed)
    states = answers.states_of(question, mechanism)
    values = dict(states.values)
    if wishes.assemble:
        part = {k: x for k, x in values.items() if k not in states.named or k == "q"}
        closed, remarks = closing.close(mechanism, part, wishes.hold)
        values |= closed
        states = replace(states, values=values, remarks=(*remarks, *states.remarks))
    states = closing.follow(mechanism, states)
    values = dict(states.values)
    given = (values["q"], values["v"], values["tau"], states.external, question.passive)
    solution = mechanism.solve(*given, prescribed=prescribed)
    values["a"] = solution.acceleration
    answers.refuse_infinite(values["a"], mechanism)
    messages = _messages(solution, len(np.atleast_2d(values["q"])))
    result = Answer("solve", mechanism, question.passive, states, values, solution.reactions,
                    messages)  # fmt: skip
    return result, solution, prescribed


def _messages(solution: Solution, states: int, most: int = 6) -> tuple[str, ...]:
    if not isinstance(solution, ConstrainedSolution):
        return (f"'{solution.model.name}' has no constraints: its tree is solved",)
    found = solution.messages
    more = (f"{len(found) - most} more messages about {states} states; --json has all",)
    return found if len(found) <= most else found[:most] + more


# -- for people ----------------------------------------------------------------------------------


def print_solution(result: Answer, solution: Solution) -> None:
    answers.heading(result, "solution")
    answers.print_motion(result)
    answers.print_reactions(solution.reactions)
    if isinstance(solution, ConstrainedSolution):
        _print_constraints(solution)
        if result.single:
            print_determinacy(solution.determinacy, solution.convention)
        else:
            freedoms = [state.freedom for state in solution.states]
            screen.say(f"self-stresses: {min(freedoms)} to {max(freedoms)}; --json tells which "
                       f"forces are determinate in every state\n")  # fmt: skip
    if result.single:
        _print_power(solution)


def _print_constraints(solution: ConstrainedSolution) -> None:
    """Wrenches of constraints between frames, then forces of couplings and prescribed motions."""
    forces = solution.constraint_forces
    title = ("force of every constraint: on the named body, in the constraint's second frame at "
             "its origin (wheel: at its centre)")  # fmt: skip
    if forces.names and forces.wrench.ndim == 2:
        parts = zip(
            forces.names,
            forces.kinds,
            forces.bodies,
            answers.quiet(forces.wrench),
            strict=True,
        )
        rows = [[name, kind, body, *screen.numbers(x, 5)] for name, kind, body, x in parts]
        heads = ["constraint", "kind", "on body", *answers.WRENCH_COLUMNS]
        screen.table(heads, rows[:_MOST], title)
    elif forces.names:
        size = [np.linalg.norm(forces.wrench[..., part], axis=-1).max(axis=0)
                for part in (slice(3), slice(3, 6))]  # fmt: skip
        rows = [[name, kind, body, *screen.numbers(pair)] for name, kind, body, *pair in
                zip(forces.names, forces.kinds, forces.bodies, *size, strict=True)]  # fmt: skip
        heads = ["constraint", "kind", "on body", ">greatest moment [N m]", ">greatest force [N]"]
        screen.table(heads, rows[:_MOST], title)
    if forces.axis_names:
        single = forces.axis.ndim == 1
        axis = answers.quiet(forces.axis) if single else np.abs(forces.axis).max(axis=0)
        numbers = screen.numbers(axis)
        rows = [list(x) for x in zip(forces.axis_names, numbers, forces.axis_units, strict=True)]
        head = ">force" if single else ">greatest force"
        screen.table(["coupling or prescribed motion", head, "unit"], rows[:_MOST],
                     "force along the coordinate that follows or is driven")  # fmt: skip


def print_determinacy(state: Determinacy, convention: str) -> None:
    if not state.freedom:
        screen.say("every reaction is determinate\n")
        return
    rows = [[name, *("+" if known else "-" for known in flags)]
            for name, flags in zip(state.names, state.determinate, strict=True)]  # fmt: skip
    stresses = f"{state.freedom} self-stress{'' if state.freedom == 1 else 'es'}"
    title = f"{stresses}: + has one true value, - is chosen ({convention})"
    screen.table(["joint or constraint", *WRENCH], rows[:_MOST], title)
    screen.say(f"every reaction becomes determinate without: {', '.join(state.proposals())}\n")


def _print_power(solution: Solution) -> None:
    heads, row, tail = [">actuators"], [solution.power], []
    if isinstance(solution, ConstrainedSolution):
        power = solution.balance
        heads += [">external", ">constraints", ">to friction and springs", ">energy changes by",
                  ">imbalance"]  # fmt: skip
        row += [power.external, power.constraints, power.passive, power.energy_rate]
        tail = [f"{power.imbalance:.0e}"]
    numbers = screen.numbers(answers.quiet(np.array(row, float)), 5)
    screen.table(heads, [[*numbers, *tail]], "power [W]")
    energies = screen.numbers((float(solution.kinetic), float(solution.potential)))
    screen.say(f"kinetic energy {energies[0]} J, potential energy {energies[1]} J")
    if solution.model.hidden_energy:
        screen.remark(f"it lacks the laws of {', '.join(solution.model.hidden_energy)}, which "
                      f"name no potential")  # fmt: skip


# -- for programs --------------------------------------------------------------------------------


def as_json(solution: Solution, prescribed: dict[str, Array]) -> dict[str, Any]:
    content: dict[str, Any] = {
        "energy": {"unit": "J", "kinetic": solution.kinetic, "potential": solution.potential}
    }
    if not isinstance(solution, ConstrainedSolution):
        return content | {"power": {"unit": "W", "actuators": solution.power}}
    power, forces = solution.balance, solution.constraint_forces
    wrenches = {
        name: {"kind": kind, "body": body, "wrench": forces[name]}
        for name, kind, body in zip(forces.names, forces.kinds, forces.bodies, strict=True)
    }
    axes = {
        name: {"force": forces[name], "unit": unit}
        for name, unit in zip(forces.axis_names, forces.axis_units, strict=True)
    }
    states = [determinacy_json(state) for state in solution.states]
    return content | {
        "power": {
            "unit": "W", "actuators": power.actuators, "external": power.external,
            "constraints": power.constraints, "passive": power.passive,
            "energy_rate": power.energy_rate, "imbalance": power.imbalance,
        },
        "prescribed": prescribed,
        "constraints": {
            "order": WRENCH,
            "units": WRENCH_UNITS,
            "frame": "on the named body, in the constraint's second frame at its origin",
            "forces": wrenches | axes,
        },
        "rows": {
            "labels": solution.row_labels, "rank": solution.rank, "residual": solution.residual,
            "rate": solution.rate, "multipliers": solution.multipliers,
            "conflict": solution.conflict,
        },
        "convention": solution.convention,
        "determinacy": states[0] if solution.acceleration.ndim == 1 else states,
        "messages": solution.messages,
    }  # fmt: skip


def determinacy_json(state: Determinacy) -> dict[str, Any]:
    return {
        "self_stresses": state.freedom,
        "determinate": dict(zip(state.names, state.determinate, strict=True)),
        "indeterminate": state.indeterminate,
        "proposals": state.proposals(),
    }


def _constraint_columns(solution: Solution) -> list[tuple[str, Array]]:
    if not isinstance(solution, ConstrainedSolution):
        return []
    forces = solution.constraint_forces
    found = [(f"constraint.{name}.{entry}", forces[name][..., k])
             for name in forces.names for k, entry in enumerate(WRENCH)]  # fmt: skip
    return found + [(f"constraint.{name}", forces[name]) for name in forces.axis_names]
