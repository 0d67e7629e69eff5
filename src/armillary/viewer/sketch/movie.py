"""Films of runs made of sketches: GIF, and MP4 where ffmpeg is there."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from armillary.errors import InputError, Remedy
from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism
from armillary.viewer.sketch.display import INK, Text
from armillary.viewer.sketch.draw import Sketch
from armillary.viewer.sketch.skeleton import skeleton

ENDINGS = (".gif", ".mp4")
_MOST = 1500  # frames
_SAMPLES = 24  # configurations that the view and the scale are chosen for


def film(
    mechanism: Mechanism,
    time: Array,
    q: Array,
    path: Path,
    *,
    fps: float | None = None,
    view: str | Sequence[float] | None = None,
    size: tuple[float, float] = (480.0, 360.0),
    overwrite: bool = False,
) -> Path:
    """Write sketches of the positions q (T, nq) at the instants `time`, in real time.

    fps: pictures per second (default: 20, fewer of runs beyond 75 s)."""
    if path.exists() and not overwrite:
        raise InputError(f"'{path}' exists already.", remedy=Remedy("overwrite"))
    rows, rate = _rows(time, fps)
    kept = np.unique(np.linspace(0, len(rows) - 1, _SAMPLES).astype(int))
    sketch = Sketch([skeleton(mechanism, q[rows[k]]) for k in kept], view, "auto", size)
    frames = (_frame(sketch, mechanism, q[row], float(time[row])) for row in rows)
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
    write(frames, path, rate)
    return path


def _frame(sketch: Sketch, mechanism: Mechanism, q: Array, time: float) -> bytes:
    marks = sketch.marks(skeleton(mechanism, q))
    where = (sketch.canvas.width / 2.0, 14.0)
    marks.append(Text(where, f"t = {time:.2f} s", INK, 12.0, "caption"))
    return sketch.picture(marks, mechanism.name).png


def _rows(time: Array, fps: float | None) -> tuple[list[int], float]:
    """The recorded instants nearest to those of the film, and its pictures per second."""
    span = float(time[-1] - time[0])
    rate = fps if fps is not None else min(20.0, _MOST / max(span, 1e-9))
    if not 0.0 < rate <= 100.0:
        raise InputError(f"fps: expected a number from 0 to 100, found {fps}.")
    count = int(span * rate) + 1
    if count > _MOST:
        raise InputError(
            f"{span:g} s with {rate:g} pictures per second are {count} pictures; a film has "
            f"{_MOST} at most. Ask for fewer: fps=..."
        )
    instants = time[0] + np.arange(count) / rate
    return [int(np.argmin(np.abs(time - t))) for t in instants], rate


def _write_gif(frames: Iterator[bytes], path: Path, rate: float) -> None:
    from PIL import Image

    pictures = [
        Image.open(io.BytesIO(frame))
        .convert("RGB")
        .reduce(2)
        .quantize(64, dither=Image.Dither.NONE)
        for frame in frames
    ]
    pictures[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        loop=0,
        duration=max(20, round(1000.0 / rate)),
        optimize=True,
    )


def _write_mp4(frames: Iterator[bytes], path: Path, rate: float) -> None:
    program = shutil.which("ffmpeg")
    if program is None:
        raise InputError(
            f"'{path}': films in MP4 need the program ffmpeg, which is not installed. "
            "Write a .gif or an .html page instead."
        )
    command = [
        program,
        "-loglevel",
        "error",
        "-y",
        "-f",
        "image2pipe",
        "-framerate",
        f"{rate:g}",
        "-c:v",
        "png",
        "-i",
        "-",
        "-pix_fmt",
        "yuv420p",
        "-movflags",
        "+faststart",
        "--",
        str(path),
    ]
    done = subprocess.run(command, input=b"".join(frames), capture_output=True, check=False)
    if done.returncode:
        path.unlink(missing_ok=True)
        raise InputError(f"'{path}': ffmpeg failed: {done.stderr.decode(errors='replace')[-300:]}")
