"""What a formulation is for: each test gives the reason why a mechanism is outside, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from armillary.model.model import Model
from armillary.textbook.contact_arms import refusal


@dataclass(frozen=True)
class Domain:
    """Mechanisms that a formulation knows, in words and as tests; `&` takes both of two."""

    words: str
    tests: tuple[Callable[[Model], str], ...] = ()

    def refusal(self, model: Model) -> str:
        """Why the mechanism is outside, with the name of the part; empty where it is inside."""
        return next((reason for test in self.tests if (reason := test(model))), "")

    def __and__(self, other: Domain) -> Domain:
        words = dict.fromkeys([*self.words.split(", "), *other.words.split(", ")])
        if words.keys() & {"serial", "closed"}:  # which say more
            words.pop("tree", None)
        return Domain(", ".join(words), self.tests + other.tests)


def _chain(model: Model) -> str:
    for k, (body, parent) in enumerate(zip(model.bodies, model.parents, strict=True)):
        if parent != k - 1:
            return f"'{body.name}' starts a branch, and it knows one chain"
    return ""


def _joints(known: tuple[str, ...], words: str) -> Callable[[Model], str]:
    def test(model: Model) -> str:
        for body in model.bodies:
            if body.joint.kind not in ("fixed", *known):
                return f"joint '{body.joint.name}' is {body.joint.kind}, and it knows {words}"
        return ""

    return test


def _coordinates(model: Model) -> str:
    for body, joint in zip(model.bodies, model.joints, strict=True):
        if joint.nq != joint.nv:
            name, kind = body.joint.name, body.joint.kind
            return f"joint '{name}' is {kind}: it has no coordinates whose rates are v"
    return ""


def _turning(model: Model) -> str:
    """Joints of document 004: one to three turns; the first body may float."""
    for k, (body, joint) in enumerate(zip(model.bodies, model.joints, strict=True)):
        floating = body.joint.kind == "free" and k == 0
        if body.joint.kind == "general" or not (floating or all(u == "rad" for u in joint.units)):
            return (
                f"joint '{body.joint.name}' is {body.joint.kind}, and it knows turns about a point"
            )
        if body.joint.kind == "helical":
            return f"joint '{body.joint.name}' is a screw, and it knows turns about a point"
    return ""


def _ground(model: Model) -> str:
    moves = any(model.base_velocity) or any(model.base_acceleration)
    return "the base moves as prescribed, and it knows ground at rest" if moves else ""


def _no_rotors(model: Model) -> str:
    for body in model.bodies:
        if any(rotor.reflected for rotor in body.joint.rotors):
            return f"joint '{body.joint.name}' has a rotor, which it does not know"
    return ""


def _moving(model: Model) -> str:
    return "" if model.nv else "nothing moves"


def at_most(bodies: int) -> Domain:
    """Mechanisms it is done with in about a second."""

    def test(model: Model) -> str:
        count = len(model.bodies)
        return f"{count} bodies, and it is for at most {bodies}" if count > bodies else ""

    return Domain(f"up to {bodies} bodies", (test,))


def _closed(model: Model) -> str:
    return "" if model.constraints else "it has no constraints"


def _flexible(model: Model) -> str:
    for body, joint in zip(model.bodies, model.joints, strict=True):
        if joint.nq == joint.nv and any(part.spring for part in body.joint.passive):
            return ""
    return "no joint has a spring, and it knows flexible joints"


TREE = Domain("tree")
SERIAL = Domain("serial", (_chain,))
REVOLUTE = Domain("revolute", (_joints(("revolute",), "revolute joints"), _moving))
COORDINATES = Domain("joints with coordinates", (_coordinates,))
TURNING = Domain("turning joints", (_turning,))
GROUND = Domain("ground at rest", (_ground,))
NO_ROTORS = Domain("no rotors", (_no_rotors,))
CLOSED = Domain("closed", (_closed,))
FLEXIBLE = Domain("flexible joints", (_flexible,))
ARMS = Domain("loops and wheels", (refusal,))
