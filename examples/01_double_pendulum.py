"""A double pendulum falls: a plain loop with forward dynamics, and its energy.

python examples/01_double_pendulum.py
"""

import armillary as am

pendulum = am.example("double-pendulum")
print(pendulum, "\n")

q = list(pendulum.model.initial)  # shoulder and elbow, rad
v = [0.0, 0.0]
tau = [0.0, 0.0]  # nobody drives it
h = 1e-3  # s

print("  time    shoulder    elbow    kinetic  potential      total")
print("     s         rad      rad          J          J          J")
for step in range(2001):
    if step % 250 == 0:
        kinetic, potential = pendulum.energy(q, v)
        print(f"{step * h:6.2f}  {q[0]:10.4f} {q[1]:8.4f} {kinetic:10.5f} {potential:10.5f}"
              f" {kinetic + potential:10.5f}")  # fmt: skip
    # the middle of the step first (midpoint rule), then the whole step from there
    a = pendulum.forward_dynamics(q, v, tau)
    v_half = v + 0.5 * h * a
    q_half = pendulum.integrate(q, [0.5 * h * x for x in v])
    q = pendulum.integrate(q, h * v_half)
    v = v + h * pendulum.forward_dynamics(q_half, v_half, tau)

print("\nThe total falls slowly: the pins have viscous friction.")
