"""Section 4.5 of [VanDerMerwe1995]: inverse dynamics of a Stanford-type arm, number by number.

python examples/sources/stanford_arm.py
"""

import armillary as am

arm = am.example("stanford")
q, v, a = [0, 0, 0.8, 0, 0], [1.5, 0, 0.4, 1, 3], [0, 0, 0, 0, 0]  # table 4.2

# frame 2 of the source stands at the axis of joint 2, though the link slides through it
work = arm.explain("Newton-Euler", q, v, a, frames_at_joints=True)
print(work)

gravity = arm.gravity_forces(q)
print("\ngravity's part of tau:", gravity.round(6) + 0.0, "N m, N; the text after 4.61 forgets it")
