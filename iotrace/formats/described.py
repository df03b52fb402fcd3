"""Text with a request on each line, whose columns a description names: ``time=ts:us,key=id,...``.

What names there are, and what becomes of their fields, is the business of those who read disks' requests (`columns`)
and caches' (`key_columns`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.lines import plain_header
from iotrace.libraries import pl

SEPARATORS = {"tab": "\t", "space": " ", "semicolon": ";", "comma": ","}
WORDS = ("separator", "epoch", "skip")
"""The words of a description that are no columns."""
MOST_DIGITS = 5
"""Of a column's number."""
MULTIPLES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
TIME_UNITS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
Expression = Callable[["Column", Callable[[str], str]], tuple[str, "pl.Expr"]]
"""Returns the batch's column that a described one fills, and how; its second argument gives a field's name."""


@dataclass(frozen=True)
class Column:
    """Where a quantity stands and in what unit."""

    name: str
    source: str
    unit: str


@dataclass(frozen=True)
class Columns:
    """A whole description, as the user wrote it and understood."""

    text: str
    columns: tuple[Column, ...]
    separator: str = ","
    base: str = "relative"
    skip: int = 0
    """How many lines there are before the text."""

    @property
    def names(self) -> set[str]:
        """The names that it has."""
        return {column.name for column in self.columns}

    @property
    def by_file(self) -> bool:
        """Whether offsets are places in files: those of a trace that names files and no devices."""
        return "file" in self.names and "device" not in self.names

    @property
    def has_header(self) -> bool:
        """Whether a column is called by a name."""
        return any(
            not column.source.isdecimal() for column in self.columns if not column.source.startswith("@")
        )


def names_key(text: str) -> bool:
    """Return whether a description has a column of keys."""
    return any(item.partition("=")[0].strip().lower() == "key" for item in text.split(","))


def sources_of(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the columns that a description with some of these names has, by the names, and its other words."""
    pairs = (item.partition("=") for item in _items(text, (*names, *WORDS)))
    return {name.strip().lower(): rest.partition(":")[0].strip() for name, _, rest in pairs}


def parse(text: str, names: Sequence[str], expression: Expression) -> Columns:
    """Read a description with some of these names; raises UsageError for words that are none."""
    columns: dict[str, Column] = {}
    separator, base, skip = ",", "relative", 0
    for item in _items(text, (*names, *WORDS)):
        name, equals, rest = item.partition("=")
        name = name.strip().lower()
        if not equals or not rest:
            raise UsageError(f"--columns: {item!r} is not NAME=COLUMN")
        if name == "separator":
            separator = _choice(SEPARATORS, rest, "separator")
        elif name == "epoch":
            base = _choice({"1970": "epoch"}, rest, "epoch")
        elif name == "skip":
            if not re.fullmatch("[1-9][0-9]{0,3}", rest):
                raise UsageError(f"--columns: skip is a number of lines from 1 to 9999, not {rest}")
            skip = int(rest)
        elif name not in names:
            raise UsageError(
                f"--columns: there is no {name}; there are {', '.join(names)}, separator, epoch and skip"
            )
        elif name in columns:
            raise UsageError(f"--columns: {name} is given twice")
        else:
            source, _, unit = rest.partition(":") if not rest.startswith("@") else (rest, "", "")
            columns[name] = Column(name, source.strip(), unit.strip())
            expression(columns[name], lambda source: "")  # so that a bad unit is reported at once
    if columns.get("time", Column("", "", "")).unit == "filetime":
        base = "epoch"
    return Columns(text, tuple(columns.values()), separator, base, skip)


def _items(text: str, names: Sequence[str]) -> Sequence[str]:
    """Return the parts of a description; what follows op=COLUMN:CODE=OPERATION belongs to it up to the next name."""
    items: list[str] = []
    for item in filter(None, text.split(",")):
        if items and _names_operations(items[-1]) and item.partition("=")[0].strip().lower() not in names:
            items[-1] += f",{item}"
        else:
            items.append(item)
    return items


def _names_operations(item: str) -> bool:
    name, _, rest = item.partition("=")
    return name.strip().lower() == "op" and "=" in rest.partition(":")[2]


def _choice(known: Mapping[str, str], word: str, name: str) -> str:
    if word not in known:
        raise UsageError(f"--columns: {name} is {' or '.join(known)}, not {word}")
    return known[word]


def unit_bytes(name: str, unit: str) -> int:
    """Return the bytes of a unit as in 512 or 4K; raises UsageError for another word."""
    match = re.fullmatch(r"([1-9][0-9]{0,9}|)([KMG]?)B?", unit, re.IGNORECASE)
    if not match:
        raise UsageError(f"--columns: the unit of {name} is a number of bytes such as 512 or 4K, not {unit}")
    return int(match[1] or 1) * MULTIPLES[match[2].upper()]


def unit_ns(name: str, unit: str) -> int:
    """Return the nanoseconds of a unit of time, s by default; raises UsageError for another word."""
    if unit and unit not in TIME_UNITS:
        raise UsageError(f"--columns: the unit of {name} is one of {', '.join(TIME_UNITS)}, not {unit}")
    return TIME_UNITS[unit or "s"]


def constant_bytes(value: str) -> int:
    """Return the number that @VALUE is; raises UsageError if it is none."""
    match = re.fullmatch(r"(\d{1,12})([KMG]?)", value, re.IGNORECASE)
    if not match:
        raise UsageError(f"--columns: @{value} is not a number")
    return int(match[1]) * MULTIPLES[match[2].upper()]


class DescribedLines(DelimitedSource):
    """Lines whose fields a description names, by the first line where there are names."""

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Columns,
        expression: Expression,
        constant: Callable[[str, str], str | int],
        required: Sequence[str],
    ) -> None:
        self.columns = columns
        self._expression, self._constant = expression, constant
        numbered = [column.source for column in columns.columns if column.source.isdecimal()]
        if any(len(number) > MOST_DIGITS for number in numbered):
            raise UsageError(f"--columns: a column's number has at most {MOST_DIGITS} digits")
        numbers = [int(number) for number in numbered]
        if 0 in numbers:
            raise UsageError("--columns: columns are numbered from 1")
        count = max(numbers, default=1)
        layout = Layout(
            fields=[f"field_{number}" for number in range(1, count + 1)],
            requests=lambda: self._expressions({}),
            required=required,
            at_least=count,
            separator=columns.separator,
            header=re.compile("") if columns.has_header else None,
            base=columns.base,
            skip=columns.skip,
        )
        super().__init__(paths, layout)

    def _expressions(self, numbers: Mapping[str, int]) -> dict[str, pl.Expr]:
        constants = {
            column.name: column.source[1:] for column in self.columns.columns if column.source[:1] == "@"
        }
        chosen = dict(
            self._expression(column, lambda source: f"field_{numbers.get(source, source)}")
            for column in self.columns.columns
            if column.name not in constants
        )
        for name, value in constants.items():
            kind, _ = self._expression(Column(name, "1", ""), lambda source: "")
            chosen[kind] = pl.lit(self._constant(name, value))
        return chosen

    def _begin(self, header: str) -> None:
        """Find the columns by their names in the first line."""
        header = plain_header(header)
        separator = None if self.columns.separator == " " else self.columns.separator
        names = [name.strip().strip('"') for name in header.split(separator)]
        places = {name: number for number, name in enumerate(names, 1)}
        places |= {mark + names[0]: 1 for mark in ("#", "# ")}
        sources = [column.source for column in self.columns.columns if not column.source.startswith("@")]
        if missing := [name for name in sources if name not in places and not name.isdecimal()]:
            raise IotraceError(
                f"{self.reading.path}: line 1 names no column {', '.join(missing)}; it names {', '.join(names)[:200]}"
            )
        used = [places[name] if name in places else int(name) for name in sources]
        self.layout = replace(
            self.layout,
            fields=[f"field_{number}" for number in range(1, max([len(names), *used]) + 1)],
            requests=lambda: self._expressions(places),
            at_least=max(used),
            header=re.compile(re.escape(header) + "$"),
        )
