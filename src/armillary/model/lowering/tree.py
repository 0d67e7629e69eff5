"""From the model to the tables of the algorithms: axes rotated to z, welds fused, force elements
with their ends on the bodies that are left, numbers flat.

The *kernel frame* K of a body has the joint axis along z; `own` rotates it to the body frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from armillary.errors import ModelError
from armillary.joints import Joint
from armillary.model.elements.element import ForceElement
from armillary.model.joints import kernel_joint
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.elements import KernelElement, given_elements
from armillary.model.model import Model
from armillary.model.parts import WORLD, Rotor, inertia_of, own_rotation
from armillary.model.passive import Passive
from armillary.model.varied import Numbers, Varied
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Inertia, Matrix, Symmetric, Transform, Vector
from armillary.spatial.rotation import from_quaternion, quaternion_exp

# what may be given per state instead of the model's: numbers per body of the model
PER_BODY = {"parameters": 10, "offsets": 6}


@dataclass(frozen=True)
class KernelBody:
    """What an algorithm knows of one body: constants only, all in kernel frames."""

    joint: Joint
    placement: Transform  # X_JP, both kernel frames
    inertia: Inertia
    own: Matrix  # R_BK: kernel frame to the body frame
    armature: tuple[Scalar, ...]  # reflected rotor inertia per degree of freedom
    passive: tuple[Passive, ...]  # friction and springs per degree of freedom, or empty
    euler: Symmetric | None = None  # Euler tensor where it was worked out; else of the inertia
    articulated: bool = False  # of constrained systems: its joint is eliminated inside the tree

    def key(self) -> tuple:
        """Bodies with equal keys run the same compiled code on different numbers."""
        armature = any(x != 0 for x in self.armature)
        passive = tuple(p.key() for p in self.passive)
        return (self.joint.key(), armature, passive, self.euler is None, self.articulated)

    def parameters(self) -> tuple[Scalar, ...]:
        """All numbers, in the order `with_parameters` takes them back."""
        return (
            *self.placement.leaves(),
            *self.inertia.leaves(),
            *self.own.leaves(),
            *self.joint.parameters(),
            *(self.armature if any(x != 0 for x in self.armature) else ()),
            *(x for p in self.passive for x in p.parameters()),
            *(self.euler.leaves() if self.euler is not None else ()),
        )

    def with_parameters(self, values: Sequence[Scalar]) -> KernelBody:
        """The same kind of body with other numbers (symbols, say)."""
        rest = list(values)

        def take(n: int) -> list[Scalar]:
            head, rest[:] = rest[:n], rest[n:]
            return head

        return KernelBody(
            placement=Transform.from_leaves(take(12)),
            inertia=Inertia.from_leaves(take(10)),
            own=Matrix.from_leaves(take(9)),
            joint=self.joint.with_parameters(take(len(self.joint.parameters()))),
            armature=tuple(take(self.joint.nv))
            if any(x != 0 for x in self.armature)
            else self.armature,
            passive=tuple(p.with_parameters(take(len(p.parameters()))) for p in self.passive),
            euler=Symmetric.from_leaves(take(6)) if self.euler is not None else None,
            articulated=self.articulated,
        )

    def given(self, numbers: Mapping[str, Sequence[Scalar]]) -> KernelBody:
        """The same body with numbers of `PER_BODY`, both in the body frame: another inertia (mass,
        first moments, tensor about the origin), and a joint frame that is rotated by a rotation
        vector (rad) and shifted (m) along its axes."""
        body, back = self, self.own.T
        if "parameters" in numbers:
            inertia = Inertia.from_leaves(numbers["parameters"])
            body = replace(body, inertia=inertia.rotate(back), euler=None)
        if "offsets" in numbers:
            turn, shift = Vector(*numbers["offsets"][:3]), Vector(*numbers["offsets"][3:])
            X = Transform(from_quaternion(quaternion_exp(back @ turn)), back @ shift)
            body = replace(body, placement=X @ body.placement)
        return body

    def resistance(
        self, q: Sequence[Scalar], v: Sequence[Scalar], f: Force | None = None
    ) -> tuple[Scalar, ...]:
        """Force the drive needs against friction and springs, per degree of freedom.

        f: the wrench in the joint, kernel frame; friction may depend on it."""
        if not self.passive:
            return (0,) * self.joint.nv
        return tuple(
            p.force(q[k] if len(q) == len(v) else 0, v[k], self._load(p, f))
            for k, p in enumerate(self.passive)
        )

    def _load(self, passive: Passive, f: Force | None) -> Scalar:
        if not passive.loaded:
            return 0
        if f is None:
            raise ModelError(
                f"friction of a {self.joint.kind} joint depends on its load, and this algorithm "
                f"does not know the load. Ask `inverse_dynamics` or `forward_dynamics`, or leave "
                f"load_radial, load_axial, load_moment and load_drive out of the joint."
            )
        return passive.load_level(self.joint.bearing(f))

    def resistance_slopes(
        self, q: Sequence[Scalar], v: Sequence[Scalar]
    ) -> tuple[tuple[Scalar, Scalar], ...]:
        """Derivatives of the resistance with respect to coordinate and velocity, per axis."""
        if not self.passive:
            return ((0, 0),) * self.joint.nv
        slopes = []
        for k, p in enumerate(self.passive):
            x = q[k] if len(q) == len(v) else 0
            load = self._load(p, None)
            by_x = Dual.lift(p.force(Dual(x, 1), Dual(v[k]), load)).slope
            by_v = Dual.lift(p.force(Dual(x), Dual(v[k], 1), load)).slope
            slopes.append((by_x, by_v))
        return tuple(slopes)

    def spring_energy(self, q: Sequence[Scalar]) -> Scalar:
        total: Scalar = 0
        if len(q) == self.joint.nv:
            for passive, x in zip(self.passive, q, strict=False):
                total = total + passive.energy(x)
        return total


@dataclass(frozen=True)
class Carrier:
    """Where a body of the model lives in the tables: the kernel body and its place in it."""

    kernel: int  # index of the kernel body, -1: the world
    X_BK: Transform  # kernel frame of that body to this body's frame


@dataclass(frozen=True)
class Tables:
    """The whole tree for the algorithms."""

    bodies: tuple[KernelBody, ...]
    parents: tuple[int, ...]
    q_offsets: tuple[int, ...]
    v_offsets: tuple[int, ...]
    carriers: tuple[Carrier, ...]  # one per body of the model
    nq: int
    nv: int
    constraints: ConstraintTable | None = None  # where an algorithm asks for them
    extra: tuple[tuple[str, int], ...] = ()  # further inputs of an algorithm: name, numbers
    again: Callable[[Mapping[str, Sequence[Scalar]]], Tables] | None = None  # of given bodies
    fused: bool = True  # welded bodies are part of the body that carries them
    elements: tuple[KernelElement, ...] = ()  # forces between bodies
    gravity: tuple[Scalar, Scalar, Scalar] | None = None  # where it is an input

    def turned(self, number: Callable[[Scalar], Scalar]) -> Tables:
        """The same with every number but gravity turned into another scalar."""
        constraints = self.constraints
        return replace(
            self,
            bodies=tuple(b.with_parameters([*map(number, b.parameters())]) for b in self.bodies),
            constraints=None if constraints is None else constraints.turned(number),
            elements=tuple(element.turned(number) for element in self.elements),
        )


def lower(
    model: Model,
    fuse: bool = True,
    passive: bool = True,
    inertias: Sequence[Inertia] | None = None,
    numbers: Numbers = Numbers(),  # noqa: B008 - it is frozen
) -> Tables:
    """Tables of a model.  `fuse` merges welded bodies into the body that carries them;
    `passive=False` leaves friction, springs, rotors and force elements out.  inertias: other ones
    than the model's, about the origins of the body frames, over any scalars; numbers: likewise."""
    bodies: list[KernelBody] = []
    parents: list[int] = []
    q_offsets: list[int] = []
    v_offsets: list[int] = []
    carriers: list[Carrier] = []
    world = Carrier(-1, Transform.identity())
    for number, (body, joint, slot, parent) in enumerate(
        zip(model.bodies, model.joints, model.slots, model.parents, strict=True)
    ):
        base = carriers[parent] if parent >= 0 else world
        X_JK = (
            numbers.places.get(number, body.at).transform() @ base.X_BK
        )  # carrier's kernel frame to the joint frame
        inertia = inertia_of(body.mass) if inertias is None else inertias[number]
        if fuse and joint.nv == 0:
            carriers.append(Carrier(base.kernel, X_JK))
            if base.kernel >= 0:
                bodies[base.kernel] = _heavier(bodies[base.kernel], X_JK.T @ inertia @ X_JK)
            continue
        own = own_rotation(body.joint)
        rubs = numbers.passive.get(number, body.joint.passive)
        rotors = numbers.rotors.get(number, body.joint.rotors)
        bodies.append(
            KernelBody(
                joint=joint,
                placement=Transform(own.T, Vector()) @ X_JK,
                inertia=inertia.rotate(own.T),
                own=own,
                armature=_armature(rotors, joint.nv) if passive else (0,) * joint.nv,
                passive=rubs if passive and _any(rubs) else (),
            )
        )
        carriers.append(Carrier(len(bodies) - 1, Transform(own, Vector())))
        parents.append(base.kernel)
        q_offsets.append(slot.q.start)
        v_offsets.append(slot.v.start)
    return Tables(
        bodies=tuple(bodies),
        parents=tuple(parents),
        q_offsets=tuple(q_offsets),
        v_offsets=tuple(v_offsets),
        carriers=tuple(carriers),
        nq=model.nq,
        nv=model.nv,
        fused=fuse,
        elements=_elements(model, carriers) if passive else (),
        gravity=numbers.gravity,
    )


def _elements(model: Model, carriers: Sequence[Carrier]) -> tuple[KernelElement, ...]:
    """The elements on the bodies of tables."""
    world = Carrier(-1, Transform.identity())
    found = []
    for part in model.elements:
        on = [world if e.body == WORLD else carriers[model.index[e.body]] for e in part.ends]
        found.append(
            KernelElement(
                part.name,
                tuple(carrier.kernel for carrier in on),
                tuple(carrier.X_BK for carrier in on),
                tuple(Matrix(end.pose.rotation) for end in part.ends),
                tuple(Vector(*end.pose.position) for end in part.ends),
                part.law,
                *_coordinates(model, part, carriers),
            )
        )
    return tuple(found)


def _coordinates(
    model: Model, part: ForceElement, carriers: Sequence[Carrier]
) -> tuple[tuple[tuple[int, int], ...], tuple[float, ...]]:
    """Of an element: kernel bodies with numbers within their joints, and places of locked ones."""
    found, held = [], []
    names = part.joints(model.joint_index)
    for label, name in zip(part.coordinates, names, strict=True):
        coordinate = label[len(name) + 1 :]
        number = model.joint_index[name]
        body = model.bodies[number]
        joint = kernel_joint(body.joint if body.unlocked is None else body.unlocked.joint)
        k = joint.coordinates.index(coordinate) if coordinate else 0
        locked = body.unlocked is not None
        found.append((-1 if locked else carriers[number].kernel, k))
        held.append(float(body.locked_at[k]) if locked else 0.0)
    return tuple(found), tuple(held)


def _any(passive: Sequence[Passive]) -> bool:
    return any(not p.is_nothing() for p in passive)


def _heavier(body: KernelBody, extra: Inertia) -> KernelBody:
    return replace(body, inertia=body.inertia + extra)


def minimal_inertias(tables: Tables) -> Tables:
    """Minimal inertial parameters: fewer numbers, the same joint forces.

    Mass along the axis of a revolute joint does not resist its rotation, and the tensor of a body
    on a prismatic joint does not resist the translation: such parts are counted with the parent (or
    with the ground, where they move nothing).  Reactions and energies would change; joint forces do
    not, unless friction depends on the reactions: such tables stay as they are."""
    bodies, parents = list(tables.bodies), tables.parents
    if any(p.loaded for body in bodies for p in body.passive):
        return tables
    for k in reversed(range(len(bodies))):
        body = bodies[k]
        inertia, euler = body.inertia, body.inertia.euler()
        if body.joint.kind == "revolute":
            z = inertia.moment.z
            along = Inertia.from_euler(inertia.mass, Vector(0, 0, z), Symmetric(0, 0, euler.zz))
            moment = Vector(inertia.moment.x, inertia.moment.y, 0)
            euler = Symmetric(euler.xx, euler.yy, 0, euler.xy, euler.xz, euler.yz)
            kept = Inertia.from_euler(0, moment, euler)
        elif body.joint.kind == "prismatic":
            along = Inertia(0, Vector(), inertia.tensor)
            kept, euler = Inertia(inertia.mass, inertia.moment, Symmetric.zero()), Symmetric.zero()
        else:
            bodies[k] = replace(body, euler=euler)
            continue
        bodies[k] = replace(body, inertia=kept, euler=euler)
        if parents[k] >= 0:
            X = body.placement
            bodies[parents[k]] = _heavier(bodies[parents[k]], X.T @ along @ X)
    return replace(tables, bodies=tuple(bodies))


def _armature(rotors: Sequence[Rotor], nv: int) -> tuple[Scalar, ...]:
    reflected = tuple(r.reflected for r in rotors)
    return reflected if any(x != 0 for x in reflected) else (0,) * nv


def parametric(model: Model, fuse: bool, passive: bool) -> Tables:
    """Tables whose bodies are inputs: see `PER_BODY`; offsets only where nothing is fused."""
    tables = lower(model, fuse, passive)
    of_elements = sum(len(part.parameter_names()) for part in model.elements)

    def of(name: str, k: int, numbers: Mapping[str, Sequence[Scalar]]) -> Sequence[Scalar]:
        return numbers[name][PER_BODY[name] * k : PER_BODY[name] * (k + 1)]

    def again(numbers: Mapping[str, Sequence[Scalar]]) -> Tables:
        count, found = len(model.bodies), tables.elements
        first = PER_BODY["parameters"] * count
        if found and "parameters" in numbers:
            found = given_elements(found, numbers["parameters"][first : first + of_elements])
        if fuse or (model.varied and "parameters" in numbers):
            own = [Inertia.from_leaves(of("parameters", k, numbers)) for k in range(count)]
            others = Varied(model).numbers(numbers["parameters"][first + of_elements :])
            again = lower(model, fuse, passive, inertias=own, numbers=others)
            return replace(again, elements=found)
        names = [name for name in PER_BODY if name in numbers]
        bodies = tuple(
            body.given({name: of(name, k, numbers) for name in names})
            for k, body in enumerate(tables.bodies)
        )
        return replace(tables, bodies=bodies, elements=found)

    sizes = {name: size * len(model.bodies) for name, size in PER_BODY.items()}
    sizes["parameters"] += of_elements + len(model.varied)
    return replace(tables, extra=tuple(sizes.items()), again=again)
