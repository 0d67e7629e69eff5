"""The open tree of a mechanism, as the rooms above ask it."""

from __future__ import annotations

import numpy as np

from armillary.evaluate import configurations
from armillary.evaluate.inputs import Array
from armillary.evaluate.table_face import TableFace


class Tree(TableFace):
    """Every row of the table, and what closing, solving and checking need beside them."""

    integrate = configurations.integrate
    difference = configurations.difference

    @property
    def initial(self) -> Array:
        """q to start from: the one the source gives, else the neutral one."""
        return np.array(self.model.start())
