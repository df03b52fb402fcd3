"""Tables as text, batch by batch: as CSV, as JSON, or drawn for reading."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from iotrace import units
from iotrace.cli.tables.bars import NARROW, WIDTH, with_bars
from iotrace.cli.tables.fit import SEPARATION, Column, fitted, is_fitting
from iotrace.cli.terminal import is_unicode, visible, visible_lines
from iotrace.libraries import pa

if TYPE_CHECKING:
    Rows: TypeAlias = pa.Table | pa.RecordBatchReader
    """A table, or a stream of its batches, which is read once."""

_EPOCH = date(1970, 1, 1).toordinal()
DAYS = (date.min.toordinal() - _EPOCH, date.max.toordinal() - _EPOCH + 1)
"""The first day that Python has, and the one after its last, from 1970 on."""
STEPS_A_DAY = {"day": 1, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
BATCH_ROWS = 1 << 13
MOST_ROWS_DRAWN = 200
USUAL_WIDTH = 200
"""The width of a table that is not on a terminal, where no number or word needs more."""
LONGEST_WORD = 100
"""Longer words go on in the next line."""


def batches(rows: Rows) -> Iterator[pa.RecordBatch]:
    """Give a table in pieces of at most `BATCH_ROWS` rows, each with columns that text can show.

    Dictionaries are decoded, and instants that Python cannot hold are text.
    """
    pieces = rows.to_batches(max_chunksize=BATCH_ROWS) if isinstance(rows, pa.Table) else rows
    for piece in pieces:
        for start in range(0, piece.num_rows, BATCH_ROWS):
            yield _plain(piece.slice(start, BATCH_ROWS))


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(map(_plain_column, batch.columns)), names=batch.schema.names)


def _plain_column(column: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if pa.types.is_timestamp(column.type) or pa.types.is_date32(column.type):
        return _dated(column)
    return column


def _dated(column: pa.Array) -> pa.Array:
    """Return instants or days as they are if Python can hold all, else as text, infinite ones by their names."""
    if column.null_count == len(column):
        return column
    of_days = pa.types.is_date32(column.type)
    unit = "day" if of_days else column.type.unit
    steps = column.view(pa.int32() if of_days else pa.int64()).to_pylist()
    least, most = (day * STEPS_A_DAY[unit] for day in DAYS)
    if unit != "ns" and all(step is None or least <= step < most for step in steps):
        return column
    infinite = (1 << (31 if of_days else 63)) - 1
    names = {infinite: "infinity", -infinite: "-infinity"}
    texts = column.cast(pa.string()).to_pylist()
    return pa.array([names.get(step, text) for step, text in zip(steps, texts, strict=True)], pa.string())


def write_csv(tables: Mapping[str, Rows], sink: IO[str], null: str = "") -> None:
    """Write tables one after the other; several have their names above them.

    Null is nothing or the text for it, and empty text is ``""``, as in DuckDB's CSV.
    """
    for position, (name, rows) in enumerate(tables.items()):
        if len(tables) > 1:
            sink.write(("\n" if position else "") + f"# {name}\n")
        sink.write(",".join(map(_csv_value, rows.schema.names)) + "\n")
        for batch in batches(rows):
            columns = [_csv_values(column, null) for column in batch.columns]
            for row in zip(*columns, strict=True):
                sink.write(",".join(row) + "\n")


_needs_quotes = re.compile(r'[,"\r\n]|^$').search


def _csv_values(column: pa.Array, null: str) -> list[str]:
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return [null if value is None else str(value) for value in column.to_pylist()]
    if pa.types.is_string(kind):  # most texts are many times in a column
        coded = column.dictionary_encode()
        texts = [*(_csv_value(text, null) for text in coded.dictionary.to_pylist()), null]
        return [texts[code] for code in coded.indices.fill_null(-1).to_pylist()]
    return [null if value is None else _csv_value(value, null) for value in column.to_pylist()]


def _csv_value(value: object, null: str = "") -> str:
    """Return a value as CSV has it; a text that is the one for null is in quotes."""
    text = _text(value)
    if null and text == null:
        return f'"{text}"'
    return '"' + text.replace('"', '""') + '"' if _needs_quotes(text) else text


def _text(value: object) -> str:
    """Return a value as text; lists and structs are JSON, in which maps are lists of pairs."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return json.dumps(finite(value), ensure_ascii=False, default=str, allow_nan=False)
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def write_json(tables: Mapping[str, Rows], sink: IO[str], answers: Mapping[str, Any] | None = None) -> None:
    """Write a table as an array of objects, and several as an object of such arrays, in which `answers` come first."""
    is_ascii = not is_unicode(sink)
    if answers:
        text = json.dumps(finite(dict(answers)), ensure_ascii=is_ascii, indent=2, allow_nan=False)
        sink.write(text.removesuffix("\n}"))
        for name, rows in tables.items():
            sink.write(",\n  " + json.dumps(name, ensure_ascii=is_ascii) + ": ")
            _write_array(rows, sink, "  ", is_ascii)
        sink.write("\n}")
    elif len(tables) == 1:
        (rows,) = tables.values()
        _write_array(rows, sink, "", is_ascii)
    else:
        for position, (name, rows) in enumerate(tables.items()):
            sink.write((",\n  " if position else "{\n  ") + json.dumps(name, ensure_ascii=is_ascii) + ": ")
            _write_array(rows, sink, "  ", is_ascii)
        sink.write("\n}" if tables else "{}")
    sink.write("\n")


def _write_array(rows: Rows, sink: IO[str], indent: str, is_ascii: bool) -> None:
    inner = indent + "    "
    names = [json.dumps(name, ensure_ascii=is_ascii).replace("%", "%%") for name in rows.schema.names]
    fields = ",\n".join(f"{inner}{name}: %s" for name in names)
    row = f"{indent}  {{\n{fields}\n{indent}  }}"
    begun = False
    for batch in batches(rows):
        columns = [_json_values(column, inner, is_ascii) for column in batch.columns]
        sink.write(",\n" if begun else "[\n")
        sink.write(",\n".join(row % values for values in zip(*columns, strict=True)))
        begun = True
    sink.write(f"\n{indent}]" if begun else "[]")


def write_json_lines(tables: Mapping[str, Rows], sink: IO[str]) -> None:
    """Write each row as an object in a line; rows of several tables begin with the table's name, as ``table``."""
    is_ascii = not is_unicode(sink)
    for name, rows in tables.items():
        names = [json.dumps(column, ensure_ascii=is_ascii).replace("%", "%%") for column in rows.schema.names]
        of_table = json.dumps({"table": name}, ensure_ascii=is_ascii)[1:-1].replace("%", "%%") + ", "
        row = (
            "{"
            + (of_table if len(tables) > 1 else "")
            + ", ".join(f"{column}: %s" for column in names)
            + "}\n"
        )
        for batch in batches(rows):
            columns = [_json_values(column, "", is_ascii, indent=None) for column in batch.columns]
            sink.write("".join(row % values for values in zip(*columns, strict=True)))


def write_markdown(tables: Mapping[str, Rows], sink: IO[str], null: str = "") -> None:
    """Write tables as in Markdown, one after the other, with values in full; several have their names above them."""
    for position, (name, rows) in enumerate(tables.items()):
        if len(tables) > 1:
            sink.write(("\n" if position else "") + f"{_markdown(name)}\n\n")
        sink.write(f"| {' | '.join(map(_markdown, rows.schema.names))} |\n")
        sink.write(
            "|" + "|".join("--:" if _is_number(field.type) else "---" for field in rows.schema) + "|\n"
        )
        for batch in batches(rows):
            columns = [
                [null if value is None else _markdown(_text(value)) for value in column.to_pylist()]
                for column in batch.columns
            ]
            sink.writelines(f"| {' | '.join(row)} |\n" for row in zip(*columns, strict=True))


def _markdown(text: str) -> str:
    return re.sub(r"([\\|`*<\[])", r"\\\1", visible(text))


def _json_values(column: pa.Array, before: str, is_ascii: bool, indent: int | None = 2) -> list[str]:
    """Return each value of a column as JSON, whose further lines begin with `before`; in one line without an indent.

    NaN and infinities, which JSON has not, are null.
    """
    write: Callable[[Any], str]
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        write = _text
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        write = json.JSONEncoder(ensure_ascii=is_ascii).encode
    else:

        def write(value: Any) -> str:
            if isinstance(value, float):
                return repr(value) if math.isfinite(value) else "null"
            text = json.dumps(
                finite(value), ensure_ascii=is_ascii, indent=indent, default=str, allow_nan=False
            )
            return text.replace("\n", f"\n{before}")

    return ["null" if value is None else write(value) for value in column.to_pylist()]


def finite(value: Any) -> Any:
    """Return the value with NaN and infinities as null: JSON has neither."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value


def write_drawn(
    tables: Mapping[str, Rows],
    sink: IO[str],
    note: str | None = None,
    has_bars: bool = False,
    null: str = "",
) -> None:
    """Write tables for reading, with a note below; on a terminal they are as wide as it is, and may have bars.

    A null value is its column's word for nothing, or else `null`.

    The empty line at the top of a table parts it from its title, and is left out where there is none.
    """
    from rich.console import Console

    console = Console(file=sink, highlight=False, width=None if sink.isatty() else USUAL_WIDTH)
    width = console.width if sink.isatty() else None
    mark = "…" if is_unicode(sink) else "..."
    for name, rows in tables.items():
        table = drawn(rows, name, width, mark, has_bars and width is not None, null)
        if width is None:  # nobody can make a pipe wider: no number is broken, and no column squeezed
            console.width = max(
                USUAL_WIDTH,
                sum((column.min_width or 0) + SEPARATION for column in table.columns) + SEPARATION,
            )
        with console.capture() as text:
            console.print(table)
        sink.write(text.get() if name else text.get().partition("\n")[2])
    if note is not None:
        lines = visible_lines(note)
        sink.write((wrapped(lines, console.width) if sink.isatty() else lines) + "\n")


def wrapped(text: str, width: int) -> str:
    """Break lines longer than ``width`` characters between words; a word of more is kept whole."""
    return "\n".join(
        textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def drawn(
    rows: Rows,
    title: str = "",
    width: int | None = None,
    mark: str = "…",
    has_bars: bool = False,
    null: str = "",
) -> Any:
    """Return a terminal table: numbers to the right with thousands separated, names safe to print.

    Where it is wider than ``width`` characters, long words are shortened in the middle, then bars left out, and then
    the last columns.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(visible(title)) if title else None,
        box=SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
    )
    columns, count = _columns(rows, null, has_bars)
    if has_bars and width is not None:
        columns = _with_bars(columns, width)
    captions = (
        [f"{MOST_ROWS_DRAWN} of {count:,} rows; --format csv gives all"] if count > MOST_ROWS_DRAWN else []
    )
    if width is not None and not is_fitting(columns, width):
        columns, left_out = fitted(columns, width)
        if left_out:
            captions.append(
                f"columns that do not fit this terminal: {', '.join(left_out)}; --format csv gives all"
            )
    for column in columns:
        name = column.broken_name() if column.width else column.name
        table.add_column(
            Text(name),
            justify="left" if column.is_text or column.bars_of is not None else "right",
            overflow="fold",
            width=column.width or None,
            min_width=_least_width(column) if width is None else None,
        )
        if column.width:
            column.cells = [column.shortened(cell, mark) for cell in column.cells]
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    if captions:
        table.caption = Text("\n".join(captions))
    return table


def _least_width(column: Column) -> int:
    """Return the width in which no word of a column, and no number, is broken, but very long ones."""
    from rich.cells import cell_len

    words = (word for text in (column.name, *column.cells) for word in text.split() or [""])
    return min(max(map(cell_len, words)), LONGEST_WORD)


def _columns(rows: Rows, null: str, has_bars: bool) -> tuple[list[Column], int]:
    """Return the first rows as columns of text, and how many rows there are."""
    columns = [
        Column(
            visible(_meta(field, "heading") or field.name),
            [],
            not _is_number(field.type),
            bars_of=_meta(field, "unit") if has_bars and _meta(field, "bar") else None,
        )
        for field in rows.schema
    ]
    count = 0
    for batch in batches(rows):
        shown = batch.slice(0, max(0, MOST_ROWS_DRAWN - count))
        for column, field, values in zip(columns, rows.schema, shown.columns, strict=True):
            is_fraction = pa.types.is_decimal(values.type) and values.type.scale != 0
            numbers = (values.cast(pa.float64()) if is_fraction else values).to_pylist()
            column.cells.extend(_cell(value, field, null) for value in numbers)
            if column.bars_of is not None:
                column.numbers.extend(numbers)
        count += batch.num_rows
    return columns, count


def _with_bars(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns with the longest bars that leave room for all of them; without bars if none do."""
    for length in (WIDTH, NARROW):
        longer = [_with_bars_of(column, length) for column in columns]
        if is_fitting(longer, width) or not fitted(longer, width)[1]:
            return longer
    return [replace(column, bars_of=None) for column in columns]


def _with_bars_of(column: Column, length: int) -> Column:
    if column.bars_of is None:
        return replace(column)
    return replace(column, cells=with_bars(column.cells, column.numbers, column.bars_of, length))


def _is_number(kind: pa.DataType) -> bool:
    return any(of(kind) for of in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal))


def _meta(field: pa.Field, key: str) -> str:
    metadata: bytes = (field.metadata or {}).get(key.encode(), b"")
    return metadata.decode()


def _cell(value: object, field: pa.Field, null: str) -> str:
    """Return a cell as a person reads it: in its unit where the column is declared as shown, else in full."""
    if value is None:
        return _meta(field, "nothing") or null
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and _meta(field, "heading"):
        return units.written(value, _meta(field, "unit"))
    if isinstance(value, int | float | Decimal):
        return str(value) if _meta(field, "unit") == "identifier" else units.number(value)
    return visible(_text(value))
