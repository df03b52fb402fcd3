"""How a verb hands out a table: ``--format table|csv|json|parquet`` to standard output or ``-o``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.placing import placed

if TYPE_CHECKING:
    import pyarrow as pa


class Format(StrEnum):
    """The forms in which a table can leave."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def _of_ending(context: typer.Context, form: Format) -> Format:
    """Take the form from the ending of ``-o`` where ``--format`` was not given."""
    output = context.params.get("output")
    source = context.get_parameter_source("form")
    if output is None or source is None or source.name != "DEFAULT":
        return form
    endings = {f".{other}": other for other in Format}
    return endings.get(output.suffix.lower(), form)


PIECES = (
    "Misses are over requests: one of more blocks than the cache is issued in pieces, each of which can miss, so small"
    " caches can exceed 100 %."
)
"""What a table of request misses says of its numbers."""
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        callback=_of_ending,
        help="How to write the result; -o NAME.csv and the like say so too.",
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        is_eager=True,  # the format may depend on it
        help="Write to this file and not to standard output.",
        metavar="FILE",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


def refuse_to_overwrite(output: Path | None, force: bool, option: str = "-o") -> None:
    """Raise UsageError where a verb's output exists, before the work is done, unless it may be replaced."""
    if output is None or str(output) == "-" or output.is_dir() or force:
        return
    if os.path.lexists(output) and not output.is_char_device() and not output.is_fifo():
        raise UsageError(f"{output}: exists; give --force to overwrite it, or another {option}")


def emit(
    table: pa.Table, form: Format, output: Path | None = None, title: str = "", note: str | None = None
) -> None:
    """Write one table in the form asked for, with a note below one that is to be read.

    Raises UsageError where Parquet would go to a terminal.
    """
    emit_many({title: table}, form, output, note)


def emit_many(
    tables: dict[str, pa.Table], form: Format, output: Path | None = None, note: str | None = None
) -> None:
    """Write several named tables: one after the other as tables (with a note below) or CSV, one object as JSON.

    Parquet holds one table a file: several tables need ``-o`` naming a folder, which gets one file each.
    A single table is written bare, without its name.
    """
    if form is Format.PARQUET:
        _write_parquet(tables, output)
        return
    writers: dict[Format, Callable[[dict[str, pa.Table], IO[str]], None]] = {
        Format.TABLE: partial(_as_text, note=note),
        Format.CSV: _as_csv,
        Format.JSON: _as_json,
    }
    if output is None or str(output) == "-":
        writers[form](tables, sys.stdout)
        sys.stdout.flush()
        return
    _refuse_folder(output)
    with (
        _written(output) as unfinished,
        unfinished.open("w", encoding="utf-8", errors="backslashreplace", newline="") as sink,
    ):
        writers[form](tables, sink)


@contextlib.contextmanager
def _written(output: Path) -> Iterator[Path]:
    """Give a file to write in place of the output; raises IotraceError with its name where it cannot be written."""
    try:
        with placed(output) as unfinished:
            yield unfinished
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IotraceError(f"{output}: cannot be written: {reason(error)}") from None


def write_json(value: Any, output: Path | None = None) -> None:
    """Write a value that is no table as JSON."""
    import json

    text = json.dumps(_finite(value), ensure_ascii=False, indent=2, default=str, allow_nan=False) + "\n"
    if output is None or str(output) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    _refuse_folder(output)
    with _written(output) as unfinished:
        unfinished.write_text(text, "utf-8", errors="backslashreplace")


def _refuse_folder(output: Path) -> None:
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; -o wants a file")


def _write_parquet(tables: dict[str, pa.Table], output: Path | None) -> None:
    import pyarrow.parquet as pq

    if len(tables) > 1:
        if output is None or str(output) == "-":
            raise UsageError("several tables as Parquet need -o FOLDER")
        output.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            _write_table(table, output / f"{name}.parquet")
        return
    (table,) = tables.values()
    if output is None or str(output) == "-":
        if sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal; give -o FILE or redirect")
        pq.write_table(table, sys.stdout.buffer, compression="zstd")
        return
    _refuse_folder(output)
    _write_table(table, output)


def _write_table(table: pa.Table, output: Path) -> None:
    import pyarrow.parquet as pq

    with _written(output) as unfinished:
        pq.write_table(table, unfinished, compression="zstd")


def _plain(table: pa.Table) -> pa.Table:
    """Return the table with dictionaries decoded and decimals as integers or floats, for writers of text.

    DuckDB sums integers to 128-bit ones, which come as decimals.
    """
    import pyarrow as pa

    def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_dictionary(column.type):
            return column.cast(column.type.value_type)
        if pa.types.is_decimal(column.type):
            whole = column.type.scale == 0
            try:
                return column.cast(pa.int64() if whole else pa.float64())
            except pa.ArrowInvalid:
                return column.cast(pa.float64())
        return column

    return pa.table([plain(column) for column in table.columns], names=table.column_names)


def _as_csv(tables: dict[str, pa.Table], sink: IO[str]) -> None:
    import csv

    writer = csv.writer(sink, lineterminator="\n")
    for position, (name, table) in enumerate(tables.items()):
        if len(tables) > 1:
            sink.write(("\n" if position else "") + f"# {name}\n")
        plain = _plain(table)
        writer.writerow(plain.column_names)
        for batch in plain.to_batches(max_chunksize=65536):
            writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def _as_json(tables: dict[str, pa.Table], sink: IO[str]) -> None:
    import json

    whole: Any = {name: _plain(table).to_pylist() for name, table in tables.items()}
    if len(tables) == 1:
        (whole,) = whole.values()
    json.dump(_finite(whole), sink, ensure_ascii=False, indent=2, default=str, allow_nan=False)
    sink.write("\n")


def _finite(value: Any) -> Any:
    """Return the value with NaN and infinities as null: JSON has neither."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def _as_text(tables: dict[str, pa.Table], sink: IO[str], note: str | None = None) -> None:
    from rich.console import Console

    console = Console(file=sink, highlight=False, width=None if sink.isatty() else 200)
    for name, table in tables.items():
        console.print(rich_table(table, name))
    if note is not None:
        print(note, file=sink)


def rich_table(table: pa.Table, title: str = "", most_rows: int = 200) -> Any:
    """Return a terminal table: numbers to the right with thousands separated, names safe to print."""
    import pyarrow as pa
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        title=Text(title) if title else None, box=SIMPLE_HEAD, title_justify="left", title_style="bold"
    )
    shown = _plain(table.slice(0, most_rows))
    for field in shown.schema:
        number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        drawn.add_column(Text(field.name), justify="right" if number else "left", overflow="fold")
    for row in zip(*(column.to_pylist() for column in shown.columns), strict=True):
        drawn.add_row(*(Text(_cell(value)) for value in row))
    if table.num_rows > most_rows:
        drawn.caption = f"{most_rows} of {table.num_rows:,} rows; --format csv gives all"
    return drawn


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(value))
