"""Algorithms as passes over the bodies.

A pass walks the tree and applies a step to each body `b`, its parent `p` and its joint's numbers
`j`.  What a step writes on `b` is there for later passes; `p.x += ...` adds to the parent.  The
same steps run on floats (run.py), on symbols, and traced into machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol

from armillary.model.lowering.tree import KernelBody
from armillary.scalar import Scalar
from armillary.spatial import Force, Matrix, Motion, MotionDyad, Transform, Vector

Step = Callable[..., None]
P = ParamSpec("P")


class Leaves(Protocol):
    """A spatial type: so many scalars."""

    size: int

    def from_leaves(self, leaves: Sequence[Scalar]) -> object: ...


Shape = tuple[Leaves, ...]
PER_DOF = ("v", "a", "tau", "dq", "dv", "da", "dtau", "weight")  # inputs along v


@dataclass(frozen=True)
class Outward:
    """step(b, p, j), parents first.  May read what the parent wrote."""

    step: Step


@dataclass(frozen=True)
class Inward:
    """step(b, p, j), children first.  May add to the parent: `p.f += ...`."""

    step: Step


@dataclass(frozen=True)
class WorldStep:
    """step(w, g): once, on the world's record `w` after everything was added to it.

    g gives gravity and the motion of the base.  What it writes on `w` under the names in
    `writes` is a result."""

    step: Step


@dataclass(frozen=True)
class FrameStep:
    """step(b, x): once, at the body that carries the asked frame; x.frame is X_FB."""

    step: Step


@dataclass(frozen=True)
class PathToRoot:
    """From the asked frame to the root: value = start(b, x); meet(a, value) gives one spatial
    vector per degree of freedom of every body on the way; value = climb(b, value) goes on to the
    parent.  `shape` is the type of the value."""

    start: Callable[..., tuple[object, ...]]
    climb: Callable[..., tuple[object, ...]]
    meet: Callable[..., Sequence[Motion]]
    shape: Shape
    writes: str


@dataclass(frozen=True)
class AncestorPairs:
    """For column k of every body b: value = start(b, k); itself(b, k, value) and, climbing,
    meet(a, value) give the entries with b's own and with every ancestor's columns.

    itself returns, for each matrix in `writes`, one number per column of b: the entries [b, k].
    meet returns, for each matrix, two lists of one number per column of a: the entries [a, k] and
    [k, a]."""

    start: Callable[..., tuple[object, ...]]
    climb: Callable[..., tuple[object, ...]]
    meet: Callable[..., Sequence[tuple[Sequence[Scalar], Sequence[Scalar]]]]
    itself: Callable[..., Sequence[Sequence[Scalar]]]
    shape: Shape
    writes: tuple[str, ...]


@dataclass(frozen=True)
class BodyColumns:
    """`count` columns per body: value = start(b, k) climbs to the root; meet(a, value) gives one
    entry per degree of freedom of b itself and of every ancestor."""

    start: Callable[..., tuple[object, ...]]
    climb: Callable[..., tuple[object, ...]]
    meet: Callable[..., Sequence[Scalar]]
    count: int
    shape: Shape
    writes: str


@dataclass(frozen=True)
class Solve:
    """Dense equations with the symmetric matrix `matrix`: each of `right` becomes
    -matrix^-1 right, and `inverse` (where named) becomes matrix^-1."""

    matrix: str
    right: tuple[str, ...]
    inverse: str


@dataclass(frozen=True)
class ElementStep:
    """Force elements at the state.  does: "push" (add to the external wrenches of the bodies),
    "store" (add their energy to V of a body), "read" (what they exert is a result), "show" (what
    tyres say of themselves) or "change" (at states that are given: add what they exert beyond the
    states that their laws hold, and give the rates; forces/changing.py).  inputs: how many numbers
    each of them is given beside its states, at most.

    The first two stand in no algorithm: the interpreter has elements act before all passes, and
    loops over bodies are given the pass that they need (forces/loops.py)."""

    does: str = "push"
    inputs: int = 0


@dataclass(frozen=True)
class GlobalStep:
    """step(run): once, with the whole mechanism at hand.  Only for the interpreter and for
    straight-line code; a loop over bodies cannot hold it."""

    step: Step


Pass = (
    Outward
    | Inward
    | WorldStep
    | FrameStep
    | PathToRoot
    | AncestorPairs
    | BodyColumns
    | Solve
    | ElementStep
    | GlobalStep
)


@dataclass(frozen=True)
class Recipe:
    """What made an algorithm, and what for."""

    make: Callable[..., Algorithm]
    parts: tuple[object, ...]
    named: tuple[tuple[str, object], ...]


def made_for(make: Callable[P, Algorithm]) -> Callable[P, Algorithm]:
    """A function that makes algorithms for numbers (a plan, say), which can be turned then."""

    @wraps(make)
    def made(*parts: P.args, **named: P.kwargs) -> Algorithm:
        return replace(make(*parts, **named), recipe=Recipe(made, parts, tuple(named.items())))

    return made


def turned(value: Any, number: Callable[[Scalar], Scalar]) -> Any:
    """A value with every float in its tuples, lists and dataclasses turned."""
    if type(value) is float:
        return number(value)
    if isinstance(value, (tuple, list)):
        return type(value)(turned(x, number) for x in value)
    if is_dataclass(value) and not isinstance(value, type):
        found = {x.name: turned(getattr(value, x.name), number) for x in fields(value)}
        return replace(value, **found)
    return value


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A list of passes with its inputs and results; equal to itself alone, whatever its name.

    reads: "q" and those of `PER_DOF` (per joint), "external" (one wrench per body) and
    "prescribed" (one acceleration per constraint row).  What is not read is structurally zero.
    writes: name -> kind of result:
      "dof"     j.name: one number per degree of freedom
      "place"   j.name: one number per coordinate of q (straight-line code only)
      "columns" j.name: one spatial vector per degree of freedom, world coordinates
      "body"    b.name: a spatial object per body, given out in the body frame
      "frame"   x.name: from a FrameStep pass
      "world"   w.name: from a WorldStep pass
      "matrix"  of an AncestorPairs pass (nv, nv);  "wide" of a PathToRoot pass (6, nv)
      "regressor" of a BodyColumns pass (nv, count * bodies)
      "results" run.results[name], of a GlobalStep
      "element" of an ElementStep that reads (elements, 10)
      "tyre"    of an ElementStep that shows (elements, 15)
    shapes: type of the value for "columns", "body", "frame" and "world" results; of "results" the
    shape, in numbers and in the words "rows", "constraints" (those between frames), "bodies" and
    "dofs".
    world(g): start values of the recursion; every field that goes through `p` has one.
    rate: the input that force elements take for the velocities.
    alternative: other passes with the same inputs and results, taken where straight-line code of a
    small mechanism is shorter with them.
    recipe: of one that was made for numbers (`made_for`)."""

    name: str
    passes: tuple[Pass, ...]
    world: Callable[[Base], dict[str, object]]
    reads: tuple[str, ...] = ("q", "v")
    writes: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, Any] = field(default_factory=dict)
    alternative: Algorithm | None = None
    rate: str = "v"
    recipe: Recipe | None = None

    def turned(self, number: Callable[[Scalar], Scalar]) -> Algorithm:
        """The same for other numbers: every float of what it was made for is turned."""
        if self.recipe is None:
            return self
        parts, named = turned((self.recipe.parts, self.recipe.named), number)
        return self.recipe.make(*parts, **dict(named))

    def joint_level(self) -> bool:
        """Are all results forces, accelerations or matrices along the degrees of freedom?  Then
        mass may be counted with another body where no joint can tell."""
        return set(self.writes.values()) <= {"dof", "matrix"}

    def needs_frame(self) -> bool:
        """Is it about one frame, which has to be named?"""
        return any(isinstance(step, (FrameStep, PathToRoot)) for step in self.passes)

    @cached_property
    def before_solve(self) -> Algorithm | None:
        """All passes up to a Solve at the end; None where there is none."""
        if not isinstance(self.passes[-1], Solve):
            return None
        other = None if self.alternative is None else self.alternative.before_solve
        name = f"{self.name} before they are solved"
        return replace(self, name=name, passes=self.passes[:-1], alternative=other)


@dataclass(frozen=True)
class Base:
    """What the ground does: gravity, and a prescribed motion of the world frame; and how exactly
    loops are closed where an answer is to be trusted."""

    gravity: Vector
    velocity: Motion
    acceleration: Motion  # spatial, without gravity
    opening: Scalar | None = None  # (largest opening, as a part of the tolerance)²; None: any

    def felt_acceleration(self) -> Motion:
        """Acceleration with gravity as an upward push of the base  [VanDerMerwe1995, 4.5]."""
        return Motion(self.acceleration.angular, self.acceleration.linear - self.gravity)


class Record:
    """The attributes of one body, parent or joint while an algorithm runs."""

    def __init__(self, **values: object):
        self.__dict__.update(values)

    if TYPE_CHECKING:  # steps write what they like

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


def body_record(body: KernelBody) -> Record:
    """A record with what the model says of a body (of any scalar)."""
    return Record(
        joint=body.joint,
        placement=body.placement,
        inertia=body.inertia,
        euler=body.euler or body.inertia.euler(),
        own=body.own,
        armature=body.armature,
        articulated=body.articulated,
        resistance=body.resistance,
        resistance_slopes=body.resistance_slopes,
        spring_energy=body.spring_energy,
    )


def to_own(value: object, own: Matrix) -> Any:
    """From the kernel frame to the body frame."""
    if isinstance(value, (Motion, Force)):
        return type(value)(own @ value.angular, own @ value.linear)
    if isinstance(value, Transform):
        return Transform(own @ value.E, value.r)
    if isinstance(value, MotionDyad):
        return value.rotate(own)
    return value


def from_own(force: Force, own: Matrix) -> Force:
    """A wrench from the body frame to the kernel frame."""
    back = own.T
    return Force(back @ force.angular, back @ force.linear)
