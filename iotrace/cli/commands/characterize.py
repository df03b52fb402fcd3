"""``iotrace characterize``: the workload in numbers, and beside the dissertation's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.analysis.population import Population
from iotrace.cli.former_doors import Door
from iotrace.cli.inputs import ModelOption, PopulationOption, TraceFormatOption, open_trace
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    refuse_to_overwrite,
)
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError, UsageError
from iotrace.store.skipped import cautions

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace characterize strace.log                      the verdict, and the main tables
 iotrace characterize build.iotrace runs_by_length    one statistic; --list names them all
 iotrace characterize build.iotrace runs_by_length --sql
 iotrace characterize build.iotrace --all --format json -o all.json
 iotrace paper richardson strace.log --chapter 3      beside Richardson 1994, its findings judged
"""
}

FIRST = ("static_by_type", "references_by_type", "reuse_by_type", "reads_and_writes_by_requests")
"""The tables that follow the verdict and the summary when nothing else is asked for."""
FIRST_OF_DISKS = ("requests_by_disk", "reads_and_writes_by_requests", "answer_times")
"""The same for block traces."""
FIRST_OF_RANKS = ("references_by_type", "reads_and_writes_by_requests")
"""The same for parallel traces."""
FIRST_OF = {"syscall": FIRST, "disk_io": FIRST_OF_DISKS, "parallel_io": FIRST_OF_RANKS}


class FileSize(StrEnum):
    """Which size of a file counts."""

    FIRST = "first"
    LAST = "last"
    LARGEST = "largest"


class Runs(StrEnum):
    """What ends a run."""

    SAME_DIRECTION = "same_direction"
    MIXED = "mixed"


def characterize(
    trace: Annotated[
        Path | None,
        typer.Argument(
            help="A store (NAME.iotrace) or a raw trace; - for standard input.", show_default=False
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="The statistics to show; --list names them.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every statistic that speaks of such a trace.")
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the statistics, with their columns and sources.")
    ] = False,
    sql: Annotated[
        bool, typer.Option("--sql", help="Show the SQL of the statistics named, and run nothing.")
    ] = False,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Former spelling of iotrace paper richardson --chapter 3.", hidden=True),
    ] = False,
    file_size: Annotated[
        FileSize, typer.Option("--file-size", help="Which of the sizes that a file had is its static size.")
    ] = FileSize.LARGEST,
    runs: Annotated[
        Runs, typer.Option("--runs", help="Whether a run's requests all go in one direction, or may mix.")
    ] = Runs.SAME_DIRECTION,
    windows: Annotated[
        int, typer.Option("--windows", min=1, max=200, help="How many windows divide the trace.")
    ] = 100,
    block: Annotated[
        int, typer.Option("--block", min=512, help="Bytes in a block, where data is followed by blocks.")
    ] = 4096,
    top: Annotated[int, typer.Option("--top", min=1, max=200, help="How many rows a ranking has.")] = 20,
    tree_depth: Annotated[
        int, typer.Option("--tree-depth", min=1, help="How deep the directory trees go.")
    ] = 3,
    population: PopulationOption = None,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Say what a workload is: its objects, references, reuse, runs, sizes, times and programs, in SQL."""
    refuse_to_overwrite(output, force)
    from iotrace.analysis.characterize import describe
    from iotrace.cli.output import emit, emit_many

    if listing:
        listed = describe()
        short = listed.select(["name", "title", "source"])
        emit(short if form is Format.TABLE else listed, form, output, "Statistics")
        return
    if trace is None:
        raise UsageError("give a trace: a store or a raw log (or --list)")
    if sql:
        _show_sql(names or [], form, output)
        return
    parameters: dict[str, str | int] = {
        "file_size": file_size.value,
        "runs": runs.value,
        "windows": windows,
        "block_bytes": block,
        "top": top,
        "tree_depth": tree_depth,
        "population": (population or Population.DATA).value,
    }
    if paper:
        Door([trace], form, output, model, trace_format).chapter_3(parameters)
        return
    store = open_trace(trace, model, trace_format)
    with _connected(store) as connection:
        _warn_of_other_families(store.family, names)
        tables = _asked_for(store, connection, names, everything, parameters)
    if form is Format.TABLE:
        tables = _for_reading(tables, said=output is None)
    emit_many(tables, form, output)


def _for_reading(tables: dict[str, pa.Table], said: bool) -> dict[str, pa.Table]:
    """Keep the columns that a terminal has room for; what is prose is `said` at once instead of tabulated."""
    if said and "verdict" in tables:
        print(*tables["verdict"].column("sentence").to_pylist(), sep="\n")
    return {
        name: table.select(["quantity", "shown"]) if name == "summary" else table
        for name, table in tables.items()
        if not (said and name == "verdict")
    }


def _warn_of_other_families(family: str, names: list[str] | None) -> None:
    """Say where a statistic was asked for that says nothing of the trace's family."""
    from iotrace import queries

    made_of = {"syscall": "system calls", "disk_io": "requests to disks", "parallel_io": "calls of ranks"}
    for name in names or []:
        if name in queries.names() and (of := queries.query(name).family) not in (None, family):
            warn_of(f"{name} is made of {made_of[of or family]}, of which this trace has none")


def _asked_for(
    store: Store,
    connection: duckdb.DuckDBPyConnection,
    names: list[str] | None,
    everything: bool,
    parameters: dict[str, str | int],
) -> dict[str, pa.Table]:
    import pyarrow as pa

    from iotrace import queries
    from iotrace.analysis.characterize import characterize as run
    from iotrace.analysis.facts import QUERIES
    from iotrace.analysis.summary import numbers
    from iotrace.analysis.verdict import verdict

    family = store.family
    first = FIRST_OF[family]
    if names:
        return run(connection, names, parameters)
    results = run(
        connection, dict.fromkeys([*QUERIES, *(queries.names(family) if everything else first)]), parameters
    )
    sentences = pa.table(
        {"sentence": [*cautions(store.manifest), *verdict(results, store.manifest.get("coverage"))]},
        schema=queries.table_schema("verdict"),
    )
    shown = {name: results[name] for name in (queries.names(family) if everything else first)}
    return {"verdict": sentences, "summary": numbers(results), **shown}


def _show_sql(names: list[str], form: Format, output: Path | None) -> None:
    import pyarrow as pa

    from iotrace import queries
    from iotrace.cli.output import emit

    if not names:
        raise UsageError("name the statistics after the trace; --list shows them")
    known = {*queries.names(), *queries.views()}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no statistic is called {', '.join(unknown)}; --list shows them all")
    texts = [queries.query(name).sql for name in names]
    if form is Format.TABLE and output is None:
        print("\n".join(texts), end="")
        return
    emit(pa.table({"name": names, "sql": texts}, schema=queries.table_schema("sql")), form, output)


@contextlib.contextmanager
def _connected(store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection to the store; what DuckDB cannot do (a full disk, say) is one line."""
    import duckdb

    with contextlib.closing(store.sandboxed(views=[])) as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise IotraceError(f"{store.path}: {str(error).splitlines()[0]}") from None
