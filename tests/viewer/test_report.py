"""Reports: the numbers in them are the library's, and nothing in them runs or is fetched."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError

RECORD = ("q", "v", "tau", "energy", "reactions", "constraint_forces")


class Page(HTMLParser):
    """Tables as lists of rows, headings, and every tag and attribute."""

    def __init__(self, path):
        super().__init__()
        self.tables, self.tags, self.attributes, self.heads, self.text = [], set(), [], [], ""
        self._cell = self._head = None
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = ""
        elif tag in ("h1", "h2"):
            self._head = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self._cell)
            self._cell = None
        elif tag in ("h1", "h2"):
            self.heads.append(self._head)
            self._head = None

    def handle_data(self, data):
        self.text += data
        if self._cell is not None:
            self._cell += data
        if self._head is not None:
            self._head += data

    def table(self, first):
        return next(t for t in self.tables if t and t[0] and t[0][0] == first)


@pytest.fixture(scope="module")
def run():
    bars = am.example("four-bar")
    return am.simulate(bars, duration=0.3, inputs={"crank": 0.3}, record=RECORD)


def test_loads_are_the_greatest_of_solve(run, tmp_path):
    """Every state solved again one by one, by the null space, not by the recording."""
    page = Page(run.report(tmp_path / "run.html"))
    bars = am.example("four-bar")
    forces, pins = {name: [] for name in bars.joints}, []
    for q, v in zip(run.q[::10], run.v[::10], strict=True):
        s = bars.solve(q, v, [0.3, 0.0, 0.0])
        for name in bars.joints:
            forces[name].append(np.linalg.norm(s.reactions[name][3:]))
        pins.append(np.linalg.norm(s.constraint_forces["pin"][3:]))
    rows = {row[0]: row for row in page.table("joint")[1:]}
    for name, sizes in forces.items():
        # the table has every instant, this every tenth
        assert float(rows[name][1]) >= max(sizes) * (1 - 1e-3)
        assert float(rows[name][1]) == pytest.approx(max(sizes), rel=0.05)
        k = int(np.argmin(abs(run.time - float(rows[name][2]))))
        s = bars.solve(run.q[k], run.v[k], [0.3, 0.0, 0.0])
        got = np.linalg.norm(s.reactions[name][3:])
        assert float(rows[name][1]) == pytest.approx(got, rel=1e-3)
    assert float(page.table("constraint")[1][1]) == pytest.approx(max(pins), rel=0.05)


def test_energy_and_work(run, tmp_path):
    """Work of a constant torque is torque times angle."""
    page = Page(run.report(tmp_path / "run.html"))
    drives = next(t for t in page.tables if t[0][-1] == "work [J]")
    assert float(drives[1][-1]) == pytest.approx(0.3 * (run.q[-1, 0] - run.q[0, 0]), rel=1e-3)
    facts = {row[0]: row[1] for t in page.tables for row in t if len(row) == 2}
    assert float(facts["energy at the start"].split()[0]) == pytest.approx(run.energy[0], rel=1e-5)
    kinetic, potential = am.example("four-bar").energy(run.q[-1], run.v[-1])
    end = float(facts["energy at the end"].split()[0])
    assert end == pytest.approx(kinetic + potential, rel=1e-5)
    # viscous friction of 0.002 N m s in every joint takes the rest
    lost = -np.trapezoid(0.002 * (run.v**2).sum(axis=1), run.time)
    assert float(facts["work of friction in joints"].split()[0]) == pytest.approx(lost, rel=1e-3)
    over = next(text for name, text in facts.items() if name.startswith("left over"))
    assert abs(float(over.split()[0])) < 1e-5 * abs(run.energy[0])


@pytest.mark.parametrize("name", ["stewart", "six-r", "rover", "stanford"])
def test_mechanisms(name, tmp_path):
    mechanism = am.example(name)
    page = Page(mechanism.report_page(tmp_path / "m.html"))
    assert page.heads[0] == name
    assert [row[0] for row in page.table("body")[1:]] == list(mechanism.bodies)
    assert "agree to" in page.text
    assert "Mobility and determinacy" in page.heads
    s = mechanism.solve(mechanism.initial, np.zeros(mechanism.nv), np.zeros(mechanism.nv))
    if not mechanism.model.constraints:
        assert f"{mechanism.nv} degree(s) of freedom in every configuration" in page.text
    elif s.determinacy.static_indeterminacy:
        assert f"Statically indeterminate, {s.determinacy.static_indeterminacy} times" in page.text
        assert all(name in page.text for name in s.determinacy.indeterminate[:20])
    else:
        assert "the mechanism is determinate" in page.text


R, K, GEAR = 1.2, 0.05, 50.0  # ohm, N m/A, turns of the motor per turn of the joint


def driven(record, **more):
    """An arm whose motors reach limits: held by PID, springs and dry friction in its joints."""
    b = am.Builder("arm")
    motor = am.Motor(R, K, GEAR, voltage_limit=24.0, current_limit=8.0)
    rough = am.Passive(viscous=0.1, coulomb=0.05, smoothing=0.1, spring=0.5)
    b.body("upper", axis="y", mass=2.0, com=(0.2, 0, 0.01), inertia=(0.01, 0.02, 0.02), motor=motor,
           limits=am.Limits(-1.0, 0.5, 3.0, 12.0), passive=rough)  # fmt: skip
    b.body(
        "fore",
        parent="upper",
        axis="y",
        at=(0.4, 0, 0),
        mass=1.0,
        com=(0.15, 0, 0),
        inertia=(0.005, 0.01, 0.01),
        motor=motor,
        passive=rough,
    )
    arm = b.build()
    return am.simulate(
        arm, [0.0, 0.3], duration=0.5, step=1e-3, record=record,
        controller=am.PID(arm, {"upper": 0.8, "fore": -1.2}, 60.0, 0.0, 6.0),
        actuators=am.DCMotor(arm, command="force"), **more,
    )  # fmt: skip


def test_motors_against_their_limits(tmp_path):
    """By the equations of the motor, u = R i + k n v and tau = k n i, written here."""
    run = driven(("q", "v", "tau", "energy", "voltage", "current"))
    page = Page(run.report(tmp_path / "r.html"))
    volts, shaft = (t for t in page.tables if t[0][0] == "motor of joint")
    current = run.tau / (K * GEAR)
    voltage = R * current + K * GEAR * run.v
    for k, name in enumerate(("upper", "fore")):
        row = volts[k + 1]
        assert row[0] == name and row[2] == "24" and row[5] == "8"
        assert float(row[1]) == pytest.approx(np.abs(voltage[:, k]).max(), rel=1e-3)
        assert row[3] == f"{100 * np.abs(voltage[:, k]).max() / 24.0:.0f} %"
        assert float(row[4]) == pytest.approx(np.abs(current[:, k]).max(), rel=1e-3)
        assert float(row[7]) == pytest.approx(np.sqrt((current[:, k] ** 2).mean()), rel=1e-3)
        row = shaft[k + 1]
        assert float(row[1]) == pytest.approx(np.abs(run.tau[:, k]).max() / GEAR, rel=1e-3)
        assert float(row[3]) == pytest.approx(np.abs(run.v[:, k]).max() * GEAR, rel=1e-3)
        heat = np.trapezoid(R * current[:, k] ** 2, run.time)
        assert float(row[5]) == pytest.approx(heat, rel=1e-3)
    assert "The current of upper is at its limit" in page.text
    # as much where voltage and current were not recorded: from the joint forces
    plain = Page(driven(("q", "v", "tau")).report(tmp_path / "p.html"))
    assert [t for t in plain.tables if t[0][0] == "motor of joint"] == [volts, shaft]
    assert "computed from the joint forces" in plain.text


def test_warnings_stand_at_the_beginning(tmp_path, run):
    page = Page(driven(("q", "v", "tau")).report(tmp_path / "r.html", sections=["warnings"]))
    assert "upper goes to 0.9" in page.text and "above its limit 0.5" in page.text
    assert "upper moves at" in page.text and "above its limit of 3 rad/s" in page.text
    assert "above its effort limit of 12 N m" in page.text
    assert "fore moves" not in page.text  # it has no limit
    calm = Page(run.report(tmp_path / "c.html", sections=["warnings"]))
    assert "no limit is passed" in calm.text


def test_springs_and_friction_in_the_balance(tmp_path):
    page = Page(driven(("q", "v", "tau", "energy")).report(tmp_path / "r.html"))
    facts = {row[0]: row[1] for t in page.tables for row in t if len(row) == 2}
    over = next(text for name, text in facts.items() if name.startswith("left over"))
    work = abs(float(facts["work of the joint forces"].split()[0]))
    assert abs(float(over.split()[0])) < 2e-3 * work


def test_nothing_runs_and_nothing_is_fetched(run, tmp_path):
    hostile = "<script>alert(1)</script>\"'&"
    page = Page(run.report(tmp_path / "r.html", title=hostile, text=hostile + "\n\nb"))
    assert "script" not in page.tags  # what plays is in a frame that cannot leave
    assert ("sandbox", "allow-scripts") in page.attributes
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("src", "href"):
            assert value.startswith(("data:", "#"))
    assert page.heads[0] == hostile
    still = run.report(tmp_path / "s.html", sections=["summary", "plots"]).read_text()
    assert "<iframe" not in still and "script-src" not in still
    assert not re.search(r"https?://(?!www\.w3\.org)", still)


def test_sections_and_faults(run, tmp_path):
    page = Page(run.report(tmp_path / "a.html", sections=["loads", "summary"]))
    assert page.heads[1:] == ["Loads of joints and constraints", "Summary"]
    with pytest.raises(InputError, match=r"no 'lods'.*loads"):
        run.report(tmp_path / "b.html", sections=["lods"])
    with pytest.raises(ArmillaryError, match="exists"):
        run.report(tmp_path / "a.html")
    with pytest.raises(InputError, match=r"\.html"):
        run.report(tmp_path / "a.pdf")
    only = am.simulate(am.example("double-pendulum"), duration=0.1, record=("energy",))
    with pytest.raises(InputError, match="no positions"):
        only.report(tmp_path / "c.html")


def test_incomplete_runs_say_so(tmp_path):
    run = am.simulate(am.example("double-pendulum"), [1.0, 0.0], duration=0.2)
    run.complete, run.message = False, "stopped at a wall"
    page = Page(run.report(tmp_path / "r.html"))
    assert "incomplete: stopped at a wall" in page.text
    assert "has no forces" in page.text and "reactions" in page.text


def test_a_member_of_a_batch(tmp_path):
    pendulum = am.example("double-pendulum")
    q0 = np.array([[0.1, 0.0], [1.2, 0.6]])
    many = am.simulate(pendulum, q0, duration=0.2, record=RECORD[:5])
    one = am.simulate(pendulum, q0[1], duration=0.2, record=RECORD[:5])
    rows = [Page(r.report(tmp_path / f"{k}.html", **more)).table("joint")
            for k, (r, more) in enumerate(((many, {"member": 1}), (one, {})))]  # fmt: skip
    assert rows[0] == rows[1]
    with pytest.raises(InputError, match="0 to 1"):
        many.report(tmp_path / "x.html", member=2)


def test_command_line(run, tmp_path, monkeypatch, capsys):
    from armillary.cli import main

    monkeypatch.chdir(tmp_path)
    run.save("run.nc")
    for words in (
        ["report", "run.nc", "-o", "r.html", "--title", "Mine"],
        ["report", "stanford"],
        ["draw", "run.nc", "--at", "0,0.2", "-o", "r.svg"],
        ["draw", "stewart", "--view", "front"],
    ):
        with pytest.raises(SystemExit) as end:
            monkeypatch.setattr("sys.argv", ["armillary", *words])
            main()
        assert end.value.code in (0, None), capsys.readouterr()
    assert Page(tmp_path / "r.html").heads[0] == "Mine"
    assert (tmp_path / "stanford-report.html").exists() and (tmp_path / "stewart.svg").exists()
    assert (tmp_path / "r.svg").read_text().count("caption") == 2
