"""Generated programs of parallel processes: written as UMD's text, as table program, or as a store."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import queries, schemas, units
from iotrace.errors import IotraceError, reason
from iotrace.files import placed
from iotrace.files.temporary import temporary_folder
from iotrace.formats import umd_ascii
from iotrace.generate import loops as nests
from iotrace.generate import parameters, program
from iotrace.generate.imitations import Imitation
from iotrace.generate.micro import Micro
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import SUFFIX

PARQUET = ".parquet"
MOST_ROWS = 1 << 26
ROW_BYTES = 50
"""Of a row of table program in memory, all of whose rows a simulation holds."""
UMD_OPERATIONS = {"read": "read", "write": "write", "sync_write": "write"}
"""UMD's text does not tell a write that invalidates copies from others."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A program, how to make its rows (again each time), and what is told of it."""

    described: str
    """What made it, in a line."""
    files: tuple[str, ...]
    """Their names, by their numbers; more files than names have numbers for names."""
    batches: Callable[[], Iterator[pa.RecordBatch]]
    """Batches of table program."""
    parameters: pa.Table
    """Result program_parameters."""
    parts: pa.Table
    """Result program_parts."""


def of_nests(found: nests.Nests, described: str) -> Made:
    """Return loop nests as a program; raises IotraceError for one without rows, or of more than `MOST_ROWS`."""
    try:
        rows, is_all = nests.row_count(found)
    except IotraceError as error:
        raise IotraceError(f"{found.name}: {error}") from None
    if not rows:
        raise IotraceError(f"{found.name}: reads and writes nothing: no loop around a reference takes a step")
    if rows > MOST_ROWS:
        raise IotraceError(
            f"{found.name}: {'' if is_all else 'at least '}{units.count(rows)} rows,"
            f" {units.size(rows * ROW_BYTES)} in memory; {units.count(MOST_ROWS)} are the most:"
            " make it smaller, with fewer iterations, or with larger requests"
        )
    return Made(
        described,
        tuple(f"{found.name}/{array.name}" for array in found.arrays),
        lambda: (program.batch(rows) for rows in nests.rows(found)),
        _table(
            "program_parameters",
            [(one.name, float(one.value), one.sentence, one.source) for one in found.parameters],
        ),
        _table("program_parts", [*_arrays(found), *_nests(found)]),
    )


def of_described(name: str, values: Micro | Imitation, seed: int, described: str) -> Made:
    """Return the micro-benchmark, or an imitation, as a program."""
    table = values.program(seed)
    told = [
        (field, float(getattr(values, field)), *_source(sentence))
        for field, sentence in parameters.sentences(values).items()
    ]
    return Made(
        described,
        (f"{name}.0",),
        lambda: iter(table.to_batches(max_chunksize=1 << 16)),
        _table("program_parameters", told),
        _table("program_parts", []),
    )


def write(made: Made, output: Path, replace: bool = False) -> int:
    """Write a program (``-`` for standard output) and return how many records it has.

    Where the name ends in .parquet, all of table program; where it ends in .iotrace, a store; else UMD's text. Text and
    store know nothing of nodes and phases. Raises IotraceError where that cannot be, and UsageError for a store that
    exists and is not to be replaced.
    """
    try:
        if str(output) == "-":
            return _write_text(made, sys.stdout)
        if output.suffix == SUFFIX:
            return _write_store(made, output, replace)
        with placed(output) as partial:
            if output.suffix.lower() == PARQUET:
                return _write_parquet(made, partial)
            with partial.open("w", encoding="utf-8") as file:
                return _write_text(made, file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IotraceError(f"{output}: {reason(error)}") from None


def _write_parquet(made: Made, output: Path) -> int:
    count = 0
    with (
        output.open("wb") as file,
        pq.ParquetWriter(file, schemas.schema("program"), compression="zstd") as writer,
    ):
        for batch in made.batches():
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def _write_store(made: Made, output: Path, replace: bool) -> int:
    told = {
        "sources": [made.described],
        "generated": made.parameters.select(["parameter", "value"]).to_pylist(),
    }
    with temporary_folder() as folder:
        text = folder / "generated.asc"
        with text.open("w", encoding="utf-8") as file:
            count = _write_text(made, file)
        ingest([text], output, format=umd_ascii.FORMAT.name, replace=replace, described=told)
    return count


def _write_text(made: Made, file: TextIO) -> int:
    """Write UMD's text: a process's time is what it has computed, its accesses take none."""
    records, ends, opened = 0, Counter[int](), set[tuple[int, int]]()
    for row, time_ns in _timed(made):
        ends[row["process"]] = time_ns + row["compute_ns"]
        if row["file"] is not None:
            records += 1
            opened.add((row["process"], row["file"]))
    pairs = sorted(opened)
    last = max((number for _, number in pairs), default=-1)
    stem = made.files[0].rpartition(".")[0]
    names = [
        made.files[number] if number < len(made.files) else f"{stem}.{number}" for number in range(last + 1)
    ]
    processes = len({process for process, _ in pairs})
    file.writelines(umd_ascii.text(_calls(made, pairs, ends), names, processes, records + 2 * len(pairs)))
    return records


def _calls(made: Made, pairs: list[tuple[int, int]], ends: Counter[int]) -> Iterator[Row]:
    nothing = {"offset": None, "length": None}
    for process, number in pairs:
        yield {"operation": "open", "process": process, "file": number, "time_ns": 0, **nothing}
    for row, time_ns in _timed(made):
        if row["file"] is not None:
            yield {**row, "operation": UMD_OPERATIONS[row["operation"]], "time_ns": time_ns}
    for process, number in pairs:
        yield {"operation": "close", "process": process, "file": number, "time_ns": ends[process], **nothing}


def _timed(made: Made) -> Iterator[tuple[Row, int]]:
    """Yield each row and what its process has computed before it, in nanoseconds."""
    clocks = Counter[int]()
    columns = ["process", "operation", "file", "offset", "length", "compute_ns"]
    for batch in made.batches():
        for row in batch.select(columns).to_pylist():
            yield row, clocks[row["process"]]
            clocks[row["process"]] += row["compute_ns"]


def _arrays(found: nests.Nests) -> Iterator[tuple[str, str, str, str]]:
    counts = nests.reference_counts(found).tolist()
    for array, count in zip(found.arrays, counts, strict=True):
        extents = " x ".join(str(extent) for extent in array.extents)
        unit = f" in whole {array.order.value}s" if array.whole else ""
        what = f"{extents} elements of {array.element_bytes} bytes, by {array.order.value}{unit}; {count:,} references"
        yield "array", array.name, what, array.source


def _nests(found: nests.Nests) -> Iterator[tuple[str, str, str, str]]:
    for nest in found.nests:
        loops = ", ".join(
            f"{loop.index}"
            + (f" in tiles of {loop.tile}" if loop.tiled else " whole")
            + (f", {loop.distribution.value}s to processes" if loop.distribution else "")
            + (" (reversed)" if loop.reverse else "")
            for loop in nest.loops
        )
        names = [
            [found.arrays[one.array].name for one in nest.references if one.write is write]
            for write in (False, True)
        ]
        moves = "; ".join(
            f"{verb} {', '.join(dict.fromkeys(some))}"
            for verb, some in zip(("reads", "writes"), names, strict=True)
            if some
        )
        yield (
            "nest",
            nest.name,
            f"{loops}; {moves}; {nest.compute_ps / 1000:g} ns of computation a step",
            nest.source,
        )


def _source(sentence: str) -> tuple[str, str]:
    """Part a sentence that ends with its source in brackets."""
    what, _, source = sentence.rpartition(" (")
    return what, source.removesuffix(")")


def _table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    schema = queries.table_schema(name)
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in schema]
    return pa.table(columns, schema=schema)
