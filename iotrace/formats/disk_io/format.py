"""A block format for the registry, from what is its own: a name, how it looks, and where its requests come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.families import DISKS
from iotrace.files.of_trace import files_of
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, LinesLike
from iotrace.formats.disk_io.parsed_lines import LineForm, ParsedLines
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.format import Format, Run
from iotrace.formats.reading.batches import Source
from iotrace.formats.reading.files import choose


def block_format(
    name: str,
    description: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: Callable[[Sequence[Path]], Source],
    *,
    is_split: bool = False,
    has_lines: bool = False,
) -> Format:
    """Return a format of the family disk_io; `source` gets the trace's files.

    ``is_split`` says that its files can be read one by one (see `iotrace.formats.disk_io.parts`), ``has_lines`` that
    parts of them can, too.
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

    split = files if is_split else None
    return Format(name, DISKS, description, endings, recognises, start, split=split, has_lines=has_lines)


def line_format(
    name: str,
    description: str,
    endings: str,
    line: bytes,
    form: LineForm | Layout,
) -> Format:
    """Return a format that is lines of fields, which the engine reads, or the expressions of a `Layout`.

    It is recognised by what a whole `line` looks like, a regular expression, and by the form's header.
    """
    recognises = LinesLike(line, form.header.pattern.encode() if form.header else None)

    def source(paths: Sequence[Path]) -> Source:
        return DelimitedSource(paths, form) if isinstance(form, Layout) else ParsedLines(paths, form)

    return block_format(name, description, endings, recognises, source, is_split=True, has_lines=True)
