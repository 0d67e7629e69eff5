"""The layout of what a kernel sees: an array of 64-bit fields (`Context`) and the integer table.

Pointers and counts share one array, so that Python fills it with plain integers.
"""

from __future__ import annotations


class Ints:
    """Columns of the integer table: one row per body."""

    WORK = 0  # offset of the body's record in the work space
    PARENT_WORK = 1  # offset of the parent's record
    Q = 2  # offset in q
    V = 3  # offset in v
    CONSTS = 4  # offset in the constants
    NUMBER = 5  # number of the body
    PARENT = 6  # number of the parent, -1: the world
    VARIANT = 7  # which compiled code
    DOFS = 8  # degrees of freedom
    SUM = 9  # offset of what the children add up
    PARENT_SUM = 10  # offset of the sum the body adds to
    SIZE = 11


class Context:
    """Fields of the context."""

    INTS = 0
    CONSTS = 1
    WORK = 2
    GLOBALS = 3
    FRAME = 4  # numbers of the asked frame
    NV = 5
    STATE = 6  # what climbs along a path
    COLUMN = 7  # column of the matrix a path fills
    RUNS = 8  # (first, last, variant) of runs of equal bodies
    RUN_COUNT = 9
    TABLE = 10  # code pointers [block][variant]
    VARIANTS = 11
    FRAME_BODY = 12
    PROGRAM = 13  # pairs (kind of pass, first block)
    PROGRAM_LENGTH = 14
    BODIES = 15
    ROWS = 16  # states in this call
    SCRATCH = 17  # inputs and outputs of W states, transposed
    INPUT_COUNT = 18
    OUTPUT_COUNT = 19
    INPUTS = 20  # pointers the blocks read: 8 inputs, then 8 outputs
    OUTPUTS = 28
    INPUT_ROWS = 36  # pointers to the user's arrays
    OUTPUT_ROWS = 44
    INPUT_SIZES = 52  # numbers per state
    OUTPUT_SIZES = 60
    INPUT_STRIDES = 68  # numbers from one state to the next (0: the same for all)
    ZERO_OUTPUTS = 76  # 1: fill the output with zeros first
    EXTRA = 84  # room for a matrix
    TILES = 85  # degrees of freedom in tiles; see tiles.py
    WIDTH = 86  # columns of the matrix that paths fill
    RANGES = 87  # ancestors of the tiles
    TILE_COUNT = 88
    SIZE = 89


class Kind:
    """Kinds of passes in the program."""

    OUTWARD = 0
    INWARD = 1
    PAIRS = 2  # blocks: 6 x start, climb, meet
    ALONG = 3  # from the frame's body to the root; blocks: start, climb, meet
    AT = 4  # the frame's body alone
    GROUND = 5  # the world's record
    SOLVE = 6  # dense equations
    COLUMNS = 7  # blocks: 10 x start, climb, meet
    STRAIGHT = 8  # one block for the whole mechanism


PATH_STARTS = 6
COLUMN_STARTS = 10
