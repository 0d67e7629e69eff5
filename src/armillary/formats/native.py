"""Read the native YAML file, version 1."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from armillary.errors import FormatError, ModelError
from armillary.formats import on_base, read
from armillary.formats.files import read_text
from armillary.formats.generated import note_stale
from armillary.formats.mesh_paths import beside
from armillary.formats.native_body import BodyEntry
from armillary.formats.native_closing import add_constraints, add_forces
from armillary.formats.native_forces import ENTRIES
from armillary.formats.native_parts import Parts
from armillary.formats.native_schema import SECTIONS, NativeFile
from armillary.formats.native_tree import merge_notes, tree_path
from armillary.formats.native_tyres import KINDS
from armillary.formats.parts import is_parts, read_parts
from armillary.formats.references import Bounds
from armillary.formats.sixparameter_file import is_sixparameter_tree, of_tree
from armillary.formats.validation import validated
from armillary.formats.yaml_tree import Node, load_tree
from armillary.model import Builder, Model, Motor, Report
from armillary.model.mount import add_model, mount

_SUBJECT = re.compile(rf"({'|'.join(SECTIONS.values())}|) ?'(.*?)'", re.DOTALL)


def read_native(
    path: str | os.PathLike[str] | None = None,
    *,
    text: str | None = None,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
) -> Model:
    """The mechanism of a native file, or of `text` (then `path` only names it).

    Inertias that no rigid body has are kept, with a warning in the report, unless the file says
    `checks: strict` or strict=True.  `tree: robot.urdf` takes the bodies from another file, in the
    folder `root` (see `references.Bounds`)."""
    if text is None and path is None:
        raise FormatError("give a path or a text.")
    return _read(path, text, strict, root, ())


def _read(
    path: str | os.PathLike[str] | None,
    text: str | None,
    strict: bool,
    root: str | os.PathLike[str] | None,
    within: tuple[str, ...],
) -> Model:
    """within: the files whose `tree` has led here, the outermost first."""
    bounds = None
    if text is None:
        text = read_text(path or "")
        bounds = Bounds.of(path or "", root)
    source = str(path) if path is not None else "<text>"
    tree = load_tree(text, source)
    if is_sixparameter_tree(tree):
        return of_tree(tree, source, strict)
    if is_parts(tree):
        return read_parts(path or source, text=None if bounds else text, root=root).model(strict)
    name = Path(path).stem if path is not None else "mechanism"
    return _Reader(_validated(tree, source), tree, source, name, strict, bounds, within).model()


def _validated(tree: Node, path: str) -> NativeFile:
    content = tree.plain()
    if not isinstance(content, dict) or "armillary" not in content:
        raise FormatError(
            "this is no mechanism of Armillary: expected `armillary: 1` and `bodies:` at the top.",
            path,
            tree.line,
        )
    return validated(NativeFile, tree, path, SECTIONS, (*ENTRIES, *KINDS))


@dataclass
class _Reader:
    """From checked entries to a model."""

    file: NativeFile
    tree: Node
    path: str
    name: str  # where the file gives none
    strict: bool
    bounds: Bounds | None  # where the file may look for others; None for a text
    within: tuple[str, ...]

    def __post_init__(self) -> None:
        self.report = Report(source=self.path)
        self.parts = Parts(self.report)

    def model(self) -> Model:
        try:
            return self._from_tree() if self.file.tree is not None else self._from_bodies()
        except FormatError:
            raise
        except ModelError as fault:
            raise FormatError(fault.message, self.path, self._line(fault.message)) from None

    def _line(self, text: str) -> int:
        """Line of the entry that is being read; once all are read, of a part the message names."""
        if self.parts.here:
            joint = ("joint",) if text.startswith("joint ") else ()
            return self.tree.line_of((*self.parts.here, *joint))
        for word, name in _SUBJECT.findall(text):
            for body, entry in self.file.bodies.items():
                if word == "joint" and name == (entry.joint.name or body):
                    return self.tree.line_of(("bodies", body, "joint"))
            section = next((key for key, noun in SECTIONS.items() if noun == word), "bodies")
            for place in (section, "forces", "initial"):
                if name in getattr(self.file, place):
                    return self.tree.line_of((place, name))
        return self.tree.line_of(("tree",))

    def _from_bodies(self) -> Model:
        file = self.file
        if file.gravity is None:
            self.report.add("assumed", "gravity", "(0, 0, -9.81) m/s², the file gives none")
        lenient = file.checks == "report" and not self.strict
        builder = Builder(
            file.name or self.name or "mechanism",
            gravity=file.gravity or (0.0, 0.0, -9.81),
            checks="report" if lenient else "strict",
            report=self.report,
        )
        for key, body in file.bodies.items():
            self.parts.here = ("bodies", key)
            self._body(builder, key, body)
        return self._finished(builder)

    def _finished(self, builder: Builder) -> Model:
        """What the file says beyond its bodies."""
        file = self.file
        builder.base_velocity = file.base_velocity or builder.base_velocity
        builder.base_acceleration = file.base_acceleration or builder.base_acceleration
        for key, entry in file.frames.items():
            self.parts.here = ("frames", key)
            builder.frame(key, entry.body, self.parts.pose(entry, f"frame '{key}'"))
        builder = self._with_included(builder) if file.include else builder
        add_constraints(file, builder, self.parts)
        add_forces(file, builder, self.parts)
        builder.initial |= file.initial
        self.parts.here = ()
        if file.generated is not None:
            note_stale(file.generated, self.path, self.bounds, self.report)
        model = builder.build()
        self.report.notes[:] = dict.fromkeys(self.report.notes)  # two builders may say the same
        return model

    def _with_included(self, builder: Builder) -> Builder:
        """The mechanisms of other files mounted on what there is; more can be added."""
        model = builder.build()
        for key, entry in self.file.include.items():
            self.parts.here, part = ("include", key), f"include '{key}'"
            other = self._other(entry.file, None, part)
            at = self.parts.pose(entry.at, part)
            joint = None if entry.joint is None else self.parts.joint(key, entry.joint, part)
            prefix = f"{key}_" if entry.prefix is None else entry.prefix
            model = mount(model, other, entry.on, at, prefix, entry.by, joint)
        self.report.notes[:] = model.report.notes
        whole = Builder(builder.name, builder.gravity, builder.checks, self.report)
        add_model(whole, model)
        return whole

    def _other(self, reference: str, base: str | None, key: str) -> Model:
        """The mechanism of another file, its meshes seen from here."""
        place = tree_path(reference, self.path, self.bounds, self.within, key)
        root = self.bounds.root if self.bounds is not None else None
        if Path(place).suffix.lower() in (".yaml", ".yml"):
            within = (*self.within, os.path.realpath(self.path))
            other = _read(place, None, self.strict, root, within)
            other = other if base is None else on_base(other, base, place)
        else:
            other = read(place, base=base, strict=self.strict, root=root)
        return beside(other, os.path.dirname(reference))

    def _from_tree(self) -> Model:
        """The bodies of another file, judged by its own reader; the rest from this one."""
        file = self.file
        self.parts.here = ("tree",)
        tree = self._other(file.tree or "", file.base, "tree")
        builder = Builder(
            file.name or tree.name,
            gravity=file.gravity or tree.gravity,
            checks="strict" if self.strict else "report",
            report=self.report,
        )
        add_model(builder, tree)
        model = self._finished(builder)
        merge_notes(self.report, tree.report, file.tree or "")
        return model

    # -- one body --------------------------------------------------------------------------------

    def _body(self, builder: Builder, name: str, entry: BodyEntry) -> None:
        if entry.mass is None and (entry.com is not None or entry.inertia is not None):
            raise ModelError(f"body '{name}': found com or inertia without mass. Give the mass.")
        spec = self.parts.joint(name, entry.joint, f"joint '{entry.joint.name or name}'")
        builder.body(
            name,
            entry.parent,
            spec,
            self.parts.pose(entry.at, f"body '{name}'"),
            mass=entry.mass,
            com=entry.com or (0.0, 0.0, 0.0),
            inertia=entry.inertia.model_dump() if entry.inertia else (0.0, 0.0, 0.0),
            motor=Motor(**entry.motor.model_dump()) if entry.motor else None,
            shapes=[self.parts.shape(shape, f"body '{name}'") for shape in entry.shapes],
        )


__all__ = ["read_native"]
