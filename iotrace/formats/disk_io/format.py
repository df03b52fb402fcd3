"""A block format for the registry, from what is its own: a name, how it looks, and where its requests come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.format import Format, Run
from iotrace.formats.reading.batches import Source
from iotrace.formats.reading.files import choose, files_of


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
        chosen = choose(files_of(paths), set(paths), recognises)
        if not chosen.taken:
            raise IotraceError(f"{', '.join(map(str, paths))}: holds no trace")
        reading = source(chosen.taken)
        reading.told.warnings += chosen.warnings(name)
        return DiskRun(name, paths, reading)

    return Format(name, "disk_io", sentence, endings, recognises, start)


def delimited_format(
    name: str, sentence: str, endings: str, recognises: Callable[[bytes], bool], layout: Layout
) -> Format:
    """Return a format that is lines of fields."""
    return block_format(name, sentence, endings, recognises, lambda paths: DelimitedSource(paths, layout))
