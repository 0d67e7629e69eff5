"""`Mechanism.check`: one state by every formulation that knows the mechanism.

Differences are measured against what an answer is the sum of: joint forces against the forces that
meet in the joint, accelerations against what those forces can do there (so the condition of the
inertia is in it), inertias against the inertias of the two axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.constraints import questions
from armillary.constraints.states import one_state
from armillary.errors import DisagreementError, ModelError
from armillary.evaluate.forces_in_play import forces_in_play, of_units
from armillary.evaluate.inputs import Array, flag, is_none
from armillary.evaluate.results import Identities
from armillary.evaluate.table_face import TableFace
from armillary.shown import shown
from armillary.textbook.agreement import AGREE, Agreement
from armillary.textbook.formulations.closed import ClosedState
from armillary.textbook.formulations.registry import FORMULATIONS, QUANTITIES
from armillary.textbook.formulations.tree_state import TreeState

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.named_states import State
    from armillary.mechanism.mechanism import Mechanism

_ROUNDING = 2.0**-53
_LAWS = 1e-8  # relative: laws tie answers of different condition to each other


@shown
@dataclass(frozen=True)
class Check:
    """The same state by every formulation that knows the mechanism.

    agreements: by quantity, answers in rows (the first is that of the state; see `_Terms`);
    identities: laws that tie different answers to each other; accuracy:
    digits that the joint forces leave to the accelerations (16 less those that conditioning
    takes)."""

    name: str
    agreements: tuple[Agreement, ...]
    identities: Identities
    accuracy: float
    law_tolerance: float

    @property
    def pairs(self) -> dict[str, tuple[Array, Array]]:
        """What the identities compare."""
        return self.identities.pairs

    def errors(self) -> dict[str, float]:
        """Every relative difference, by name."""
        found = self.identities.errors()
        for part in self.agreements:
            found |= {f"{part.quantity}: {name}": x for name, x in part.differences().items()}
        return found

    @property
    def worst(self) -> float:
        return max(self.errors().values())

    @property
    def agreed(self) -> bool:
        """Whether all formulations give one answer, and all laws hold."""
        return not self.odd

    @property
    def odd(self) -> tuple[str, ...]:
        """Formulations that contradict the others, and laws that do not hold."""
        broken = [
            name for name, x in self.identities.errors().items() if not x <= self.law_tolerance
        ]
        return (*(name for part in self.agreements for name in part.odd), *broken)

    def certify(self) -> Check:
        """Itself; DisagreementError where not all agree."""
        if not self.agreed:
            raise DisagreementError(
                f"'{self.name}': independent formulations disagree, so no number of this state "
                f"can be trusted. Against the others stand: {', '.join(self.odd)}.\n{self}"
            )
        return self

    @property
    def verdict(self) -> str:
        count = sum(len(part.answers) for part in self.agreements)
        laws = len(self.identities.pairs)
        if self.agreed:
            held = f" and {laws} laws hold" if laws else ""  # they are asked without loads
            return (
                f"'{self.name}': all {count} formulations agree{held}, to "
                f"{-np.log10(max(self.worst, 1e-16)):.1f} digits or more"
            )
        undecided = [part.quantity for part in self.agreements if not part.decided]
        tail = f"; no majority in {', '.join(undecided)}" if undecided else ""
        return f"'{self.name}': DISAGREEMENT, against the others stand {', '.join(self.odd)}{tail}"

    def __str__(self) -> str:
        lines = [self.verdict]
        for part in self.agreements:
            lines += ["", str(part)]
        if self.identities.pairs:
            lines += ["", str(self.identities)]
        lines += [
            "",
            f"accuracy: conditioning leaves about {self.accuracy:.0f} digits to the accelerations",
        ]
        refused = {name: why for part in self.agreements for name, why in part.refused.items()}
        if refused:
            lines += ["", "formulations that do not know this mechanism:"]
            lines += [f"  {name}: {why}" for name, why in refused.items()]
        return "\n".join(lines)


def check(
    mechanism: Mechanism,
    q: State,
    v: State,
    tau: State,
    external: External = None,
    passive: bool = True,
) -> Check:
    """The same answer by every formulation that knows the mechanism, and how well they agree.

    One state.  print(check) says who agrees with whom to how many digits; check.odd names those
    that contradict the others; check.certify() raises DisagreementError then."""
    state = one_state(mechanism.constraint_solver.equations, "check", q=q, v=v, tau=tau)
    plain = is_none(external) and flag("passive", passive)
    identities = questions.identities(mechanism, **state) if plain else Identities({}, {})
    position, velocity, force = state["q"], state["v"], state["tau"]
    a = np.asarray(mechanism.forward_dynamics(position, velocity, force, external, passive))
    instant = Instant(mechanism, **state, a=a, external=external, passive=passive)
    agreements = tuple(instant.agreement(quantity) for quantity in instant.quantities)
    terms = instant.terms
    laws = max(_LAWS, 100.0 * terms.rounding)
    return Check(mechanism.name, agreements, identities, terms.digits(), laws)


class Instant:
    """One state, for every formulation: q, v, accelerations a and joint forces tau that belong to
    each other.

    Friction that depends on loads is a force like the drives', once accelerations are known:
    `by_load` (nv) is what it takes, and formulations are asked without it."""

    def __init__(
        self,
        mechanism: Mechanism,
        q: Array,
        v: Array,
        tau: Array,
        a: Array,
        external: External = None,
        passive: bool = True,
    ):
        self.mechanism = mechanism
        machine: Any = mechanism.tree
        self.by_load = np.zeros(mechanism.nv)
        loaded = bool(passive and mechanism.model.load_dependent_joints)
        if loaded and mechanism.constraints:
            passive = False
        elif loaded:
            friction: Any = mechanism.load_friction
            machine = TableFace(friction.plain)
            self.by_load = friction.friction(q, v, a, external)[0]
        self.tree = TreeState(machine, q, v, passive, external)
        self.resting = TreeState(machine, q, 0.0 * v, passive, external)
        self.closed = ClosedState(mechanism, q, v, passive, external)
        last = "constrained dynamics" if mechanism.constraints else "forward dynamics"
        known = ("mass matrix", "statics", "inverse dynamics", last)
        # friction of closed mechanisms by load: nobody else knows it
        self.quantities = known[:3] if loaded and mechanism.constraints else known
        responses = self.closed.responses() if mechanism.constraints else None
        self.terms = _Terms(self.tree, self.resting, a, tau - self.by_load, responses)

    def agreement(
        self,
        quantity: str,
        given: Sequence[Array] | None = None,
        answer: Mapping[str, Array] | None = None,
    ) -> Agreement:
        """What all formulations say.  given: accelerations or joint forces, one row of the answers
        each (by default both of `_Terms`); none: one answer.  answer: another one, by its name."""
        terms = self.terms
        states = {"constrained dynamics": self.closed, "statics": self.resting}
        state = states.get(quantity, self.tree)
        rows = terms.given()[quantity] if given is None else given
        answers, refused = _answers(self.mechanism, quantity, state, rows)
        unit, scale = QUANTITIES[quantity][1], terms.scales()[quantity]
        found = {**(answer or {}), **answers}
        return Agreement(quantity, unit, found, scale, refused, terms.tolerance)


def _answers(
    mechanism: Mechanism, quantity: str, state: Any, given: Sequence[Array]
) -> tuple[dict[str, Array], dict[str, str]]:
    """By formulation, and why others do not answer."""
    answers: dict[str, Array] = {}
    refused: dict[str, str] = {}
    for row in FORMULATIONS:
        if row.quantity != quantity:
            continue
        reason = row.refusal(mechanism.model)
        if not reason:
            try:
                with np.errstate(all="ignore"):
                    each = [row.at(state, x) for x in given]
                    answers[row.name] = np.array(each) if given else row.at(state)
                continue
            except (ModelError, np.linalg.LinAlgError, ArithmeticError) as fault:
                reason = f"not at this state: {fault}"
        refused[row.name] = reason
    return answers, refused


class _Terms:
    """What is asked, and what the answers are sums of.

    Inverse dynamics is asked at the state's accelerations and at none, forward dynamics with the
    state's forces and with drives of the size of all that acts: where the first answer is nothing,
    as the forces of a coasting machine are, the second shows the signs."""

    def __init__(
        self, tree: TreeState, resting: TreeState, a: Array, tau: Array, responses: Array | None
    ):
        machine, self.tree, self.a, self.tau = tree.machine, tree, a, tau
        self.units = np.array(tree.model.v_units)
        self.M = np.asarray(machine.mass_matrix(tree.q, passive=tree.passive))
        inverse = np.linalg.pinv(self.M)
        self.responses = inverse if responses is None else responses
        # constraints take back what the forces would do to the tree: it is in play as well
        self.reach = np.abs(self.responses) + np.abs(inverse)
        still = 0.0 * a
        self.moving, held = (
            forces_in_play(machine, tree.q, *motion, tree.external, tree.passive)
            for motion in ((tree.v, a), (still, still))
        )
        self.resting = held + np.abs(resting.given)
        self.forces = self.moving + np.abs(tau) + np.abs(tree.given) + np.abs(tree.rotors * a)
        size = np.sqrt(np.maximum(np.diag(self.M), 0.0))
        self.size = of_units(np.where(size > 0.0, size, 1.0), tree.model)

    @cached_property
    def rounding(self) -> float:
        """What rounding becomes where something is divided by the inertia of the tree."""
        condition = float(np.linalg.cond(self.M / np.outer(self.size, self.size)))
        return _ROUNDING * min(condition, 1e12)

    @property
    def tolerance(self) -> float:
        """Of nearly singular inertias the digits that conditioning takes are allowed for: some
        formulations divide by inertias of single joints on their way."""
        return max(AGREE, 0.1 * self.rounding)

    @property
    def _probe(self) -> Array:
        """Drives as large as all that acts, of both signs."""
        return self.tau + self.forces * (-1.0) ** np.arange(len(self.tau))

    def given(self) -> dict[str, tuple[Array, ...]]:
        drives = (self.tau, self._probe)
        return {
            "mass matrix": (),
            "statics": (),
            "inverse dynamics": (self.a, 0.0 * self.a),
            "forward dynamics": drives,
            "constrained dynamics": drives,
        }

    def scales(self) -> dict[str, Array]:
        model = self.tree.model
        motion = of_units(2.0 * self.reach @ self.forces + np.abs(self.a), model)
        return {
            "mass matrix": np.outer(self.size, self.size),
            "statics": self.resting,
            "inverse dynamics": of_units(self.forces, model),
            "forward dynamics": motion,
            "constrained dynamics": motion,
        }

    def digits(self) -> float:
        """Digits of the largest acceleration of each unit that rounding of forces and inertias
        leaves:  δa = M^-1 (δf + δM a)."""
        rounded = self.forces + np.abs(self.M) @ np.abs(self.a)
        error = _ROUNDING * np.abs(self.responses) @ rounded
        worst = 16.0
        for unit in set(self.units.tolist()):
            same = self.units == unit
            size, off = np.abs(self.a[same]).max(initial=0.0), error[same].max(initial=0.0)
            if size > 0.0 and off > 0.0:
                worst = min(worst, -float(np.log10(off / size)))
        return max(worst, 0.0)
