"""The manifest of a store that a test makes, with nothing counted but its tables."""

from collections.abc import Mapping
from pathlib import Path

from iotrace.store import folder, writer

COUNTS = ("lines", "parsed", "skipped_lines", "references", "files", "processes", "uses", "duration_ns")
NOTHING_COUNTED = {
    "iotrace": "test",
    "store_version": folder.STORE_VERSION,
    "format": "test",
    "host": "test",
    "sources": [],
    "model": {},
    "counts": dict.fromkeys(COUNTS, 0),
    "skipped": {},
    "remarks": {},
    "seen": {},
    "times": {"base": "none", "first_ns": None, "resolution_ns": None},
    "path_agreement": None,
    "warnings": [],
}
EVERY_STORE = ("reference", "file", "process", "use")
"""The tables that every store has."""


def finish(writers: writer.TableWriters, folder: Path, rows: Mapping[str, int]) -> None:
    """Write what a store of these tables still lacks."""
    for name in EVERY_STORE:
        writers.empty(name)
    writers.close()
    tables = {**dict.fromkeys(EVERY_STORE, 0), **rows}
    writer.write_manifest(folder, {**NOTHING_COUNTED, "tables": tables})
