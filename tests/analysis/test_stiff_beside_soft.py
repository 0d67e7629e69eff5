"""Slow motion beside fast: nothing is zero, at rest or stable because something else is large."""

import numpy as np
import pytest
from mpmath import eig, lu_solve, matrix, mp, mpf, polyroots

import armillary as am
from armillary.errors import InputError
from armillary.scalar import where

G = 9.81


def by_size(roots):
    return sorted((complex(x) for x in roots), key=lambda x: (round(np.log10(abs(x)), 6), x.imag))


def two(m, k, c, coupled):
    """Two masses on a line, each on its spring and damper: side by side, or one on the other."""
    b = am.Builder("two", (0, 0, 0))
    for n, parent in enumerate(("world", "m0" if coupled else "world")):
        own = am.Passive(spring=k[n], viscous=c[n])
        b.body(f"m{n}", parent, "prismatic", axis="x", mass=m[n], passive=own)
    return b.build()


def exact(m, k, c, coupled):
    """Roots of  ((m0 + m1) s² + c0 s + k0) (m1 s² + c1 s + k1) - (m1 s²)²,  with 60 digits."""
    with mp.workdps(60):
        carried = mpf(m[0]) + (mpf(m[1]) if coupled else 0)
        one, other = [carried, mpf(c[0]), mpf(k[0])], [mpf(m[1]), mpf(c[1]), mpf(k[1])]
        whole = [mpf(0)] * 5
        for i, x in enumerate(one):
            for j, y in enumerate(other):
                whole[i + j] += x * y
        whole[0] -= mpf(m[1]) ** 2 if coupled else 0
        return by_size(polyroots(whole, maxsteps=500, extraprec=500))


@pytest.mark.parametrize("k", [1, 4, 7, 9])
@pytest.mark.parametrize("coupled", [False, True])
def test_two_oscillators_of_rates_one_to_a_power_of_ten(k, coupled):
    """Each root to 1e-9 of itself, whichever of the two is the fast one, damped or not."""
    fast, light = 10.0**k, 1e-4
    for stiffness, damping in (
        ((1.0, light * fast**2), (0.0, 0.0)),
        ((1.0, light * fast**2), (0.1, 0.3 * light * fast)),
        ((fast**2, light), (0.0, 0.1 * light)),
        ((1.0, light * fast**2), (0.0, 5.0 * light * fast)),
    ):
        numbers = (1.0, light), stiffness, damping
        found = two(*numbers, coupled).modes()
        roots = by_size(found.eigenvalues)
        np.testing.assert_allclose(roots, exact(*numbers, coupled), rtol=1e-9)
        assert found.zeros == 0 and found.stable


def chain_roots(m, k, c):
    """Of masses on each other, with 60 digits:  M x'' + C x' + K x = 0,  M_ij what both carry."""
    n = len(m)
    with mp.workdps(60):
        M = matrix([[sum(map(mpf, m[max(i, j) :])) for j in range(n)] for i in range(n)])
        A = matrix(2 * n, 2 * n)
        for j in range(n):
            A[j, n + j] = 1
            unit = matrix([mpf(i == j) for i in range(n)])
            own = lu_solve(M, unit)
            for i in range(n):
                A[n + i, j], A[n + i, n + j] = -own[i] * mpf(k[j]), -own[i] * mpf(c[j])
        return sorted(map(complex, eig(A, left=False, right=False)), key=abs)


CHAINS = {  # masses, springs, dampers
    "1 : 4e7": ([1.9e-3, 5.7e-5, 5.6], [3.1, 0.88, 1.2e10], [0.0] * 3),
    "two slow ones": ([2.5e-4, 5.1e-4, 5.7e-3, 2.6e3], [2.0, 41.0, 0.27, 4.1e10], [0.0] * 4),
    "brakes": (
        [1.4e-6, 38.0, 0.13, 2e3, 4.6e-6, 260.0],
        [4e-5, 1.5, 40.0, 2.8e10, 6e3, 0.059],
        [1.4e-3, 1.9e4, 9.7e-4, 7.4e-5, 0.0, 8.9],
    ),
    "fast at the end": (
        [186.67819584783925, 2.724479651422314, 4.660345935536822, 347.1527105102619,
         5.4214651343664456e-06],
        [1136.5730090444233, 8.671782807916743e-06, 0.0009951116878247188, 9.340192661553495e-06,
         620847151.0203595],
        [0.0, 0.0, 0.0, 0.0, 48917.03951758376],
    ),
    "free": ([10.0, 1.2e3, 1.4e-6, 1.1, 9.4e-6, 530.0], [0.0, 1.2e-5, 5e-4, 1.7e8, 6.8e5, 5e10],
             [0.0, 11.0, 0.0, 4.1e-6, 0.0, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_masses_on_each_other_with_all_rates_far_apart(name):
    """What rounding does to each root is less than 1e-6 of it (the roots of A ± its rounding, with
    60 digits); a free chain has two zeros, all others none, and nothing grows."""
    m, k, c = CHAINS[name]
    b, parent = am.Builder("chain", (0, 0, 0)), "world"
    for j in range(len(m)):
        own = am.Passive(spring=k[j], viscous=c[j])
        b.body(f"m{j}", parent, "prismatic", axis="x", mass=m[j], passive=own)
        parent = f"m{j}"
    found = b.build().modes()
    zeros = 0 if k[0] else 2
    assert (found.zeros, found.stable) == (zeros, True)
    roots = [x for x in found.eigenvalues.tolist() if x]
    for want in chain_roots(m, k, c)[zeros:]:
        near = min(roots, key=lambda x: abs(x - want))
        assert near == pytest.approx(want, rel=1e-4)
        roots.remove(near)


def test_a_slow_creep_beside_bodies_that_nothing_holds():
    """Dampers with weak springs between three sliders, and three free ones: what nothing acts on
    takes nothing away from the others."""
    m, springs = [23.0, 6.5, 8e-3, 0.52, 186.0, 6.3], {(2, 4): (0.09, 1.9), (4, 5): (0.027, 741.0)}
    b = am.Builder("net", (0, 0, 0))
    for j, mass in enumerate(m):
        b.body(f"m{j}", joint="prismatic", axis="x", at=(40.0 * j, 0, 0), mass=mass)
    for (i, j), (k, c) in springs.items():
        b.spring(f"s{i}", f"m{i}", f"m{j}", stiffness=k, damping=c, rest=40.0 * (j - i))
    found = b.build().modes()
    one, two, three = (1 / m[j] for j in (2, 4, 5))
    (k0, c0), (k1, c1) = springs.values()
    want = np.polysub(
        np.polymul([1, (one + two) * c0, (one + two) * k0], [1, (two + three) * c1,
                                                            (two + three) * k1]),
        two**2 * np.polymul([c0, k0], [c1, k1]),
    )  # fmt: skip
    roots = sorted(x.real for x in found.eigenvalues if x)
    np.testing.assert_allclose(roots, sorted(np.roots(want).real), rtol=1e-6)
    assert (found.zeros, found.stable) == (8, True)


def clipped(up, **clip):
    """A pendulum of 1 m with a clip of 0.1 g that slides across it."""
    b = am.Builder("clipped")
    b.body("rod", axis="y", mass=0.3, com=(0, 0, 1.0 if up else -1.0))
    b.body("clip", "rod", "prismatic", (0, 0, 0.5 if up else -0.5), axis="x", mass=1e-4,
           passive=am.Passive(**clip))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("clip", [{"viscous": 100.0}, {"spring": 1e11}, {"spring": 1e3}])
def test_a_pendulum_with_a_clip(clip):
    """√(g/l) but for the clip's 1e-4 of the mass: it swings, and upside down it falls."""
    rate = np.sqrt(G * (0.3 + 0.5e-4) / (0.3 + 0.25e-4))
    hanging, standing = (clipped(up, **clip) for up in (False, True))
    (swing,) = (x for x in hanging.modes() if x.kind == "oscillation" and x.natural_frequency < 10)
    assert abs(swing.eigenvalue) == pytest.approx(rate, rel=1e-3)
    found = standing.modes()
    assert not found.stable and found.zeros == 0
    assert found.eigenvalues.real.max() == pytest.approx(rate, rel=1e-3)
    assert standing.equilibrium().stability == "unstable"
    if "spring" in clip:
        assert hanging.modes().stable
        rest = hanging.equilibrium({"rod": 0.4})
        assert rest.stability == "stable"
        assert rest["rod"] == pytest.approx(0.0, abs=1e-12)
        assert rest.stiffness[0] == pytest.approx(G * (0.3 + 0.5e-4), rel=1e-4)


def test_what_falls_is_not_at_rest_because_something_else_is_stiff():
    with pytest.raises(InputError, match="accelerates, most 'rod'"):
        clipped(False, spring=1e11).modes({"rod": 0.5})


def test_two_bodies_on_a_bushing_of_1e11():
    """Free in space: six places and six speeds are exact zeros, whatever the rounding of 1e11 makes
    of them; and the slide of a third body on a soft spring stays."""
    b = am.Builder("bushed", (0, 0, 0))
    b.body("hull", joint="free", mass=2.0, inertia=(0.1, 0.2, 0.3))
    b.body("nose", joint="free", mass=1.0, inertia=(0.2, 0.2, 0.1))
    b.body("slide", "hull", "prismatic", axis="x", mass=1e-3, passive=am.Passive(spring=1e-5))
    place = np.array([0.3, 0.1, 0.5])
    b.frame("flange", "hull", at=tuple(place))
    b.bushing("joint", "flange", "nose", stiffness=np.diag([1e8] * 3 + [1e11] * 3))
    m = b.build()
    for seed in range(3):
        q = m.random_state(seed)[0]
        R, p = m.pose(q, "hull")
        q[m.q_labels.index("slide")] = 0.0
        nose = m.q_labels.index("nose.w")
        q[nose : nose + 7] = [*q[:4], *(p + R @ place)]
        found = m.modes(q)
        assert (found.zeros, found.stable) == (12, True)
        slow = min((x for x in found if x.kind == "oscillation"), key=lambda x: x.frequency)
        mass = 1e-3 * 3.0 / 3.001  # reduced, but for what the turn of the hull adds
        assert abs(slow.eigenvalue) == pytest.approx(np.sqrt(1e-5 / mass), rel=2e-2)
        assert m.equilibrium(q).stability == "neutral"


def tied(seed, joint, rest=1.0):
    """Two arms on a hull, hand in hand by a spring of 1e11 N/m; nothing else holds them."""
    rng = np.random.default_rng(seed)
    b = am.Builder("tied", (0, 0, 0))
    b.body("hull", joint=joint, mass=3.0, com=tuple(rng.normal(size=3) * 0.1),
           inertia=(0.5, 0.6, 0.7, 0.05, 0.02, -0.03))  # fmt: skip
    for k in range(2):
        place, axis = rng.normal(size=(2, 3)).tolist()
        b.body(f"arm{k}", "hull", "revolute", tuple(place), axis=tuple(axis), mass=1.0,
               com=(0.1, 0.2, 0.3), inertia=(0.1, 0.12, 0.08))  # fmt: skip
        b.frame(f"hand{k}", f"arm{k}", at=(0.3, 0.2, 0.1 * k))
    b.spring("tie", "hand0", "hand1", stiffness=1e11, rest=rest)
    return b.build()


@pytest.mark.parametrize(("joint", "seeds"), [
    ("free", range(1, 5)), ("spherical", (2, 4)), ("planar", range(3)), ("revolute", (0, 3)),
])  # fmt: skip
def test_one_stiff_spring_makes_one_oscillation(joint, seeds):
    """The last digit of its length is 1e-5 N: what that pulls at the others is no growth."""
    for seed in seeds:
        m = tied(seed, joint)
        q = m.random_state(seed)[0]
        apart = np.linalg.norm(m.pose(q, "hand0")[1] - m.pose(q, "hand1")[1])
        found = tied(seed, joint, float(apart)).modes(q)
        assert (found.zeros, found.stable) == (2 * m.nv - 2, True)


def test_a_bearing_of_5_khz_beside_a_platform_that_sways():
    b = am.Builder("platform")
    sway = am.Passive(spring=1000.0 * 0.1**2)
    b.body("platform", joint="prismatic", axis="x", mass=1000.0, passive=sway)
    bearing = am.Passive(spring=(2 * np.pi * 5000.0) ** 2)
    b.body("rotor", "platform", "prismatic", axis="z", mass=1.0, passive=bearing)
    m = b.build()
    rest = m.equilibrium()
    assert rest.stability == "stable"
    rates = sorted(abs(x.eigenvalue) for x in m.modes(rest.q))
    np.testing.assert_allclose(rates, [0.1 * np.sqrt(1000 / 1001), 2 * np.pi * 5000], rtol=1e-12)


@pytest.mark.parametrize("stiffness", [1e2, 1e5])
def test_two_masses_on_a_tether_in_orbit(stiffness):
    """The orbit's own rate n, and √3 n of the swing in its plane; four decades above, the rope."""
    strength, r, mass, length = 3.986004418e14, 6.778e6, 50.0, 100.0
    n = np.sqrt(strength / r**3)
    b = am.Builder("tether", (0, 0, 0))
    b.body("angle", axis="z", mass=0.0)
    b.body("radius", "angle", "prismatic", axis="x", mass=0.0)
    b.body("one", "radius", axis="z", mass=mass)
    b.body("two", "one", "prismatic", axis="x", mass=mass)
    for body in ("one", "two"):
        b.point_gravity(f"to {body}", body, strength=strength, mass=mass)
    b.spring("rope", "one", "two", stiffness=stiffness, rest=length)
    m = b.build()
    x = np.array([0.0, 3 * n**2 * mass * length / 2 / stiffness])  # of radius and length

    def off(x):
        q = [0, r - length / 2 + x[0], 0, length + x[1]]
        return m.forward_dynamics(q, [n, 0, 0, 0], np.zeros(4))[[1, 3]]

    for _ in range(4):
        h = np.array([1e-3, 1e-6 * 1e5 / stiffness])
        slopes = [(off(x + d) - off(x - d)) / (2 * d.sum()) for d in np.diag(h)]
        x = x - np.linalg.solve(np.transpose(slopes), off(x))
    found = m.modes([0, r - length / 2 + x[0], 0, length + x[1]], [n, 0, 0, 0])
    rates = sorted(abs(x.eigenvalue) / n for x in found if x.kind == "oscillation")
    np.testing.assert_allclose(rates[:2], [1.0, np.sqrt(3)], rtol=1e-4)
    assert rates[2] == pytest.approx(np.sqrt(2 * stiffness / mass) / n, rel=1e-3)
    assert (len(rates), found.zeros, found.stable) == (3, 2, True)


def test_one_of_a_pair_of_tension_springs_that_hold_a_rod_up():
    """K = m g l - k h²: two parts in a million above or below make it stable or not."""
    weight = 0.3 * G
    for part, stability in ((1 + 2e-6, "stable"), (1 - 2e-6, "unstable")):
        b = am.Builder("balanced")
        b.body("rod", axis="y", mass=0.3, com=(0, 0, 1.0), passive=am.Passive(spring=part * weight))
        b.body("stop", "rod", "prismatic", axis="x", mass=1.0, passive=am.Passive(spring=1e11))
        m = b.build()
        assert m.equilibrium().stability == stability
        assert m.modes().stable == (stability == "stable")


def test_a_law_that_jumps_at_the_place_of_rest():
    """A stop that just touches: on one side of it the spring alone, and not nothing."""
    stop = am.Law(lambda x, v: where(x > 0.0, 400.0 * x, 0.0),
                  lambda x: where(x > 0.0, 200.0 * x * x, 0.0))  # fmt: skip
    b = am.Builder("stopped", (0, 0, 0))
    b.body("mass", joint="prismatic", axis="x", mass=1.0, passive=am.Passive(spring=9.0, law=stop))
    m = b.build()
    (mode,) = m.modes()
    assert abs(mode.eigenvalue) == pytest.approx(3.0, rel=1e-12)
    assert m.equilibrium().stability == "stable"


@pytest.mark.parametrize("off", [1e-18, -1e-18])
def test_a_balanced_wheel_is_neutral_whatever_its_centre_was_rounded_to(off):
    b = am.Builder("wheel")
    b.body("arm", axis="y", mass=1.0, com=(0, 0, -0.5))
    b.body("wheel", "arm", axis="y", at=(0, 0, -1.0), mass=2.0, com=(0, 0, off),
           inertia=(0.1, 0.2, 0.1))  # fmt: skip
    m = b.build()
    found = m.modes()
    assert (found.zeros, found.stable) == (2, True)
    assert m.equilibrium().stability == "neutral"


def test_time_constants_far_apart():
    """Three carts on each other, the lowest without a brake:  λ² - (W11 d1 + W22 d2) λ + d1 d2
    det W = 0,  W the inverse inertia of the brakes:  1/m0 + 1/m1, -1/m1; -1/m1, 1/m1 + 1/m2."""
    b, parent, mass, d = am.Builder("carts", (0, 0, 0)), "world", (10.0, 1e-3, 1.0), (50.0, 1e-9)
    for k, brake in enumerate((0.0, *d)):
        own = am.Passive(viscous=brake)
        b.body(f"cart{k}", parent, "prismatic", axis="x", mass=mass[k], passive=own)
        parent = f"cart{k}"
    one, two, three = (1 / m for m in mass)
    last = d[0] * d[1] * (one * two + one * three + two * three)
    half = ((one + two) * d[0] + (two + three) * d[1]) / 2
    fast = half + np.sqrt(half**2 - last)
    found = am.time_constants(b.build()).coupled
    np.testing.assert_allclose(found, [1 / fast, fast / last, np.inf], rtol=1e-11)
