"""From table parallel_io to the reference stream: what the processes of a parallel program did to its files.

A read or write that moves bytes is a reference of type datafile by its process, on its node, if both are recorded;
sync, truncate and delete are references too; open, close, seek, barrier, compute, the heads of list-I/O calls, and
calls on names and attributes are not. Where a file was traced in several layers (POSIX below MPI-IO) only the
lowest is taken, so that no byte counts twice. An access without an offset is where the file pointer stands: that of
the process and descriptor, or of the process and file if the trace has no descriptors. An open puts it at 0 (of an
append, nowhere known), a seek where it says, a read or write moves it; before the first of these it is unknown. A
use is from an open to its close; without opens, what a process did to a file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from iotrace import families
from iotrace.files.names import local_name
from iotrace.formats.format import Run
from iotrace.formats.parallel_io import coverage
from iotrace.ingest import clocks, sort
from iotrace.ingest.deriving import Deriving
from iotrace.ingest.held_rows import HeldRows
from iotrace.libraries import pc, pl
from iotrace.store.writer import OF_REQUESTS, STEPS_AHEAD, TableWriters, ahead

NATIVE = "parallel_io"
BATCH_ROWS = 1 << 18
LOWEST = ("posix", "stdio")
"""Neither calls the other; calls without a layer count as lowest too."""


class Calls(Deriving):
    """Tables reference and use; where clocks are aligned (see `clocks`), before that."""

    def reading(self, run: Run) -> Run:
        """Return rows in the order of time, unless clocks that move leave them to be sorted."""
        return run if self.align_clocks else HeldRows(run, NATIVE)

    def derive(self, folder: Path, rows: dict[str, int], report: dict[str, Any]) -> dict[str, int]:
        """Write tables reference and use into a folder that holds parallel_io, file and process.

        Of jobs of which there are counters alone these are empty, and parallel_io is removed.
        """
        unsorted = report.pop("unsorted")
        in_several = report.pop("processes_in_several_files")
        if not rows[NATIVE]:
            return _without_calls(folder, rows, report)
        if self.align_clocks:
            if in_several:
                report["warnings"].append(
                    f"several files hold calls of the same process, for {in_several:,} processes: each was taken for"
                    " one process with one clock; if each file numbers its ranks from 0, ingest the files separately"
                )
            alignment = clocks.align(folder)
            report["clock_alignment"] = alignment.as_dict()
            report["warnings"].append(alignment.sentence())
            report["counts"]["duration_ns"] = alignment.duration_ns
            report["times"]["first_ns"] += alignment.first_moved_ns
        if unsorted or self.align_clocks:
            sort.sort(folder, NATIVE)
        if lacking := coverage.sentence(report.get("coverage")):
            report["warnings"].append(lacking)
        derived, remarks, seen = derive(folder)
        report["remarks"] |= remarks
        report["seen"] |= seen
        if unknown := seen["unknown_offsets"] + seen["appends_of_unknown_offset"]:
            report["warnings"].append(
                f"{unknown:,} of {report['counts']['requests']:,} reads and writes are at an unknown place of their"
                " file"
            )
        return derived


def _without_calls(folder: Path, rows: dict[str, int], report: dict[str, Any]) -> dict[str, int]:
    """Remove the tables of calls of which there are none, and write empty ones of references and uses."""
    for name in (NATIVE, *families.PARALLEL.other_tables):
        if rows.pop(name, None) is not None:
            (folder / f"{name}.parquet").unlink()
    report["lacks"], report["coverage"], report["jobs"] = [], None, []
    with contextlib.closing(TableWriters(folder)) as writers:
        for name in ("reference", "use"):
            writers.empty(name)
    return writers.rows


def derive(folder: Path) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Write tables reference and use into a folder that holds parallel_io, sorted, and file and process.

    Returns the tables' numbers of rows, remarks, and what was seen, by name. Raises OSError if the folder cannot
    be written.
    """
    from iotrace.engine import native

    with (
        pq.ParquetFile(local_name(folder / "parallel_io.parquet")) as calls,
        contextlib.closing(TableWriters(folder, OF_REQUESTS | {"reference"})) as writers,
    ):
        stream = native.CallReferences(_files_of_higher_layers(calls))
        writers.empty("reference")
        references = map(stream.references, calls.iter_batches(BATCH_ROWS))
        for batch in ahead(references, STEPS_AHEAD):
            writers.write("reference", batch)
        writers.write("use", stream.uses())
    seen = dict(stream.seen)
    higher = seen.pop("higher")
    return writers.rows, {"accesses that higher layers made of others": higher} if higher else {}, seen


def calls(table: Path) -> Iterator[pl.DataFrame]:
    """Give the calls of table parallel_io on files, in its order, as the reference stream takes them.

    Only layers that count; a read or write has its offset where the file pointer is known.
    """
    from iotrace.engine import native

    with pq.ParquetFile(local_name(table)) as file:
        stream = native.CallReferences(_files_of_higher_layers(file))
        for batch in file.iter_batches(BATCH_ROWS):
            frame = pl.DataFrame(pl.from_arrow(batch)).with_columns(
                pl.col("layer", "operation", "whence", "flags").cast(pl.String)
            )
            counted = pl.DataFrame(pl.from_arrow(stream.offsets(batch)))
            yield frame.with_columns(counted["offset"]).filter(counted["is_taken"])


def _files_of_higher_layers(calls: pq.ParquetFile) -> list[int]:
    """Return the files of which no read or write of a lowest layer was traced."""
    moved, of_lowest = set(), set()
    for batch in calls.iter_batches(BATCH_ROWS, columns=["file", "layer", "operation"]):
        is_move = _is_among(batch["operation"], ("read", "write"), null=False)
        is_lowest = is_move & _is_among(batch["layer"], LOWEST, null=True)
        files = pc.fill_null(batch["file"], -1).to_numpy(False)
        moved.update(np.unique(files[is_move]).tolist())
        of_lowest.update(np.unique(files[is_lowest]).tolist())
    return sorted(moved - of_lowest - {-1})


def _is_among(column: pa.DictionaryArray, names: Sequence[str], null: bool) -> NDArray[np.bool_]:
    """Return which values are among some names, and what a null is."""
    is_among = np.array([*(name in names for name in column.dictionary.to_pylist()), null])
    places: NDArray[np.int32] = pc.fill_null(column.indices, -1).to_numpy(False)
    return is_among[places]
