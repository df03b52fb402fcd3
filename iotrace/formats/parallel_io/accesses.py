"""The results of a parallel format: batches of calls, and at the end a report on its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.names import Numbers
from iotrace.libraries import pa, pl

OPERATIONS = (
    "open", "close", "read", "write", "seek", "sync", "truncate", "delete", "barrier", "compute", "list_io",
    "stat", "access", "opendir", "readdir", "closedir", "mkdir", "rmdir", "rename", "link", "readlink",
    "set_attributes", "other",
)  # fmt: skip
"""The operations of calls."""
OF_BYTES = OPERATIONS[:8]
"""Those that are on the bytes of a file, or on its descriptor."""
WITHOUT_FILE = ("barrier", "compute")
"""Those that are on no file."""
LAYERS = ("posix", "stdio", "mpiio")
"""The libraries whose calls are distinguished, the lowest first; neither posix nor stdio calls the other."""
WHENCES = ("start", "current", "end")

NUMBERS = (
    "record", "time_ns", "duration_ns", "process", "thread", "descriptor", "offset", "length", "requested",
    "compute_ns", "list_call",
)  # fmt: skip
TEXTS = ("process_key", "host", "program", "layer", "operation", "file", "whence", "flags", "reason")
"""``process_key`` distinguishes processes with equal numbers: those of several machines, or of several logs."""
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def frame_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return calls as a frame of all fields; a number beyond 64 bits becomes the reason to skip its row."""
    columns: dict[str, pl.Series] = {}
    reasons = [row.get("reason") for row in rows]
    for name in NUMBERS:
        numbers = [row.get(name) for row in rows]
        for index, number in enumerate(numbers):
            if number is not None and not SMALLEST <= number <= LARGEST:
                numbers[index] = None
                reasons[index] = reasons[index] or f"{name.removesuffix('_ns')} out of range"
        columns[name] = pl.Series(name, numbers, dtype=pl.Int64)
    for name in TEXTS:
        texts = reasons if name == "reason" else [row.get(name) for row in rows]
        columns[name] = _texts(name, texts)
    return pl.DataFrame(columns)


def _texts(name: str, texts: Sequence[str | None]) -> pl.Series:
    """Return a column of text; a surrogate without its partner, which JSON may hold, becomes a question mark."""
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError:
        whole_texts = [None if text is None else encodable(text) for text in texts]
        return pl.Series(name, whole_texts, dtype=pl.String)


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: what it cannot becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


class ParallelSource:
    """A parallel trace being read; each format has its own."""

    base = "relative"
    """The start of times: epoch (1970), relative (some start), or none."""
    unit = "record"
    """The name of its records in a sentence."""
    counts_mpi_calls = False
    """Whether the format's logs may count the calls of MPI-IO by file."""
    by_access = False
    """Whether the format orders by time only calls on one file of one layer and operation."""

    further_tables: Sequence[str] = ()
    """Tables of the format's traces alone; with them a trace may have no calls."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.notes = SourceNotes(base=self.base, ordered=False)
        self.reading = Reading(paths, self.notes)
        self.kept: object = None
        """The folder of unpacked files, which must live as long as this."""

    def next(self) -> Any:
        """Read on: return a `Batch` or `parsed.ParsedCalls`; None at the end."""
        raise NotImplementedError

    def progress(self) -> tuple[int, int | None]:
        """Return how many bytes of input were read, and how many there are where that is known."""
        return self.reading.progress()

    def path_of(self, file: str) -> str:
        """Return the path of a file, at the end of the trace, by the name that its calls gave."""
        return file

    def run_of(self, process_key: str) -> int | None:
        """Return the program run of a process, dense from 0, where the trace holds several; None elsewhere."""
        return None

    def about(self) -> Mapping[str, Any]:
        """Return what the manifest holds of this format's traces alone, at the end of the trace."""
        return {}

    def mpi_calls(self) -> Mapping[str, Mapping[str, int]]:
        """Return, at the end of the trace, the columns of table mpi_file by the name that calls give a file."""
        return {}

    def further_rows(self, files: Numbers) -> list[tuple[str, pa.RecordBatch]]:
        """Return rows of further tables that are ready, after what `next` returned; ``files`` numbers files."""
        return []

    def last_rows(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the other rows of further tables, at the end of the trace."""
        return []

    def host_of(self, host: str) -> str:
        """Return a machine's name, at the end of the trace, by the name that calls gave."""
        return host


class LineSource(ParallelSource):
    """A parallel trace of lines, each of which `call` turns into a call."""

    required: Sequence[str] = ("process", "operation", "file")
    unit = "line"

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.line = 0

    def next(self) -> Any:
        """Return the calls of the next lines."""
        block, is_first = self.next_lines()
        if not block:
            return None
        if is_first:
            self.line = 0
            self.begin()
        return self.read(block)

    def next_lines(self) -> tuple[bytes, bool]:
        """Return the next complete lines (empty at the end), and whether they are a file's first."""
        lines = self.reading.lines()
        self.notes.open_end = self.reading.take_open_end()
        return lines

    def read(self, block: bytes) -> Any:
        """Return the calls of complete lines."""
        first = self.line + 1
        calls: list[Mapping[str, Any]] = []
        for line in _lines(block):
            self.line += 1
            call = self.call(line.decode("utf-8", "replace").rstrip("\r"))
            if call is not None:
                calls.append({"record": self.line, **call})
        self.notes.records += len(calls)
        return Batch(frame_of(calls), self.required, self.excerpt(block, first))

    def excerpt(self, block: bytes, first: int) -> Callable[[int], str]:
        """Return what shows a line of a block, whose first has the number ``first``."""
        return lambda number: _lines(block)[number - first].decode("utf-8", "replace")

    def begin(self) -> None:
        """Forget the state of the file before."""

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a line's call, or with a reason why it is none; None for a line that is not a record."""
        raise NotImplementedError


def _lines(block: bytes) -> list[bytes]:
    lines = block.split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def skipped(reason: str) -> Mapping[str, Any]:
    """Return what is to be counted of a record that is not a call."""
    return {"reason": reason}


def whole(text: str) -> int | None:
    """Return a decimal number, of any size up to 64 bits' worth of digits; None for what is none."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None


def nanoseconds(text: str, unit_ns: int = 1_000_000_000) -> int | None:
    """Return a decimal number of some unit (a power of ten) as nanoseconds, cut to them; None for what is none."""
    sign = -1 if text[:1] == "-" else 1
    units, _, fraction = text.lstrip("-+").partition(".")
    if not (units + fraction).isdecimal() or not (units + fraction).isascii() or len(units) > 20:
        return _of_exponent(text, unit_ns)
    digits = len(str(unit_ns)) - 1
    part = fraction[:digits].ljust(digits, "0")
    return sign * (int(units or "0") * unit_ns + (int(part) if part else 0))


def _of_exponent(text: str, unit_ns: int) -> int | None:
    try:
        number = float(text) * unit_ns
    except ValueError:
        return None
    return round(number) if abs(number) < 2.0**63 else None
