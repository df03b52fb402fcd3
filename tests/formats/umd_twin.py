"""A slow twin of the engine's reader of UMD traces as text: one expression for each kind of line."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from iotrace.formats.parallel_io.accesses import LineSource, nanoseconds, skipped, whole
from iotrace.formats.parallel_io.umd import FIELDS, NAMES, Lists, Seen, announced, file_name

COUNTS = re.compile(r"\s*([0-9]{1,10})\s+([0-9]{1,10})\s+([0-9]{1,10})\s*$")
RECORD = re.compile(r"\s*([0-9]{1,3}|[A-Za-z_]+)(\s+-?[0-9]+){3}\s+\S+\s+\S+(\s+-?[0-9]+){2}\s*$")
WORDS = {**{name: name for name in NAMES}, "listio_header": "list_io"}


class UmdTwin(LineSource):
    """Lines of either dialect."""

    required = ("process", "operation", "time_ns", "file")

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.lists = Lists(self.notes)
        self._said: int | None = None
        self._found = 0
        self._files = 0
        self._processes = 0
        self._seen = Seen()
        self.names: list[str] = []

    def next(self) -> Any:
        """Return the calls of the next lines."""
        batch: Any = super().next()
        if batch is None:
            self._finish()
        return batch

    def begin(self) -> None:
        """Expect another header."""
        self._finish()
        self.names = []
        self._files = 0

    def _finish(self) -> None:
        self.lists.end()
        if self._said is not None:
            announced(self.notes, "files", self._files, len(self.names))
            announced(self.notes, "records", self._said, self._found)
            self._seen.end(self.notes, self._processes, len(self.names))
        self._seen = Seen()
        self._said, self._found = None, 0

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a line's call; names end with the first record, regardless of the header's count."""
        if self._said is None and (counts := COUNTS.match(line)):
            self._processes, self._files, self._said = (int(count) for count in counts.groups())
            return None
        if not line.strip() or line.startswith("#"):
            return None
        is_record = RECORD.match(line) is not None
        is_expected = len(self.names) < self._files or _name(line) != line.strip()
        if not is_record and not self._found and is_expected:
            self.names.append(_name(line))
            return None
        self._found += 1
        return self._record(line) if is_record else skipped("no record of eight fields")

    def _record(self, line: str) -> Mapping[str, Any]:
        fields = dict(zip(FIELDS, line.split(), strict=True))
        word = fields["op"].lower()
        operation = dict(enumerate(NAMES)).get(int(word)) if word.isdigit() else WORDS.get(word)
        process, count, file = whole(fields["pid"]), whole(fields["count"]), whole(fields["file"])
        offset, length = whole(fields["offset"]), whole(fields["length"])
        call = {
            "time_ns": nanoseconds(fields["wall"]) if fields["wall"].isascii() else None,
            "process": process,
            "operation": operation,
            "file": file_name(-1 if file is None else file, self.names),
            "offset": offset if operation in ("read", "write", "seek", "list_io") else None,
            "length": length if operation in ("read", "write", "list_io") else None,
            "count": min(count or 0, 2**31),
        }
        if file is None or not 0 <= file < len(self.names):
            self._seen.unnamed([file if file is not None and abs(file) < 2**63 else -1])
            call["file"] = f"file {fields['file']}"
        if process is not None and abs(process) < 2**63:
            self._seen.processes.add(process)
        if operation is not None and process is not None and abs(process) < 2**31:
            call["list_call"] = self._list_call(call)
        return call

    def _list_call(self, call: Mapping[str, Any]) -> int | None:
        if self.lists.is_idle and call["operation"] != "list_io":
            return None
        operation = NAMES.index(call["operation"])
        found = self.lists.of(np.array([operation]), np.array([call["count"]]), np.array([call["process"]]))
        return int(found[0]) if found[0] >= 0 else None


def _name(line: str) -> str:
    """Return a file's name, without the length before it."""
    length, _, name = line.strip().partition(" ")
    return name if name and whole(length) == len(name.encode()) else line.strip()
