"""A slow twin of the engine's reader of Recorder's text: an expression for lines, and lists of arguments."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from named_calls import WHENCE_OF, WITH_OFFSET, open_flags

from iotrace.formats.parallel_io.accesses import LineSource, nanoseconds, skipped, whole
from iotrace.formats.parallel_io.calls import OPERATION_OF, STREAM_CALLS, plain
from iotrace.formats.reading.durations import between_ns
from iotrace.formats.recorder_text import RANK

LINE = re.compile(
    r"(-?[0-9.]+(?:e[+-]?[0-9]+)?) (-?[0-9.]+(?:e[+-]?[0-9]+)?) (\S+) (-?[0-9]+) (-?[0-9]{1,9}) \((.*) ?\)\s*$"
)
TOO_FEW = "too few arguments"
TYPES = ("POSIX", "MPI-IO", "MPI", "HDF5", "user functions")


class RecorderTwin(LineSource):
    """Lines of calls; the file's name is the rank."""

    required = ("process", "operation", "time_ns", "file")

    def begin(self) -> None:
        """Take the rank from the file's name, or the next where it has none."""
        match = RANK.search(self.reading.path.name.split(".")[0])
        self.rank = int(match[1]) if match and len(match[1]) < 10 else getattr(self, "rank", -1) + 1

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a line's call."""
        if not line.strip():
            return None
        match = LINE.match(line)
        if match is None:
            return skipped("no call with its arguments in brackets")
        name, kind = match[3], int(match[5])
        operation = OPERATION_OF.get(plain(name))
        start_ns, end_ns = nanoseconds(match[1]), nanoseconds(match[2])
        known = details(name, match[6].split())
        if known is not None and "reason" in known:
            return known
        if operation is None or known is None:
            library = TYPES[kind] if 0 <= kind < len(TYPES) else f"type {kind}"
            self.notes.remark(f"other calls of {library}")
            return None
        return {
            "time_ns": start_ns,
            "duration_ns": between_ns(start_ns, end_ns),
            "process": self.rank,
            "operation": operation,
            **known,
            "file": self._file(known["file"]),
        }

    def _file(self, name: str | None) -> str | None:
        """Return what a file is called, of which there may be only its descriptor."""
        is_descriptor = name is not None and name.isascii() and name.isdigit()
        return f"fd:{self.rank}:{name}" if is_descriptor else name


def details(name: str, arguments: Sequence[str]) -> Mapping[str, Any] | None:
    """Return what a call's arguments say: the reason to skip it where there are too few, None for other calls."""
    name = plain(name)
    operation = OPERATION_OF.get(name)
    if operation is None:
        return None
    if operation == "barrier":
        return {"file": None}
    known: dict[str, Any] = {"layer": "stdio" if name in STREAM_CALLS else "posix"}
    if name in ("fread", "fwrite"):
        if len(arguments) < 4:
            return skipped(TOO_FEW)
        size, items = whole(arguments[1]), whole(arguments[2])
        if size is None or items is None:
            return skipped("no length that can be read")
        return {**known, "file": " ".join(arguments[3:]), "length": size * items, "requested": size * items}
    after = {"open": 0, "close": 0, "sync": 0, "delete": 0, "seek": 2, "truncate": 1}.get(operation or "")
    if after is None:
        after = 3 if name in WITH_OFFSET else 2
    if operation == "open":
        return _of_open(name, arguments, known)
    if len(arguments) <= after:
        return skipped(TOO_FEW)
    # a path may have spaces: what follows it is counted from the end
    path, rest = arguments[: len(arguments) - after], arguments[len(arguments) - after :]
    numbers = [whole(word) for word in rest]
    known["file"] = " ".join(path)
    if operation == "seek":
        offset, whence = numbers
        return {
            **known,
            "offset": offset,
            "whence": WHENCE_OF.get(whence if whence is not None else 2, "end"),
        }
    if operation == "truncate":
        return {**known, "offset": numbers[0]}
    if operation in ("read", "write"):
        length = numbers[0] if name in ("readv", "writev") else numbers[1]
        return {
            **known,
            "length": length,
            "requested": length,
            "offset": numbers[2] if name in WITH_OFFSET else None,
        }
    return known


def _of_open(name: str, arguments: Sequence[str], known: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not arguments:
        return skipped(TOO_FEW)
    if name in STREAM_CALLS:
        return {
            **known,
            "file": " ".join(arguments[:-1]) or arguments[0],
            "flags": open_flags(None, arguments[-1]),
        }
    numbers = 0
    while numbers < min(2, len(arguments) - 1) and whole(arguments[-1 - numbers]) is not None:
        numbers += 1
    flags = whole(arguments[len(arguments) - numbers]) if numbers else None
    path = " ".join(arguments[: len(arguments) - numbers])
    return {**known, "file": path, "flags": open_flags(flags) if flags is not None else None}
