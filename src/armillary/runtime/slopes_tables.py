"""Tables of the native loop over the slopes of force elements (slopes_loop.py)."""

from __future__ import annotations

from armillary.codegen.abi import Struct, integer, pointer

BLOCK = 36
OWN = 2 * BLOCK  # numbers of one body: K, D
PAIR = 4 * BLOCK  # of bodies a and b: K_ab, D_ab, K_ba^T, D_ba^T
SHARED = 24  # numbers of a body while a degree of freedom has its turn: four vectors
CHUNK = 32  # elements that are worked on together
# arrays of a state, in rows: given, found by other kernels, and results
STATE_ARRAYS = ("q", "v", "parameters", "E", "r", "turning", "moving", "S", "dS", "dq", "dv", "M")


class Chunk(Struct):
    """Elements of one kind."""

    CODE = integer()  # address of the kernel
    CONTEXT = integer()  # number of its context
    COUNT = integer()
    ENDS = integer()  # of an element: bodies, or coordinates
    COORDINATES = integer()  # 1: its ends are coordinates
    BODIES = pointer()  # (COUNT, ENDS); of coordinates (COUNT, ENDS, 2): places in q and v
    NUMBERS = pointer()  # (COUNT, numbers) of the elements
    GIVEN_SIZE = integer()  # numbers of an element that are given
    GIVEN = pointer()  # (COUNT) where they begin among the parameters
    PAIRS = integer()  # blocks of two bodies of an element
    OWN = integer()  # blocks of one body
    SLOTS = pointer()  # (COUNT, PAIRS + OWN) where they are added
    RESULTS = integer()  # numbers of an element


class Turn(Struct):
    """A body: its degrees of freedom, its block, what it shares, what it hands on."""

    FIRST = integer()
    DOFS = integer()
    SLOT = integer()
    SHARES = integer()
    SHARE_COUNT = integer()
    MOVES = integer()
    MOVE_COUNT = integer()


class Share(Struct):
    """A body whose degrees of freedom meet those of another.  SLOT: of their block, -1: none."""

    BODY = integer()
    SLOT = integer()
    FIRST = integer()
    DOFS = integer()
    PARENT = integer()


class Move(Struct):
    """A block that is added to another.  ACROSS: its bodies change their order; NEW: the other
    begins with it."""

    SOURCE = integer()
    TARGET = integer()
    ACROSS = integer()
    NEW = integer()


class Fold(Struct):
    """A block of two bodies, and those of each of them."""

    PAIR = integer()
    ONE = integer()
    TWO = integer()


class Slopes(Struct):
    """The context of a call."""

    ROWS = integer()
    NV = integer()
    SOLVED = integer()  # 1: accelerations are asked for, not forces
    ARRAYS = pointer(len(STATE_ARRAYS))
    STRIDES = integer(len(STATE_ARRAYS))  # numbers from one state to the next
    CHUNKS = pointer()
    CHUNK_COUNT = integer()
    CONTEXTS = pointer()  # of kernels
    FOLDS = pointer()
    FOLD_COUNT = integer()
    TURNS = pointer()
    TURN_COUNT = integer()
    SHARES = pointer()
    MOVES = pointer()
    CLEARED = integer()  # blocks that begin as 0
    BLOCKS = pointer()  # (slots, PAIR)
    BOTH = pointer()  # (PAIR) the block of the body whose turn it is
    BUFFER = pointer()  # (bodies + 1, SHARED)
    PLACES = pointer()  # (CHUNK, ...) what a kernel reads, and its results
    MOTIONS = pointer()
    GIVENS = pointer()
    FOUND = pointer()
    BY_Q = pointer()  # (nv, nv) dQ/dq
    BY_V = pointer()
