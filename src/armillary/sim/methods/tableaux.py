"""Integration methods as tables.

k_i = f(t + c_i h, x + h Σ_j a_ij k_j),     x' = x + h Σ_i b_i k_i
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method; rows of `a` below the diagonal."""

    order: int
    c: tuple[float, ...]
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    error: tuple[float, ...] = ()  # weights of the error estimate (adaptive methods)
    dense: tuple[tuple[float, ...], ...] = ()  # weights of σ, σ², ... between the steps


@dataclass(frozen=True)
class Rosenbrock:
    """A linearly implicit method of W type: its order does not need the exact Jacobian J.

    (1 - h γ J) k_i = h f(t + α_i h, x + Σ_j α_ij k_j) + h J Σ_j γ_ij k_j,   x' = x + Σ_i b_i k_i
    """

    order: int
    gamma: float
    alpha: tuple[tuple[float, ...], ...]
    gammas: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]


EXPLICIT = {
    "euler": Tableau(1, (0.0,), ((),), (1.0,)),
    "heun": Tableau(2, (0.0, 1.0), ((), (1.0,)), (0.5, 0.5)),
    # [Swartz1982], c3 = θ' + 2h k2 - h k1 (errata 1-14, 1-15)
    "rk3": Tableau(3, (0.0, 0.5, 1.0), ((), (0.5,), (-1.0, 2.0)), (1 / 6, 2 / 3, 1 / 6)),
    "rk4": Tableau(
        4, (0.0, 0.5, 0.5, 1.0), ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
        (1 / 6, 1 / 3, 1 / 3, 1 / 6),
    ),
    # [Dormand and Prince 1980]; dense output of order 4 [Shampine 1986]
    "dopri5": Tableau(
        5, (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
        (
            (),
            (1 / 5,),
            (3 / 40, 9 / 40),
            (44 / 45, -56 / 15, 32 / 9),
            (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
            (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
            (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
        ),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
        (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
        (
            (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
            (0.0, 0.0, 0.0, 0.0),
            (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933,
             87487479700 / 32700410799),
            (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
            (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408,
             701980252875 / 199316789632),
            (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
            (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
        ),
    ),
}  # fmt: skip

LINEARLY_IMPLICIT = {
    # ROS34PW2 [Rang and Angermann 2005]: order 3, stiffly accurate
    "implicit": Rosenbrock(
        3, 4.3586652150845900e-01,
        (
            (),
            (8.7173304301691801e-01,),
            (8.4457060015369423e-01, -1.1299064236484185e-01),
            (0.0, 0.0, 1.0),
        ),
        (
            (),
            (-8.7173304301691801e-01,),
            (-9.0338057013044082e-01, 5.4180672388095326e-02),
            (2.4212380706095346e-01, -1.2232505839045147e00, 5.4526025533510214e-01),
        ),
        (2.4212380706095346e-01, -1.2232505839045147e00, 1.5452602553351020e00,
         4.3586652150845900e-01),
    ),
}  # fmt: skip
