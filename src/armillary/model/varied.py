"""Numbers of a model that are parameters beside those of bodies and force elements, by path:

    joints.elbow.viscous    gravity.z    bodies.lower.at.x    joints.elbow.rotor, .gear

They stand at the end of `mechanism.parameters`, and compiled code reads them: one row per state of
a batch, and nothing is compiled anew.  `at` is the place of a joint in its parent (m); of bodies
that move, in trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from armillary.errors import ModelError, unknown_name
from armillary.model.model import Model
from armillary.model.parts import Body, Pose, Rotor
from armillary.model.passive import Passive
from armillary.scalar import Scalar

FRICTION = (
    "viscous",
    "coulomb",
    "static",
    "stribeck",
    "smoothing",
    "spring",
    "rest",
)
ROTOR = {"rotor": "inertia", "gear": "gear"}  # numbers of a rotor, by word
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Numbers:
    """A model's own numbers, with others in the place of some."""

    passive: Mapping[int, tuple[Passive, ...]] = field(default_factory=dict)  # by body
    rotors: Mapping[int, tuple[Rotor, ...]] = field(default_factory=dict)
    places: Mapping[int, Pose] = field(default_factory=dict)
    gravity: tuple[Scalar, Scalar, Scalar] | None = None


@dataclass(frozen=True)
class Place:
    """Where a path leads: a number of the gravity, of a joint, or of a joint's place."""

    path: str
    kind: str  # gravity, at, friction, rotor
    body: int = -1
    entry: int = 0  # of the gravity, of the place, or the degree of freedom of the joint
    name: str = ""  # of the number, of friction

    def value(self, model: Model) -> float:
        if self.kind == "gravity":
            return model.gravity[self.entry]
        body = model.bodies[self.body]
        if self.kind == "at":
            return body.at.position[self.entry]
        if self.kind == "rotor":
            return float(getattr(_rotor(body, self.entry, self.path), ROTOR[self.name]))
        found = getattr(_passive(body, self.entry), self.name)
        if isinstance(found, tuple):
            raise ModelError(f"{self.path}: it differs between the directions. Give one number.")
        return float(found)


def _passive(body: Body, k: int) -> Passive:
    return body.joint.passive[k] if body.joint.passive else Passive()


def _rotor(body: Body, k: int, path: str) -> Rotor:
    if k >= len(body.joint.rotors):
        raise ModelError(f"{path}: the joint has no rotor.")
    return body.joint.rotors[k]


def place_of(model: Model, path: str) -> Place:
    """A path that names such a number; ModelError where there is none."""
    words = str(path).split(".")
    if words[0] == "gravity" and len(words) == 2 and words[1] in AXES:
        return Place(path, "gravity", entry=AXES.index(words[1]))
    if words[0] == "bodies" and words[-2:-1] == ["at"] and words[-1] in AXES:
        name = ".".join(words[1:-2])
        if name not in model.index or model.index[name] < 0:
            raise unknown_name("body", name, [body.name for body in model.bodies])
        return Place(path, "at", model.index[name], AXES.index(words[-1]))
    if words[0] == "joints" and words[-1] in (*FRICTION, *ROTOR):
        label = ".".join(words[1:-1])
        if label not in model.v_labels:
            raise unknown_name("degree of freedom", label, model.v_labels)
        entry = model.v_labels.index(label)
        for k, slot in enumerate(model.slots):
            if slot.v.start <= entry < slot.v.stop:
                kind = "rotor" if words[-1] in ROTOR else "friction"
                return Place(path, kind, k, entry - slot.v.start, words[-1])
    raise ModelError(
        f"'{path}' is no number of '{model.name}' that can vary. Expected joints.NAME.("
        f"{'|'.join((*FRICTION, *ROTOR))}), gravity.(x|y|z) or bodies.NAME.at.(x|y|z)."
    )


@dataclass(frozen=True)
class Varied:
    """The further parameters of a model, in their order."""

    model: Model

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(place_of(self.model, path) for path in self.model.varied)

    def values(self) -> list[float]:
        return [place.value(self.model) for place in self.places]

    def numbers(self, values: Sequence[Scalar]) -> Numbers:
        """The model's numbers with these in them, of any scalar kind."""
        model = self.model
        gravity: list[Scalar] = list(model.gravity)
        passive: dict[int, tuple[Passive, ...]] = {}
        rotors: dict[int, tuple[Rotor, ...]] = {}
        at: dict[int, Pose] = {}
        for place, x in zip(self.places, values, strict=True):
            body = model.bodies[place.body]
            if place.kind == "gravity":
                gravity[place.entry] = x
            elif place.kind == "at":
                pose = at.get(place.body, body.at)
                own = [x if k == place.entry else y for k, y in enumerate(pose.position)]
                at[place.body] = replace(pose, position=tuple(own))  # type: ignore[arg-type]
            elif place.kind == "rotor":
                given = rotors.get(place.body, body.joint.rotors)
                new = replace(given[place.entry], **{ROTOR[place.name]: x})
                rotors[place.body] = _put(given, place.entry, new)
            else:
                count = model.joints[place.body].nv
                held = passive.get(place.body, body.joint.passive) or (Passive(),) * count
                changed = replace(held[place.entry], **{place.name: x})
                passive[place.body] = _put(held, place.entry, changed)
        moved = any(place.kind == "gravity" for place in self.places)
        return Numbers(passive, rotors, at, tuple(gravity) if moved else None)


def _put(row: tuple, k: int, new: object) -> tuple:
    return (*row[:k], new, *row[k + 1 :])


def varying(model: Model, *paths: str) -> Model:
    """The model with these numbers as further parameters.  Numbers that no code could vary are
    refused: terms of friction that are zero here, and places that other parts are measured from."""
    for path in paths:
        place = place_of(model, path)
        if place.kind == "at" and (model.constraints or model.joints[place.body].nv == 0):
            raise ModelError(
                f"{path}: a place varies in trees, of bodies that move; '{model.name}' is closed, "
                f"or the body is welded."
            )
        if place.kind == "friction" and place.value(model) == 0.0 and place.name != "rest":
            raise ModelError(f"{path}: it is zero in the model. Begin with another number.")
        if place.kind == "rotor" and place.value(model) == 0.0:
            raise ModelError(f"{path}: it is zero in the model. Begin with another number.")
        if place.kind == "friction" and place.name == "rest":
            spring = replace(place, name="spring").value(model)
            if spring == 0.0 or place.value(model) == 0.0:
                raise ModelError(f"{path}: it needs a spring, and another rest than zero.")
    return replace(model, varied=tuple(dict.fromkeys((*model.varied, *paths))))


def applied(model: Model, values: Mapping[str, float]) -> Model:
    """The model with other numbers, plain ones, at such paths."""
    named = replace(model, varied=tuple(values))
    found = Varied(named).numbers(list(values.values()))
    bodies = list(model.bodies)
    for k in range(len(bodies)):
        joint = bodies[k].joint
        if k in found.passive:
            joint = replace(joint, passive=found.passive[k])
        if k in found.rotors:
            joint = replace(joint, rotors=found.rotors[k])
        bodies[k] = replace(bodies[k], joint=joint, at=found.places.get(k, bodies[k].at))
    gravity = model.gravity if found.gravity is None else tuple(map(float, found.gravity))
    return replace(model, bodies=tuple(bodies), gravity=gravity)  # type: ignore[arg-type]
