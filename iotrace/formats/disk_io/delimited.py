"""Block traces that are text with a request on each line, in fields: CSV and what is separated by white space."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.lines import FEWER_FIELDS, Lines, LineSource, plain_header, text_lines
from iotrace.formats.reading import quotes
from iotrace.formats.reading.batches import BLANK, Batch
from iotrace.formats.reading.files import HEAD_BYTES
from iotrace.libraries import pl

SEEN_LINES = 20
"""The number of lines of which more than half must match for a format to be recognised."""


@dataclass(frozen=True, kw_only=True)
class Layout(Lines):
    """The fields of a line.

    ``requests`` gives an expression over the fields, which are text, for each column of a batch, and where it has one
    for ``remark``, which says of lines that are not requests what they are, and ``reason``, why they are skipped.
    ``at_least`` is the number of fields that a line must have; further ones are ignored, unless they belong to a field
    that ``may_hold_separators``. ``pattern`` is, instead of a separator, a regular expression with the fields as named
    groups.
    """

    fields: Sequence[str]
    requests: Callable[[], Mapping[str, pl.Expr]]
    required: Sequence[str]
    at_least: int
    pattern: str | None = None
    may_hold_separators: str | None = None
    named_by_header: bool = False
    """Whether a file's header gives its fields' names and order, of which those in ``fields`` are used."""

    @property
    def is_csv(self) -> bool:
        """Whether each separator ends a field, unless it is in quotes."""
        return self.pattern is None and self.may_hold_separators is None


class DelimitedSource(LineSource):
    """Lines of fields being read."""

    layout: Layout

    def next(self) -> Batch | None:
        """Return the requests of the next lines."""
        taken = self.take()
        return None if taken is None else self.finished(taken, taken.read())

    def take(self) -> Taken | None:
        """Return the next lines, which are counted; None at the end."""
        parts, number = self.next_parts()
        if not number:
            return None
        block = b"".join(parts)
        if self.may_be_quoted(block):
            by_number = self.quoted(block, number)
            records = pl.Series(list(by_number), dtype=pl.Int64)
            quoted = {record: fields for record, (_, fields) in by_number.items() if fields is not None}
            texts = [text for text, _ in by_number.values()]
            return self.taken(texts, records, lambda record: by_number[record][0], quoted)
        lines = text_lines(block)
        self.count(len(lines))
        records = pl.int_range(number, number + len(lines), dtype=pl.Int64, eager=True)
        return self.taken(lines, records, lambda record: lines[record - number])

    def may_be_quoted(self, block: bytes) -> bool:
        """Return whether some fields of lines may be in quotes, and so hold separators and line breaks."""
        return self.layout.is_csv and super().may_be_quoted(block)

    def ends_early(self) -> bool:
        """Return whether the lines are one without an end that has fewer fields than the one before it."""
        return self.layout.is_csv and super().ends_early()

    def taken(
        self,
        lines: list[str],
        records: pl.Series,
        excerpt: Callable[[int], str],
        quoted: Mapping[int, list[str]] | None = None,
    ) -> Taken:
        """Return records with these numbers as they are read now; see `Taken`."""
        return Taken(self.layout, lines, records, excerpt, quoted or {}, self.ends_early())

    def finished(self, taken: Taken, frame: pl.DataFrame) -> Batch:
        """Return the requests of records, whose fields are in the frame."""
        self.notes.remark(BLANK, int(frame["is_blank"].sum()))
        frame = self._followed(frame.filter(~pl.col("is_blank")).drop("is_blank"))
        if "remark" in frame.columns:
            for kind, count in frame.group_by("remark", maintain_order=True).len().iter_rows():
                self.notes.remark(kind, count if kind is not None else 0)
            frame = frame.filter(pl.col("remark").is_null()).drop("remark")
        return Batch(frame, taken.layout.required, taken.excerpt)

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


@dataclass(frozen=True)
class Taken:
    """Records that were taken from a text to read their fields.

    A record is a line, except those that are ``quoted``, of which this has the fields, none where a quote is open. The
    last one is cut if it has fewer fields than the one before.
    """

    layout: Layout
    lines: list[str]
    records: pl.Series
    excerpt: Callable[[int], str]
    quoted: Mapping[int, list[str]]
    is_cut: bool

    def read(self) -> pl.DataFrame:
        """Return the requests, by the format's expressions; `is_blank` says which records are none."""
        records, quoted = self.records, self.quoted
        text = pl.Series("text", self.lines, dtype=pl.String)
        frame = self._fields(text)
        if quoted:
            frame = self._with_fields(frame, records, quoted)
        chosen = dict(self.layout.requests())
        last = self.layout.fields[self.layout.at_least - 1]
        is_blank = pl.col("text").str.strip_chars() == ""
        lacks = "too few fields" if self.layout.pattern is None else "not in the form of the format"
        if self.is_cut:
            lacks, is_lacking = FEWER_FIELDS, pl.lit(True)
        else:
            is_lacking = pl.col(last).is_null()
        reason: pl.Expr = pl.when(is_lacking).then(pl.lit(lacks))
        if quoted and (open_ones := [record for record, fields in quoted.items() if not fields]):
            reason = pl.when(records.is_in(open_ones)).then(pl.lit(quotes.OPEN)).otherwise(reason)
        if (given_reason := chosen.pop("reason", None)) is not None:
            reason = pl.coalesce(reason, given_reason)
        return frame.select(
            is_blank.alias("is_blank"),
            records.alias("record"),
            *(expression.alias(name) for name, expression in chosen.items()),
            reason.alias("reason"),
        )

    def _with_fields(
        self, frame: pl.DataFrame, records: pl.Series, quoted: Mapping[int, list[str]]
    ) -> pl.DataFrame:
        """Return fields of lines with those of records that have some in quotes."""
        names = self.layout.fields
        known = [dict(zip(names, fields, strict=False)) for fields in quoted.values()]
        schema = dict.fromkeys(names, pl.String)
        places = {record: index for index, record in enumerate(records.to_list())}
        rows = pl.DataFrame(known, schema=schema).with_columns(
            place=pl.Series([places[record] for record in quoted], dtype=pl.Int64)
        )
        return (
            frame.with_row_index("place")
            .with_columns(pl.col("place").cast(pl.Int64))
            .update(rows, on="place", how="left", include_nulls=True)
            .drop("place")
        )

    def _fields(self, text: pl.Series) -> pl.DataFrame:
        names = list(self.layout.fields)
        plain = pl.col("text")
        if not self.layout.is_csv:
            plain = plain.str.strip_chars()
        if self.layout.pattern is not None:
            parts = plain.str.extract_groups(self.layout.pattern)
            frame = text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
            return _unquoted(frame, text, [name for name in names if name in frame.columns])
        if self.layout.separator == " ":
            plain = plain.str.strip_chars().str.replace_all(r"\s+", " ")
        parts = plain.str.split_exact(self.layout.separator, len(names)).struct.rename_fields(
            [*names, "rest"]
        )
        fields = text.to_frame().with_columns(parts.alias("fields")).unnest("fields")
        if self.layout.may_hold_separators is not None:
            return _unquoted(_joined(fields, self.layout), text, names)
        if self.layout.separator == " ":
            return _unquoted(fields, text, names)
        return fields.with_columns(pl.col(name).str.strip_chars() for name in names)


def _joined(fields: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Return the fields of lines of which one may hold separators; null where there are too few.

    Most lines have no such separators, and are split already.
    """
    if fields["rest"].null_count() == len(fields):
        return fields
    separator, names = layout.separator, layout.fields
    holding = names.index(layout.may_hold_separators or "")
    split, more = pl.col("split"), pl.col("split").list.len().cast(pl.Int64) - len(names)
    by_name = {
        name: split.list.slice(place, more + 1).list.join(separator)
        if place == holding
        else split.list.get(place if place < holding else place - len(names), null_on_oob=True)
        for place, name in enumerate(names)
    }
    parts = fields.select("text", split=pl.col("text").str.strip_chars().str.split(separator))
    return parts.select(
        "text", *(pl.when(more >= 0).then(part).alias(name) for name, part in by_name.items())
    )


def _unquoted(fields: pl.DataFrame, text: pl.Series, names: Sequence[str]) -> pl.DataFrame:
    """Return the fields of a text that is no CSV without double quotes around them."""
    if not text.str.contains(quotes.QUOTE, literal=True).any():
        return fields
    return fields.with_columns(pl.col(name).str.replace(r'(?s)^"(.*)"$', "$1") for name in names)


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
