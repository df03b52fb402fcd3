"""How a command writes a table: ``--format table|csv|json|parquet`` to standard output or ``-o``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, cast

import typer

from iotrace.cli.options.groups import Group
from iotrace.cli.tables.text import finite, write_csv, write_drawn, write_json_lines, write_markdown
from iotrace.cli.tables.text import write_json as write_json_tables
from iotrace.cli.terminal import VisibleLines, is_unicode, print, visible_lines, warn_of
from iotrace.errors import UsageError
from iotrace.files import atomic_write
from iotrace.files.inputs import is_stream
from iotrace.files.outputs import (
    failures_named,
    refuse_existing,
    refuse_folder,
    refuse_in_folder,
    refuse_no_folder,
    refuse_without_folder,
)
from iotrace.files.remote import Address, Place, located
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.cli.tables.text import Rows


class Format(StrEnum):
    """The formats in which a table can be written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PARQUET = "parquet"


PAGES = (".html", ".htm")
"""Endings of pages, which few commands write instead of a table."""
TABLES = {".txt": Format.TABLE, ".md": Format.MARKDOWN, **{f".{form}": form for form in Format}}
"""Endings of tables, and their forms."""
ENDINGS = (*PAGES, ".svg", ".iotrace", *TABLES)
"""Endings that say what is written."""


def output_path(text: str | Path) -> Path:
    """Return the path that a user names, which is located later; raises UsageError for no name, or an ending alone."""
    if not str(text):
        raise UsageError("the name of the output is empty")
    place = located(text)
    if "://" in str(text) and not isinstance(place, Address):
        raise UsageError(
            f"{text}: is an address that nothing can be written to; those of object storage begin with s3://"
        )
    if place.name.lower() in ENDINGS:
        raise UsageError(f"{place}: is an ending without a name; as a name there could be NAME{place.name}")
    return Path(text)


def page_path(text: str | Path) -> Path:
    """Return the path that a user names for a page; raises UsageError as `output_path`, and for another ending."""
    path = output_path(text)
    if path.suffix and path.suffix.lower() not in PAGES:
        raise UsageError(f"{located(path)}: is not a name for a page, which ends in .html")
    return path


def drawing_path(text: str | Path) -> Path:
    """Return the path that a user names for a drawing; raises UsageError as `output_path`, and for another ending."""
    path = output_path(text)
    if path.suffix.lower() != ".svg":
        raise UsageError(f"{located(path)}: is not a name for a drawing, which ends in .svg")
    return path


def written_option(
    *names: str,
    help: str,
    metavar: str = "FILE",
    parser: Callable[[str], Path] = output_path,
    **others: Any,
) -> Any:
    """Declare an option that names what is written."""
    return typer.Option(*names, parser=parser, help=help, metavar=metavar, **others)


def _of_ending(context: typer.Context, form: Format) -> Format:
    """Take the form from the ending of ``-o`` where ``--format`` was not given, and warn where they differ."""
    output = context.params.get("output")
    source = context.get_parameter_source("form")
    # the state of a curve has a form of its own, and so has a picture
    if source is None or context.params.get("state") or context.params.get("chart"):
        return form
    return form_of_ending(output, form, source.name != "DEFAULT")


def form_of_ending(output: Place | None, form: Format, is_given: bool) -> Format:
    """Return the form that an output's ending names where none `is_given`, and warn where it is another one.

    Raises UsageError for an ending that names none.
    """
    if output is None or not output.suffix or is_stream(output):
        return form
    ending = output.suffix.lower()
    if not is_given and ending in TABLES:
        return TABLES[ending]
    if not is_given:
        drawn = " (iotrace sql --chart draws pictures)" if ending in (".png", ".svg", ".pdf") else ""
        raise UsageError(
            f"{output}: no form of a table ends in {output.suffix}{drawn}; choose one with --format"
        )
    if ending in PAGES or TABLES.get(ending, form) is not form:
        warn_of(f"{output}: ends in {output.suffix}, but is written as --format {form.value}")
    return form


def _of_ending_or_page(context: typer.Context, form: Format) -> Format:
    """Do the same for a command that writes a page where ``-o`` ends so."""
    output = context.params.get("output")
    source = context.get_parameter_source("form")
    if output is None or source is None or output.suffix.lower() not in PAGES:
        return _of_ending(context, form)
    if source.name != "DEFAULT":
        raise UsageError(f"-o {output} is a page, and --format {form.value} is none: give one of them")
    return form


PIECES = (
    "Misses are over requests: one of more blocks than the cache is issued in pieces, each of which can miss, so small"
    " caches can exceed 100 %."
)
"""The remark on the numbers of a table of request misses."""
_FORMAT_HELP = "Format; or -o x.csv."
FormatOption = Annotated[Format, typer.Option("--format", "-f", callback=_of_ending, help=_FORMAT_HELP)]
FormatOrPageOption = Annotated[
    Format, typer.Option("--format", "-f", callback=_of_ending_or_page, help=_FORMAT_HELP)
]
OutputOption = Annotated[
    Place | None,
    written_option(
        "--output",
        "-o",
        help="Write to this file instead of standard output.",
        is_eager=True,  # the format may depend on it
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


def refuse_to_overwrite(output: Place | None, force: bool, option: str = "-o") -> None:
    """Raise UsageError if a command's output exists, before the work is done, unless it may be replaced."""
    if output is not None and not output.is_dir():
        refuse_existing(output, force, option)


@dataclass(frozen=True)
class Output(Group):
    """Where the result of a command goes, and in what form; raises UsageError for a file that is not to be replaced."""

    form: FormatOption = Format.TABLE
    output: OutputOption = None
    force: ForceOption = False

    def __post_init__(self) -> None:
        refuse_to_overwrite(self.output, self.force)
        if self.output is not None and self.form is not Format.PARQUET:  # which makes folders
            refuse_folder(self.output)
            refuse_without_folder(self.output)

    @property
    def has_bars(self) -> bool:
        """Whether tables on a terminal have bars."""
        return False

    @property
    def null(self) -> str:
        """The text of null values."""
        return ""

    @property
    def is_table(self) -> bool:
        """Whether it is to be read by a person."""
        return self.form is Format.TABLE

    @property
    def is_interactive(self) -> bool:
        """Whether a person reads it at once."""
        return self.is_table and self.output is None

    def emit(self, table: Rows, title: str = "", note: str | None = None, **given: Any) -> None:
        """Write one table; see `emit_many`."""
        self.emit_many({title: table}, note, **given)

    def emit_many(self, tables: Mapping[str, Rows], note: str | None = None, **given: Any) -> None:
        """Write several named tables, `given` columns that they have only where they are shown; see `emit_many`."""
        emit_many(
            tables,
            self.form,
            self.output,
            note,
            self.force,
            given,
            has_bars=self.has_bars,
            null=self.null,
        )

    def emit_answered(self, tables: Mapping[str, Rows], answers: Mapping[str, Any]) -> None:
        """Write several named tables; as JSON after `answers`, which are no tables."""
        emit_many(tables, self.form, self.output, None, self.force, None, answers)

    def emit_remarked(
        self, tables: Mapping[str, Rows], remarks: Sequence[str], note: str | None = None, **given: Any
    ) -> None:
        """Write tables, and remarks without full stops: a line each below what is to be read, or on standard error.

        A note comes before remarks that are to be read.
        """
        if not self.is_table:
            for remark in remarks:
                print(f"iotrace: {remark}", file=sys.stderr)
        lines = [*([note] if note else []), *(f"{remark[0].upper()}{remark[1:]}." for remark in remarks)]
        self.emit_many(tables, "\n".join(lines) or None, **given)


@dataclass(frozen=True)
class OutputWithBars(Output):
    """The same, with bars behind numbers on a terminal."""

    plain: Annotated[bool, typer.Option("--plain", help="No bars on a terminal.")] = False

    @property
    def has_bars(self) -> bool:
        """Whether tables on a terminal have bars."""
        return not self.plain


def emit(
    table: Rows, form: Format, output: Place | None = None, title: str = "", note: str | None = None
) -> None:
    """Write one table, or a stream of its batches, in the form asked for, with a note below one that is to be read.

    Raises UsageError if Parquet would go to a terminal.
    """
    emit_many({title: table}, form, output, note)


def emit_many(
    tables: Mapping[str, Rows],
    form: Format,
    output: Place | None = None,
    note: str | None = None,
    force: bool = False,
    given: Mapping[str, Any] | None = None,
    answers: Mapping[str, Any] | None = None,
    has_bars: bool = False,
    null: str = "",
) -> None:
    """Write several named tables: one after the other as tables (with a note below) or CSV, one object as JSON.

    As tables they are what is declared as shown of them, `given` the columns that they have there only.

    Parquet holds one table a file: several tables need ``-o`` naming a folder, which gets one file each, and in which
    ``force`` replaces those that are there. A single table is written bare, without its name. The object of JSON begins
    with ``answers``, which are no tables. Each of JSON lines is a row, which has the name of its table if there are
    several. ``null`` is the text of null values, except in JSON and Parquet.
    """
    if form is Format.TABLE:
        from iotrace.queries.shown import shown

        tables = {
            title: shown(table, **(given or {})) if isinstance(table, pa.Table) else table
            for title, table in tables.items()
        }
    if form is Format.PARQUET:
        _write_parquet(tables, output, force)
        return
    writers: dict[Format, Callable[[Mapping[str, Rows], IO[str]], None]] = {
        Format.TABLE: partial(
            write_drawn, note=note, has_bars=has_bars and is_unicode(sys.stdout), null=null
        ),
        Format.CSV: partial(write_csv, null=null),
        Format.JSONL: write_json_lines,
        Format.MARKDOWN: partial(write_markdown, null=null),
        Format.JSON: partial(write_json_tables, answers=answers or {}),
    }
    if output is None or str(output) == "-":
        # a drawn table is visible already, and has colours on a terminal
        raw = form is Format.TABLE or not sys.stdout.isatty()
        writers[form](tables, sys.stdout if raw else cast("IO[str]", VisibleLines(sys.stdout)))
        sys.stdout.flush()
        return
    refuse_folder(output)
    with (
        _written(output) as unfinished,
        unfinished.open("w", encoding="utf-8", errors="backslashreplace", newline="") as sink,
    ):
        writers[form](tables, sink)


@contextlib.contextmanager
def _written(output: Place) -> Iterator[Path]:
    """Give a file to write in place of the output; raises IotraceError with its name where it cannot be written."""
    with failures_named(output), atomic_write(output) as unfinished:
        yield unfinished


def write_json(value: Any, output: Place | None = None) -> None:
    """Write a value that is not a table as JSON."""
    import json

    to_stdout = output is None or str(output) == "-"
    is_ascii = to_stdout and not is_unicode(sys.stdout)
    text = json.dumps(finite(value), ensure_ascii=is_ascii, indent=2, default=str, allow_nan=False) + "\n"
    if output is None or to_stdout:
        sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        return
    refuse_folder(output)
    with _written(output) as unfinished:
        unfinished.write_text(text, "utf-8", errors="backslashreplace")


def _write_parquet(tables: Mapping[str, Rows], output: Place | None, force: bool) -> None:
    if len(tables) > 1:
        if output is None or str(output) == "-":
            raise UsageError("several tables as Parquet need -o FOLDER")
        refuse_no_folder(output)
        refuse_in_folder(output, [f"{name}.parquet" for name in tables], force)
        with failures_named(output):
            output.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            _write_table(table, output / f"{name}.parquet")
        return
    (table,) = tables.values()
    if output is None or str(output) == "-":
        if sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal; give -o FILE or redirect")
        _write_rows(table, sys.stdout.buffer)
        sys.stdout.flush()
        return
    refuse_folder(output)
    _write_table(table, output)


def _write_table(table: Rows, output: Place) -> None:
    with _written(output) as unfinished, unfinished.open("wb") as file:
        _write_rows(table, file)


def _write_rows(table: Rows, file: IO[bytes]) -> None:
    import pyarrow.parquet as pq

    if isinstance(table, pa.Table):
        pq.write_table(table, file, compression="zstd")
        return
    with pq.ParquetWriter(file, table.schema, compression="zstd") as writer:
        for batch in table:
            writer.write_batch(batch)
