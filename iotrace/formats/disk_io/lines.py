"""Lines of fields, as they are read from files: headers, fields in quotes, and lines that are cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import AnyStr

from iotrace.formats.reading import quotes
from iotrace.formats.reading.batches import SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.open_ends import has_fewer_fields

FEWER_FIELDS = "fewer fields than the line before"
"""Why a last line without an end is skipped."""


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The separator of fields, a character or a space for any white space, and common properties of all lines.

    ``header`` matches possible first lines, behind ``skip`` lines that are passed over. ``base`` and ``ordered`` are as
    in `SourceNotes`.
    """

    separator: str = ","
    header: re.Pattern[str] | None = None
    skip: int = 0
    base: str = "relative"
    ordered: bool = True


class LineSource:
    """Lines being read, in blocks of complete ones."""

    def __init__(self, paths: Sequence[Path], layout: Lines) -> None:
        self.layout = layout
        self.notes = SourceNotes(base=layout.base, ordered=layout.ordered)
        self.reading = Reading(paths, self.notes)
        self.header: str | None = None
        """The first header, by which later files may be read."""
        self._line = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next_parts(self) -> tuple[list[bytes], int]:
        """Return the next lines after a header in parts, each of complete lines, and the first one's number; 0 at the
        end."""
        parts, is_first = self.reading.parts()
        self.notes.open_end = self.reading.take_open_end()
        if not parts:
            return [], 0
        if is_first:
            self._line = 0
            self._pass_over(parts)
            for index, part in enumerate(parts):
                parts[index] = self._without_headers(part)
                if parts[index]:
                    break
        return parts, self._line + 1

    @property
    def path(self) -> str:
        """The file of the lines that were returned last."""
        return self.notes.file or str(self.reading.path)

    @property
    def lines_of_file(self) -> int:
        """How many lines were read of the file, or of the part of it, that is being read."""
        return self._line

    def count(self, lines: int) -> None:
        """Count lines that were read."""
        self._line += lines
        self.notes.records += lines

    def may_be_quoted(self, block: bytes) -> bool:
        """Return whether some fields of lines may be in quotes, and so hold separators and line breaks."""
        return self.layout.separator != " " and quotes.QUOTE.encode() in block

    def quoted(self, block: bytes, number: int) -> dict[int, tuple[str, list[str] | None]]:
        """Return records of which some have quoted fields, by the number of the first line, read on to the last's end.

        Each has its text and its fields: None for a line without quotes, an empty list where a quote is open. The
        records are counted.
        """
        self.reading.refuse_in_part("has fields in quotes, which may hold ends of lines")
        lines = text_lines(block)

        def further() -> list[str]:
            more = text_lines(self.reading.lines_on())
            lines.extend(more)
            return more

        records = list(quotes.records(list(lines), self.layout.separator, further))
        self._line += len(lines)
        self.notes.records += len(records)
        if (end := self.reading.take_open_end() or self.notes.open_end) is not None:
            self.notes.open_end = replace(end, record=number + records[-1][0])
        return {number + index: (text, fields) for index, text, fields in records}

    def ends_early(self) -> bool:
        """Return whether the lines are one without an end that has fewer fields than the one before it."""
        end = self.notes.open_end
        return end is not None and has_fewer_fields(end, self.layout.separator)

    def follow(self, header: str) -> None:
        """Read on as after a file with this header."""
        self._begin(header)

    def _pass_over(self, parts: list[bytes]) -> None:
        """Take away the lines before a text; those that are not in its first parts are read as its own."""
        left = self.layout.skip
        for index, part in enumerate(parts):
            start = 0
            while left and start < len(part):
                start = part.find(b"\n", start) + 1 or len(part)
                left -= 1
                self.count(1)
                self.notes.remark("lines before the text")
            parts[index] = part[start:]

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

    def _is_header(self, line: str) -> bool:
        header = self.layout.header
        return header is not None and bool(header.match(line) or header.match(plain_header(line)))

    def _begin(self, header: str) -> None:
        """Take what a header line says."""


def text_lines(block: bytes) -> list[str]:
    r"""Return the lines of a block of complete lines; bytes that are not UTF-8 are shown as ``\xHH``."""
    lines = block.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if b"\r" in block:
        lines = [line.rstrip("\r") for line in lines]
    return lines


def plain_header(line: AnyStr) -> AnyStr:
    """Return a line of names without the ``#`` that some programs write before it."""
    return line.lstrip("# ") if isinstance(line, str) else line.lstrip(b"# ")
