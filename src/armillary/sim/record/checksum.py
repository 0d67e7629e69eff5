"""Checksums of finished files: one flipped bit is seen before any number is read.

    \\nARMILLARY CRC-32 1a2b3c4d\\n

stands where readers of the format do not look: at the end of a netCDF-4 (HDF5) file, before the
footer of a Parquet file.  It is the CRC-32 of all other bytes.  Files of other programs have none.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import BinaryIO

from armillary.errors import FormatError
from armillary.sim.record.disk import write_all

_MARK = re.compile(rb"\nARMILLARY CRC-32 ([0-9a-f]{8})\n")
SIZE = len(b"\nARMILLARY CRC-32 00000000\n")
_CHUNK = 1 << 20


def crc_of(file: BinaryIO, spans: tuple[tuple[int, int], ...] | None = None) -> str:
    """Of the whole file, or of these spans (begin, end) of bytes one after the other."""
    total = 0
    for begin, end in ((0, _size(file)),) if spans is None else spans:
        file.seek(begin)
        while begin < end and (data := file.read(min(_CHUNK, end - begin))):
            total = zlib.crc32(data, total)
            begin += len(data)
    return f"{total:08x}"


def seal(file: BinaryIO, place: int | None = None) -> None:
    """Put the checksum into an open file, at `place` (default: its end); what stood there moves
    on."""
    place = _size(file) if place is None else place
    mark = f"\nARMILLARY CRC-32 {crc_of(file)}\n".encode()
    file.seek(place)
    behind = b"".join(iter(lambda: file.read(_CHUNK), b""))
    file.seek(place)
    write_all(file, mark + behind)


def sealed(file: BinaryIO, path: Path, place: int) -> bool:
    """Whether the file has a checksum at this place; FormatError where it is not that of the
    file."""
    size = _size(file)
    if not 0 <= place <= size - SIZE:
        return False
    file.seek(place)
    found = _MARK.fullmatch(file.read(SIZE))
    if found is None:
        return False
    if crc_of(file, ((0, place), (place + SIZE, size))) != found[1].decode():
        raise damaged(path)
    return True


def damaged(path: Path, cure: str = "Take it from a backup, or make the run anew.") -> FormatError:
    return FormatError(
        f"the file is damaged: its bytes do not have the checksum they were written with. {cure}",
        str(path),
    )


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size
