"""The files of a parallel trace where they are: on disk, in a folder, in an archive, or on standard input."""

import contextlib
import io
import itertools
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self, cast

from iotrace.errors import IotraceError, reason
from iotrace.files.temporary import folder_of
from iotrace.formats.reading.files import first_bytes
from iotrace.formats.reading.unpacked import Space
from iotrace.formats.standard_input import PATH as STANDARD_INPUT
from iotrace.formats.standard_input import first_bytes_of_standard_input

if TYPE_CHECKING:
    from iotrace.engine.native import TraceBytes

MAGIC, MAGIC_AT = b"ustar", 257
LONGEST_ATTRIBUTES = 1 << 20
"""The longest name or list of attributes that is read."""
MOST_ATTRIBUTE_HEADERS = 16
"""How many headers of names and attributes may follow one another; tarfile calls itself for each."""
MOST_GLOBAL = 1000
"""How many attributes may hold for all files that follow."""
ATTRIBUTES = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
LOOKED_INTO = 64
"""How many of an archive's files are looked into."""


def is_archive(head: bytes) -> bool:
    """Return whether a file that begins so, decompressed, is a tar archive."""
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


class _SparseFileError(tarfile.TarError):
    """A file of which only the parts that are not zero are in the archive: it may declare any size."""


class _Archive(tarfile.TarFile):
    """An archive with the number of headers that are being read, each within the one before."""

    headers = 0


class _Header(tarfile.TarInfo):
    """A header of an archive; one that declares a sparse file, or attributes without bounds, is not read on."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        archive = cast(_Archive, tarfile)
        archive.headers += 1
        try:
            _refuse_endless_attributes(archive)
            return super().fromtarfile(archive)
        finally:
            archive.headers -= 1

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise _SparseFileError(header.name)
        if header.type in ATTRIBUTES and header.size > LONGEST_ATTRIBUTES:
            raise tarfile.ReadError("a name or its attributes are longer than 1 MB")
        return header


def _refuse_endless_attributes(archive: _Archive) -> None:
    """Raise ReadError where more headers follow one another, or attributes pile up, than any archive has."""
    if archive.headers > MOST_ATTRIBUTE_HEADERS + 1:
        raise tarfile.ReadError(
            f"more than {MOST_ATTRIBUTE_HEADERS} headers of attributes follow one another"
        )
    of_all = archive.pax_headers
    if len(of_all) > MOST_GLOBAL or sum(map(len, (*of_all, *of_all.values()))) > LONGEST_ATTRIBUTES:
        raise tarfile.ReadError(
            f"more than {MOST_GLOBAL:,} attributes, or more than 1 MB of them, hold for all files"
        )


def _files(source: IO[bytes], links: list[str] | None = None) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """Give the regular files of an archive that is read once, in its order; hidden ones are left out.

    The names of its links, which are not read, are added to ``links``.
    """
    with _Archive.open(fileobj=source, mode="r|", tarinfo=_Header) as archive:
        while (member := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # or they would be kept
            if member.issparse() or any(name.startswith("GNU.sparse.") for name in member.pax_headers):
                raise _SparseFileError(member.name)
            if links is not None and (member.islnk() or member.issym()):
                links.append(member.name)
            content = archive.extractfile(member) if member.isreg() else None
            if content is not None and not Path(member.name).name.startswith("."):
                yield member, content


class _Bytes:
    """The file that tarfile reads an archive from: a trace's bytes, decompressed."""

    def __init__(self, path: Path) -> None:
        from iotrace.engine import native

        self._bytes: TraceBytes = native.TraceBytes(path)

    def read(self, count: int, /) -> bytes:
        return self._bytes.read(count)


class Members:
    """The files of a trace; those of archives are unpacked into a folder that goes when this does."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.damage: list[str] = []
        self.warnings: list[str] = []
        self.names: dict[Path, str] = {}
        """The original names of unpacked files."""
        self._folder: Path | None = None
        self._space = Space()
        self.files: list[Path] = []
        try:
            for path in paths:
                self.files += self._unpacked(path) if is_archive(_head(path)) else [path]
        except BaseException:
            if self._folder is not None:  # which the traceback would keep
                shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def name_of(self, path: Path) -> str:
        """Return what a file is called."""
        return self.names.get(path, str(path))

    def beside_damage(self, sentence: str) -> str:
        """Return what is wrong with a file, and with the archives of the trace, of which that may come."""
        return "; ".join([sentence, *self.damage])

    def on_disk(self, path: Path) -> Path:
        """Return a file that can be read from any place: this one, or a copy of what is compressed or comes once."""
        if path != STANDARD_INPUT and path in self.names:
            return path
        with path.open("rb") if path != STANDARD_INPUT else _nothing() as file:
            head = file.read(64)
        if path != STANDARD_INPUT and head and first_bytes(path)[: len(head)] == head:
            return path
        copy = self._new_file(path.name, str(path))
        self._space.copy(_Bytes(path), copy, str(path))
        return copy

    def _unpacked(self, path: Path) -> list[Path]:
        unpacked: dict[str, Path] = {}
        """By name: of several files with one name, as tar -u appends newer ones, the last counts."""
        links: list[str] = []
        try:
            for member, content in _files(cast(IO[bytes], _Bytes(path)), links):
                copy = self._new_file(Path(member.name).name, f"{path}:{member.name}")
                unpacked[member.name.removeprefix("./")] = copy
                self._space.copy(content, copy, self.names[copy])
        except _SparseFileError as error:
            raise IotraceError(
                f"{path}: holds {error} as a sparse file, which is not read; pack it without --sparse"
            ) from None
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            why = str(error).removeprefix(f"{path}: ")
            self.damage.append(f"{path}: the archive is damaged: {why}")
        if links:
            self.warnings.append(
                f"{path}: the archive holds {len(links):,} links, which are not read; the first is {links[0]}"
            )
        return [copy for _, copy in sorted(unpacked.items())]

    def _new_file(self, name: str, whole_name: str) -> Path:
        if self._folder is None:
            try:
                self._folder = folder_of(self)
            except OSError as error:
                raise IotraceError(
                    f"no temporary folder can be made: {reason(error)}; set TMPDIR to one that you may write"
                ) from None
        inside = self._folder / str(len(self.names))
        self._space.new_folder(inside, whole_name)
        copy = inside / (name[-200:] or "-")
        self.names[copy] = whole_name
        return copy


def _nothing() -> IO[bytes]:
    return io.BytesIO()


def _head(path: Path) -> bytes:
    if path == STANDARD_INPUT:
        return first_bytes_of_standard_input()
    try:
        return first_bytes(path)
    except OSError as error:
        raise IotraceError(str(error)) from None


def heads_of_archive(head: bytes) -> Iterator[bytes]:
    """Yield the beginnings of those files of an archive that begin within `head`."""
    if not is_archive(head):
        return
    with contextlib.suppress(tarfile.TarError, OSError, EOFError, ValueError):
        for member, _ in itertools.islice(_files(io.BytesIO(head)), LOOKED_INTO):
            yield head[member.offset_data : member.offset_data + member.size]
