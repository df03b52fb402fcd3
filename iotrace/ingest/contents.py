"""The contents of a recording: no data, the arguments of programs or not, names or numbers for them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.formats.known_files import name_bytes, shown_name
from iotrace.libraries import pa


@dataclass(frozen=True)
class Contents:
    """The contents of a log that are kept. Raises UsageError for a glob that is not for one name."""

    arguments: bool = True
    """Whether the arguments of programs are kept after the first, the program's name."""
    redact: tuple[str, ...] = ()
    """Globs of names in paths: a name that matches one is replaced, the same name by the same number."""

    def __post_init__(self) -> None:
        for glob in self.redact:
            if not glob or "/" in glob:
                raise UsageError(
                    f"--redact {glob!r}: is not a glob for one name in a path; give one without /,"
                    " such as alice or '*.key'"
                )

    @cached_property
    def _names(self) -> native.Redaction | None:
        return native.Redaction([os.fsencode(glob) for glob in self.redact]) if self.redact else None

    def filter(self) -> native.ContentsFilter:
        """Return what takes the contents out of a log."""
        return native.ContentsFilter(self.arguments, self._names)

    def path(self, path: str) -> str:
        """Return a path, as tables show it, with its names replaced."""
        return path if self._names is None else shown_name(self._names.path(name_bytes(path)))

    def place(self, place: Path) -> Path:
        """Return a place on this machine with its names replaced."""
        return place if self._names is None else Path(os.fsdecode(self._names.path(os.fsencode(place))))

    def original(self, path: str) -> str:
        """Return the path for which `path` gave this one."""
        return path if self._names is None else shown_name(self._names.original(name_bytes(path)))

    def originals(self, paths: Iterable[str]) -> set[str]:
        """Return the paths for which `path` gave these."""
        return {self.original(path) for path in paths}

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Return the words of a command, those that are kept, with names replaced."""
        kept = list(arguments if self.arguments else arguments[:1])
        if self._names is None:
            return kept
        return [os.fsdecode(self._names.argument(os.fsencode(word))) for word in kept]

    def arguments_shown(self, shown: str) -> str:
        """Return a list of arguments, as a log shows it, with names replaced."""
        if self._names is None:
            return shown
        before = b'execve("", '
        line = self.filter().feed(before + shown.encode("utf-8") + b"\n")
        return line[len(before) : -1].decode("utf-8")

    def known_files(self, table: pa.Table) -> pa.Table:
        """Return table known_file with names replaced."""
        if self._names is None:
            return table
        for name in ("path", "interpreter"):
            paths = [path if path is None else self.path(path) for path in table[name].to_pylist()]
            index = table.schema.get_field_index(name)
            table = table.set_column(
                index, table.schema.field(name), pa.array(paths, table.schema.field(name).type)
            )
        return table.sort_by("path")
