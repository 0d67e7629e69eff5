"""Section 5.5 of [VanDerMerwe1995]: four links whose tip is pinned to the ground.

python examples/sources/four_links.py
"""

import numpy as np

import armillary as am

closed = am.example("four-link-closed")
chain = closed.tree
# the source starts without friction, stretched out, at rest
q = v = tau = np.zeros(4)
growth = chain.explain("structural growth", q, passive=False)
for k in range(1, 5):
    print(f"H_{k} (5.93-5.105):\n{growth[f'H_{k}']}")

held = ("rx", "rz", "dx", "dy", "dz")  # the pin turns about y alone
tip = am.methods.tip_constraint(chain, "tip", q, v, tau, held, passive=False)
print(tip)
print("\nprinted with five components in 5.117, 5.127, 5.131: there are six")
