"""`show` and `examples`: a mechanism on one page, and the list of the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from armillary import Mechanism, __version__
from armillary.cli import models, screen
from armillary.cli.options import Source
from armillary.constraints.counts import Counts
from armillary.model import WORLD, Body, JointSpec, Limits, Model, Note, Passive, Report
from armillary.model.checks import TENSOR
from armillary.model.describe import constraint_words, counted
from armillary.model.lowering.constraint_table import FrameConstraint, LinearConstraint
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.passive import LOADS
from armillary.units import AXIS_NAMES, FORCE

_MOST = 200  # lines of a table on the screen; --json has no limit
_STYLES = {"warning": "yellow", "repaired": "yellow", "ignored": "dim"}


def show(source: Source, json: bool) -> None:
    mechanism = models.find(source)
    if json:
        screen.print_json(as_json(mechanism))
        return
    summary(mechanism)
    model = mechanism.model
    heads = ["body", "joint", "type", "axis", "q", "v", ">mass [kg]", "joint in parent [m]"]
    _table(heads, list(_tree(model)), "tree")
    coordinates(mechanism)
    _table(MOTOR_HEADS, [_motor_row(body) for body in model.bodies if body.motor], "motors")
    if model.nv and not mechanism.constraints and any(body.motor for body in model.bodies):
        screen.say(f"{_advice(mechanism)}\n")
    heads = ["body", "centre [m]", *(f">{x}" for x in TENSOR)]
    rows = [
        [b.name, screen.triple(b.mass.com), *screen.numbers(b.mass.tensor, 4)]
        for b in model.bodies
        if b.mass.mass
    ]
    _table(heads, rows, "centre of mass in the body frame, tensor about it [kg m²]")
    rows = [
        [f.name, f.body, screen.triple(f.pose.position), screen.triple(f.pose.rpy())]
        for f in model.frames
    ]
    _table(["frame", "on body", "position [m]", "roll, pitch, yaw [rad]"], rows, "frames")
    heads = ["kind", "name", "what", "rows and their forces"]
    rows = [
        [constraint.kind, constraint.name, words, _forces(constraint)]
        for constraint, words in _constraints(mechanism)
    ]
    _table(
        heads, rows, "constraints; rows of a loop in the axes of its joint, z along a single axis"
    )
    notes(mechanism.report)


def summary(mechanism: Mechanism) -> None:
    """Name, counts, mass, gravity and base in a line or two."""
    model = mechanism.model
    mass = sum(body.mass.mass for body in model.bodies)
    screen.say(
        f"{model.name}: {counted(len(model.bodies), 'body', 'bodies')}, "
        f"{mechanism.counts}, {mass:.5g} kg",
        "bold",
    )
    screen.say(f"gravity ({screen.triple(model.gravity)}) m/s²")
    for what in ("base_velocity", "base_acceleration"):
        if any(getattr(model, what)):
            values = screen.triple(getattr(model, what))
            screen.say(f"{what.replace('_', ' of the world frame: ')} (angular; linear) {values}")
    screen.say()


def coordinates(mechanism: Mechanism) -> None:
    """The order of q and v, with units, start values, limits, friction and motors."""
    model = mechanism.model
    first = models.units(mechanism, "q")
    start = model.start()
    rows = []
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        for k in range(joint.nq):
            n = slot.q.start + k
            same = joint.nq == joint.nv
            limit = body.joint.limits[k] if body.joint.limits and same else Limits()
            rows.append(
                [
                    f"q[{n}]",
                    model.q_labels[n],
                    first[n],
                    screen.number(start[n]),
                    _span(limit.lower, limit.upper),
                    _bound(limit.velocity),
                    _bound(limit.effort),
                    _resistance(body.joint, k) if same else "",
                ]
            )
    heads = [
        "order",
        "coordinate",
        "unit",
        ">start",
        "range",
        ">velocity limit",
        ">force limit",
        "friction, spring, rotor",
    ]
    # a column that is empty everywhere tells nothing
    keep = [k for k, head in enumerate(heads) if k < 4 or any(row[k] for row in rows)]
    _table(
        [heads[k] for k in keep],
        [[row[k] for k in keep] for row in rows],
        "coordinates; v and tau have the same order"
        if model.nq == model.nv
        else f"coordinates; v and tau: {', '.join(model.v_labels[:12])}"
        f"{', ...' if model.nv > 12 else ''}",
    )


def notes(report: Report) -> None:
    """What was read, assumed, repaired and ignored, in colour where it matters."""
    lines = str(report).splitlines()
    screen.say(lines[0] if lines else "", "bold")
    for line in lines[1:]:
        level = line.split()[0] if line.split() else ""
        screen.say(line, _STYLES.get(level, ""))


def examples() -> None:
    from armillary.formats.examples import example_info, example_names

    rows = [(name, example_info(name).description) for name in example_names()]
    screen.table(["name", "what it is"], rows)
    screen.say(
        "Use a name in place of a file: armillary show stanford. See one move: armillary demo rover"
    )


def as_json(mechanism: Mechanism) -> dict[str, object]:
    model = mechanism.model
    return {
        "armillary": __version__,
        "mechanism": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "counts": counts_json(mechanism.counts),
        "gravity": model.gravity,
        "labels": {"q": model.q_labels, "v": model.v_labels},
        "units": {kind: models.units(mechanism, kind) for kind in ("q", "v", "a", "tau")},
        "start": model.start(),
        "bodies": [_body_json(model, k) for k in range(len(model.bodies))],
        "frames": [
            {"name": f.name, "body": f.body, "position": f.pose.position, "rpy": f.pose.rpy()}
            for f in model.frames
        ],
        "constraints": [
            {
                "name": constraint.name,
                "kind": constraint.kind,
                "what": words,
                "rows": labels(constraint),
                "units": [FORCE[unit] for unit in constraint.units],
            }
            for constraint, words in _constraints(mechanism)
        ],
        "source": model.report.source,
        "notes": notes_json(model.report),
    }


def counts_json(counts: Counts) -> dict[str, object]:
    """null where the rank was not counted: a large mechanism, or one that does not close."""
    return {
        "degrees_of_freedom": counts.freedoms,
        "coordinates": counts.coordinates,
        "constraint_rows": counts.rows,
        "overconstrained_by": counts.spare,
    }


def notes_json(report: Report) -> list[dict[str, object]]:
    return [_note_json(note) for note in report.notes]


def _note_json(note: Note) -> dict[str, object]:
    return {"level": note.level, "part": note.part, "text": note.text, "line": note.line}


def _body_json(model: Model, k: int) -> dict[str, object]:
    body, slot = model.bodies[k], model.slots[k]
    return {
        "name": body.name,
        "parent": body.parent,
        "joint": body.joint.name,
        "type": _kind(body),
        "axes": body.joint.axes,
        "q": [slot.q.start, slot.q.stop],
        "v": [slot.v.start, slot.v.stop],
        "position": body.at.position,
        "rpy": body.at.rpy(),
        "mass": body.mass.mass,
        "com": body.mass.com,
        "inertia": dict(zip(TENSOR, body.mass.tensor, strict=True)),
        "motor": None if body.motor is None else vars(body.motor),
        "limits": [
            {"lower": x.lower, "upper": x.upper, "velocity": x.velocity, "effort": x.effort}
            for x in body.joint.limits
        ],
    }


def _advice(mechanism: Mechanism) -> str:
    """The smallest time constant of arm and motors where it starts, and the step it suggests."""
    from armillary.analysis.time_constants import time_constants
    from armillary.errors import ArmillaryError

    try:
        return f"{time_constants(mechanism)}, at the start"
    except ArmillaryError as fault:
        return f"no time constants: {fault}"


MOTOR_HEADS = (
    *("joint", ">R [ohm]", ">K [N m/A]", ">gear", ">efficiency", ">L [H]"),
    *(">voltage limit [V]", ">current limit [A]", ">RMS limit [A]"),
)


def _motor_row(body: Body) -> list[str]:
    motor = body.motor
    assert motor is not None
    numbers = (motor.resistance, motor.torque_constant, motor.gear, motor.efficiency)
    limits = (motor.voltage_limit, motor.current_limit, motor.continuous_current)
    return [
        body.joint.name,
        *(screen.number(x) for x in (*numbers, motor.inductance)),
        *(_bound(x) for x in limits),
    ]


# -- cells ---------------------------------------------------------------------------------------


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    if not rows:
        return
    screen.table(heads, rows[:_MOST], title)
    if len(rows) > _MOST:
        screen.say(f"... and {len(rows) - _MOST} more lines; --json gives all of them\n")


def _tree(model: Model) -> Iterator[list[str]]:
    depth = {WORLD: -1}
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        depth[body.name] = depth[body.parent] + 1
        level = depth[body.name]
        pad = "  " * level if level <= 20 else f"{'  ' * 20}({level}) "
        yield [
            pad + body.name,
            body.joint.name,
            _kind(body),
            _axes(body.joint),
            _slot("q", slot.q) if joint.nq else "",
            _slot("v", slot.v) if joint.nv else "",
            screen.number(body.mass.mass, 5),
            screen.triple(body.at.position),
        ]


def _kind(body: Body) -> str:
    spec = body.joint
    if body.unlocked is not None:
        return f"fixed (locked {body.unlocked.joint.kind})"
    if spec.kind == "gimbal":
        return f"gimbal {' '.join(spec.free)}"
    if spec.kind == "helical":
        return f"helical, {spec.pitch:g} m/rad"
    return "continuous" if spec.continuous else spec.kind


def _axes(spec: JointSpec) -> str:
    return "; ".join(AXIS_NAMES.get(axis) or f"({screen.triple(axis)})" for axis in spec.axes)


def _slot(name: str, part: slice) -> str:
    if part.stop - part.start == 1:
        return f"{name}[{part.start}]"
    return f"{name}[{part.start}..{part.stop - 1}]"


def _bound(value: float | None) -> str:
    return "" if value is None else screen.number(value)


def _span(lower: float | None, upper: float | None) -> str:
    if lower is None and upper is None:
        return ""
    return f"{_bound(lower) or '-∞'} ... {_bound(upper) or '∞'}"


def _resistance(spec: JointSpec, k: int) -> str:
    words = []
    if spec.passive:
        words += _passive_words(spec.passive[k])
    if spec.rotors and spec.rotors[k].reflected:
        words.append(f"rotor {spec.rotors[k].reflected:.4g} kg m² at the joint")
    return ", ".join(words)


def _passive_words(passive: Passive) -> list[str]:
    words = [
        f"{name} {getattr(passive, name):.4g}"
        for name in ("viscous", "static", *LOADS, "spring")
        if getattr(passive, name)
    ]
    forward, backward = passive.each_way()
    if forward or backward:
        words.insert(
            1 if passive.viscous else 0,
            f"coulomb {forward:.4g}" + (f"/{backward:.4g}" if backward != forward else ""),
        )
    words += ["table"] if passive.table else []
    return words + (["function"] if passive.law is not None else [])


def _constraints(mechanism: Mechanism) -> Iterator[tuple[FrameConstraint | LinearConstraint, str]]:
    """Every constraint with its rows, and what it does in words."""
    model = mechanism.model
    words = {part.name: constraint_words(model, part)[1] for part in model.constraints}
    for constraint in lower_constraints(model, mechanism.evaluator.tables()).all:
        yield constraint, words[constraint.name]


def labels(constraint: FrameConstraint | LinearConstraint) -> list[str]:
    """Names of its rows, as in `constraint_rows`."""
    return [f"{constraint.name}.{row}" if row else constraint.name for row in constraint.rows]


def _forces(constraint: FrameConstraint | LinearConstraint) -> str:
    rows = zip(constraint.rows, constraint.units, strict=True)
    return ", ".join(f"{row or 'along the axis'} [{FORCE[unit]}]" for row, unit in rows)


def cache(clear: bool) -> None:
    """Folder, number and size of the compiled objects on disk, with the notes on them."""
    from armillary.codegen.cache import default_cache

    store = default_cache()
    if clear:
        screen.say(f"removed {store.clear()} entries from {store.folder}")
        return
    entries = store.entries()
    size = sum(n for _, n in entries) / 2**20
    screen.say(
        f"{len(entries)} entries (compiled objects and notes on them), {size:.1f} MB of at most "
        f"{store.limit / 2**20:.0f} MB, in {store.folder}"
    )
