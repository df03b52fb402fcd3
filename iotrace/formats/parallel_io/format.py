"""A parallel format for the registry, from what is its own: a name, how it looks, and where its calls come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.format import Format, Run
from iotrace.formats.parallel_io.accesses import ParallelSource
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.run import ParallelRun
from iotrace.formats.reading.files import choose, files_of

SourceOf = Callable[[Members, Sequence[Path]], ParallelSource]


def parallel_format(
    name: str,
    sentence: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: SourceOf,
) -> Format:
    """Return a format of the family parallel_io; `source` gets the trace's files, unpacked where they were packed."""

    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        if model or known_files is not None:
            raise UsageError(
                "a parallel trace has no system calls: neither --model nor --known-files applies to it"
            )
        members = Members(files_of(paths))
        named = {path for path in members.files if path in paths}
        chosen = choose(members.files, named, recognises)
        if not chosen.taken:
            raise IotraceError(f"{', '.join(map(str, paths))}: holds no trace")
        reading = source(members, by_number(chosen.taken))
        reading.kept = members
        reading.told.warnings += [*members.warnings, *chosen.warnings(name)]
        return ParallelRun(name, paths, reading)

    return Format(name, "parallel_io", sentence, endings, recognises, start)


def by_number(paths: Sequence[Path]) -> list[Path]:
    """Return files in the order of their names, numbers in them by value (10.txt after 9.txt)."""
    import re

    def key(path: Path) -> list[tuple[int, str]]:
        parts = re.split(r"(\d+)", path.name)
        return [(int(part), "") if part.isdigit() and len(part) < 19 else (-1, part) for part in parts]

    return sorted(paths, key=key)
