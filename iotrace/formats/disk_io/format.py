"""A block format for the registry, from what is its own: a name, how it looks, and where its requests come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.families import DISKS
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, LinesLike
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.disk_io.usual_lines import UsualLines
from iotrace.formats.format import Format, Run
from iotrace.formats.reading.batches import Source
from iotrace.formats.reading.files import choose, files_of
from iotrace.libraries import pl


def block_format(
    name: str,
    sentence: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: Callable[[Sequence[Path]], Source],
    *,
    is_split: bool = False,
) -> Format:
    """Return a format of the family disk_io; `source` gets the trace's files.

    ``is_split`` says that its files can be read one by one (see `iotrace.formats.disk_io.parts`).
    """

    def files(paths: Sequence[Path]) -> tuple[Sequence[Path], Sequence[str]]:
        chosen = choose(files_of(paths), set(paths), recognises)
        if not chosen.taken:
            raise IotraceError(
                f"{', '.join(map(str, paths))}: holds no trace; iotrace formats lists what is read"
            )
        return chosen.taken, chosen.warnings(name)

    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        taken, warnings = files(paths)
        reading = source(taken)
        reading.notes.warnings += warnings
        return DiskRun(name, paths, reading)

    return Format(name, DISKS, sentence, endings, recognises, start, split=files if is_split else None)


def delimited_format(
    name: str,
    sentence: str,
    endings: str,
    line: bytes,
    fields: str,
    requests: Callable[[], Mapping[str, pl.Expr]],
    header: str | None = None,
    at_least: int | None = None,
    required: Sequence[str] = ("time_ns", "operation", "blocks"),
    **layout: Any,
) -> Format:
    """Return a format that is lines of `fields`; what else it has is as in `Layout`.

    It is recognised by what a whole `line` looks like and how a `header` begins, two regular expressions. A line has at
    least all fields unless `at_least` is given.
    """
    names = fields.split()
    described = Layout(
        names,
        requests,
        required=required,
        at_least=at_least or len(names),
        header=re.compile(header) if header else None,
        **layout,
    )
    recognises = LinesLike(line, header.encode() if header else None)

    def source(paths: Sequence[Path]) -> Source:
        if described.usual is None:
            return DelimitedSource(paths, described)
        return UsualLines(paths, described, described.usual)

    return block_format(name, sentence, endings, recognises, source, is_split=True)
