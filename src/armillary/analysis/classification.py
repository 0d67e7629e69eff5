"""What kind of mechanism it is, in words: structure, actuation, task, constraints.

    structure   serial, tree, closed, simple closed chain           [VanDerMerwe1995, 1.2, 6.1]
    actuation   freedoms against the drives that reach them         [Yesiloglu2007, 1.1, 1.2.3]
    task        freedoms against the motions of a frame             [Yesiloglu2007, 1.1]
    constraints holonomic where the allowed velocities are a distribution that closes under
                brackets (Frobenius): no motion along them leads out of them

A passive joint alone makes no mechanism under-actuated: an uncontrolled freedom does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.analysis.allowed import Allowed
from armillary.analysis.point import closed_state
from armillary.analysis.structure import Interconnection, Structure, structure
from armillary.constraints.actuation import actuator_indices
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, whole_number
from armillary.evaluate.named_states import State, names_of
from armillary.mechanism.mechanism import Mechanism
from armillary.model.describe import counted
from armillary.model.model import Model
from armillary.shown import shown

TASK_ROWS = ("rx", "ry", "rz", "dx", "dy", "dz")


@shown
@dataclass(frozen=True)
class Classification:
    """A mechanism in words; `structure` has hinges and matrices.

    freedoms: velocities that its constraints allow; drives: coordinates with a drive (None:
    the model does not say); reached: how many independent freedoms they move; frame, task: whose
    motion along which of rx .. dz (turns, displacements) is asked for; rank: of it here,
    reachable: of it in general position;
    brackets: directions that brackets of allowed velocities add to them; None: not decided, for q
    is singular."""

    name: str
    structure: Structure
    freedoms: int
    drives: tuple[str, ...] | None
    reached: int
    frame: str
    task: tuple[str, ...]
    rank: int
    reachable: int
    brackets: int | None
    rolling: bool
    moving: tuple[str, ...]  # prescribed motions

    @property
    def chain(self) -> str:
        """The structure: open serial chain, tree, closed chain, simple closed chain, ..."""
        if self.structure.kind == "branched closed mechanism" and self.structure.reference_members:
            return "simple closed chain"
        return self.structure.kind

    @property
    def interconnection(self) -> Interconnection:
        return self.structure.matrices

    @property
    def actuation(self) -> str:
        """fully actuated, under-actuated, over-actuated; or not known."""
        if self.drives is None:
            return "not known"
        if self.reached < self.freedoms:
            return "under-actuated"
        return "over-actuated" if len(self.drives) > self.freedoms else "fully actuated"

    @property
    def dexterity(self) -> str:
        """deficient, full or redundant for the task; "deficient and redundant" is possible."""
        deficient = self.reachable < len(self.task)
        redundant = self.freedoms > self.reachable
        if deficient:
            return "deficient and redundant" if redundant else "deficient"
        return "redundant" if redundant else "full"

    @property
    def holonomic(self) -> bool | None:
        """Can all constraints be written in positions?  None: not decided at a singular q."""
        return None if self.brackets is None else not self.brackets

    def __str__(self) -> str:
        return "\n".join([f"'{self.name}':", *(f"  {k:12}{x}" for k, x in self.words().items())])

    def words(self) -> dict[str, str]:
        """One sentence per heading."""
        s = self.structure
        members = ", ".join(f"'{b}'" for b in s.reference_members[:3])
        loops = f"{counted(s.loops, 'loop', 'loops')}" if s.loops else "no loop"
        chain = [self.chain, f"{counted(len(s.bodies) - 1, 'body', 'bodies')} on '{s.base}'"]
        chain += [counted(len(s.hinges), "hinge", "hinges"), loops]
        if s.branching:
            chain.append("branches at " + ", ".join(f"'{b}'" for b in s.branching[:4]))
        if self.chain == "simple closed chain":
            chain.append(f"serial chains without {members}")
        own = self.freedoms - self.reachable
        task = [
            f"{self.dexterity}",
            f"'{self.frame}' moves in {self.reachable} of "
            f"{len(self.task)} directions ({', '.join(self.task)})",
        ]
        task += [f"{counted(own, 'freedom', 'freedoms')} besides"] if own else []
        if self.rank < self.reachable:
            task.append(f"here in {self.rank} only: a singular position")
        return {
            "structure": "; ".join(chain),
            "actuation": self._drive_words(),
            "task": "; ".join(task),
            "constraints": self._constraint_words(),
        }

    def _drive_words(self) -> str:
        freedoms = counted(self.freedoms, "freedom", "freedoms")
        if self.drives is None:
            return (
                f"{self.actuation}; {freedoms}, and no motors are declared: name the joints that "
                f"have them, actuators=[...]"
            )
        words = [self.actuation, f"{counted(len(self.drives), 'drive', 'drives')} for {freedoms}"]
        if free := self.freedoms - self.reached:
            words.append(f"{counted(free, 'freedom', 'freedoms')} uncontrolled")
        return "; ".join(words)

    def _constraint_words(self) -> str:
        words = ["holonomic" if self.holonomic else "non-holonomic"]
        if self.brackets is None:
            words = ["rolling; not decided whether holonomic, for this position is singular"]
        elif self.brackets:
            n = counted(self.brackets, "direction", "directions")
            words.append(f"manoeuvres (first brackets) reach {n} more than velocities")
        elif self.rolling:
            words.append("what rolls here could be written in positions")
        if self.moving:
            words.append("rheonomic: " + ", ".join(f"'{name}'" for name in self.moving) + " driven")
        return "; ".join(words)


def classify(
    mechanism: Mechanism,
    q: State | None = None,
    frame: str | None = None,
    *,
    actuators: Sequence[str] | None = None,
    task: Sequence[str] = TASK_ROWS,
    seed: int = 0,
) -> Classification:
    """What kind of mechanism it is, in words and numbers.

    q: where it is looked at (default: where it starts).  frame: whose motion is the task (default:
    the last frame, the one body that chains hold together, or the last body).  actuators: joints
    with drives (default: those with motors; without any, those with a limit of effort).
    task: directions along the world's axes that matter, of rx, ry, rz, dx, dy, dz."""
    chosen, seed = _task(task), whole_number("seed", seed, 0)
    equations = mechanism.constraint_solver.equations
    at = closed_state(mechanism, "classify", q=mechanism.initial if q is None else q)["q"]
    allowed = Allowed(mechanism)
    N = allowed.motions(at)
    named = actuators if actuators is not None else default_drives(mechanism.model)
    drives = actuator_indices(equations, named) if named is not None else []
    name = asked_frame(mechanism.model, frame)
    here = allowed.rank(at, N, name, chosen)
    around = [allowed.near(at, N, seed + k) for k in range(3)]
    nearby = [allowed.rank(x, allowed.motions(x), name, chosen) for x in around]
    return Classification(
        name=mechanism.name,
        structure=structure(mechanism.model),
        freedoms=N.shape[1],
        drives=None if named is None else tuple(mechanism.v_labels[k] for k in drives),
        reached=_rank(N[drives]),
        frame=name,
        task=tuple(TASK_ROWS[k] for k in chosen),
        rank=here,
        reachable=max([here, *nearby]),
        brackets=allowed.brackets(at, N) if _rolls(mechanism.model) else 0,
        rolling=_rolls(mechanism.model),
        moving=tuple(part.name for part in mechanism.model.prescribed),
    )


def asked_frame(model: Model, name: str | None) -> str:
    """A frame by its name; None: the default one."""
    return default_frame(model) if name is None or str(name) == "" else model.frame(name).name


def default_frame(model: Model) -> str:
    """The last frame of the model, the one body that chains hold together, or the last body."""
    if model.frames:
        return model.frames[-1].name
    members = structure(model).reference_members if model.constraints else ()
    return members[0] if len(members) == 1 else model.bodies[-1].name


def default_drives(model: Model) -> tuple[str, ...] | None:
    """Joints with motors; without any, those with a limit of effort that is not 0, as URDF has
    them.  None: the model does not say, be it open or closed."""
    motors = tuple(body.joint.name for body in model.bodies if body.motor is not None)
    pushing = tuple(
        body.joint.name for body in model.bodies if any(limit.effort for limit in body.joint.limits)
    )
    return motors or pushing or None


def _rolls(model: Model) -> bool:
    """Has it rows that forbid velocities and no positions?"""
    return bool(model.wheels) or any(contact.sticking for contact in model.contacts)


def _task(given: Sequence[str]) -> list[int]:
    rows = names_of("task", given)
    for row in rows:
        if row not in TASK_ROWS:
            raise unknown_name("direction", row, TASK_ROWS)
    if not rows or len(set(rows)) != len(rows):
        raise InputError(f"task: expected different ones of {', '.join(TASK_ROWS)}; found {rows}.")
    return [TASK_ROWS.index(row) for row in rows]


def _rank(A: Array) -> int:
    return int(np.linalg.matrix_rank(A)) if A.size else 0
