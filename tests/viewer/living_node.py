"""The data of living pages, and their engine in Node."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import armillary as am
from armillary.viewer.experiment import Experiment
from armillary.viewer.living_data import Living

ASSET = Path(am.__file__).parent / "viewer" / "assets" / "armillary.js"
STEP = 1e-3


def carried(mechanism, q0=None, v0=None, controller=None, method="rk4", **options):
    experiment = Experiment(mechanism, q0, v0, controller, method=method, step=STEP, **options)
    return Living(experiment).data()


NODE = """
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync(process.argv[2], "utf8") + ";globalThis.armillary=armillary");
(async () => {
  const data = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
  const engine = await armillary.Engine.load(data);
  const fault = engine.check();
  JSON.parse(process.argv[5]).forEach((value, k) => engine.set(data.sliders[k], value));
  let stop = "", notes = [];
  for (let k = 0; k < Number(process.argv[4]) && !stop; k++) {
    stop = engine.advance();
    notes.push(...engine.notes);
  }
  const { t, regularised, longer } = engine;
  const [q, v] = [[...engine.q], [...engine.v]];
  console.log(JSON.stringify({ fault, stop, notes, t, regularised, longer, q, v }));
})();
"""


def in_node(tmp_path, data, steps, sliders=()):
    """The page after so many steps, its first sliders moved at the start."""
    if shutil.which("node") is None:
        pytest.skip("no Node on this machine")
    (tmp_path / "run.cjs").write_text(NODE)
    (tmp_path / "living.json").write_text(json.dumps(data))
    files = [str(tmp_path / "run.cjs"), str(ASSET), str(tmp_path / "living.json")]
    done = subprocess.run(
        ["node", *files, str(steps), json.dumps(list(sliders))],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
