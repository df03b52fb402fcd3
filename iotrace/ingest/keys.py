"""What is derived from table key_io: an empty table of uses, and how the reference stream is made of the requests.

The stream itself is a view (see `iotrace.store.key_references`).
"""

import contextlib
from collections.abc import Mapping
from pathlib import Path

from iotrace.ingest import sort
from iotrace.ingest.block import Derived
from iotrace.store.key_references import NATIVE
from iotrace.store.writer import TableWriters


def derive(folder: Path, rows: Mapping[str, int], is_sorted: bool) -> Derived:
    """Write table use into a folder that holds key_io, of which `rows` has the number of rows.

    Where key_io is not in the order of time it is sorted first. Raises OSError if the folder cannot be written.
    """
    if not is_sorted:
        sort.sort(folder, NATIVE)
    with contextlib.closing(TableWriters(folder)) as writers:
        writers.empty("use")
    return Derived({"use": 0, "reference": rows[NATIVE]}, {"reference": {}})
