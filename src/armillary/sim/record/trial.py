"""A file that no checksum vouches for is opened by another process first.

HDF5 can be caught in an endless loop, or end the process, by a single wrong byte; then it is that
process, and this one says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from armillary.errors import FormatError

PATIENCE = 60.0  # s
_CODE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from pathlib import Path
from armillary.sim.record import netcdf
try:
    netcdf.read(Path(sys.argv[2]))
except Exception:
    pass  # the caller meets it, too
"""


def survives_netcdf(path: Path) -> None:
    """FormatError where the header of a netCDF file cannot be read to its end."""
    if not sys.executable:  # Python inside another program
        return
    command = [sys.executable, "-c", _CODE, json.dumps(sys.path), str(path.absolute())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise _damaged(path, f"does not come to an end with it in {PATIENCE:g} s") from None
    except OSError:  # no other process can be had
        return
    if done.returncode < 0:
        raise _damaged(path, f"ends the process that reads it (signal {-done.returncode})")


def _damaged(path: Path, what: str) -> FormatError:
    return FormatError(
        f"cannot be read as a run: the file is damaged, and HDF5 {what}. Take it from a "
        f"backup, or make the run anew.",
        str(path),
    )
