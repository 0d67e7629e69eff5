"""Output that cannot be written: a sentence, exit code 1, and no half file."""

import os
import subprocess
import sys

import pytest

import armillary as am
from armillary.errors import FormatError
from armillary.formats.files import save_picture, write_bytes, write_text

FULL = "/dev/full"
pytestmark = pytest.mark.skipif(not os.path.exists(FULL), reason="no full device here")


def command(*words, **streams):
    buffered = {name: x for name, x in os.environ.items() if name != "PYTHONUNBUFFERED"}
    source = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-m", "armillary.cli", *words], text=True, env=buffered | source,
        stderr=subprocess.PIPE, check=False, **streams,
    )  # fmt: skip


@pytest.mark.parametrize("words", [("--version",), ("show", "two-link", "--json")])
def test_a_screen_that_takes_nothing(words):
    with open(FULL, "w") as full:
        run = command(*words, stdout=full)
    assert run.returncode == 1
    assert run.stderr == ("error: standard output: No space left on device. It is not whole.\n")


def test_closed_input_is_told():
    close = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', "
    run = subprocess.run(
        [sys.executable, "-c", f"{close}'armillary.cli', 'sim'])"], text=True, check=False,
        capture_output=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert run.returncode == 1 and "Give --script FILE" in run.stderr
    assert "Traceback" not in run.stderr


def test_devices_and_pipes_are_not_replaced(tmp_path):
    """With overwrite a file is moved over the one that is there: never over a device or a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for write, content in ((write_text, "x"), (write_bytes, b"x")):
        with pytest.raises(FormatError, match="device or pipe"):
            write(content, pipe, overwrite=True)
    assert pipe.is_fifo()


class HalfPicture:
    """A figure that breaks down in its middle."""

    def savefig(self, file, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")


def test_no_half_pictures(tmp_path):
    kept = tmp_path / "kept.png"
    kept.write_bytes(b"mine")
    with pytest.raises(OSError, match="No space"):
        save_picture(HalfPicture(), kept)
    assert kept.read_bytes() == b"mine" and os.listdir(tmp_path) == ["kept.png"]
    run = am.simulate(am.example("double-pendulum"), duration=0.01)
    with pytest.raises(FormatError, match="no directory"):
        run.plot("q", path=tmp_path / "nowhere" / "x.png")
    with pytest.raises(FormatError, match="not supported"):
        run.plot("q", path=tmp_path / "x.nonsense")
