"""Block traces that are text in fields which the engine reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.lines import FEWER_FIELDS, Lines, LineSource, text_lines
from iotrace.formats.disk_io.parsed import ParsedRequests
from iotrace.formats.reading.batches import BLANK, Batch
from iotrace.libraries import pl

if TYPE_CHECKING:
    from iotrace.engine.native import BlockRows


@dataclass(frozen=True, kw_only=True)
class LineForm(Lines):
    """The fields of a format's lines, in the engine's words (``block_trace::form`` there).

    ``fields`` has a word for each field. A line has ``at_least`` this number of them (0: all); further ones are
    ignored. ``device`` is the template of a device's name, with {} for each field name or host, and ``operations`` what
    words mean, in any case. ``is_unspaced`` says that white space within fields means nothing.
    """

    fields: str
    device: str
    operations: Mapping[str, str]
    at_least: int = 0
    is_unspaced: bool = False

    def json(self) -> str:
        """Return it as the engine takes it."""
        fields = self.fields.split()
        return json.dumps(
            {
                "is_blank_separated": self.separator == " ",
                "is_unspaced": self.is_unspaced,
                "fields": fields,
                "at_least": self.at_least or len(fields),
                "device": self.device,
                "operations": list(self.operations.items()),
            }
        )


class ParsedLines(LineSource):
    """Lines of fields being read by the engine."""

    def __init__(self, paths: Sequence[Path], form: LineForm) -> None:
        super().__init__(paths, form)
        self._form = form.json()

    def next(self) -> ParsedRequests | Batch | None:
        """Return the requests of the next lines."""
        from iotrace.engine import native

        parts, number = self.next_parts()
        if not number:
            return None
        if self.ends_early():
            return self._cut(b"".join(parts), number)
        if any(map(self.may_be_quoted, parts)):
            records = self.quoted(b"".join(parts), number)
            given = [
                (record - number, text if fields is None else fields)
                for record, (text, fields) in records.items()
            ]
            return self._requests(
                native.block_fields(given, self._form), number, lambda record: records[record][0]
            )
        rows = native.block_lines(parts, self._form)
        self.count(rows.records)
        return self._requests(rows, number, lambda record: text_lines(b"".join(parts))[record - number])

    def _requests(self, rows: BlockRows, number: int, excerpt: Callable[[int], str]) -> ParsedRequests:
        self.notes.remark(BLANK, rows.blank)
        return ParsedRequests(rows, number, excerpt)

    def _cut(self, block: bytes, number: int) -> Batch:
        """Return a last line without an end that has fewer fields than the one before it: it is not a request."""
        (text,) = text_lines(block)
        self.count(1)
        is_blank = not text.strip()
        self.notes.remark(BLANK, is_blank)
        frame = pl.DataFrame({"record": [number], "reason": [FEWER_FIELDS]})
        return Batch(frame.clear() if is_blank else frame, (), lambda record: text)
