"""What `import armillary` brings along, and what it does not."""

import subprocess
import sys

import pytest

HEAVY = ("scipy", "pydantic", "yaml", "typer", "rich", "llvmlite", "sympy", "mujoco", "casadi",
         "matplotlib", "viser", "pinocchio", "mpmath", "h5py", "xarray")  # fmt: skip


def loaded_after(code: str) -> set[str]:
    """Top-level modules in a fresh interpreter after some lines."""
    text = f"{code}\nimport sys\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def bare() -> set[str]:
    return loaded_after("import armillary")


@pytest.mark.parametrize("module", HEAVY)
def test_importing_does_not_load(bare, module):
    assert module not in bare


def test_importing_loads_numpy_and_ourselves(bare):
    assert {"numpy", "armillary"} <= bare


def test_a_built_mechanism_needs_no_file_libraries():
    """Building and asking a kernel loads the compiler, but no reader, no scipy, no shell."""
    loaded = loaded_after(
        "import armillary as am\n"
        "b = am.Builder('rod')\n"
        "b.body('rod', joint='revolute', axis='y', mass=1.0, com=(0, 0, -0.5))\n"
        "assert b.build().gravity_forces([0.3]).shape == (1,)"
    )
    assert "llvmlite" in loaded
    assert not loaded & (set(HEAVY) - {"llvmlite"})


def test_public_names_are_there():
    import armillary

    assert len(set(armillary.__all__)) == len(armillary.__all__)
    for name in armillary.__all__:
        assert hasattr(armillary, name)
