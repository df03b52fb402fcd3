"""The files of a parallel trace where they are: on disk, in a folder, in an archive, or on standard input."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from iotrace.errors import IotraceError
from iotrace.formats.reading.files import first_bytes
from iotrace.formats.standard_input import PATH as STANDARD_INPUT
from iotrace.formats.standard_input import first_bytes_of_standard_input

if TYPE_CHECKING:
    from iotrace.engine.native import TraceBytes

MAGIC, MAGIC_AT, BLOCK_BYTES = b"ustar", 257, 512
COPIED_BYTES = 1 << 20
LOOKED_INTO = 64
"""How many of an archive's files are looked into."""


def is_archive(head: bytes) -> bool:
    """Tell whether a file that begins so, decompressed, is a tar archive."""
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


class _Bytes:
    """What tarfile reads an archive from: a trace's bytes, decompressed."""

    def __init__(self, path: Path) -> None:
        from iotrace.engine import native

        self._bytes: TraceBytes = native.TraceBytes(path)

    def read(self, count: int) -> bytes:
        return self._bytes.read(count)


class Members:
    """The files of a trace; those of archives are unpacked into a folder that goes when this does."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.warnings: list[str] = []
        self.names: dict[Path, str] = {}
        """What files that were unpacked were called."""
        self._folder: Path | None = None
        self.files: list[Path] = []
        for path in paths:
            self.files += self._unpacked(path) if is_archive(_head(path)) else [path]

    def name_of(self, path: Path) -> str:
        """Return what a file is called."""
        return self.names.get(path, str(path))

    def beside_damage(self, sentence: str) -> str:
        """Return what is wrong with a file, and with the archives of the trace, of which that may come."""
        return "; ".join([sentence, *self.warnings])

    def on_disk(self, path: Path) -> Path:
        """Return a file that can be read from any place: this one, or a copy of what is compressed or comes once."""
        if path != STANDARD_INPUT and path in self.names:
            return path
        with path.open("rb") if path != STANDARD_INPUT else _nothing() as file:
            head = file.read(64)
        if path != STANDARD_INPUT and head and first_bytes(path)[: len(head)] == head:
            return path
        copy = self._new_file(path.name)
        source = _Bytes(path)
        with copy.open("wb") as out:
            while part := source.read(COPIED_BYTES):
                out.write(part)
        self.names[copy] = str(path)
        return copy

    def _unpacked(self, path: Path) -> list[Path]:
        found: list[tuple[str, Path]] = []
        try:
            with tarfile.open(fileobj=cast(IO[bytes], _Bytes(path)), mode="r|") as archive:
                for member in archive:
                    content = archive.extractfile(member) if member.isreg() else None
                    if content is None or Path(member.name).name.startswith("."):
                        continue
                    copy = self._new_file(Path(member.name).name)
                    self.names[copy] = f"{path}:{member.name}"
                    found.append((member.name, copy))
                    with copy.open("wb") as out:
                        shutil.copyfileobj(content, out)
        except (tarfile.TarError, OSError, EOFError) as error:
            why = str(error).removeprefix(f"{path}: ")
            self.warnings.append(f"{path}: the archive is damaged: {why}")
        return [copy for _, copy in sorted(found)]

    def _new_file(self, name: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="iotrace-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        inside = self._folder / str(len(self.names))
        inside.mkdir()
        return inside / (name[-200:] or "-")


def _nothing() -> IO[bytes]:
    return tempfile.TemporaryFile()


def _head(path: Path) -> bytes:
    if path == STANDARD_INPUT:
        return first_bytes_of_standard_input()
    try:
        return first_bytes(path)
    except OSError as error:
        raise IotraceError(str(error)) from None


def heads_of_archive(head: bytes) -> Iterator[bytes]:
    """Give the beginnings of an archive's files, as far as they lie within its own beginning."""
    at = 0
    for _ in range(LOOKED_INTO):
        block = head[at : at + BLOCK_BYTES]
        if not is_archive(block):
            return
        try:
            size = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape").size
        except tarfile.TarError:
            return
        at += BLOCK_BYTES
        yield head[at : at + size]
        at += -(-size // BLOCK_BYTES) * BLOCK_BYTES
