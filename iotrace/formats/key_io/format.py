"""A key format for the registry, from what is its own: a name, how it looks, and where its requests come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.families import KEYS
from iotrace.files.of_trace import files_of
from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.format import Format, Run
from iotrace.formats.key_io.lines import KeyLines
from iotrace.formats.key_io.run import KeyRun
from iotrace.formats.reading.batches import Source
from iotrace.formats.reading.files import choose
from iotrace.libraries import pl


def key_format(
    name: str,
    description: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: Callable[[Sequence[Path]], Source],
    *,
    reads_ahead: bool = False,
) -> Format:
    """Return a format of the family key_io; `source` gets the trace's files; threads can read lines of fields ahead."""

    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        chosen = choose(files_of(paths), set(paths), recognises)
        if not chosen.taken:
            raise IotraceError(
                f"{', '.join(map(str, paths))}: holds no trace; iotrace formats lists what is read"
            )
        reading = source(chosen.taken)
        reading.notes.warnings += chosen.warnings(name)
        return KeyRun(name, paths, reading)

    return Format(name, KEYS, description, endings, recognises, start, reads_ahead=reads_ahead)


def key_lines(
    name: str,
    description: str,
    endings: str,
    line: bytes,
    fields: str,
    requests: Callable[[], Mapping[str, pl.Expr]],
    *,
    required: Sequence[str] = ("key",),
    header: str | None = None,
    at_least: int | None = None,
    recognised: bool = True,
    **layout: Any,
) -> Format:
    """Return a format that is lines of `fields`; what else it has is as in `Layout`.

    It is recognised by what a whole `line` looks like and how a `header` begins, two regular expressions; never, if it
    is not `recognised`, because other formats look the same.
    """
    names = fields.split()
    described = Layout(
        fields=names,
        requests=requests,
        required=required,
        at_least=at_least or len(names),
        header=re.compile(header) if header else None,
        **layout,
    )
    like = LinesLike(line, header.encode() if header else None) if recognised else _never
    return key_format(
        name, description, endings, like, lambda paths: KeyLines(paths, described), reads_ahead=True
    )


def _never(head: bytes) -> bool:
    return False
