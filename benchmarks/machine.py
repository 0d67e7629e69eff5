"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from armillary.codegen.target import machine

PACKAGES = ("armillary", "numpy", "llvmlite", "pin", "mujoco")


def cpu() -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()} ({machine().name})"


def describe() -> list[str]:
    """Lines for the head of the table."""
    here = machine()
    lanes = f"{here.doubles} doubles per vector, {'fma' if here.fma else 'no fma'}"
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    versions = [f"{name} {_version(name)}" for name in PACKAGES]
    return [
        f"machine: {cpu()}, {os.cpu_count()} cores, LLVM target {here.name}: {lanes}{load}",
        f"versions: Python {platform.python_version()}, {', '.join(versions)}",
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
