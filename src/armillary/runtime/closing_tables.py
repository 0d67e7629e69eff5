"""The tables of a large constrained system, as runtime/elimination.py reads them."""

from __future__ import annotations

from armillary.codegen.abi import Struct, double, integer, pointer


class Closing(Struct):
    """The tables of one system.  Places are numbers of the memory; ranks say when an unknown
    (degree of freedom, kept row) is eliminated."""

    DOFS = integer()  # that take part
    ROWS = integer()  # kept ones
    UNKNOWNS = integer()  # unknowns
    # places: results of the tree, K, its factor, vectors by rank; references by degree of freedom
    MOTION, AXES, COLUMNS, BIAS = (integer() for _ in range(4))
    K, WORK, LOWER, RIGHT, X, RESIDUAL, STEP, FIRST, NORM = (integer() for _ in range(9))
    # inputs by number, -1: not there
    V, TAU, PRESCRIBED = (integer() for _ in range(3))
    # with articulated branches: all degrees of freedom, the place of the solution of those that
    # take part, and the number of the input by which the last pass reads it
    ALL_DOFS, SOLUTION, SOLUTION_INPUT = (integer() for _ in range(3))
    # rows: code of the kinds of constraints (address, first, last), their integers and constants
    CODES, INTS, CONSTS = (pointer() for _ in range(3))
    CODE_COUNT = integer()
    # linear forms: (place, first term, last term, input); offset; terms (index), factors
    FORMS, OFFSETS, TERMS, FACTORS = (pointer() for _ in range(4))
    FORM_COUNT = integer()
    # entries of K: its diagonal among the degrees of freedom, others of M, from number FIRST_ROW on
    # those of J.  All but the last are powers (axis, wrench, its point, the axis' point), those are
    # constants
    POWERS, CONSTANTS, ENTRIES, LEVERS = (pointer() for _ in range(4))
    POWER_COUNT, ENTRY_COUNT, FIRST_ROW = (integer() for _ in range(3))
    ARMATURE, RANKS, SCALE, DOF_OF = (pointer() for _ in range(4))  # by degree of freedom
    # known forces: (axis, wrench, its point, the axis' point, rank)
    PUSHES = pointer()
    PUSH_COUNT = integer()
    # results of rows alone (row_loop.py): (axis, its point, wrenches, their point, how many,
    # result, place in it, numbers to the next) and signs of what links add to results; (place,
    # result, place in it, how many) of what is copied
    LINKS, SIGNS, COPIES = (pointer() for _ in range(3))
    LINK_COUNT, COPY_COUNT = (integer() for _ in range(2))
    # kept rows: (rank, place of its value, number among all rows); regularisation; 1 / tolerance
    TARGETS, MU, OPEN = (pointer() for _ in range(3))
    # places of openings, as parts of what counts as closed (Base.opening): squares, then others
    OPENINGS = pointer()
    SQUARE_COUNT, OPENING_COUNT = (integer() for _ in range(2))
    SIGN = double()  # of the value: J x = sign value + prescribed
    CHECK_OPEN = integer()
    LENGTH = double()  # of the machine, m
    # what counts as small, squared: a correction as a part of its unknown; a correction as a part
    # of all of them, weighed, and what is left of an equation as a part of its terms; what is left
    # of the rows.  Inertia that opposes nothing, as a part of all
    TOLERANCE, ROUNDING, LEAST_SQUARES, MASSLESS = (double() for _ in range(4))
    # the factor: start of every column, ranks of its entries, where entries of K and the
    # regularisation go, and where each product of two entries of a column goes
    STARTS, RANK_OF, GOES, DAMPERS, UPDATES = (pointer() for _ in range(5))
    FACTOR_COUNT = integer()
