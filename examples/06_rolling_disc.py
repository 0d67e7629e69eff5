"""Rolling: a disc that wobbles on the plane, and a cart steered by the torques of its wheels.

python examples/06_rolling_disc.py
"""

import numpy as np

import armillary as am

# a leaning disc: three freedoms at a time, but it goes where it likes in the end
disc = am.example("rolling-disc")
print(disc, "\n")
velocity = [0, 6.0, 0.5, 1.5, 0, 0]  # turns about its axle y and goes along x without sliding
run = am.simulate(disc, v0=velocity, duration=4.0, record=("q", "energy", "drift"))
assert run.events == []  # a velocity that slides would be changed, and noted here
print("  time         x         y   lean      energy   opening")
print("     s         m         m    deg           J         m")
for k in range(0, len(run), 500):
    _, p = disc.pose(run.q[k], "disc")
    lean = np.degrees(np.arccos(p[2] / 0.25))  # 0: upright; its radius is 0.25 m
    print(f"{run.time[k]:6.2f} {p[0]:9.4f} {p[1]:9.4f} {lean:6.1f} {run.energy[k]:11.7f}"
          f"   {np.abs(run.drift[k]).max():.0e}")  # fmt: skip
print(f"the energy keeps to {np.ptp(run.energy):.0e} J; rolling does no work\n")

# two driven wheels: straight on, then one brakes and the other one pushes.  Nothing keeps the axle
# from turning the other way, so most of the wheels' velocity relative to it is no travel
cart = am.example("two-wheeled-cart")
torques = am.Schedule(
    [0.0, 0.5, 0.5, 1.0], [[0.2, 0.2], [0.2, 0.2], [0.4, -0.4], [0.4, -0.4]], ["wheel1", "wheel2"]
)
ride = am.simulate(cart, duration=1.0, step=5e-3, inputs=torques, record=("q", "v", "drift"))
print("two-wheeled cart:  time         x         y    wheel1    wheel2   heading")
print("                      s         m         m     rad/s     rad/s       deg")
for k in range(0, len(ride), 25):
    R, p = (x.round(12) + 0.0 for x in cart.pose(ride.q[k], "axle"))
    heading = np.degrees(np.arctan2(R[1, 0], R[0, 0]))
    print(f"{ride.time[k]:23.2f} {p[0]:9.4f} {p[1]:9.4f} {ride.v[k, 6]:9.4f} {ride.v[k, 7]:9.4f}"
          f" {heading:9.3f}")  # fmt: skip
print(f"its wheels keep to the ground within {np.abs(ride.drift).max():.0e} m")
