"""Motions that have a formula."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import armillary as am
from accuracy.comparison import Comparison

G = 9.81


def pendulum():
    """A bar swings from 2 rad: θ = 2 asin(k sn(K - w t, k)), k = sin(θ0 / 2)."""
    mass, arm, moment, start = 1.3, 0.4, 0.07, 2.0
    b = am.Builder("pendulum", (0, 0, -G))
    b.body("bar", axis="y", mass=mass, com=(0, 0, -arm), inertia=(moment, moment, 0.01))
    w = np.sqrt(mass * G * arm / (moment + mass * arm**2))
    m = np.sin(start / 2) ** 2
    period = 4 * ellipk(m) / w
    run = am.simulate(b.build(), [start], [0.0], 2 * period, period / 4000, "rk4", every=100)
    sn = ellipj(ellipk(m) - w * np.asarray(run.time), m)[0]
    return np.asarray(run["q"])[:, 0], 2 * np.arcsin(np.sqrt(m) * sn)


def top():
    """Steady precession of a heavy top: I1 W² cos θ - I3 s W + m g l = 0 gives the rate W at which
    the angular acceleration is W ψ' z × e3 and nothing nutates."""
    mass, arm, across, along, lean, spin = 0.8, 0.06, 0.004, 0.0009, 0.5, 260.0
    b = am.Builder("top", (0, 0, -G))
    about_com = across - mass * arm**2
    b.body("top", joint="spherical", mass=mass, com=(0, 0, arm),
           inertia=(about_com, about_com, along))  # fmt: skip
    c = np.cos(lean)
    W = brentq(lambda x: across * x * x * c - along * spin * x + mass * G * arm, 0.0,
               along * spin / (2 * across * c), xtol=1e-15, rtol=1e-15)  # fmt: skip
    R = np.array([[1, 0, 0], [0, c, -np.sin(lean)], [0, np.sin(lean), c]])
    z, own = np.array([0.0, 0, 1]), spin - W * c  # turning against the precessing frame
    w = R.T @ (W * z + own * R[:, 2])
    q = [np.cos(lean / 2), np.sin(lean / 2), 0, 0]
    # d/dt of the components in the body: the world's derivative, w × w = 0
    expected = R.T @ np.cross(W * z, own * R[:, 2])
    return b.build().forward_dynamics(q, w, np.zeros(3)), expected


def rolling_disc():
    """A disc rolls down a slope: a = g sin / (1 + I / (m r²)), along the slope and in the turn."""
    mass, radius, moment, slope = 2.0, 0.25, 0.09, 0.35
    b = am.Builder("disc", (G * np.sin(slope), 0, -G * np.cos(slope)))
    b.body("disc", joint="free", mass=mass, inertia=(moment / 2, moment, moment / 2))
    b.wheel(am.Wheel("tyre", "disc", radius))
    m = b.build()
    speed = 3.0
    q, v = [1.0, 0, 0, 0, 0, 0, radius], np.array([0, speed / radius, 0, speed, 0, 0])
    found = m.acceleration(q, v, m.forward_dynamics(q, v, np.zeros(6)), "disc")
    a = G * np.sin(slope) / (1 + moment / (mass * radius**2))
    return found, np.array([0, a / radius, 0, a, 0, 0])


def _flat(place):
    return np.array(place)[[0, 2]]


def four_bar():
    """The far pin of the built-in four-bar, which lies in the plane of x and z, by the
    intersection of two circles at 25 crank angles."""
    bars = am.example("four-bar")
    model, (loop,) = bars.model, bars.model.loops
    foot, other, elbow = (_flat(model.body(name).at.position)
                          for name in ("crank", "rocker", "coupler"))  # fmt: skip
    one, two = (np.linalg.norm(_flat(end.pose.position)) for end in (loop.first, loop.second))
    found, expected, side, q = [], [], 0.0, np.array(bars.initial)
    for angle in q[0] + np.linspace(0.0, 0.5, 25):
        q = bars.assemble([angle, *q[1:]], hold=["crank"]).q
        R, p = bars.pose(q, "coupler")
        found.append(_flat(p + R @ np.array(loop.first.pose.position)))
        c, s = np.cos(angle), np.sin(angle)
        A = foot + np.array([[c, -s], [s, c]]) @ elbow
        d = np.linalg.norm(other - A)
        along = (d * d + one**2 - two**2) / (2 * d)
        ex = (other - A) / d
        ey = np.array([-ex[1], ex[0]])
        side = side or np.sign((found[0] - A) @ ey)  # of both intersections that of the start
        expected.append(A + along * ex + side * np.sqrt(one**2 - along**2) * ey)
    return np.array(found), np.array(expected)


def bricard():
    """Five rods of 1 m and 1 kg that fall from the edges of a cube: kinetic energy is what the
    height of their centres gave."""
    m = am.example("bricard")
    run = am.simulate(m, duration=2.0, step=1e-3, method="rk4", every=50)
    q, v = np.asarray(run["q"]), np.asarray(run["v"])
    height = [sum(b.mass.mass * (p + R @ b.mass.com)[1]
                  for b, (R, p) in ((b, m.pose(x, b.name)) for b in m.model.bodies))
              for x in q]  # fmt: skip
    return np.asarray(m.energy(q, v)[0]), -G * (np.array(height) - height[0])


def ladder():
    """Rods of 1 m and 1 kg side by side, upright, their heads at 1 m/s: the energy of all states
    is  (n + 1) (1/6 + g/2) + n (1/2 + g)."""
    n = 4
    m = am.example("four-bar-ladder", n=n)
    v0 = [1.0 if label.startswith("rod") else -1.0 for label in m.v_labels]
    run = am.simulate(m, v0=v0, duration=1.0, step=1e-3, method="rk4", every=50)
    T, V = m.energy(np.asarray(run["q"]), np.asarray(run["v"]))
    return np.asarray(T + V), np.full(len(T), (n + 1) * (1 / 6 + G / 2) + n * (1 / 2 + G))


GROUP = "Closed forms"
CLOSED_FORMS = [
    Comparison(GROUP, "pendulum from 2 rad, two periods (rk4)",
               "Jacobi's elliptic functions (scipy)", 11, pendulum),
    Comparison(GROUP, "heavy top in steady precession: angular acceleration",
               "I1 W² cos θ - I3 s W + m g l = 0", 13, top),
    Comparison(GROUP, "disc that rolls down a slope: accelerations", "g sin / (1 + I / m r²)", 14,
               rolling_disc),
    Comparison(GROUP, "four-bar: place of the pin at 25 crank angles",
               "intersection of two circles", 14, four_bar),
    Comparison(GROUP, "Bricard mechanism (IFToMM), 2 s: kinetic energy",
               "weight times the height it lost", 11, bricard),
    Comparison(GROUP, "four-bars side by side (IFToMM), 1 s: energy",
               "its closed form", 11, ladder),
]  # fmt: skip
