"""A four-bar linkage: close it, find every force, drive it, let it run.

python examples/04_four_bar.py
"""

import numpy as np

import armillary as am

bars = am.example("four-bar")
print(bars, "\n")

# the crank where we want it; the loop closes around it
guess = bars.initial
guess[0] = 2.0  # rad
assembly = bars.assemble(guess, hold=["crank"])
print(assembly)
q = assembly.q
print(", ".join(f"{name} {x:.4f} rad" for name, x in zip(bars.q_labels, q, strict=True)), "\n")

print(bars.mobility(q), "\n")

# at rest, released: the wrench in every joint and in the pin that closes the loop
rest = np.zeros(3)
solution = bars.solve(q, rest, rest)
print(solution.determinacy, "\n")

holding = bars.holding_forces(q, ["crank"])
print(f"the crank holds it still with {holding['crank']:.4f} N m")
print(
    f"accelerations then: {np.abs(bars.forward_dynamics(q, rest, holding.tau)).max():.0e} rad/s²\n"
)

# released from there: the midpoint rule, closed again after every step
v, h = rest, 1e-3  # s
print("  time     crank    rocker    kinetic  potential      total   opening")
print("     s       rad       rad          J          J          J   rad or m")
for step in range(1001):
    if step % 125 == 0:
        kinetic, potential = bars.energy(q, v)
        opening = np.abs(bars.constraint_residual(q)).max()
        print(f"{step * h:6.3f} {q[0]:9.4f} {q[2]:9.4f} {kinetic:10.5f} {potential:10.5f}"
              f" {kinetic + potential:10.5f}   {opening:.0e}")  # fmt: skip
    v_half = v + 0.5 * h * bars.forward_dynamics(q, v, rest)
    q_half = bars.integrate(q, 0.5 * h * v)
    q, v = (
        bars.integrate(q, h * v_half),
        v + h * bars.forward_dynamics(q_half, v_half, rest),
    )
    q, v = bars.project(q, v)

print("\nThe total falls by the friction of the pins; the loop stays closed.")
