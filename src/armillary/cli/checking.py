"""`check` and `methods`: one state by every formulation, and the table of formulations."""

from __future__ import annotations

from armillary import Mechanism, __version__, textbook
from armillary.cli import closing, models, screen
from armillary.cli.options import Source, State, Words
from armillary.cli.states import States, from_options
from armillary.errors import unknown_name
from armillary.textbook.checking import Check
from armillary.textbook.formulations.registry import QUANTITIES


def check(source: Source, state: State, tau: Words, seed: int | None, json: bool) -> bool:
    """Print who agrees with whom; True where all do."""
    mechanism = models.find(source)
    states = _states(mechanism, state, tau, seed)
    values = closing.follow(mechanism, states).values
    found = mechanism.check(values["q"], values["v"], values["tau"], states.external or None)
    if json:
        screen.print_json(as_json(found))
    else:
        _print(found)
    return found.agreed


def _states(mechanism: Mechanism, state: State, tau: Words, seed: int | None) -> States:
    """As typed, or at random; a closed mechanism where it closes."""
    given = {"q": state.q, "v": state.v, "tau": tau}
    states = from_options(mechanism, given, state.external)
    if seed is None:
        return states
    random = dict(zip(("q", "v", "tau"), mechanism.random_state(seed), strict=True))
    values = {name: states.values[name] if words else random[name] for name, words in given.items()}
    if mechanism.constraints:
        start = states.values["q"]
        values["q"], values["v"] = mechanism.project(
            closing.closed_configuration(mechanism, start).q, values["v"]
        )
    return States(values, states.external)


def _print(found: Check) -> None:
    for part in found.agreements:
        digits, odd = part.digits(), part.odd
        rows = [
            (
                f"{max(digits[name], 0.0):.1f}",
                name,
                _source(name),
                "DISAGREES" if name in odd else "",
            )
            for group in part.groups
            for name in group
        ]
        screen.table(
            [">digits", "formulation", "source", ""], rows, f"{part.quantity} [{part.unit}]"
        )
    errors = found.identities.errors()
    if errors:
        screen.table([">difference", "laws between the answers"],
                     [(f"{x:.1e}", name) for name, x in errors.items()])  # fmt: skip
    for part in found.agreements:
        for name, why in part.refused.items():
            screen.say(f"not asked: {name}: {why}", "dim")
    screen.say(f"conditioning leaves about {found.accuracy:.0f} digits to the accelerations")
    if found.agreed:
        screen.say(found.verdict, "green")
    else:
        screen.complain(found.verdict)


def _source(name: str) -> str:
    return textbook.formulation(name).source


def as_json(found: Check) -> dict[str, object]:
    return {
        "armillary": __version__,
        "mechanism": found.name,
        "agreed": found.agreed,
        "against_the_others": found.odd,
        "digits_left_by_conditioning": found.accuracy,
        "quantities": {
            part.quantity: {
                "unit": part.unit,
                "groups": part.groups,
                "differences": part.differences(),
                "refused": dict(part.refused),
            }
            for part in found.agreements
        },
        "laws": found.identities.errors(),
    }


def methods(model: str | None, quantity: str | None, json: bool) -> None:
    """The table of formulations; of a mechanism, which of them know it."""
    if quantity is not None and quantity not in QUANTITIES:
        raise unknown_name("quantity", quantity, QUANTITIES)
    mechanism = models.find(Source(model)) if model else None
    chosen = textbook.formulations(quantity)
    refusals = {f.name: f.refusal(mechanism.model) if mechanism else "" for f in chosen}
    if json:
        rows = [
            {"name": f.name, "quantity": f.quantity, "source": f.source, "domain": f.domain.words,
             "equation": f.idea, "refusal": refusals[f.name] or None}
            for f in chosen
        ]  # fmt: skip
        screen.print_json({"formulations": rows})
        return
    for name in QUANTITIES:
        table = [
            (
                f.name,
                f.source,
                (refusals[f.name] and f"no: {refusals[f.name]}") or f.domain.words,
                f.idea,
            )
            for f in chosen
            if f.quantity == name
        ]
        if table:
            heads = ["formulation", "source", "knows", "equation"]
            screen.table(heads, table, f"{name} [{QUANTITIES[name][1]}]")
    if quantity is None:
        screen.say("methods with arguments of their own, am.methods.NAME:", "bold")
        words = (textbook.__doc__ or "").split("\n\n")[2]
        screen.say("\n".join(line[4:] for line in words.splitlines()))
