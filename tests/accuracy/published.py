"""Numbers that others have printed: a test set for integrators, a bicycle, a robot, theses."""

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

import armillary as am
from accuracy.comparison import Comparison
from seeds.cases import case, columns, serial, table

# -- Andrews' squeezer: [Hairer, Wanner, Solving ODEs II, VII.7] and the test set for IVP solvers --

XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA, L0, SS = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.07785, 0.035
SA, SB, SC, SD, TA, TB = 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
U, UA, UB, ZF, ZT, FA, MOM, C0 = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421, 0.033, 4530.0
# beta, theta, gamma, phi, delta, omega, epsilon
SQUEEZER_START = [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
                  0.487364979543842550, -0.222668390165885885, 1.23054744454982119]  # fmt: skip
SQUEEZER_END = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                0.5244099658805304, 0.5347301163226948, 1.048080741042263]  # fmt: skip
SQUEEZER_FIRST = [14222.4439199541138706, -10666.8329399655854029, 0, 0, 0, 0, 0]


def squeezer() -> am.Mechanism:
    """Seven bodies in a plane, three loops; angles as in the source, the second of each pair
    relative to the first.  No weight; the spring is a torque about B (see `spring`)."""
    b = am.Builder("squeezer", (0, 0, 0))
    flat = {"joint": "revolute", "axis": "z"}

    def link(name, parent, at, mass, com, moment):
        b.body(name, parent, at=(*at, 0.0), mass=mass, com=(*com, 0.0),
               inertia=(moment, moment, moment), **flat)  # fmt: skip

    link("k1", "world", (0.0, 0.0), 0.04325, (RA, 0.0), 2.194e-6)
    link("k2", "k1", (RR, 0.0), 0.00365, (-DA, 0.0), 4.410e-7)
    link("k3", "world", (XB, YB), 0.02373, (SA, SB), 5.255e-6)
    link("k5", "world", (XA, YA), 0.07050, (TA, TB), 1.169e-5)
    link("k4", "k5", (ZT, 0.0), 0.00706, (0.0, EA - E), 5.667e-7)
    link("k7", "world", (XA, YA), 0.05498, (UA, UB), 1.912e-5)
    link("k6", "k7", (0.0, -U), 0.00706, (ZF - FA, 0.0), 5.667e-7)
    ends = {"k2": (-D, 0.0), "k3": (0.0, -SS), "k4": (0.0, -E), "k6": (ZF, 0.0)}
    for body, place in ends.items():
        b.frame(f"{body}-end", body, (*place, 0.0))
    for body in ("k3", "k4", "k6"):
        b.loop(f"pin-{body}", "k2-end", f"{body}-end", "revolute", axis="z")
    return b.build()


ORDER = ("k1", "k2", "k3", "k4", "k5", "k6", "k7")  # of the source's coordinates


def spring(gamma: float) -> float:
    """Torque about B of the spring from C to D."""
    c, s = np.cos(gamma), np.sin(gamma)
    x, y = SD * c + SC * s + XB - XC, SD * s - SC * c + YB - YC
    length = np.hypot(x, y)
    pull = -C0 * (length - L0) / length
    return pull * (x * (SC * c - SD * s) + y * (SD * c + SC * s))


def squeezer_rate():
    m = squeezer()
    place = [m.v_labels.index(name) for name in ORDER]

    def accelerations(q, v):
        q_own, v_own, tau = (np.zeros(7) for _ in range(3))
        q_own[place], v_own[place] = q, v
        tau[place[0]], tau[place[2]] = MOM, spring(q[2])
        return m.forward_dynamics(q_own, v_own, tau)[place]

    return accelerations


def squeezer_first():
    return squeezer_rate()(np.array(SQUEEZER_START), np.zeros(7)), np.array(SQUEEZER_FIRST)


def squeezer_end():
    accelerations = squeezer_rate()
    run = solve_ivp(lambda t, x: np.concatenate([x[7:], accelerations(x[:7], x[7:])]),
                    (0.0, 0.03), [*SQUEEZER_START, *np.zeros(7)], "DOP853", rtol=1e-12,
                    atol=1e-12)  # fmt: skip
    return run.y[:7, -1], np.array(SQUEEZER_END)


# -- the benchmark bicycle: [Meijaard et al. 2007, table 2] ---------------------------------------

EIGENVALUES = {  # forward speed, m/s: roots, 1/s
    0.0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
    5.0: [-14.07838969279822, -0.77534188219585 - 4.46486771378823j,
          -0.77534188219585 + 4.46486771378823j, -0.32286642900409],
    10.0: [-24.62459635017404, -3.72016840437287 - 10.90681139476287j,
           -3.72016840437287 + 10.90681139476287j, 0.16105338653172],
}  # fmt: skip


class Bicycle:
    """Lean, steer and their rates as the state; everything else follows from the constraints."""

    def __init__(self):
        self.m = am.example("bicycle")
        rows, labels = self.m.constraint_rows, self.m.v_labels
        self.normals = [k for k, row in enumerate(rows) if row.endswith("normal")]
        self.steer, self.wheel = labels.index("steer"), labels.index("rear-wheel")
        self.steer_q = self.m.q_labels.index("steer")

    def place(self, lean: float, steer: float):
        """q with both wheels on the ground: pitch and height by Newton's method; the pitch."""
        x = np.array([0.0, self.m.initial[6]])

        def at(x):
            q = np.array(self.m.initial)
            a, b = (np.array([np.cos(h), np.sin(h)]) for h in (lean / 2, x[0] / 2))
            q[:4] = a[0] * b[0], a[1] * b[0], a[0] * b[1], a[1] * b[1]  # about x, then about y
            q[6], q[self.steer_q] = x[1], steer
            return q

        def gap(x):
            return self.m.constraint_residual(at(x))[self.normals]

        slope = np.array([(gap(x + h) - gap(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]).T
        for _ in range(5):
            x = x - np.linalg.solve(slope, gap(x))
        return at(x), x[0]

    def accelerations(self, state, speed: float):
        """(lean'', steer'') at (lean, steer, lean', steer') and a speed of the rear wheel."""
        lean, steer, lean_rate, steer_rate = state
        q, pitch = self.place(lean, steer)
        c, s = np.cos(pitch), np.sin(pitch)
        given = np.zeros((3, self.m.nv))
        given[0, 0], given[0, 2] = c, s  # lean' from the angular velocity in the frame
        given[1, self.steer] = given[2, self.wheel] = 1.0
        J = np.vstack([self.m.constraint_jacobian(q), given])
        v = np.linalg.solve(J, [*np.zeros(len(J) - 3), lean_rate, steer_rate, speed / 0.3])
        a = self.m.forward_dynamics(q, v, np.zeros(self.m.nv))
        level = np.array([c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]])
        pitch_rate = level[1] - np.tan(lean) * level[2]
        return np.array([c * a[0] + s * a[2] + pitch_rate * level[2], a[self.steer]])


def bicycle():
    """Roots of the motion linearised by differences along the constraints, steps 2h and h."""
    found, bike = [], Bicycle()
    for speed in EIGENVALUES:
        A = np.zeros((4, 4))
        A[:2, 2:] = np.eye(2)
        for k, unit in enumerate(np.eye(4)):
            slopes = [(bike.accelerations(h * unit, speed) - bike.accelerations(-h * unit, speed))
                      / (2 * h) for h in (2e-3, 1e-3, 5e-4)]  # fmt: skip
            one, two = ((4 * b - a) / 3 for a, b in pairwise(slopes))
            A[2:, k] = (16 * two - one) / 15
        found.append(np.sort_complex(np.linalg.eigvals(A).astype(complex)))
    return np.array(found), np.array([np.sort_complex(x) for x in EIGENVALUES.values()])


# -- Puma 560: [Corke, Robotics, Vision and Control, 9.2; Armstrong, Khatib, Burdick 1986] --------

PUMA = [  # d, a, alpha; mass, centre, moments xx yy zz; motor inertia, gear
    (0.0, 0.0, np.pi / 2, 0.0, (0, 0, 0), (0, 0.35, 0), 200e-6, -62.6111),
    (0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815),
    (0.15005, 0.0203, -np.pi / 2, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125), 200e-6,
     -53.7063),
    (0.4318, 0.0, np.pi / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364),
    (0.0, 0.0, -np.pi / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923),
    (0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686),
]  # fmt: skip
NOMINAL = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
PUMA_GRAVITY = [0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0]
PUMA_INERTIA = [[3.6594, -0.4044, 0.1006, -0.0025, 0.0, 0.0],
                [-0.4044, 4.4137, 0.3509, 0.0, 0.0024, 0.0],
                [0.1006, 0.3509, 0.9378, 0.0, 0.0015, 0.0],
                [-0.0025, 0.0, 0.0, 0.1925, 0.0, 0.0],
                [0.0, 0.0024, 0.0015, 0.0, 0.1713, 0.0],
                [0.0, 0.0, 0.0, 0.0, 0.0, 0.1941]]  # fmt: skip


def puma() -> am.Mechanism:
    """Distal Denavit-Hartenberg frames: joint k turns about z of frame k - 1."""
    b = am.Builder("puma560", (0, 0, -9.81), checks="report")
    parent, at = "world", am.Pose()
    for k, (d, a, alpha, mass, com, moments, motor, gear) in enumerate(PUMA):
        # the body stands on its joint; the tabulated frame lies at (a, 0, d), turned by alpha
        c, s = np.cos(alpha), np.sin(alpha)
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        place = np.array([a, 0, d]) + turn @ np.array(com, float)
        I = turn @ np.diag(moments) @ turn.T
        b.body(f"link{k + 1}", parent, "revolute", at, axis="z", mass=mass, com=tuple(place),
               inertia=(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]),
               rotor=am.Rotor(inertia=motor, gear=abs(gear)))  # fmt: skip
        parent = f"link{k + 1}"
        at = am.Pose((a, 0.0, d), tuple(map(tuple, turn.tolist())))
    return b.build()


def puma_gravity():
    return puma().gravity_forces(NOMINAL), np.array(PUMA_GRAVITY)


def puma_inertia():
    return puma().mass_matrix(NOMINAL), np.array(PUMA_INERTIA)


# -- theses, recorded to 12 digits in tests/data/seeds ---------------------------------


def stanford():
    recorded = case("000_stanford_inverse_dynamics")
    q, v, a = (np.array(recorded.problem[name], float) for name in ("q", "qd", "qdd"))
    arm = serial("stanford", recorded.problem)
    return arm.inverse_dynamics(q, v, a), recorded["tau"]


def four_links():
    m, data = am.example("four-link-closed"), table("000_four_link_closed_reference")
    q, v, a = (columns(data, *(f"{x}{k}" for k in range(1, 5))) for x in ("q", "qd", "qdd"))
    return m.forward_dynamics(q, v, np.zeros_like(v)), a


def platform():
    m = am.example("hslm")
    a = m.forward_dynamics(m.initial, np.zeros(m.nv), np.zeros(m.nv))
    down = case("000_hslm")["reference member downward acceleration, no joint forces"]
    return a[[4]], np.array([-down])


def six_axes():
    """Joint forces and free accelerations of the six-revolute arm."""
    recorded = case("001_synthetic_6r")
    given, arm = recorded["inverse arm: q,qd,qdd -> tau"], am.example("six-r")
    q, v, a = (np.array(given[name]) for name in ("q", "qd", "qdd"))
    free = recorded["forward arm: tau=0 -> qdd"]
    ours = [arm.inverse_dynamics(q, v, a), arm.forward_dynamics(q, v, np.zeros(6))]
    return np.array(ours), np.array([given["tau"], free])


def swing():
    """Two rods that fall, integrated with rk4."""
    data = case("003_two_link_arm").problem["numeric_instance_not_from_seed"]
    b, at, parent = am.Builder("arm", (0.0, -data["g"], 0.0)), 0.0, "world"
    for k in ("1", "2"):
        m, l = data["m" + k], data["l" + k]
        b.body("link" + k, parent, "revolute", (at, 0, 0), axis="z", mass=m, com=(l / 2, 0, 0),
               inertia=(0.0, m * l**2 / 12, m * l**2 / 12))  # fmt: skip
        parent, at = "link" + k, l
    recorded = table("003_two_link_free_swing")
    times = recorded["t"]
    run = am.simulate(b.build(), [0.3, 0.5], duration=float(times[-1]), step=1e-4, every=1000)
    return np.asarray(run["q"]), columns(recorded, "th1", "th2")


GROUP = "Published numbers"
PUBLISHED = [
    Comparison(GROUP, "Andrews' squeezer: first accelerations",
               "Hairer & Wanner II, VII.7; Test Set for IVP Solvers", 13, squeezer_first),
    Comparison(GROUP, "Andrews' squeezer: angles after 0.03 s (DOP853 of scipy)",
               "Test Set for IVP Solvers, reference solution by PSIDE", 9, squeezer_end),
    Comparison(GROUP, "Whipple's bicycle at 0, 5 and 10 m/s: roots of lean and steer",
               "Meijaard, Papadopoulos, Ruina, Schwab 2007, table 2", 12, bicycle),
    Comparison(GROUP, "Puma 560, nominal pose: gravity torques (all 4 decimals)",
               "Robotics Toolbox (Corke), data of Armstrong et al. 1986", 5, puma_gravity),
    Comparison(GROUP, "Puma 560, nominal pose: mass matrix with rotors (all 4 decimals)",
               "Robotics Toolbox (Corke)", 4, puma_inertia),
    Comparison(GROUP, "Stanford arm: joint forces", "van der Merwe 1995, 4.62", 12, stanford),
    Comparison(GROUP, "arm of six revolutes: joint forces and free accelerations",
               "Swartz 1982, eqs 1-26, synthetic data", 10, six_axes),
    Comparison(GROUP, "planar arm of two rods, free swing (rk4)",
               "recorded motion of the closed form", 9, swing),
    Comparison(GROUP, "four links with a pinned tip, 10 s: accelerations",
               "van der Merwe 1995, chapter 5, recorded motion", 9, four_links),
    Comparison(GROUP, "platform on three legs: fall", "van der Merwe 1995, 8.2.1", 11, platform),
]  # fmt: skip
