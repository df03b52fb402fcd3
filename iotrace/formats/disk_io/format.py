"""A block format for the registry, from what is its own: a name, how it looks, and where its requests come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.requests import Source
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.format import Format, Run

HEAD_BYTES = 65536
"""How much of a file is looked at to tell its format."""


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files of a trace: those given, and those in a folder that is given, by name."""
    found: list[Path] = []
    for path in paths:
        found += sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    return found


def first_bytes(path: Path) -> bytes:
    """Return a file's first bytes, decompressed; raises OSError where it cannot be read."""
    from iotrace.engine import native

    return native.first_bytes(path, HEAD_BYTES)


def block_format(
    name: str,
    sentence: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: Callable[[Sequence[Path]], Source],
) -> Format:
    """Return a format of the family disk_io; `source` gets the trace's files."""

    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        if model or known_files is not None:
            raise UsageError(
                "a block trace has no system calls: neither --model nor --known-files applies to it"
            )
        files = files_of(paths)
        ours = [path for path in files if path in paths or recognises(first_bytes(path))] or files
        if not ours:
            raise IotraceError(f"{', '.join(map(str, paths))}: holds no trace")
        reading = source(ours)
        if others := [path.name for path in files if path not in ours and path.stat().st_size]:
            reading.told.warnings.append(f"files that are no {name} trace were left out: {', '.join(others)}")
        return DiskRun(name, paths, reading)

    return Format(name, "disk_io", sentence, endings, recognises, start)


def delimited_format(
    name: str, sentence: str, endings: str, recognises: Callable[[bytes], bool], layout: Layout
) -> Format:
    """Return a format that is lines of fields."""
    return block_format(name, sentence, endings, recognises, lambda paths: DelimitedSource(paths, layout))
