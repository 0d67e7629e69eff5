"""New mechanisms from old ones: the edits of model/edit.py as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, Unpack

from armillary.constraints.named_states import placed
from armillary.constraints.questions import Constrained
from armillary.errors import InputError
from armillary.formats.mesh_paths import for_carrier
from armillary.model import edit, varied
from armillary.model.checks import number, numbers, tensor_entries
from armillary.model.joints import JointOptions
from armillary.model.model import Model
from armillary.model.mount import mount
from armillary.model.parts import WORLD, JointSpec, Mass, Pose


class Edits(Constrained):
    """Edits give a new mechanism with the same settings; the old one stays."""

    def _edited(self, model: Model) -> Self:
        return type(self)(model, self.options)

    def lock(self, positions: Mapping[str, Any] | Sequence[str]) -> Self:
        """Joints made rigid: {"joint": coordinate(s)}, or names (at their start, else neutral)."""
        return self._edited(edit.lock(self.model, positions))

    def unlock(self, names: Sequence[str]) -> Self:
        """Locked joints free again."""
        return self._edited(edit.unlock(self.model, names))

    def replace(
        self, bodies: Mapping[str, Mapping[str, Any]] | None = None, **changes: Any
    ) -> Self:
        """Other gravity, base motion or name; other mass, com, inertia, friction of bodies.

        arm.replace(gravity=(0, 0, -1.62), bodies={"hand": {"mass": 1.2}})"""
        if isinstance(initial := changes.get("initial"), Mapping):
            changes["initial"] = placed(self.model, initial, "initial")
        return self._edited(edit.replace_parameters(self.model, bodies, **changes))

    def varying(self, *paths: str) -> Self:
        """The same with further numbers in `parameters`, for batches in which they differ:
        "joints.elbow.viscous", "gravity.z", "bodies.lower.at.x"."""
        return self._edited(varied.varying(self.model, *paths))

    def subtree(self, root: str, base: str = "fixed") -> Self:
        """The named body and everything beyond it, on a "fixed" or "free" base."""
        return self._edited(edit.subtree(self.model, root, base))

    def with_base(self, base: str) -> Self:
        """The same on a "fixed" or "free" base."""
        return self._edited(edit.with_base(self.model, base))

    def attach(
        self,
        body: str,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        inertia: Sequence[float] = (0.0,) * 6,
        at: Pose | None = None,
    ) -> Self:
        """A payload welded to a body: mass, centre, tensor about the centre, in the frame `at`."""
        payload = Mass(
            number(mass, "payload, mass"),
            numbers(com, 3, "payload, com"),  # type: ignore[arg-type]
            tensor_entries(inertia, "payload"),  # type: ignore[arg-type]
        )
        return self._edited(edit.attach(self.model, body, payload, at))

    def mount(
        self,
        other: Edits | Model,
        on: str,
        at: Pose | Sequence[float] | None = None,
        prefix: str = "",
        by: str = WORLD,
        joint: JointSpec | str | None = None,
        **joint_options: Unpack[JointOptions],
    ) -> Self:
        """Another mechanism on a frame of this one: an arm on a rover, a gripper on an arm.

        The frame `by` of the other one (default: its world) stands in the frame `on`, with the pose
        `at`, or at that point (x, y, z), m.  prefix: before all its names.  joint: what connects
        the two (default: rigidly), with options as in `Builder.body`; the massless body behind it
        is called prefix + "mount".

        rover.mount(arm, on="deck", at=(0, 0, 0.1), prefix="arm_")
        truck.mount(trailer, on="hitch", by="eye", joint="spherical", prefix="trailer_")"""
        added = getattr(other, "model", other)
        if not isinstance(added, Model):
            raise InputError(f"mount: expected a mechanism, found {type(other).__name__}.")
        added, source, root = for_carrier(added, self.model)
        built = mount(self.model, added, on, at, prefix, by, joint, **joint_options)
        built.report.source, built.report.root = source, root
        return self._edited(built)

    @property
    def tree(self) -> Self:
        """The open tree: the same without its loops, couplings, wheels and other constraints.

        A mechanism without constraints is its own tree."""
        open_ = not self.model.constraints and not self.model.set_aside
        return self if open_ else self._open_tree

    @cached_property
    def _open_tree(self) -> Self:
        return self._edited(edit.open_tree(self.model))

    def compile(self, **options: Any) -> Self:
        """The same mechanism with other settings: tier=1 or 2, threads=n, budget=operations,
        states=how many will be asked for, optimize=0 for code that is made quickly, background=True
        (see `CompileOptions`).

        Nothing is compiled before it is asked for; `compile_report` tells what was."""
        return type(self)(self.model, replace(self.options, **options))
