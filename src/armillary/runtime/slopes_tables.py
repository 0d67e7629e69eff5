"""Tables of the native loop over the slopes of force elements (slopes_loop.py)."""

from __future__ import annotations

from armillary.codegen.abi import ARRAYS, Struct, integer, pointer

CHUNK = 32  # elements of one state that are worked on together
# numbers that algorithms/forces/end_motions.py tells of a body, and of a degree of freedom
MOVING = {"E": 9, "r": 3, "turning": 3, "moving": 3}
ALONG = {"S": 6, "dS": 6}
GIVEN = ("q", "v", "parameters", "external", "tau")
RESULTS = ("dq", "dv", "M")
FOUND_ARRAYS = len(MOVING) + len(ALONG) + 4
EXTERNAL, TAU = -1, -2  # inputs of the loops over bodies that are found here


class Chunk(Struct):
    """Elements of one kind."""

    CODE = integer()  # address of the kernel
    CONTEXT = integer()  # number of its context
    COUNT = integer()
    ENDS = integer()  # of an element: bodies, or coordinates
    COORDINATES = integer()  # 1: its ends are coordinates
    BODIES = pointer()  # (COUNT, ENDS); of coordinates (COUNT, ENDS, 2): places in q and v
    NUMBERS = pointer()  # (COUNT, NUMBER_COUNT) of the elements
    NUMBER_COUNT = integer()
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
    """What stands behind the fields of the context of a call."""

    MOST = integer()  # states that are worked on together
    NV = integer()
    BODIES = integer()
    SOLVED = integer()  # 1: accelerations are asked for, not forces
    # the kernels of the motions and of the bodies without elements: code, context, and which inputs
    # of the call are theirs
    MOTIONS_CODE = integer()
    MOTIONS_CONTEXT = pointer()
    MOTIONS_FROM = integer(ARRAYS)
    PLAIN_CODE = integer()
    PLAIN_CONTEXT = pointer()
    PLAIN_FROM = integer(ARRAYS)
    # of the state that is worked on: given (GIVEN_FROM: number of the input, -1: none)
    Q = pointer()
    V = pointer()
    PARAMETERS = pointer()
    EXTERNAL = pointer()
    TAU = pointer()
    GIVEN_FROM = integer(len(GIVEN))
    GIVEN_STEPS = integer(len(GIVEN))  # numbers from one state to the next
    # found, each in memory for all states that are worked on together
    MOTION = pointer(len(MOVING))
    ALL_AXES = pointer()  # (nv, 6) S, dS
    ALL_RATES = pointer()
    PUSHED = pointer()  # (bodies, 6) wrenches on the bodies, each in its own frame
    DRIVEN = pointer()  # (nv) forces along the coordinates, tau included
    BY_Q = pointer()  # (nv, nv) dQ/dq
    BY_V = pointer()
    FOUND_FIRST = pointer(FOUND_ARRAYS)
    FOUND_STEPS = integer(FOUND_ARRAYS)  # numbers from one state to the next
    # and results (RESULTS_FROM: number of the output)
    DQ = pointer()
    DV = pointer()
    M = pointer()
    RESULTS_FROM = integer(len(RESULTS))
    RESULTS_STEPS = integer(len(RESULTS))
    # elements
    CHUNKS = pointer()
    CHUNK_COUNT = integer()
    CONTEXTS = pointer()  # of kernels
    PACKED = pointer()  # (bodies, leaves) what they read of the bodies
    GATHERED = pointer()  # (CHUNK, ...) what a kernel reads, and its results
    NUMBERS = pointer()
    GIVENS = pointer()
    FOUND = pointer()
    WRENCHES = pointer()  # (bodies, axes) at the origin of the world
    FORCES = pointer()  # (nv) along the coordinates
    FRAMES = pointer()  # (bodies, 3, 3) from the kernel frame of a body to its own
    # bodies
    AXES = pointer()  # (nv, axes) S, dS along the axes that count
    RATES = pointer()
    FOLDS = pointer()
    FOLD_COUNT = integer()
    TURNS = pointer()
    TURN_COUNT = integer()
    SHARES = pointer()
    MOVES = pointer()
    CLEARED = integer()  # blocks that begin as 0
    BLOCKS = pointer()  # (slots, pair)
    BOTH = pointer()  # (pair) the block of the body whose turn it is
    BUFFER = pointer()  # (bodies + 1, shared)
    ROW = pointer()  # (nv) of a result
