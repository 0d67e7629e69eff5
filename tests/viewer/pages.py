"""Runs and mechanisms whose pages are tested, and the browser they are opened in."""

import functools
import shutil
import struct
from dataclasses import replace

import numpy as np
import pytest

import armillary as am

EVERYTHING = ("q", "v", "energy", "reactions")
HOSTILE = '</script><img src=x onerror="alert(1)">"\'&🦾 {0}'


@functools.cache
def run_of(name):
    """A short run with all forces."""
    mechanism = am.example(name)
    record = EVERYTHING + (("constraint_forces",) if mechanism.constraints else ())
    return am.simulate(mechanism, duration=0.5, step=0.005, record=record)


def renamed(mechanism, change):
    """The same mechanism with other names of bodies and joints, of a tree."""
    bodies = tuple(
        replace(
            body,
            name=change(body.name),
            parent=body.parent if body.parent == "world" else change(body.parent),
            joint=replace(body.joint, name=change(body.joint.name)),
        )
        for body in mechanism.model.bodies
    )
    frames = tuple(replace(f, body=change(f.body)) for f in mechanism.model.frames)
    name = change(mechanism.name)
    return am.Mechanism(replace(mechanism.model, bodies=bodies, frames=frames, name=name))


def chain(count):
    """A chain of hanging rods."""
    builder = am.Builder("chain")
    parent = "world"
    for k in range(count):
        at = (0.0, 0.0, 0.0) if k == 0 else (0.0, 0.0, -0.1)
        solid = {"mass": 0.1, "com": (0, 0, -0.05), "inertia": (1e-4, 1e-4, 1e-6)}
        builder.body(f"rod{k}", parent, "revolute", at, axis="xy"[k % 2], **solid)
        parent = f"rod{k}"
    return builder.build()


def prescribed_run(mechanism, frames, seconds=10.0):
    """Positions that follow sines: a run without a simulation."""
    time = np.linspace(0.0, seconds, frames)
    phases = np.arange(mechanism.nq)
    q = 0.4 * np.sin(2.0 * time[:, None] + 0.3 * phases)
    labels, units = {"q": mechanism.q_labels}, {"q": mechanism.q_units}
    run = am.Run(mechanism.name, time, {"q": q}, labels, units)
    run.simulated = mechanism
    return run


def stl_cube(path, half=0.05):
    """A cube as a binary STL file, twelve triangles."""
    corners = [np.array([x, y, z]) * half for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    data = bytes(80) + struct.pack("<I", len(triangles))
    for triangle in triangles:
        points = [float(x) for k in triangle for x in corners[k]]
        data += struct.pack("<12fH", 0.0, 0.0, 0.0, *points, 0)
    path.write_bytes(data)


URDF = """<robot name="meshed">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="1"/><origin xyz="0 0 0.1"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><mesh filename="{mesh}" scale="1 1 2"/></geometry>
      <material name="red"><color rgba="0.8 0.1 0.1 1"/></material></visual>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="5"/></joint>
</robot>
"""


def meshed_arm(folder, mesh="cube.stl"):
    """A URDF arm whose link looks like a cube from a file."""
    stl_cube(folder / "cube.stl")
    (folder / "arm.urdf").write_text(URDF.format(mesh=mesh), encoding="utf-8")
    return am.load(folder / "arm.urdf", base="fixed")


FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


def drawn(page):
    """Wait until what was asked of a page so far is to be seen: pictures are drawn in the next
    frame, and the one after that comes when it is done."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def chromium():
    """The path of the machine's Chromium, or a skip with the reason."""
    pytest.importorskip("playwright", reason="playwright is not installed")
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium on this machine (on Debian: apt-get install chromium)")
    return ""
