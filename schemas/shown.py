"""The columns of a table that are shown to a person, as data: a line per column, next to the table's declaration.

::

    disk writes                                                     column disk_writes, under its name
    oldest = longest_at_risk_ns                                     a column, under a heading
    read misses = read_request_misses / read_requests as percent    arithmetic, and the unit in which it is written
    size = size_bytes or none                                       a word for null and 0
    interval = interval_ns if several                               only where its values differ
    flushed = blocks_flushed unless may_be_lost                     only where no row has a value in another column
    band = low to high                                              a range; nothing where both ends are the same
    share = percent with bar                                        a bar after the number, on terminals
    disk time ({device}) = time_ns                                  a value in the heading, the same for all rows
    * = verdict_*                                                   columns whose names begin so, under what follows

Arithmetic is + - * /, parentheses, and sum(COLUMN) over all rows; what is divided by 0 is null. A unit is needed where
that of the column is not the one in which it is to be written; the name of a column says that it holds each row's unit.
`if COLUMN` is the opposite of `unless COLUMN`; 0, false and empty text are no values. A column that is null in all rows
is left out, unless there is a word for that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from iotrace.units import WRITTEN

SEVERAL, SUM, EACH = "several", "sum", "*"
_LINE = re.compile(
    r"(?:(?P<heading>.*?\S)\s+=\s+)?(?P<value>[\w\s()+*/-]+?)(?:\s+to\s+(?P<end>[\w\s()+*/-]+?))?"
    r"(?:\s+or\s+(?P<nothing>\w+))?(?:\s+as\s+(?P<unit>\w+))?(?P<bar>\s+with\s+bar)?(?:\s+(?P<when>if|unless)\s+(?P<of>\w+))?"
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


class MalformedLine(ValueError):
    """A line that does not say what is shown, or names what is not declared."""


@dataclass(frozen=True)
class ShownColumn:
    """A column that a person is shown."""

    line: str
    """Its declaration."""
    heading: str
    value: ast.expr
    """A column's name, or arithmetic of several; the start of a range."""
    end: ast.expr | None
    """The end of a range."""
    unit: str
    """The unit in which it is written."""
    nothing: str
    """The word for null and 0; empty where there is none."""
    has_bar: bool
    """Whether a terminal shows its length as a bar, too."""
    when: str
    """if, unless, or empty."""
    of: str
    """The column on which that depends, or `SEVERAL`."""
    description: str

    @property
    def needs(self) -> set[str]:
        """The columns of which it is made."""
        return {name for value in (self.value, self.end) if value is not None for name in names_in(value)}

    @property
    def repeated(self) -> str:
        """How the names of the columns begin for each of which it stands; empty where it is one."""
        return beginning(self.value.id) if isinstance(self.value, ast.Name) else ""

    def for_column(self, name: str) -> ShownColumn:
        """Return what is shown of a column for which it stands."""
        return replace(self, heading=name.removeprefix(self.repeated), value=ast.Name(name))

    @property
    def name(self) -> str:
        """Its name in a table: the column's, or one made of the heading."""
        is_column = isinstance(self.value, ast.Name) and self.end is None
        return ast.unparse(self.value) if is_column else re.sub(r"\W+", "_", self.heading)


@dataclass(frozen=True)
class Shown:
    """The columns of a table that are shown to a person: all as they are if there are none."""

    columns: tuple[ShownColumn, ...] = ()
    known: frozenset[str] = frozenset()
    """The table's columns; those that a command adds to them are shown first."""

    def knows(self, name: str) -> bool:
        """Whether the table declares a column, or columns whose names begin as its name does."""
        beginnings = tuple(filter(None, map(beginning, self.known)))
        return name in self.known or name.startswith(beginnings)


def beginning(name: str) -> str:
    """Return how the names of repeated columns begin, `verdict_` of `verdict_*`; empty for the name of one."""
    return name.removesuffix(EACH) if name.endswith(EACH) else ""


def read(line: str, units: Mapping[str, str], descriptions: Mapping[str, str]) -> ShownColumn:
    """Read a line, given the units and descriptions of the table's columns; raises MalformedLine."""
    line = " ".join(line.split())
    match = _LINE.fullmatch(line)
    if match is None:
        raise MalformedLine(f"not a column to show: {line}")
    text = match["value"]
    value = _arithmetic(text if match["heading"] else text.replace(" ", "_"), line)
    end = _arithmetic(match["end"], line) if match["end"] else None
    names = [*names_in(value), *(names_in(end) if end else [])]
    when, of = match["when"] or "", match["of"] or ""
    heading = match["heading"] or text
    if unknown := {*names, *re.findall(r"\{(\w+)\}", heading), of} - {*units, SEVERAL, ""}:
        raise MalformedLine(f"{', '.join(sorted(unknown))}: not a column of the table: {line}")
    if of == SEVERAL and when == "unless":
        raise MalformedLine(f"several follows if alone: {line}")
    if (heading == EACH) != any(map(beginning, names)):
        raise MalformedLine(f"the heading of repeated columns is {EACH}: {line}")
    unit = _unit(value, units)
    return ShownColumn(
        line=line,
        heading=heading,
        value=value,
        end=end,
        unit=_asked(match["unit"], unit, units, line) if match["unit"] else unit,
        nothing=match["nothing"] or "",
        has_bar=match["bar"] is not None,
        when=when,
        of=of,
        description=" ".join(dict.fromkeys(descriptions[name] for name in names)),
    )


def _arithmetic(text: str, line: str) -> ast.expr:
    if re.fullmatch(r"[A-Za-z_]\w*(_\*)?", text):
        return ast.Name(text)  # which may be a keyword, as class is
    try:
        value = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise MalformedLine(f"not a column to show: {line}") from None
    if not all(map(_is_arithmetic, ast.walk(value))):
        raise MalformedLine(f"not arithmetic of columns: {line}")
    return value


def _is_arithmetic(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == SUM and len(node.args) == 1 and not node.keywords
    return isinstance(node, (ast.BinOp, ast.Name, ast.Load, *_OPERATORS))


def names_in(value: ast.expr) -> list[str]:
    """Return the columns of which a value is made."""
    names = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
    return [name for name in names if name != SUM]


def _unit(value: ast.expr, units: Mapping[str, str]) -> str:
    """Return the unit of a value; empty for a number."""
    if isinstance(value, ast.Name):
        return units[value.id]
    if isinstance(value, ast.Call):
        return _unit(value.args[0], units)
    if not isinstance(value, ast.BinOp):
        return ""
    return "ratio" if isinstance(value.op, ast.Div) else _unit(value.left, units) or _unit(value.right, units)


def _asked(word: str, unit: str, units: Mapping[str, str], line: str) -> str:
    """Return the unit that a line asks for: one in which numbers are written, or that which a column has."""
    if word == "percent" and unit == "ratio":
        return "part of one"
    if word in units:
        return f"see column {word}"
    if word not in WRITTEN:
        raise MalformedLine(f"{word} is neither a unit nor a column: {line}")
    return word
