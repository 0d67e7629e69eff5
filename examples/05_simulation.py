"""An arm follows a path: by computed torque, then by PID with direct-current motors.

python examples/05_simulation.py
"""

import numpy as np

import armillary as am

# three joints, each with a motor of 24 V behind a gear of 100
drive = {
    "motor": am.Motor(
        resistance=0.6,  # ohm
        torque_constant=0.05,  # N m/A and V s/rad
        gear=100.0,
        voltage_limit=24.0,
        current_limit=20.0,
    ),
    "rotor": am.Rotor(inertia=2e-5, gear=100.0),
    "passive": am.Passive(viscous=0.4),
}
b = am.Builder("arm")
b.body("turret", axis="z", mass=4.0, com=(0, 0, 0.15), inertia=(0.03, 0.03, 0.02), **drive)
b.body("upper", "turret", "revolute", (0, 0, 0.3), axis="y", mass=3.0, com=(0.2, 0, 0),
       inertia=(4e-3, 0.04, 0.04), **drive)  # fmt: skip
b.body("fore", "upper", "revolute", (0.4, 0, 0), axis="y", mass=1.5, com=(0.15, 0, 0),
       inertia=(1e-3, 0.015, 0.015), **drive)  # fmt: skip
b.frame("hand", "fore", (0.35, 0, 0))
arm = b.build()
print(arm, "\n")

start, goal = np.array([0.0, -0.8, 1.4]), np.array([1.2, -0.3, 0.8])
path = am.trajectories.quintic(start, goal, duration=1.0)


def deviation(run):
    """Largest distance of every joint from the path, and the one at the end, mrad."""
    error = 1e3 * np.abs(run.q - path(run.time).q)
    return error.max(axis=0), error[-1].max()


# computed torque knows the arm: an error at the start dies out as (1 + 20 t) exp(-20 t)
computed = am.ComputedTorque(arm, path, kp=400.0, kd=40.0)
beside = start + np.array([0.05, 0.0, 0.0])
first = am.simulate(arm, beside, duration=1.5, step=5e-3, controller=computed)
print("computed torque, 50 mrad beside the path at the start")
print("  time     error, mrad   exact")
error = 1e3 * (first.q[:, 0] - path(first.time).q[:, 0])
for t in (0.0, 0.1, 0.2, 0.4):
    k = int(np.argmin(np.abs(first.time - t)))
    print(f"{t:6.2f} {error[k]:15.4f} {50 * (1 + 20 * t) * np.exp(-20 * t):8.4f}")

# PID knows nothing of it; its forces are commands of servo amplifiers
pid = am.PID(arm, path, kp=600.0, ki=800.0, kd=60.0)
servo = am.DCMotor(arm, command="force")
record = ("q", "tau", "voltage", "current")
second = am.simulate(arm, start, duration=1.5, controller=pid, actuators=servo, record=record)
largest, last = deviation(second)
print(f"\nPID with motors: {last:.3f} mrad from the goal half a second after the path ends")
print("joint     error, mrad  torque, N m  voltage, V  current, A")
for k, name in enumerate(arm.v_labels):
    tau, voltage, current = (np.abs(second[x][:, k]).max() for x in record[1:])
    print(f"{name:<9} {largest[k]:11.3f} {tau:12.3f} {voltage:11.3f} {current:11.3f}")

# a lower voltage is not enough: the motors reach their limit, and the run shows it
weak = am.Motor(0.6, 0.05, gear=100.0, voltage_limit=9.0)
third = am.simulate(
    arm, start, duration=1.5, controller=pid, actuators=am.DCMotor(arm, weak, command="force"),
    record=record,
)  # fmt: skip
limited = np.abs(third.voltage[:, 0]) > 9.0 - 1e-9
print(f"\nwith 9 V the turret is at its limit for {limited.mean() * 1.5:.2f} s "
      f"and falls behind by {deviation(third)[0][0]:.0f} mrad")  # fmt: skip

# the same path by voltages that were computed beforehand, without any feedback
motors = am.DCMotor(arm)
blind = am.FeedForward.along(arm, path, motors)
fourth = am.simulate(arm, start, duration=1.0, step=5e-3, controller=blind, actuators=motors)
print(f"feed-forward voltages alone end {deviation(fourth)[1]:.1e} mrad from the goal")
