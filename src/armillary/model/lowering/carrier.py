"""Where the bodies of a model are in the tables of the algorithms."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.spatial import Transform


@dataclass(frozen=True)
class Carrier:
    """Where a body of the model lives in the tables: the kernel body and its place in it."""

    kernel: int  # index of the kernel body, -1: the world
    X_BK: Transform  # kernel frame of that body to this body's frame
