"""The tables of the forces of a large closed mechanism, as runtime/reaction_loop.py reads them."""

from __future__ import annotations

from armillary.codegen.abi import Struct, double, integer, pointer, structure
from armillary.runtime.closing_tables import Closing

MOTION = 24  # numbers of a body's motion: nine turn the world into its axes, three are its origin


class Reacting(Struct):
    """The tables of one mechanism's forces.  Places are numbers of the memory."""

    EQUATIONS = structure(Closing)
    SHARING = structure(Closing)  # of Z^T H Z
    BODIES, CONSTRAINTS, ALL_ROWS = (integer() for _ in range(3))
    LOADS, DRIVES, WORLD = (integer() for _ in range(3))  # of the tree; the world as a body
    # multipliers, and a one behind them; wrenches that the constraints have on bodies, and that the
    # joints transmit; of constraints by their multipliers, and their known ones, at `POINTS`
    MULTIPLIERS, SUMS, REACTIONS, OWN, GIVEN, POINTS = (integer() for _ in range(6))
    CARRIED, SHARES, PROBE = (integer() for _ in range(3))
    IN_PLAY = integer()  # the square of all forces
    # (multiplier, wrench, target): on bodies, of constraints, known ones of constraints
    ITEMS = pointer()
    ON_BODIES, OF_CONSTRAINTS, ITEM_COUNT = (integer() for _ in range(3))
    PARENTS = pointer()  # of bodies
    CARRIERS = pointer()  # of degrees of freedom
    # constraints: (side whose wrenches are summed, body of the second frame), places of their
    # motions; 1 or -1; turn and origin of the second frame
    ENDS, SIGNS, FRAMES = (pointer() for _ in range(3))
    # self-stresses: (wrench of a row, target) with a factor; (target, its point, other point);
    # (entry, two carried); (right side, carried, wrench), its sign; (multiplier, unknown), factor
    COMBINED, COMBINED_BY, LINKS, PAIRS, RIGHTS, RIGHTS_BY, SPREAD, SPREAD_BY = (
        pointer() for _ in range(8)
    )
    # where rows of several constraints depend on each other: entries of J (source, target), factor
    COPIES, COPIES_BY = (pointer() for _ in range(2))
    COPY_COUNT = integer()
    COMBINED_COUNT, LINK_COUNT, PAIR_COUNT, RIGHT_COUNT, SPREAD_COUNT = (
        integer() for _ in range(5)
    )
    # by kept row: 1 / its unit, its size, the inverse pivot it may have at most; by degree of
    # freedom: the probe, and the size of forces
    UNITS, ROW_SIZES, LARGEST, PROBED, SIZES = (pointer() for _ in range(5))
    MASSES, ARM = (double() for _ in range(2))  # sum of squares; 1 / size of the machine
    # squared: what counts as balanced, as rounding; 1 / what counts as stretched
    UNBALANCED, ROUNDING, STRETCHED = (double() for _ in range(3))
