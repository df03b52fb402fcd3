"""The bytes of a trace's files, one after the other, decompressed; damage becomes a warning after what came before."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.formats.reading.batches import OpenEnd, SourceNotes
from iotrace.formats.reading.clock import trace_limits
from iotrace.formats.reading.file_parts import PartError
from iotrace.formats.reading.open_ends import may_be_cut

if TYPE_CHECKING:
    from iotrace.engine.native import TraceBytes

TEXT_BYTES = 8 << 20
"""How much text is turned into requests at a time."""


class Reading:
    """Files being read in turn; warnings go to `notes`."""

    def __init__(self, paths: Sequence[Path], notes: SourceNotes) -> None:
        self.paths = list(paths)
        self.part: range | None = None
        """The bytes of the only file that are read, which begin and end lines; None of all (see `file_parts`)."""
        self.notes = notes
        self.path = self.paths[0]
        self._next = 0
        self._is_fresh = False
        self._open: TraceBytes | None = None
        self._last = b""
        """The line without an end that is returned next, alone."""
        self._former = b""
        """The line before it."""
        self._open_end: OpenEnd | None = None
        """That line, once it was returned, until it is taken to be judged."""
        self._done_bytes = 0
        self._total_bytes = _total(self.paths)

    def lines(self) -> tuple[bytes, bool]:
        """Return the next complete lines (empty at the end), and whether they are a file's first."""
        parts, is_first = self.parts()
        return b"".join(parts), is_first

    def parts(self) -> tuple[list[bytes], bool]:
        """Return the same in parts, each of complete lines; none at the end. A last line without an end comes alone."""
        self._tell_open_end()
        while self._opened() is not None:
            first = self._is_fresh
            parts = self._complete_parts()
            self._is_fresh = False
            if parts:
                self._former = _last_line(parts[-1])
                return parts, first
            if self._last:
                self._open_end = OpenEnd(str(self.path), self._last, b"" if first else self._former)
                parts, self._last = [self._last], b""
                return parts, first
            self._close()
        return [], False

    def lines_on(self) -> bytes:
        """Return the next lines of the file being read, none at its end; a last one without an end is among them."""
        parts = self._complete_parts()
        if not parts and self._last:
            self._open_end = OpenEnd(str(self.path), self._last, self._former)
            parts, self._last = [self._last], b""
        return b"".join(parts)

    def take_open_end(self) -> OpenEnd | None:
        """Return the line without an end that is all that was returned last, or ends it; None where each has an end."""
        end, self._open_end = self._open_end, None
        return end

    def _complete_parts(self) -> list[bytes]:
        """Return the next complete lines of the file being read; a line without an end is kept."""
        opened, parts, size = self._open, [], 0
        while opened is not None and not self._last and size < TEXT_BYTES:
            part = self._damage_told(opened.lines)
            if not part:
                break
            if not part.endswith(b"\n"):
                self._last = part
                break
            parts.append(part)
            size += len(part)
        return parts

    def _tell_open_end(self) -> None:
        """Name a last line without an end which nobody took: it was kept."""
        if (end := self.take_open_end()) is not None:
            self.notes.warnings.append(may_be_cut(end))

    def read(self, count: int) -> tuple[bytes, bool]:
        """Return the next bytes (fewer than asked for only at a file's end), and whether they are a file's first."""
        while (opened := self._opened()) is not None:
            first = self._is_fresh
            self._is_fresh = False
            if part := self._damage_told(lambda: opened.read(count)):
                return part, first
            self._close()
        return b"", False

    def read_on(self, count: int) -> bytes:
        """Return the next bytes of the file being read, none at its end."""
        opened = self._open
        return b"" if opened is None else self._damage_told(lambda: opened.read(count))

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read so far, as stored, and how many there are where that is known."""
        here, _ = self._open.progress() if self._open is not None else (0, None)
        return self._done_bytes + here, self._total_bytes

    def refuse_in_part(self, why: str) -> None:
        """Raise PartError where a part of a file is read that only a reader of all of it can understand."""
        if self.part is not None:
            raise PartError(f"{self.path} {why}")

    def _opened(self) -> "TraceBytes | None":
        from iotrace.engine import native

        if self._open is None and self._next < len(self.paths):
            self.path = self.paths[self._next]
            self.notes.file = str(self.path)
            self._next += 1
            try:
                part = [] if self.part is None else [(self.part.start, self.part.stop)]
                self._open = native.TraceBytes(self.path, *part)
            except OSError as error:
                raise IotraceError(str(error)) from None
            self._is_fresh = self.part is None or self.part.start == 0
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            self._done_bytes += self._open.progress()[0]
            if count := self._open.long_lines():
                self.refuse_in_part("has very long lines")
                lines = units.plural(count, "line is", "lines are")
                longest = units.size(trace_limits()["line_bytes"])
                self.notes.warnings.append(f"{self.path}: {lines} longer than {longest}: left out")
        self._open = None

    def _damage_told(self, part: Callable[[], bytes]) -> bytes:
        try:
            return part()
        except OSError as error:
            self.refuse_in_part("is damaged")
            self.notes.damage.append(str(error))
            return b""


def _last_line(part: bytes) -> bytes:
    return part[part.rfind(b"\n", 0, -1) + 1 :]


def _total(paths: Sequence[Path]) -> int | None:
    try:
        return sum(path.stat().st_size for path in paths if str(path) != "-") or None
    except OSError as error:
        raise IotraceError(f"{error.filename}: cannot be opened: {error.strerror}") from None
