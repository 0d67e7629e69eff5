"""The Magic Formula against a second writing of it in numpy, numbers of another program, its own
limits; property files."""

import numpy as np
import pytest
from wheels import BOOK, MF, MODELS, near, slip

import armillary as am

# kappa, alpha, gamma, F_z, F_x, F_y, M_y: numbers of the library teasit/magic-formula-tyre-library
# (commit e9f0354, MF 6.1) with the coefficients of the book, as published in the golden files of
# the repository KMoula30/outlap, crates/outlap-tire/tests/golden/pacejka_2006_205_60r15.  That
# library takes the angle α for tan α in F_y at pure slip, and no s F_x in M_z there.
OTHERS = [
    (-0.3, 0.0, 0.0, 2000, -2267.63603, -118.6843526, -6.26),
    (0.045, 0.0, 0.0, 6000, 5130.26066, 122.0806667, -18.78),
    (-0.03, 0.0, 0.0, 8000, -5666.752293, 123.514859, -25.04),
    (0.0, -0.21, -0.06981317008, 2000, -30.04203835, 2423.536528, -6.26),
    (0.0, 0.063, -0.06981317008, 2000, -81.86027374, -1288.676363, -6.26),
    (0.0, -0.0735, 0.0, 2000, -84.02632368, 1648.708949, -6.26),
    (0.0, 0.021, 0.06981317008, 2000, -107.5221535, -639.7008008, -6.26),
    (0.0, 0.1155, 0.06981317008, 2000, -54.26142107, -2039.879403, -6.26),
    (0.0, 0.042, 0.0, 4000, -143.1309805, -1787.245403, -12.52),
    (-0.25, -0.17, -0.06981317008, 4000, -3563.509474, 2426.077379, -12.52),
    (-0.1, 0.034, -0.06981317008, 4000, -4386.012507, -1073.347447, -12.52),
    (0.05, -0.102, -0.06981317008, 4000, 2166.228198, 3663.218298, -12.52),
    (0.15, 0.068, -0.06981317008, 4000, 4261.789585, -1606.203214, -12.52),
    (-0.15, 0.136, 0.06981317008, 4000, -3300.901057, -3095.014323, -12.52),
    (-0.05, -0.034, 0.06981317008, 4000, -3393.623227, 1078.17774, -12.52),
    (-0.2, 0.17, 0.06981317008, 4000, -3235.92676, -2807.291106, -12.52),
]


@pytest.mark.parametrize("row", OTHERS)
def test_numbers_of_another_program(row):
    kappa, alpha, gamma, fz, fx, fy, my = row
    s = slip(kappa, alpha, gamma, fz, speed=16.67 / (1.0 + kappa))
    found = MF.steady(s)
    near(found[0], fx, 1e-9, fz)
    near(MF.moments(s, *found)[1], my, 1e-9)
    near(found[1], fy, 2e-3, fz)
    if kappa == 0.0:  # with their slip
        near(MF.steady(slip(kappa, np.arctan(alpha), gamma, fz))[1], fy, 1e-9, fz)


# -- the formulae once more, over arrays -----------------------------------------------------------


def oracle(c, version, kappa, alpha, gamma, fz, mu=1.0):
    """F_x, F_y, M_x, M_z after Pacejka 2006, section 4.3.2 (4.E1-4.E78), coefficient by
    coefficient; all of them present."""
    p = dict.fromkeys(COEFFICIENTS, 0.0) | {"PKY4": 2.0, "RCX1": 1.0, "RCY1": 1.0} | c
    new = version == "6.1"
    a = np.tan(alpha) if new else alpha
    g = np.sin(gamma) if new else gamma
    fz0, r0 = p["FNOMIN"], p["UNLOADED_RADIUS"]
    df = (fz - fz0) / fz0
    at, sg = np.arctan, np.sign

    def curve(B, C, D, E, x):
        return D * np.sin(C * at(B * x - E * (B * x - at(B * x))))

    def bell(B, C, E, x):
        return np.cos(C * at(B * x - E * (B * x - at(B * x))))

    # longitudinal
    kx = kappa + p["PHX1"] + p["PHX2"] * df
    mux = (p["PDX1"] + p["PDX2"] * df) * (1 - p["PDX3"] * g**2) * mu
    Kx = fz * (p["PKX1"] + p["PKX2"] * df) * np.exp(p["PKX3"] * df)
    Ex = (p["PEX1"] + p["PEX2"] * df + p["PEX3"] * df**2) * (1 - p["PEX4"] * sg(kx))
    Bx = Kx / (p["PCX1"] * mux * fz)
    fx0 = curve(Bx, p["PCX1"], mux * fz, np.minimum(Ex, 1), kx)
    fx0 = fx0 + fz * (p["PVX1"] + p["PVX2"] * df) * mu
    Bxa = (p["RBX1"] + (p["RBX3"] * g**2 if new else 0)) * np.cos(at(p["RBX2"] * kappa))
    Exa = np.minimum(p["REX1"] + p["REX2"] * df, 1)
    fx = fx0 * bell(Bxa, p["RCX1"], Exa, a + p["RHX1"]) / bell(Bxa, p["RCX1"], Exa, p["RHX1"])
    # lateral
    Ky = p["PKY1"] * fz0 * (1 - p["PKY3"] * abs(g))
    Ky = Ky * np.sin(p["PKY4"] * at(fz / (fz0 * (p["PKY2"] + p["PKY5"] * g**2))))
    svg = fz * (p["PVY3"] + p["PVY4"] * df) * g * mu
    sv = fz * (p["PVY1"] + p["PVY2"] * df) * mu + svg
    sh = p["PHY1"] + p["PHY2"] * df
    sh = sh + ((fz * (p["PKY6"] + p["PKY7"] * df) * g - svg) / Ky if new else p["PHY3"] * g)
    ay = a + sh
    muy = (p["PDY1"] + p["PDY2"] * df) * (1 - p["PDY3"] * g**2) * mu
    Ey = 1 + (p["PEY5"] * g**2 if new else 0) - (p["PEY3"] + p["PEY4"] * g) * sg(ay)
    Ey = np.minimum((p["PEY1"] + p["PEY2"] * df) * Ey, 1)
    By = Ky / (p["PCY1"] * muy * fz)
    fy0 = curve(By, p["PCY1"], muy * fz, Ey, ay) + sv
    Byk = p["RBY1"] + (p["RBY4"] * g**2 if new else 0)
    Byk = Byk * np.cos(at(p["RBY2"] * (a - p["RBY3"])))
    Eyk, shk = np.minimum(p["REY1"] + p["REY2"] * df, 1), p["RHY1"] + p["RHY2"] * df
    G = bell(Byk, p["RCY1"], Eyk, kappa + shk) / bell(Byk, p["RCY1"], Eyk, shk)
    dvk = muy * fz * (p["RVY1"] + p["RVY2"] * df + p["RVY3"] * g) * np.cos(at(p["RVY4"] * a))
    svk = dvk * np.sin(p["RVY5"] * at(p["RVY6"] * kappa))
    fy = G * fy0 + svk
    # aligning
    sht = p["QHZ1"] + p["QHZ2"] * df + (p["QHZ3"] + p["QHZ4"] * df) * g
    shr = sh + sv / Ky
    ratio = Kx / Ky * kappa

    def equal(x):
        if new:
            return np.sqrt(x**2 + ratio**2) * np.where(x < 0, -1, 1)
        return at(np.sqrt(np.tan(x) ** 2 + ratio**2)) * np.where(x < 0, -1, 1)

    Bt = (p["QBZ1"] + p["QBZ2"] * df + p["QBZ3"] * df**2) / mu
    Dt = fz * (p["QDZ1"] + p["QDZ2"] * df) * r0 / fz0
    if new:
        Bt, Dt = (
            Bt * (1 + p["QBZ5"] * abs(g) + p["QBZ6"] * g**2),
            Dt * (1 + p["QDZ3"] * abs(g) + p["QDZ4"] * g**2),
        )
    else:
        Bt, Dt = (
            Bt * (1 + p["QBZ4"] * g + p["QBZ5"] * abs(g)),
            Dt * (1 + p["QDZ3"] * g + p["QDZ4"] * g**2),
        )
    Et = p["QEZ1"] + p["QEZ2"] * df + p["QEZ3"] * df**2
    Et = Et * (1 + (p["QEZ4"] + p["QEZ5"] * g) * 2 / np.pi * at(Bt * p["QCZ1"] * (a + sht)))
    trail = Dt * bell(Bt, p["QCZ1"], np.minimum(Et, 1), equal(a + sht)) * np.cos(alpha)
    Br = p["QBZ9"] / mu + p["QBZ10"] * By * p["PCY1"]
    Dr = p["QDZ6"] + p["QDZ7"] * df + (p["QDZ8"] + p["QDZ9"] * df) * g
    Dr = Dr + ((p["QDZ10"] + p["QDZ11"] * df) * g * abs(g) if new else 0)
    rest = fz * r0 * mu * Dr * np.cos(at(Br * equal(a + shr))) * np.cos(alpha)
    s = r0 * (p["SSZ1"] + p["SSZ2"] * fy / fz0 + (p["SSZ3"] + p["SSZ4"] * df) * g)
    mz = -trail * (fy - svk) + rest + s * fx
    mx = p["QSX1"] - p["QSX2"] * g + p["QSX3"] * fy / fz0
    if new:
        bend = np.cos(p["QSX5"] * at((p["QSX6"] * fz / fz0) ** 2))
        mx = mx + p["QSX4"] * bend * np.sin(p["QSX7"] * g + p["QSX8"] * at(p["QSX9"] * fy / fz0))
        mx = mx + p["QSX10"] * at(p["QSX11"] * fz / fz0) * g
    return fx, fy, r0 * fz * mx, mz


COEFFICIENTS = [
    name
    for head, count in (
        ("PCX", 1), ("PDX", 3), ("PEX", 4), ("PKX", 3), ("PHX", 2), ("PVX", 2), ("RBX", 3),
        ("RCX", 1), ("REX", 2), ("RHX", 1), ("PCY", 1), ("PDY", 3), ("PEY", 5), ("PKY", 7),
        ("PHY", 3), ("PVY", 4), ("RBY", 4), ("RCY", 1), ("REY", 2), ("RHY", 2), ("RVY", 6),
        ("QBZ", 10), ("QCZ", 1), ("QDZ", 11), ("QEZ", 5), ("QHZ", 4), ("SSZ", 4), ("QSX", 11),
    )
    for name in (f"{head}{k + 1}" for k in range(count))
]  # fmt: skip


@pytest.mark.parametrize("version", ["5.2", "6.1"])
def test_against_a_second_writing(version):
    """At random slips, cambers, loads and frictions, with every coefficient in play."""
    rng = np.random.default_rng(5)
    full = {n: BOOK.get(n, 0.0) + rng.uniform(-0.02, 0.02) for n in COEFFICIENTS} | {
        n: BOOK[n] for n in ("FNOMIN", "UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "LONGVL")
    }
    full |= {"PKY4": 1.9, "RCX1": 1.1, "RCY1": 1.05}
    tyre = am.tyres.MagicFormula.of(full, version)
    for kappa, alpha, gamma, fz, mu in rng.uniform(
        (-0.6, -0.4, -0.12, 500, 0.3), (0.6, 0.4, 0.12, 9000, 1.2), (60, 5)
    ):
        s = slip(kappa, alpha, gamma, fz, mu)
        fx, fy = tyre.steady(s)
        mx, _, mz = tyre.moments(s, fx, fy)
        near((fx, fy, mx, mz), oracle(full, version, kappa, alpha, gamma, fz, mu), 1e-9, fz)


@pytest.mark.parametrize("name", ["magic formula", "magic formula 5.2"])
def test_limits(name):
    """Slopes at no slip are K_x and K_y; peaks are D; no load, no force; no 0/0 anywhere."""
    c = {k: x for k, x in BOOK.items() if not k.startswith(("PH", "PV", "RH", "RV"))}
    tyre = am.tyres.MagicFormula.of(c, MODELS[name].version)
    kx, ky = tyre.slopes(4000.0, 0.0, 1.0)
    h = 1e-6
    near(tyre.steady(slip(h))[0] / h, kx, 1e-4)
    near(-tyre.steady(slip(0.0, h))[1] / h, ky, 1e-4)
    near(ky, 14.95 * 4000.0 * np.sin(2.0 * np.arctan(1.0 / 2.130)), 1e-12)
    peak = max(tyre.steady(slip(k))[0] for k in np.linspace(0, 0.4, 4001))
    near(peak, 1.21 * 4000.0, 1e-6)
    for mu in (0.0, 1.0):
        s = slip(0.1, 0.1, 0.05, 0.0, mu)
        assert np.abs([*tyre.steady(s), *tyre.moments(s, 0.0, 0.0)]).max() < 1e-9
    forces = tyre.steady(slip(0.1, 0.1, 0.05, 4000.0, 0.0))
    assert np.abs(forces).max() < 1e-6


# -- property files --------------------------------------------------------------------------------

TIR = """$--------------------- a made-up file in the layout of property files
[MDI_HEADER]
FILE_TYPE     = 'tir'
FILE_VERSION  = 3.0   ! of the layout
[UNITS]
LENGTH = 'mm'
FORCE  = 'newton'
ANGLE  = 'radians'
TIME   = 'second'
[MODEL]
FITTYP = 6            $Magic Formula 5.2
LONGVL = 16670
[DIMENSION]
UNLOADED_RADIUS = 313 $free radius
WIDTH = 205
[VERTICAL]
VERTICAL_STIFFNESS = 2.1D+2
VERTICAL_DAMPING = 0.05
FNOMIN = 4000
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.685
PDX1 = 1.21
PKX1 = 21.51
[LATERAL_COEFFICIENTS]
PCY1 = 1.193
PDY1 = -0.99
pky1 = -14.95
PKY2 = 2.13
PTX1 = 2.0
PTY1 = 2.5
PTY2 = 1.5
FROBNICATE = 3.0
"""


def _tir(tmp_path, text):
    path = tmp_path / "tyre.tir"
    path.write_text(text)
    return path


def test_a_property_file(tmp_path):
    """Sections, comments, units, either case; what is not known is told, in the report too."""
    tyre = am.tyres.read_tir(_tir(tmp_path, TIR))
    c = tyre.coefficients
    assert (tyre.version, tyre.stiffness, tyre.damping) == ("5.2", 2.1e5, 50.0)
    assert (c["UNLOADED_RADIUS"], c["PKY1"], c["LONGVL"]) == (0.313, -14.95, 16.67)
    near(tyre.relaxation_x, 2.0 * 0.313, 1e-12)
    near(tyre.relaxation_y, 2.5 * np.sin(2 * np.arctan(1 / 1.5)) * 0.313, 1e-12)
    line = TIR.splitlines().index("FROBNICATE = 3.0") + 1
    assert f"tyre.tir: unknown key: FROBNICATE (line {line})" in tyre.notes
    assert any("WIDTH" in note and "not used" in note for note in tyre.notes)
    b = am.Builder("w")
    b.body("hub", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.tyre("t", "hub", model=tyre)
    m = b.build()
    assert m.model.elements[0].law.radius == 0.313
    assert "FROBNICATE" in str(m.report)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("PKX1 = 21.51", ""), "PKX1 are missing"),
        (("FITTYP = 6 ", "FITTYP = 3 "), "FITTYP = 3 is not read"),
        (("'mm'", "'furlong'"), "LENGTH = 'furlong'"),
        (("'radians'", "'degree'"), "ANGLE = 'degree'"),
        (("PCX1 = 1.685", "PCX1 = x"), "PCX1: expected a number"),
        (("PCX1 = 1.685", "PCX1 = nan"), "PCX1: expected a finite number"),
        (("PCX1 = 1.685", "PCX1 1.685"), "expected KEY = value"),
        (("PCX1 = 1.685", "PCX1 = 1.6\nPCX1 = 1.7"), "stands here and in line"),
        (("FNOMIN = 4000", "FNOMIN = -4"), "FNOMIN is -4"),
        (("= 2.1D+2", "= 0"), "stiffness is 0"),
    ],
)
def test_wrong_property_files(tmp_path, change, said):
    with pytest.raises(am.FormatError, match=said):
        am.tyres.read_tir(_tir(tmp_path, TIR.replace(*change)))


def test_missing_coefficients():
    with pytest.raises(am.ModelError, match="PDX1, PKX1"):
        am.tyres.MagicFormula.of({k: x for k, x in BOOK.items() if k not in ("PDX1", "PKX1")})
