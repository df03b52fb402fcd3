"""A generated program of parallel processes: its UMD text, and the table from which that is made."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import pyarrow as pa

from iotrace import queries, units
from iotrace.formats import umd_ascii
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.imitations import Imitation
from iotrace.generate.micro.settings import Micro
from iotrace.option import options

UMD_OPERATIONS = {"read": "read", "write": "write", "sync_write": "write"}
"""UMD's text does not distinguish a write that invalidates copies from others."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """A program's files, and how to make its rows (again each time)."""

    files: tuple[str, ...]
    """Their names, by their numbers; more files than names have numbers for names."""
    batches: Callable[[], Iterator[pa.RecordBatch]]
    """Batches of table program."""


def generated(
    program: Program, described: str, parameters: pa.Table, parts: pa.Table | None = None
) -> GeneratedTrace:
    """Return a program as a trace that is written, with results program_parameters and program_parts."""
    return GeneratedTrace(
        described,
        umd_ascii.FORMAT.name,
        partial(_write_text, program),
        parameters.select(["parameter", "value"]).to_pylist(),
        {"parameters": parameters} | ({"parts": parts} if parts is not None else {}),
        program.batches,
        lambda count: f"{units.count(count)} reads and writes",
    )


def with_parameters(
    name: str, settings: Micro | Imitation, table: pa.Table, described: str
) -> GeneratedTrace:
    """Return table program, with the settings that it was made with, as a program."""
    rows = [
        (option.field, float(getattr(settings, option.field)), *_source(option.help))
        for option in options(type(settings))
    ]
    batches = table.to_batches(max_chunksize=1 << 16)
    return generated(
        Program((f"{name}.0",), lambda: iter(batches)),
        described,
        queries.result_table("program_parameters", rows),
    )


def _write_text(program: Program, file: TextIO) -> int:
    """Write UMD's text: a process's time is what it has computed, its accesses take none."""
    records, ends, opened = 0, Counter[int](), set[tuple[int, int]]()
    for row, time_ns in _timed(program):
        ends[row["process"]] = time_ns + row["compute_ns"]
        if row["file"] is not None:
            records += 1
            opened.add((row["process"], row["file"]))
    pairs = sorted(opened)
    last = max((number for _, number in pairs), default=-1)
    stem = program.files[0].rpartition(".")[0]
    names = [
        program.files[number] if number < len(program.files) else f"{stem}.{number}"
        for number in range(last + 1)
    ]
    processes = len({process for process, _ in pairs})
    file.writelines(umd_ascii.text(_calls(program, pairs, ends), names, processes, records + 2 * len(pairs)))
    return records


def _calls(program: Program, pairs: list[tuple[int, int]], ends: Counter[int]) -> Iterator[Row]:
    nothing = {"offset": None, "length": None}
    for process, number in pairs:
        yield {"operation": "open", "process": process, "file": number, "time_ns": 0, **nothing}
    for row, time_ns in _timed(program):
        if row["file"] is not None:
            yield {**row, "operation": UMD_OPERATIONS[row["operation"]], "time_ns": time_ns}
    for process, number in pairs:
        yield {"operation": "close", "process": process, "file": number, "time_ns": ends[process], **nothing}


def _timed(program: Program) -> Iterator[tuple[Row, int]]:
    """Yield each row and what its process has computed before it, in nanoseconds."""
    clocks = Counter[int]()
    columns = ["process", "operation", "file", "offset", "length", "compute_ns"]
    for batch in program.batches():
        for row in batch.select(columns).to_pylist():
            yield row, clocks[row["process"]]
            clocks[row["process"]] += row["compute_ns"]


def _source(description: str) -> tuple[str, str]:
    """Part a sentence that ends with its source in brackets."""
    meaning, _, source = description.rpartition(" (")
    return meaning, source.removesuffix(")")
