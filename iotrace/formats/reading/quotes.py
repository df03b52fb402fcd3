"""Fields in double quotes as in RFC 4180: they may hold separators, line breaks, and quotes, which are doubled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

QUOTE = '"'
MOST_LINES = 1000
"""How many lines a record has at most: a quote that is open for longer was never meant to be closed.

Each such quote halves the number, so that a text that is full of them is still read in linear time.
"""
OPEN = "a quote that is not closed"
"""Why a record is skipped whose quoted field has no end."""
Record = tuple[int, str, list[str] | None]
"""The place of a record's first line, its text, and its fields where some may be quoted, else None."""


@cache
def _field(separator: str) -> re.Pattern[str]:
    """Return what a field is, from a separator on or the record's beginning: quoted, or plain."""
    other = re.escape(separator)
    return re.compile(rf'(?:^|{other})(?: *"((?:[^"]|"")*+)" *|([^{other}\n]*))')


@cache
def _whole(separator: str) -> re.Pattern[str]:
    """Return what a whole record looks like: fields that begin with a quote also end with one."""
    other = re.escape(separator)
    field = rf'(?: *"(?:[^"]|"")*+" *|(?! *")[^{other}\n]*)'
    return re.compile(rf"{field}(?:{other}{field})*")


def is_open(record: str, separator: str) -> bool:
    """Return whether a record ends within a quoted field, or has text behind one."""
    return QUOTE in record and _whole(separator).fullmatch(record) is None


def records(
    lines: Sequence[str], separator: str, further: Callable[[], list[str]], most_lines: int = MOST_LINES
) -> Iterator[Record]:
    """Yield the records of lines; ``further`` gives the lines behind them, none at the end of the file.

    A line whose quoted field has no end within `most_lines` is a record by itself, with no fields.
    """
    known, start = list(lines), 0
    while start < len(known):
        text, end = known[start], start + 1
        if QUOTE not in text:
            yield start, text, None
            start = end
            continue
        is_broken = is_open(text, separator)
        while is_broken and end - start < most_lines:
            if end == len(known):
                more = further()
                if not more:
                    break
                known += more
            text, end = f"{text}\n{known[end]}", end + 1
            is_broken = QUOTE not in known[end - 1] or is_open(text, separator)
        if is_broken:
            most_lines //= 2
            yield start, known[start], []
            start += 1
        else:
            yield start, text, _fields(text, separator)
            start = end


def _fields(record: str, separator: str) -> list[str]:
    """Return the fields of a whole record: quoted ones as they stand in their quotes, others without blanks around."""
    return [
        field[2].strip() if field[1] is None else field[1].replace('""', QUOTE)
        for field in _field(separator).finditer(record)
    ]
