"""Block traces that are text in fields, of which the engine reads the lines in their usual form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, text_lines
from iotrace.formats.disk_io.usual import UsualLine, UsualRequests
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl


class UsualLines:
    """Lines of fields being read; those that are not in the usual form are read as `DelimitedSource` does."""

    def __init__(self, paths: Sequence[Path], layout: Layout, usual: UsualLine) -> None:
        self.layout = layout
        self._lines = DelimitedSource(paths, layout)
        self._form = usual.form(layout.separator)
        self.notes = self._lines.notes

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self._lines.progress()

    def next(self) -> UsualRequests | Batch | None:
        """Return the requests of the next lines."""
        from iotrace.engine import native

        parts, number = self._lines.next_parts()
        if not number:
            return None
        if self.notes.open_end is not None or any(map(self._lines.may_be_quoted, parts)):
            return self._lines.read(b"".join(parts), number)
        rows = native.block_lines(parts, self._form)
        self._lines.count(rows.records)

        def excerpt(record: int) -> str:
            return text_lines(b"".join(parts))[record - number]

        others = None
        if places := rows.others:
            records = pl.Series("record", places, dtype=pl.Int64) + number
            others = self._lines.batch(text_lines(rows.other_text), records, excerpt)
        return UsualRequests(rows, number, others, excerpt)
