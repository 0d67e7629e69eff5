"""What the native loop over time works on: its kernels by role, its policy, its memory."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.codegen.abi import Slot, Struct, double, integer, pointer, structure

# What each kernel of a run does.  q, v: the state; z: states of controllers and actuators; y, s:
# what steps are made with, q and v themselves unless `carried` is there; θ: a way along the chart.
ROLES = {
    "dynamics": "(q, v, tau, ...) -> a",
    "rate": "(s, θ) -> dθ/dt; without it dθ/dt = s",
    "advance": "(y, θ) -> y moved by θ; without it y + θ",
    "integrate": "(q, dq) -> q moved by a correction; without it q + dq",
    "carried": "(q, v) -> offset, slip of the centre of what a free body carries",
    "to_center": "(q, v, offset, slip) -> y, s",
    "from_center": "(y, s, offset, slip) -> q, v",
    "center_rate": "(q, v, a) -> ds/dt",
    "control": "(q, v, z, time, (tau, command)) -> tau, dz/dt",
    "sample": "(q, v, z, time, which are due, (tau, command) of the next step) -> z",
    "position": "(q, where rows are to be) -> dq back onto the constraints",
    "velocity": "(q, v, how fast rows are to be) -> dv back onto them",
    "wrenches": "(q, v, z, time) -> wrenches on bodies, for the dynamics; a function in Python",
    "pull": "(q, v) -> accelerations of open rows, for the dynamics",
    # of the variational method; the second one of the linearly implicit one, too
    "momenta": "(y, s, tau, ...) -> momenta at both ends of a step with the velocity s",
    "known": "(q, v) -> forces of springs and friction in loops",
    "inertia": "(q) -> M and rows J of the constraints, for s",
    "opening": "(q, where rows are to be) -> how far they are open",
    # of the linearly implicit method; the second one instead of the first where there are
    # constraints or free joints
    "derivatives": "(q, v, tau, ...) -> da/dq, da/dv, da/dtau",
    "slopes": "(q, v) -> those of springs and friction by q and by v, per degree of freedom",
    "pushes": "(q, v, ...) -> forces of force elements along v, whose slopes are differences",
}


@dataclass(frozen=True)
class Policy:
    """When a step that was corrected is taken."""

    corrections: int = 4  # of the position per step, at most
    small: float = 1e-8  # rad or m: after a correction of this size the rest is rounding
    lost: float = 0.1  # share of the velocity that a correction may take
    slow: float = 1e-6  # rad/s or m/s, which it may take in any case


class KernelCall(Struct):
    """One kernel of the loop."""

    CODE = integer()  # address; 0: it is not there
    CONTEXT = pointer()


class Table(Struct):
    """Numbers that are given over time to the dynamics; NUMBERS 0: none."""

    NUMBERS = pointer()
    STAGE = integer()  # numbers from one stage to the next
    STEP = integer()  # numbers from one step to the next
    INPUT = integer()  # which input of the dynamics they are


class Steps(Struct):
    """The context of one call.

    Arrays hold ROWS states side by side, C order: q (ROWS, NQ); v, θ, forces (ROWS, NV); z (ROWS,
    NZ), q, v and z one behind the other; rates one such array per stage."""

    KERNELS = structure(KernelCall, len(ROLES))
    # numbers
    STEPS = integer()  # to take
    DONE = integer()  # taken
    EVERY = integer()  # steps from one entry of the record to the next
    RECORDED = integer()  # steps before this call
    ROWS, NQ, NV, NZ = (integer() for _ in range(4))
    STEP_SIZE = double()
    START = double()  # time at the start
    # the method: an explicit Runge-Kutta table, or v first and then q with the new v; of the
    # variational one stages 0 and 1 are the start and the middle
    STAGES = integer()
    SEMI_IMPLICIT = integer()
    A, B, C = (pointer() for _ in range(3))
    # policy
    CORRECTIONS = integer()
    SMALL, LOST, SLOW = (double() for _ in range(3))
    # the state at the start of a step, of a stage, at the end; y and s of the first two
    Q, V, Z, MOVING_Y, MOVING_S = (pointer() for _ in range(5))
    STAGE_Q, STAGE_V, STAGE_Z, STAGE_Y, STAGE_S = (pointer() for _ in range(5))
    NEW_Q, NEW_V, NEW_Z = (pointer() for _ in range(3))
    RATES_Q, RATES_V, RATES_Z = (pointer() for _ in range(3))
    THETA, ZERO, TIME, FORCE, ACCELERATION, OFFSET, SLIP = (pointer() for _ in range(7))
    # of the variational method, with CONSTRAINED rows of the constraints: matrices M, its factors
    # (ROWS, NV, NV), J, S⁻¹ Jᵀ, J S⁻¹ Jᵀ and its inverse; vectors along v; vectors of forces of
    # rows; numbers of the joints (NV)
    CONSTRAINED = integer()
    INERTIA, FACTOR, JACOBIAN, LIFT, GRAM, INVERSE = (pointer() for _ in range(6))
    XI, BEGIN, MOMENTUM, END_MOMENTUM, CHANGE, TRIAL, KNOWN, TOTAL = (pointer() for _ in range(8))
    AT_REST = pointer()  # momentum of a mechanism at rest on its base
    MOVING_BASE = integer()
    PUSH, OPENING, MORE, KEPT = (pointer() for _ in range(4))
    CHANGED = pointer()  # (ROWS): size of the last change of ξ; -1: it has converged
    SPRING, DAMPER, COLUMNS, COUNTED = (pointer() for _ in range(4))
    JOINTED = pointer()  # 0 where a free body drifts, else 1
    # of the linearly implicit method, with γ and γ_ij: the factors of 1 - h γ J (ROWS, N, N),
    # N = 2 NV + NZ UNKNOWNS, the order of its rows (ROWS, N), a right-hand side (N); derivatives of
    # the accelerations (ROWS, NV, NV) and of the controllers (ROWS, NV + NZ, N); forces and rates
    # of two states near by
    GAMMA = double()
    UNKNOWNS = integer()
    GAMMAS, IMPLICIT, ORDER, RIGHT, BEND_Q, BEND_V, BEND_Z = (pointer() for _ in range(7))
    BY_Q, BY_V, BY_TAU, BY_STATE, KICK, MOVE, NEAR, NOTHING = (pointer() for _ in range(8))
    # of the exponential method: h A, φ₁ and φ₂ of it (ROWS, N, N), N = 2 NV UNKNOWNS; a product
    # of two of them, and of one with a vector (N)
    FROZEN, PHI_1, PHI_2, SQUARE, ADDED = (pointer() for _ in range(5))
    BALLS = pointer()  # where in v the turns of joints with quaternions begin (BALL_COUNT)
    BALL_COUNT = integer()
    # what is given over time
    TAU, WRENCH, DRIVE = (structure(Table) for _ in range(3))
    PULL = pointer()  # accelerations of open rows (ROWS, rows of the constraints)
    PULL_INPUT = integer()  # which input of the dynamics they are
    PLACE = pointer()  # of rows of the constraints after every step, for `position`
    SPEED = pointer()  # theirs, for `velocity`
    MOTION_STEP = integer()  # numbers of these two from one step to the next
    DUE = pointer()  # (STEPS + 1, DUE_WIDTH): is `sample` called after step k; the rest goes to it
    DUE_WIDTH = integer()
    # the record; 0: none
    OUT_Q, OUT_V, OUT_Z, OUT_A, OUT_TAU = (pointer() for _ in range(5))
    OUT_ROWS = integer()  # rows of the record, which may be more than ROWS

    @classmethod
    def kernel(cls, role: str) -> Slot:
        return cls.KERNELS.at(list(ROLES).index(role))
