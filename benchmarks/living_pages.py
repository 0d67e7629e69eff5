"""Living pages: how large they are, how fast, how far they go, and how near to `simulate`.

    python -m benchmarks.living_pages            prints the table
    python -m benchmarks.living_pages --write    puts it into docs/pages.md

The loop of a page runs in Node here, with the optimised code that browsers come to after some
seconds; steps are timed by the least of many blocks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

import numpy as np

import armillary as am
from armillary.formats.examples import example_names
from armillary.viewer.experiment import Experiment
from armillary.viewer.living_data import Living

PAGE = Path(__file__).parents[1] / "docs" / "pages.md"
BEGIN, END = "<!-- living pages: begin -->", "<!-- living pages: end -->"
STEP, LONG, COMPARED = 1e-3, 20.0, 5.0  # s
HEAD = (
    "| mechanism | page, kB | of it WebAssembly | step, µs | × real time | runs freely, s "
    f"| second solver | q from `simulate` after {COMPARED:g} s |\n|---|---|---|---|---|---|---|---|"
)
NODE = """
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync(process.argv[2], "utf8") + ";globalThis.armillary=armillary");
(async () => {
  const data = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
  const engine = await armillary.Engine.load(data);
  let stop = engine.check(), steps = 0, seen = null, us = Infinity, begin = performance.now();
  while (!stop && engine.t < Number(process.argv[4]) - 1e-9) {
    stop = engine.advance();
    steps += 1;
    if (steps % 20 === 0) { // the least of many blocks: other programs run beside it
      us = Math.min(us, 50 * (performance.now() - begin));
      begin = performance.now();
    }
    if (!seen && engine.t >= Number(process.argv[5]) - 1e-9) seen = [...engine.q];
  }
  const { t, regularised } = engine;
  if (us === Infinity) us = (1000 * (performance.now() - begin)) / steps;
  console.log(JSON.stringify({ t, stop, regularised, seen, us }));
})();
"""


def row(name: str, mechanism: am.Mechanism, folder: Path, **drives: object) -> str:
    path = mechanism.page(folder / "page.html", overwrite=True, step=STEP, **drives)
    data = Living(Experiment(mechanism, step=STEP, **drives)).data()  # type: ignore[arg-type]
    (folder / "living.json").write_text(json.dumps(data))
    (folder / "run.cjs").write_text(NODE)
    bundle = str(files("armillary.viewer").joinpath("assets", "armillary.js"))
    script = [str(folder / "run.cjs"), bundle, str(folder / "living.json")]
    answer = subprocess.run(
        ["node", "--no-liftoff", *script, str(LONG), str(COMPARED)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(answer.stdout)
    free = f"{found['t']:.2f}, then stops" if found["stop"] else f"{found['t']:g}"
    near = "–"
    if found["seen"] is not None:
        run = am.simulate(mechanism, duration=COMPARED, step=STEP, every=100, **drives)  # type: ignore[arg-type]
        near = f"{np.abs(run.q[-1] - found['seen']).max():.0e}" if run.complete else run.message
    size, code = path.stat().st_size / 1000, len(str(data["wasm"])) / 1000
    fast = 1e6 * STEP / found["us"]
    calls = f"{found['regularised']} calls" if found["regularised"] else "–"
    return (
        f"| {name} | {size:.0f} | {code:.0f} | {found['us']:.1f} | {fast:.0f} | {free} "
        f"| {calls} | {near} |"
    )


def table() -> str:
    rows = [HEAD]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arm = am.example("six-r")
        hold = am.PID(arm, arm.neutral() + 0.3, 8.0, 1.0, 0.3)
        rows.append(row("six-r, held by PID", arm, folder, controller=hold))
        rows.append(row("double-pendulum", am.example("double-pendulum"), folder))
        for example in example_names():
            mechanism = am.example(example)
            if mechanism.model.constraints:
                begun = time.monotonic()
                rows.append(row(example, mechanism, folder))
                print(f"{example}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return "\n".join(rows)


def main() -> None:
    made = table()
    print(made)
    if "--write" in sys.argv[1:]:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
