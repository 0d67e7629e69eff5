"""Denavit-Hartenberg tables: `dh` from Python rows, `read_dh` and `write_dh` for CSV files."""

from armillary.formats.dh_csv import read_dh, write_dh
from armillary.formats.dh_rows import dh
from armillary.formats.dh_table import DHTable, dh_table

__all__ = ["DHTable", "dh", "dh_table", "read_dh", "write_dh"]
