"""What is not read of an MJCF model is not compiled either: a line of text can ask for gigabytes.

MuJoCo makes room for sensors, keyframes, pictures, user data and the states of actuators by
numbers in the file.  None of it is read here, so it is taken out between parsing and compiling;
how much there was stays known for the report."""

from __future__ import annotations

from typing import Any

MuJoCo = Any  # an object of its library, which has no types
_USERS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")


def strip(spec: MuJoCo) -> dict[str, int]:
    """Take out what is not read; gives how many sensors and keyframes there were."""
    counts = {"nsensor": len(spec.sensors), "nkey": len(spec.keys)}
    for part in (*spec.sensors, *spec.keys, *spec.textures):
        spec.delete(part)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for field in spec.hfields:
        field.file, field.content_type = "", ""
        field.nrow = field.ncol = 2
        field.userdata = [0.0, 0.0, 0.0, 1.0]
    for actuator in spec.actuators:
        actuator.actdim = -1
        if hasattr(actuator, "nsample"):
            actuator.nsample = 0
    # room for a simulation is not needed here, whatever the file asks for
    spec.memory = spec.njmax = spec.nconmax = spec.nstack = -1
    spec.nuserdata = spec.nkey = 0
    for name in _USERS:
        setattr(spec, f"nuser_{name}", -1)  # as long as the longest that is given
    return counts
