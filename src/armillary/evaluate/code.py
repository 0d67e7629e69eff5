"""Code of an algorithm that is traced only where no earlier process has done it.

What a kernel needs besides its machine code (numbers of operations, names, sizes) is remembered
under the identity of what would be traced; the object is found under the same identity.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from armillary.codegen.abi import Arrays, Kind
from armillary.codegen.cache import key_of, remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import described, identity
from armillary.evaluate.request import Setting, block_names
from armillary.model.lowering.tree import KernelBody, Tables

if TYPE_CHECKING:
    from armillary.evaluate.body_code import TracedBody
    from armillary.graph.cut import Block


class StraightCode:
    """Tier 2: one algorithm on one mechanism."""

    def __init__(self, setting: Setting, tables: Tables, frame_body: int | None = None):
        self._asked = (setting, tables, frame_body)
        self._identity = identity("straight", setting, tables, frame_body)

    @cached_property
    def block(self) -> Block:
        from armillary.evaluate.straight_line import trace_shorter

        return trace_shorter(*self._asked)

    @cached_property
    def operations(self) -> int:
        """Arithmetic operations; where they are not remembered, they are counted in a trace."""

        def count() -> int:
            from armillary.evaluate.straight_line import operations

            return operations(self.block)

        return int(remembered(self._identity, "operations", count))

    def library(self, width: Lanes, arrays: Arrays) -> Library:
        """Machine code."""

        def text() -> str:
            from armillary.codegen.one_state import straight_text

            return with_declarations(straight_text(width, self.block, arrays), width)

        return Library(text, ["batch"], identity=_of_lanes(self._identity, width))

    def within(self, width: Lanes, arrays: Arrays) -> Library:
        """Machine code that works on W states side by side, as a pass of a loop kernel."""

        def text() -> str:
            from armillary.codegen.emit import BlockWriter

            writer = BlockWriter(width, "straight", order="row", arrays=arrays)
            return with_declarations(writer.write(self.block), width)

        name = None if self._identity is None else f"{self._identity} within"
        return Library(text, ["straight"], identity=_of_lanes(name, width))


class BodyCode:
    """Tier 1: all passes of an algorithm for one kind of body; body None: for the world."""

    def __init__(
        self, setting: Setting, body: KernelBody | None, root: bool = False, first: bool = False
    ):
        self._setting, self._body, self._root, self._first = setting, body, root, first
        kind = (None if body is None else type(body.joint), body and body.key(), root, first)
        self._identity = identity("body", setting, kind)

    @cached_property
    def traced(self) -> TracedBody:
        from armillary.evaluate.body_code import TracedBody, layout_of, trace_body, trace_ground

        if self._body is None:
            return TracedBody(trace_ground(self._setting), layout_of(self._setting).size)
        return trace_body(self._setting, self._body, self._root, self._first)

    @cached_property
    def _known(self) -> tuple[list[str], int]:
        """Names of the blocks; numbers per state and body in the work space."""
        return remembered(
            self._identity, "blocks and record",
            lambda: ([block.name for block in self.traced.blocks], self.traced.record),
        )  # fmt: skip

    @property
    def record(self) -> int:
        """Numbers per state and body in the work space."""
        return self._known[1]

    def library(self, width: Lanes) -> Library:
        def text() -> str:
            from armillary.codegen.emit import BlockWriter
            from armillary.graph.expr import cone
            from armillary.graph.schedule import Order, worth_ordering

            inward, blocks = _inward_stages(self._setting), self.traced.blocks
            # LLVM keeps the order of a whole text, or of nothing in it
            wait = any(worth_ordering(cone(s.node for s in b.stores)) for b in blocks)
            order: Order = "height" if wait else "any"
            texts = []
            for block in blocks:
                backward = block.stage in inward and "_" not in block.name
                texts.append(BlockWriter(width, block.name, backward, order).write(block))
            return with_declarations("\n\n".join(texts), width)

        return Library(text, self._known[0], identity=_of_lanes(self._identity, width))


def world_record(setting: Setting) -> int:
    """Numbers per state of the world's record: the fields that go from body to body."""

    def find() -> int:
        from armillary.evaluate.body_code import layout_of

        return layout_of(setting).size

    return int(remembered(identity("world", setting), "size", find))


def sum_size(setting: Setting) -> int:
    """Numbers per state that the children of a body add up for it: see sums.py."""

    def find() -> int:
        from armillary.evaluate.body_code import layout_of

        return layout_of(setting).sum_size

    return int(remembered(identity("sums", setting), "size", find))


def driver_library(width: Lanes) -> Library:
    """The loops over passes, bodies and rows around the code of the bodies."""

    def text() -> str:
        from armillary.runtime.tree_loop import loop_text

        return with_declarations(loop_text(width), width)

    return Library(text, ["batch"], optimize=2, identity=_of_lanes(identity("driver"), width))


def _of_lanes(name: str | None, width: Lanes) -> str | None:
    return None if name is None else key_of([name, described(width)])


def _inward_stages(setting: Setting) -> set[int]:
    offset = 1 if setting.has_ground() else 0
    kinds = [kind for kind, _ in block_names(setting.algorithm)][offset:]
    return {stage for stage, kind in enumerate(kinds) if kind == Kind.INWARD}
