"""`linearize`, `modes` and `equilibrium`: rest and small motion on the command line."""

from __future__ import annotations

import numpy as np

from armillary import Mechanism, __version__
from armillary.analysis.equilibrium import Equilibrium
from armillary.analysis.modes import Mode
from armillary.cli import models, screen
from armillary.cli.closing import follow
from armillary.cli.options import ClosedSource, State, Words
from armillary.cli.states import States, from_options

LINEAR = (
    *("A", "B", "C", "D", "states", "state_units", "inputs", "input_units"),
    *("outputs", "output_units", "about", "notes"),
)


def _state(mechanism: Mechanism, state: State, tau: Words) -> States:
    """q, v, tau and wrenches as the questions take them."""
    given = {"q": state.q, "v": state.v, "tau": tau}
    found = follow(mechanism, from_options(mechanism, given, state.external))
    for text in found.notes:
        screen.note(text)
    return found


def linearize(
    source: ClosedSource,
    state: State,
    tau: Words,
    keep: bool,
    input: Words,
    output: Words,
    wrench: Words,
    independent: Words,
    json: bool,
) -> None:
    mechanism = models.find(source)
    at = _state(mechanism, state, tau)
    found = mechanism.linearize(
        at.values["q"],
        at.values["v"],
        "hold" if keep else at.values["tau"],
        inputs=input,
        outputs=output,
        wrenches=wrench or (),
        external=at.external,
        independent=independent,
    )
    if not json:
        screen.say(found)
        return
    content = {name: getattr(found, name) for name in LINEAR}
    screen.print_json(_head("linearize", mechanism) | content)


def modes(source: ClosedSource, state: State, tau: Words, keep: bool, json: bool) -> None:
    mechanism = models.find(source)
    at = _state(mechanism, state, tau)
    forces = "hold" if keep else at.values["tau"]
    found = mechanism.modes(at.values["q"], at.values["v"], forces, external=at.external)
    if not json:
        screen.say(found)
        return
    content: dict[str, object] = {
        "about": found.model.about,
        "notes": found.model.notes,
        "stable": found.stable,
        "zero_eigenvalues": found.zeros,
        "labels": mechanism.v_labels,
        "units": mechanism.v_units,
        "modes": [_mode(mode) for mode in found],
    }
    screen.print_json(_head("modes", mechanism) | content)


def _mode(mode: Mode) -> dict[str, object]:
    s, shape = mode.eigenvalue, np.asarray(mode.shape)
    return {
        "kind": mode.kind,
        "eigenvalue": [s.real, s.imag],
        "frequency": mode.frequency,
        "damping": mode.damping,
        "time_constant": mode.time_constant,
        "shape": {"real": shape.real, "imaginary": shape.imag},
    }


def equilibrium(
    source: ClosedSource,
    q: Words,
    tau: Words,
    external: Words,
    hold: Words,
    stable: bool,
    restarts: int,
    seed: int,
    json: bool,
) -> None:
    mechanism = models.find(source)
    given = from_options(mechanism, {"q": q, "tau": tau}, external)
    found = mechanism.equilibrium(
        given.values["q"],
        given.values["tau"],
        hold=hold or (),
        external=given.external,
        stable=stable,
        restarts=restarts,
        seed=seed,
    )
    if not json:
        screen.say(found)
        return
    content = {"labels": found.labels, "units": found.units}
    solutions = [_rest(one) for one in found.solutions]
    screen.print_json(_head("equilibrium", mechanism) | content | {"solutions": solutions})


def _rest(one: Equilibrium) -> dict[str, object]:
    names = ("q", "stability", "stiffness", "residual", "energy", "holding", "messages")
    return {name: getattr(one, name) for name in names}


def _head(command: str, mechanism: Mechanism) -> dict[str, object]:
    return {"armillary": __version__, "command": command, "mechanism": mechanism.name}
