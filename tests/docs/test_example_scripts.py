"""Every script in examples/ runs, and the numbers it prints obey the laws it shows."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
PICTURES = {"07_long_run_energy.py": ["long_run_energy.png"]}  # what scripts write


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_script_runs(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr()
    assert printed.out.strip()
    assert "nan" not in printed.out
    assert not printed.err
    assert [file.name for file in tmp_path.iterdir()] == PICTURES.get(path.name, [])


def test_the_pendulum_loses_energy_to_friction_only(capsys):
    """The total falls all the time, and by the work of the viscous pins."""
    runpy.run_path(str(EXAMPLES / "01_double_pendulum.py"), run_name="__main__")
    lines = re.findall(r"^ +\d+\.\d\d +-?\d.*$", capsys.readouterr().out, re.MULTILINE)
    rows = np.array([[float(x) for x in line.split()] for line in lines])
    assert len(rows) == 9
    assert (np.diff(rows[:, 5]) < 0).all()
    assert rows[:, 3] + rows[:, 4] == pytest.approx(rows[:, 5], abs=2e-5)


def test_the_flyer_keeps_its_momentum(capsys):
    names = runpy.run_path(str(EXAMPLES / "03_free_flyer.py"), run_name="__main__")
    flyer = names["flyer"]
    assert np.abs(flyer.momentum(names["q"], names["v"])).max() < 1e-4
    assert flyer.center_of_mass(names["q"]) == pytest.approx(
        flyer.center_of_mass(flyer.neutral()), abs=1e-6
    )
    capsys.readouterr()


def test_the_four_bar_stays_closed(capsys):
    """The loop is closed in every line, and friction takes energy all the time."""
    names = runpy.run_path(str(EXAMPLES / "04_four_bar.py"), run_name="__main__")
    lines = re.findall(r"^ +\d+\.\d{3} +-?\d.*$", capsys.readouterr().out, re.MULTILINE)
    rows = np.array([[float(x) for x in line.split()] for line in lines])
    assert len(rows) == 9
    assert (np.diff(rows[:, 5]) < 0).all()
    assert rows[:, 6].max() < 1e-12
    bars = names["bars"]
    assert np.abs(bars.constraint_rate(names["q"], names["v"])).max() < 1e-10


def test_the_arm_follows_its_path(capsys):
    """Computed torque as the law of its error says; motors within their limits."""
    names = runpy.run_path(str(EXAMPLES / "05_simulation.py"), run_name="__main__")
    lines = re.findall(r"^ +0\.\d\d +\d.*$", capsys.readouterr().out, re.MULTILINE)
    rows = np.array([[float(x) for x in line.split()] for line in lines])
    assert len(rows) == 4
    assert rows[:, 1] == pytest.approx(rows[:, 2], abs=1e-3)
    assert names["largest"].max() < 20.0
    assert np.abs(names["third"].voltage).max() < 9.0 + 1e-9
    assert names["limited"].any()


def test_the_disc_rolls_without_loss(capsys):
    names = runpy.run_path(str(EXAMPLES / "06_rolling_disc.py"), run_name="__main__")
    assert np.ptp(names["run"].energy) < 1e-8
    assert np.abs(names["run"].drift).max() < 1e-12
    assert np.abs(names["ride"].drift).max() < 1e-12
    assert names["heading"] > 5.0  # wheel1 pushes, wheel2 brakes
    capsys.readouterr()


def test_the_long_run_shows_which_methods_keep_energy(capsys, tmp_path, monkeypatch):
    """Variational: bounded; Runge-Kutta: a loss in proportion to time."""
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLES / "07_long_run_energy.py"), run_name="__main__")
    ratio = {method: late / early for method, (early, late) in names["largest"].items()}
    assert ratio["variational"] < 1.05
    assert abs(names["drift"]["variational"]) < 0.02 * names["largest"]["variational"][1]
    assert ratio["rk4"] == pytest.approx(10.0, rel=0.2)
    assert ratio["dopri5"] == pytest.approx(10.0, rel=0.2)
    assert names["largest"]["semi-implicit"][1] > 100 * names["largest"]["rk4"][1]
    capsys.readouterr()
