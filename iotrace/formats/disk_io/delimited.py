"""Block traces that are text with a request on each line, in fields: CSV and what is separated by white space."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import AnyStr

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.usual import UsualLine
from iotrace.formats.reading import quotes
from iotrace.formats.reading.batches import BLANK, Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.files import HEAD_BYTES
from iotrace.formats.reading.open_ends import has_fewer_fields
from iotrace.libraries import pl

SEEN_LINES = 20
"""The number of lines of which more than half must match for a format to be recognised."""


@dataclass(frozen=True)
class Layout:
    """What a line holds.

    ``requests`` gives an expression over the fields, which are text, for each column of a batch, and where it has one
    for ``remark``, which says of lines that are no requests what they are, and ``reason``, why they are skipped.
    ``at_least`` is the number of fields that a line must have; further ones are ignored. ``separator`` is a character,
    or a space for any white space; ``pattern`` is, instead of it, a regular expression with the fields as named groups.
    ``header`` matches possible first lines. ``usual`` is what lines usually look like, where the engine can read those.
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
    named_by_header: bool = False
    """Whether a file's header gives its fields' names and order, of which those in ``fields`` are used."""
    usual: UsualLine | None = None


class DelimitedSource:
    """Lines of fields being read."""

    def __init__(self, paths: Sequence[Path], layout: Layout) -> None:
        self.layout = layout
        self.notes = SourceNotes(base=layout.base, ordered=layout.ordered)
        self.reading = Reading(paths, self.notes)
        self.header: str | None = None
        """The first header, by which later files may be read."""
        self._line = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the requests of the next lines."""
        block, number = self.next_lines()
        if not number:
            return None
        return self.read(block, number)

    def read(self, block: bytes, number: int) -> Batch:
        """Return the requests of lines, the first of which has this number."""
        lines = text_lines(block)
        if self.may_be_quoted(block):
            return self._quoted(lines, number)
        self.count(len(lines))
        records = pl.int_range(number, number + len(lines), dtype=pl.Int64, eager=True)
        return self.batch(lines, records, lambda record: lines[record - number])

    def may_be_quoted(self, block: bytes) -> bool:
        """Return whether some fields of lines may be in quotes, and so hold separators and line breaks."""
        is_csv = self.layout.pattern is None and self.layout.separator != " "
        return is_csv and quotes.QUOTE.encode() in block

    def _quoted(self, lines: list[str], number: int) -> Batch:
        """Return the requests of lines of which some have quoted fields, read on to the end of the last record."""

        def further() -> list[str]:
            more = text_lines(self.reading.lines_on())
            lines.extend(more)
            return more

        found = list(quotes.records(list(lines), self.layout.separator, further))
        self._line += len(lines)
        self.notes.records += len(found)
        texts = {number + place: text for place, text, _ in found}
        records = pl.Series(list(texts), dtype=pl.Int64)
        fields = {number + place: values for place, _, values in found if values is not None}
        if (end := self.reading.take_open_end() or self.notes.open_end) is not None:
            self.notes.open_end = replace(end, record=number + found[-1][0])
        return self.batch(list(texts.values()), records, texts.__getitem__, fields)

    def next_lines(self) -> tuple[bytes, int]:
        """Return the next lines after a header, and the number of the first; 0 at the end."""
        parts, number = self.next_parts()
        return b"".join(parts), number

    def next_parts(self) -> tuple[list[bytes], int]:
        """Return the same in parts, each of complete lines."""
        parts, is_first = self.reading.parts()
        self.notes.open_end = self.reading.take_open_end()
        if not parts:
            return [], 0
        if is_first:
            self._line = 0
            for place, part in enumerate(parts):
                parts[place] = self._without_headers(part)
                if parts[place]:
                    break
        return parts, self._line + 1

    def count(self, lines: int) -> None:
        """Count lines that were read."""
        self._line += lines
        self.notes.records += lines

    def _without_headers(self, block: bytes) -> bytes:
        while block:
            end = block.find(b"\n") + 1 or len(block)
            (line,) = text_lines(block[:end])
            if not self._is_header(line):
                break
            self.header = self.header or line
            self._begin(line)
            self.count(1)
            self.notes.remark("headers")
            block = block[end:]
        return block

    def batch(
        self,
        lines: list[str],
        records: pl.Series,
        excerpt: Callable[[int], str],
        quoted: Mapping[int, list[str]] | None = None,
    ) -> Batch:
        """Return the requests of records with these numbers, by the format's expressions.

        A record is a line, but for those that are ``quoted``, of which this has the fields, none where a quote is open.
        """
        text = pl.Series("text", lines, dtype=pl.String)
        frame = self._fields(text)
        if quoted:
            frame = self._with_fields(frame, records, quoted)
        chosen = dict(self.layout.requests())
        last = self.layout.fields[self.layout.at_least - 1]
        is_blank = pl.col("text").str.strip_chars() == ""
        lacks = "too few fields" if self.layout.pattern is None else "not in the form of the format"
        if self._ends_early():
            lacks, is_lacking = "fewer fields than the line before", pl.lit(True)
        else:
            is_lacking = pl.col(last).is_null()
        reason: pl.Expr = pl.when(is_lacking).then(pl.lit(lacks))
        if quoted and (open_ones := [record for record, fields in quoted.items() if not fields]):
            reason = pl.when(records.is_in(open_ones)).then(pl.lit(quotes.OPEN)).otherwise(reason)
        if (own := chosen.pop("reason", None)) is not None:
            reason = pl.coalesce(reason, own)
        frame = frame.select(
            is_blank.alias("is_blank"),
            records.alias("record"),
            *(expression.alias(name) for name, expression in chosen.items()),
            reason.alias("reason"),
        )
        self.notes.remark(BLANK, int(frame["is_blank"].sum()))
        frame = self._followed(frame.filter(~pl.col("is_blank")).drop("is_blank"))
        if "remark" in frame.columns:
            for kind, count in frame.group_by("remark", maintain_order=True).len().iter_rows():
                self.notes.remark(kind, count if kind is not None else 0)
            frame = frame.filter(pl.col("remark").is_null()).drop("remark")
        return Batch(frame, self.layout.required, excerpt)

    def _ends_early(self) -> bool:
        """Return whether the lines are one without an end that has fewer fields than the one before it."""
        end = self.notes.open_end
        has_fields = self.layout.pattern is None
        return end is not None and has_fields and has_fewer_fields(end, self.layout.separator)

    def _with_fields(
        self, frame: pl.DataFrame, records: pl.Series, quoted: Mapping[int, list[str]]
    ) -> pl.DataFrame:
        """Return fields of lines with those of records that have some in quotes."""
        names = self.layout.fields
        known = [dict(zip(names, fields, strict=False)) for fields in quoted.values()]
        schema = dict.fromkeys(names, pl.String)
        places = {record: place for place, record in enumerate(records.to_list())}
        rows = pl.DataFrame(known, schema=schema).with_columns(
            place=pl.Series([places[record] for record in quoted], dtype=pl.Int64)
        )
        return (
            frame.with_row_index("place")
            .with_columns(pl.col("place").cast(pl.Int64))
            .update(rows, on="place", how="left", include_nulls=True)
            .drop("place")
        )

    def _is_header(self, line: str) -> bool:
        header = self.layout.header
        return header is not None and bool(header.match(line) or header.match(plain_header(line)))

    def follow(self, header: str) -> None:
        """Read on as after a file with this header."""
        self._begin(header)

    def _begin(self, header: str) -> None:
        """Take what a header line says."""
        if self.layout.named_by_header:
            names = [name.strip() for name in plain_header(header).split(self.layout.separator)]
            if missing := [name for name in self.layout.fields if name not in names]:
                raise IotraceError(f"{self.reading.path}: line 1 names no column {', '.join(missing)}")
            self.layout = replace(self.layout, fields=names, at_least=len(names))

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the batch with what depends on the lines before."""
        return frame

    def _fields(self, text: pl.Series) -> pl.DataFrame:
        names = list(self.layout.fields)
        plain = pl.col("text")
        if self.layout.pattern is not None:
            parts = plain.str.strip_chars().str.extract_groups(self.layout.pattern)
            found = text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
            return _unquoted(found, text, [name for name in names if name in found.columns])
        if self.layout.separator == " ":
            plain = plain.str.strip_chars().str.replace_all(r"\s+", " ")
        elif self.layout.unspaced:
            plain = plain.str.replace_all(r"\s+", "")
        parts = plain.str.split_exact(self.layout.separator, len(names)).struct.rename_fields(
            [*names, "rest"]
        )
        fields = text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
        if self.layout.separator == " ":
            return _unquoted(fields, text, names)
        return fields.with_columns(pl.col(name).str.strip_chars() for name in names)


def _unquoted(fields: pl.DataFrame, text: pl.Series, names: Sequence[str]) -> pl.DataFrame:
    """Return the fields of a text that is no CSV without double quotes around them."""
    if not text.str.contains(quotes.QUOTE, literal=True).any():
        return fields
    return fields.with_columns(pl.col(name).str.replace(r'(?s)^"(.*)"$', "$1") for name in names)


def text_lines(block: bytes) -> list[str]:
    r"""Return the lines of a block of complete lines; bytes that are not UTF-8 are shown as ``\xHH``."""
    lines = block.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if b"\r" in block:
        lines = [line.rstrip("\r") for line in lines]
    return lines


_COMMA = re.compile(rb",(?![^({\[]*[)}\]])")
"""A comma of a pattern that is not in brackets."""
_WHITE_SPACE = re.compile(rb"\\s\+|\[ \\t\]\+| ")


@dataclass(frozen=True)
class LinesLike:
    """Recognises a text of which most of the first complete lines match a pattern, each whole.

    The first may be a header instead, also behind ``#``. More than half must match, so that a few damaged lines hide no
    format, and formats whose lines differ never both claim a file. Blank lines are ignored.
    """

    pattern: bytes
    header: bytes | None = None

    def __call__(self, head: bytes) -> bool:
        """Return whether a file that begins so is of the format."""
        lines, has_header = self._seen(head)
        return 2 * self._alike(lines) > len(lines) or (has_header and not lines)

    def share(self, head: bytes) -> float:
        """Return the share of the first lines that match; a header alone counts a little."""
        lines, has_header = self._seen(head)
        return self._alike(lines) / max(len(lines), 1) + 0.01 * has_header

    def fields_alike(self, head: bytes) -> float:
        """Return the share of the first line's fields that are as in the pattern; 0 for another number of fields."""
        lines, _ = self._seen(head)
        separator, between = (b",", _COMMA) if b"," in self.pattern else (None, _WHITE_SPACE)
        fields, patterns = (lines or [b""])[0].split(separator), between.split(self.pattern)
        if len(fields) != len(patterns):
            return 0.0
        try:
            pairs = zip(patterns, fields, strict=True)
            return sum(re.fullmatch(form, field.strip()) is not None for form, field in pairs) / len(fields)
        except re.error:  # a pattern whose parts are none
            return 0.0

    def first_unlike(self, head: bytes) -> tuple[int, bytes] | None:
        """Return the number and text of the first line that does not match; None if all do."""
        lines = _complete_lines(head)
        skipped = int(self._has_header(lines))
        for number, line in enumerate(lines[skipped:], skipped + 1):
            if line.strip() and not self._alike([line.strip()]):
                return number, line
        return None

    def _seen(self, head: bytes) -> tuple[list[bytes], bool]:
        lines = _complete_lines(head)
        has_header = self._has_header(lines)
        return [line for line in map(bytes.strip, lines[has_header:]) if line][:SEEN_LINES], has_header

    def _has_header(self, lines: Sequence[bytes]) -> bool:
        if self.header is None or not lines:
            return False
        return any(re.match(self.header, line) for line in (lines[0], plain_header(lines[0])))

    def _alike(self, lines: Sequence[bytes]) -> int:
        return sum(re.fullmatch(self.pattern, line) is not None for line in lines)


def _complete_lines(head: bytes) -> list[bytes]:
    lines = head.splitlines()
    return lines[:-1] if len(head) >= HEAD_BYTES and len(lines) > 1 else lines


def plain_header(line: AnyStr) -> AnyStr:
    """Return a line of names without the ``#`` that some programs write before it."""
    return line.lstrip("# ") if isinstance(line, str) else line.lstrip(b"# ")
