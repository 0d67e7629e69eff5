"""The mechanism of a run: kept with it, and as text in its file, so that it can be drawn later."""

from __future__ import annotations

import json
import os
from functools import cached_property

from armillary.errors import ArmillaryError, InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.model.model import Model

LONGEST = 8_000_000  # letters of a model that a recording keeps
_SEEN_FROM = "# meshes are seen from "  # the first line of a text whose bodies have meshes


def model_text(model: Model) -> str:
    """The native file of a model; empty where it has none (functions of the user) or a huge one."""
    from armillary.formats.native_write import write_native  # takes 0.15 s to import

    try:
        text = write_native(model)
    except ArmillaryError:
        return ""
    return text if len(text) <= LONGEST else ""


def stored_text(model: Model) -> str:
    """The text of a model for a recording; the first line says where its meshes are seen from."""
    text, source = model_text(model), model.report.source
    shapes = (shape for body in model.bodies for shape in body.shapes)
    if not text or not os.path.isfile(source) or not any(shape.mesh for shape in shapes):
        return text
    place = {"model": os.path.abspath(source), "root": model.report.root}
    return f"{_SEEN_FROM}{json.dumps(place)}\n{text}"


def read_stored(text: str) -> Model:
    """The model of a recording; its meshes are found where they were, if they are still there."""
    from armillary.formats.native import read_native

    line = text.partition("\n")[0]
    if not line.startswith(_SEEN_FROM):
        return read_native(text=text)
    try:
        place = json.loads(line.removeprefix(_SEEN_FROM))
        source, root = str(place["model"]), str(place["root"])
    except (ValueError, KeyError, TypeError):  # a comment that was changed: no meshes
        return read_native(text=text)
    model = read_native(source, text=text)
    model.report.root = root
    return model


class KnownMechanism:
    """The mechanism that a run moves."""

    mechanism_name = ""
    stored_model = ""  # native text, from a file
    simulated: Mechanism | None = None  # of a run in memory

    @property
    def model_text(self) -> str:
        if self.simulated is not None:
            return stored_text(self.simulated.model)
        return self.stored_model

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism it was simulated with."""
        if self.simulated is not None:
            return self.simulated
        if not self.stored_model:
            raise InputError(
                f"the run does not hold its mechanism '{self.mechanism_name}': its file is from "
                "elsewhere, or the mechanism has functions that no file can hold. Give it: "
                "mechanism=..."
            )
        return Mechanism(read_stored(self.stored_model))
