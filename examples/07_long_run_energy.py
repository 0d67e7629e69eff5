"""A minute without friction: what four methods do to the energy of a double pendulum.

python examples/07_long_run_energy.py
"""

import numpy as np

import armillary as am

# two equal rods on frictionless pins: the energy should stay what it is
b = am.Builder("double pendulum")
rod = {"axis": "y", "mass": 1.0, "com": (0, 0, -0.25), "inertia": (0.02, 0.02, 0.001)}
b.body("upper", **rod)
b.body("lower", "upper", "revolute", (0, 0, -0.5), **rod)
pendulum = b.build()
start, minute, step = [0.5, 0.3], 60.0, 0.03  # rad, s, s

# semi-implicit Euler evaluates the dynamics once a step, rk4 four times: the same work for both
plan = {
    "rk4": {"step": step},
    "semi-implicit": {"step": step / 4, "every": 4},
    "variational": {"step": step},
    "dopri5": {"step": step, "tolerance": 1e-6},  # chooses its own steps
}
record = ("energy", "kinetic")
runs = {
    method: am.simulate(pendulum, start, duration=minute, method=method, record=record, **options)
    for method, options in plan.items()
}

# drift: slope of a straight line through the energies, over the minute
print(f"largest kinetic energy {runs['dopri5'].kinetic.max():.3f} J\n")
print("               largest error of the energy     drift in")
print("method         first 6 s, J   last 6 s, J   a minute, J")
error = {method: run.energy - run.energy[0] for method, run in runs.items()}
largest, drift = {}, {}
for method, run in runs.items():
    early, late = run.time <= 6.0, run.time >= minute - 6.0
    largest[method] = [np.abs(error[method][part]).max() for part in (early, late)]
    drift[method] = minute * np.polyfit(run.time, error[method], 1)[0]
    print(f"{method:<14} {largest[method][0]:12.1e} {largest[method][1]:13.1e} "
          f"{drift[method]:13.1e}")  # fmt: skip

print("""
rk4 and dopri5 lose a little all the time: small errors, for a limited time.
variational swings about the right energy and stays there, however long it runs.
semi-implicit would stay near it, too, if the inertias did not change with the motion.""")

# the native loop makes an hour short: the loss of rk4 has gone on
hour = am.simulate(pendulum, start, duration=3600.0, step=step, every=100, record="energy")
print(f"\nafter an hour rk4 has lost {hour.energy[0] - hour.energy[-1]:.2g} J, "
      f"{(hour.energy[0] - hour.energy[-1]) / -drift['rk4']:.0f} times as much")  # fmt: skip

try:
    from matplotlib.figure import Figure
except ImportError:
    print("no picture: pip install 'armillary[plot]'")
else:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="time, s", ylabel="error of the energy, J", yscale="log")
    for method, run in runs.items():
        axes.plot(run.time[1:], np.abs(error[method][1:]) + 1e-12, label=method, linewidth=0.8)
    axes.legend()
    figure.savefig("long_run_energy.png")
    print("long_run_energy.png shows it")
