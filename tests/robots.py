"""Real robots that come with the test dependencies, and where to find them."""

from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(
    str(
        distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots"
        )
    )
)
ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
}


def robot(name: str) -> Path:
    return ROOT / ROBOTS[name]
