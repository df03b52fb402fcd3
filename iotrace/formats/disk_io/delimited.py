"""Block traces that are text with a request on each line, in fields: CSV and what is separated by white space."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.formats.reading.batches import Batch, Told
from iotrace.formats.reading.bytes_in import Reading

if TYPE_CHECKING:
    import polars as pl

SEEN_LINES = 20
"""Of so many lines more than half must look right for a format to be recognised."""


@dataclass(frozen=True)
class Layout:
    """What a line holds.

    ``requests`` gives an expression over the fields, which are text, for each column of a batch, and where it has one
    for ``remark``, which says of lines that are no requests what they are. ``at_least`` is the number of fields that a
    line must have; further ones are ignored. ``separator`` is a character, or a space for any white space; ``pattern``
    is, instead of it, a regular expression with the fields as named groups. ``header`` tells lines that may come first.
    """

    fields: Sequence[str]
    requests: Callable[[], Mapping[str, pl.Expr]]
    required: Sequence[str]
    at_least: int
    separator: str = ","
    pattern: str | None = None
    header: re.Pattern[str] | None = None
    base: str = "relative"
    ordered: bool = True
    unspaced: bool = False
    """Whether spaces mean nothing, so that they are taken out of every field."""


class DelimitedSource:
    """Lines of fields being read."""

    def __init__(self, paths: Sequence[Path], layout: Layout) -> None:
        self.layout = layout
        self.told = Told(base=layout.base, ordered=layout.ordered)
        self.reading = Reading(paths, self.told)
        self._line = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the requests of the next lines."""
        import polars as pl

        block, is_first = self.reading.lines()
        if not block:
            return None
        lines = text_lines(block)
        self._line = 0 if is_first else self._line
        number = self._line + 1
        self._line += len(lines)
        self.told.records += len(lines)
        while is_first and lines and self.layout.header and self.layout.header.match(lines[0]):
            self._begin(lines[0])
            lines, number = lines[1:], number + 1
            self.told.remark("headers")
        text = pl.Series("text", lines, dtype=pl.String)
        frame = self._fields(text)
        chosen = self.layout.requests()
        last = self.layout.fields[self.layout.at_least - 1]
        reason = (
            pl.when(pl.col("text") == "")
            .then(pl.lit("empty line"))
            .when(pl.col(last).is_null())
            .then(
                pl.lit("too few fields" if self.layout.pattern is None else "not in the form of the format")
            )
        )
        frame = frame.select(
            pl.int_range(number, number + pl.len(), dtype=pl.Int64).alias("record"),
            *(expression.alias(name) for name, expression in chosen.items()),
            reason.alias("reason"),
        )
        frame = self._followed(frame)
        if "remark" in frame.columns:
            for kind, count in frame.group_by("remark", maintain_order=True).len().iter_rows():
                self.told.remark(kind, count if kind is not None else 0)
            frame = frame.filter(pl.col("remark").is_null()).drop("remark")
        return Batch(frame, self.layout.required, lambda record: lines[record - number])

    def _begin(self, header: str) -> None:
        """Take what a header line tells."""

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the batch with what depends on the lines before."""
        return frame

    def _fields(self, text: pl.Series) -> pl.DataFrame:
        import polars as pl

        names = list(self.layout.fields)
        plain = pl.col("text")
        if self.layout.pattern is not None:
            parts = plain.str.strip_chars().str.extract_groups(self.layout.pattern)
            return text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
        if self.layout.separator == " ":
            plain = plain.str.strip_chars().str.replace_all(r"\s+", " ")
        elif self.layout.unspaced:
            plain = plain.str.replace_all(r"\s+", "")
        parts = plain.str.split_exact(self.layout.separator, len(names)).struct.rename_fields(
            [*names, "rest"]
        )
        fields = text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
        return fields.with_columns(pl.col(name).str.strip_chars() for name in names)


def text_lines(block: bytes) -> list[str]:
    r"""Return the lines of a block of complete lines; bytes that are not UTF-8 are shown as ``\xHH``."""
    lines = block.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if b"\r" in block:
        lines = [line.rstrip("\r") for line in lines]
    return lines


def looks_like(pattern: bytes, head: bytes, header: bytes | None = None) -> bool:
    """Tell whether most of the first complete lines match a pattern, each whole; the first may be a header instead.

    More than half must, so that a few damaged lines hide no format, and formats whose lines differ never both claim a
    file. Blank lines tell nothing.
    """
    lines = head.splitlines()
    if len(head) >= 1 << 16 and len(lines) > 1:
        lines.pop()  # may be cut
    if lines and header is not None and re.match(header, lines[0]):
        lines = lines[1:]
        if not lines:
            return True
    seen = [line for line in map(bytes.strip, lines) if line][:SEEN_LINES]
    return 2 * sum(re.fullmatch(pattern, line) is not None for line in seen) > len(seen)
