"""The mechanism of a run: kept with it, and as text in its file, so that it can be drawn later."""

from __future__ import annotations

from functools import cached_property

from armillary.errors import ArmillaryError, InputError
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native
from armillary.mechanism.mechanism import Mechanism
from armillary.model.model import Model

LONGEST = 8_000_000  # letters of a model that a recording keeps


def model_text(model: Model) -> str:
    """The native file of a model; empty where it has none (functions of the user) or a huge one."""
    try:
        text = write_native(model)
    except ArmillaryError:
        return ""
    return text if len(text) <= LONGEST else ""


class KnownMechanism:
    """The mechanism that a run moves."""

    mechanism_name = ""
    stored_model = ""  # native text, from a file
    simulated: Mechanism | None = None  # of a run in memory

    @property
    def model_text(self) -> str:
        if self.simulated is not None:
            return model_text(self.simulated.model)
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
        return Mechanism(read_native(text=self.stored_model))
