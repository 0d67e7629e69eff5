"""`armillary cache` shows and clears the folder of compiled objects."""

from __future__ import annotations

import os
import subprocess
import sys


def run(folder, *words):
    env = dict(os.environ, XDG_CACHE_HOME=str(folder))
    command = [sys.executable, "-m", "armillary.cli", *words]
    return subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=120, check=False
    )


def test_show_and_clear(tmp_path):
    assert "0 entries" in run(tmp_path, "cache").stdout
    inverse = run(tmp_path, "inverse", "double-pendulum", "--json")
    assert inverse.returncode == 0, inverse.stderr
    stored = list((tmp_path / "armillary").glob("*.armobj"))
    assert stored
    assert f"{len(stored)} entries" in run(tmp_path, "cache").stdout.replace("\n", " ")
    assert f"removed {len(stored)}" in run(tmp_path, "cache", "--clear").stdout
    assert not list((tmp_path / "armillary").glob("*.armobj"))
