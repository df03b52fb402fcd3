"""How a trace reaches the program: a file, compressed once or twice, in an archive or a folder, on standard input."""

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Files = Mapping[str, bytes]
"""The files of a trace by name; one has no name that matters."""


@dataclass(frozen=True)
class Shaped:
    """A trace on disk: the words that name it, what to read from standard input, and how it came to be."""

    words: tuple[str, ...]
    given: Path | None
    shape: str


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": lambda content: gzip.compress(content, 1, mtime=0),
    "bz2": lambda content: bz2.compress(content, 1),
    "xz": lambda content: lzma.compress(content, preset=0),
    "gz of gz": lambda content: gzip.compress(gzip.compress(content, 1, mtime=0), 1, mtime=0),
    "xz of gz": lambda content: lzma.compress(gzip.compress(content, 1, mtime=0), preset=0),
    "two gz": lambda content: (
        gzip.compress(content[: len(content) // 2], 1, mtime=0)
        + gzip.compress(content[len(content) // 2 :], 1, mtime=0)
    ),
    "gz and a tail": lambda content: gzip.compress(content, 1, mtime=0) + b"tail",
    "zip": lambda content: _zip({"trace": content}),
    "tar": lambda content: tar({"trace": content}),
    "tar.gz": lambda content: gzip.compress(tar({"trace": content}), 1, mtime=0),
}


def tar(files: Files) -> bytes:
    """Return an archive of some files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def _zip(files: Files) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()


def as_it_is(files: Files, folder: Path) -> Shaped:
    """Write files under their own names, which may have a folder; the words name the first."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return Shaped((next(iter(files)),), None, "as it is")


def shaped(draw: random.Random, files: Files, name: str, folder: Path) -> Shaped:
    """Write a trace's files into a folder in one of the shapes, each possibly damaged once more."""
    if len(files) > 1:
        return (
            _in_a_folder(draw, files, folder) if draw.random() < 0.8 else _in_an_archive(draw, files, folder)
        )
    content = next(iter(files.values()))
    chance = draw.random()
    if chance < 0.6:
        (folder / name).write_bytes(content)
        return Shaped((name,), None, "file")
    if chance < 0.8:
        how = draw.choice(list(PACKERS))
        packed = _damaged(draw, PACKERS[how](content))
        (folder / name).write_bytes(packed)
        return Shaped((name,), None, how)
    if chance < 0.9:
        others = (
            {name: content, "notes.txt": b"notes\n"} if draw.random() < 0.5 else {"0": content, "1": content}
        )
        return _in_a_folder(draw, others, folder)
    given = folder.parent / "given"
    given.write_bytes(content)
    return Shaped(("-",), given, "standard input")


def _in_a_folder(draw: random.Random, files: Files, folder: Path) -> Shaped:
    (folder / "traces").mkdir()
    for name, content in files.items():
        (folder / "traces" / name).write_bytes(content)
    if draw.random() < 0.3:
        (folder / "traces" / "empty").write_bytes(b"")
    if draw.random() < 0.3:
        (folder / "traces" / "inner").mkdir()
    return Shaped(("traces",), None, "folder")


def _in_an_archive(draw: random.Random, files: Files, folder: Path) -> Shaped:
    (folder / "traces.tar").write_bytes(_damaged(draw, tar(files)))
    return Shaped(("traces.tar",), None, "tar of several")


def _damaged(draw: random.Random, packed: bytes) -> bytes:
    """Damage one in four of what was packed."""
    chance, place = draw.random(), draw.randrange(len(packed) + 1)
    if chance < 0.12:
        return packed[:place]
    if chance < 0.25 and place < len(packed):
        return packed[:place] + bytes([packed[place] ^ 0xFF]) + packed[place + 1 :]
    return packed
