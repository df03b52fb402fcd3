"""How every command opens a trace: a store, or a raw trace that is ingested first, with a progress bar."""

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace import units
from iotrace.analysis.population import Population
from iotrace.cli import partly_read
from iotrace.cli.options.groups import RARE, Group, declared
from iotrace.cli.progress import bar
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError
from iotrace.files.inputs import note
from iotrace.files.remote import Address, Place
from iotrace.files.transfers import beginning
from iotrace.option.rules import Rules, Runs

if TYPE_CHECKING:
    from iotrace.store.store import Progress, Store
    from iotrace.workers import WorkerSpec

CSV = "csv"
"""The format of text whose columns are described."""
OBJECTS, BLOCKS = "oracle-general", "oracle-general-blocks"
"""The format whose objects may be keys or blocks of a disk, and the one that takes them for blocks."""
PROMPTS = "prompt-blocks"
"""The format of prompts, whose blocks may have any number of tokens."""
_TRACE = typer.Argument(
    help="A store (NAME.iotrace) or a raw trace; - for standard input.", show_default=False, readable=False
)
TraceArgument = Annotated[Place, _TRACE]
TracesArgument = Annotated[
    list[Place],
    typer.Argument(
        help="Stores (NAME.iotrace) or raw traces; - for standard input.",
        metavar="TRACE...",
        show_default=False,
        readable=False,
    ),
]
OptionalTraceArgument = Annotated[Place | None, _TRACE]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help="File system: linux (default), 1994, NAME=VALUE (repeatable; see ingest).",
        metavar="MODEL",
        show_default=False,
    ),
]
TraceFormatOption = Annotated[
    str | None,
    typer.Option(
        "--trace-format",
        rich_help_panel=RARE,
        help="The trace's format; guessed by default (see iotrace formats).",
    ),
]


COLUMNS = "Read any text: NAME=COLUMN:UNIT,..."


@dataclass(frozen=True)
class TraceFormat(Group):
    """In which format a raw trace is."""

    trace_format: TraceFormatOption = declared(None, only_for=Runs.TRACE)
    columns: str | None = declared(
        None,
        f"{COLUMNS} (see iotrace ingest --help-all).",
        metavar="COLUMNS",
        conflicts=["--prompt-block"],
        only_for=Runs.TRACE,
        rare=True,
    )
    prompt_block: int | None = declared(
        None,
        "For prompts: tokens in a block; by default 512 (Mooncake) or 16 (Bailian).",
        metavar="TOKENS",
        only_for=Runs.TRACE,
        rare=True,
    )

    def __post_init__(self) -> None:
        for name, value, form in (
            ("--columns", self.columns, CSV),
            ("--prompt-block", self.prompt_block, PROMPTS),
        ):
            if value is not None and self.trace_format not in (None, form):
                raise UsageError(f"give {name} or --trace-format, not both")

    @property
    def form(self) -> str | None:
        """The trace's format, or with what describes its columns or its blocks; None to guess it."""
        if self.prompt_block is not None:
            return f"{PROMPTS}:{self.prompt_block}"
        return self.trace_format if self.columns is None else f"{CSV}:{self.columns}"


@dataclass(frozen=True)
class RawTrace(TraceFormat):
    """How a raw trace is read."""

    model: ModelOption = None

    @property
    def is_plain(self) -> bool:
        """Whether nothing is said of how it is read."""
        return self.form is None and not self.model

    def open(self, trace: Place) -> "Store":
        """Open a store or raw trace; see `open_trace`."""
        return open_trace(trace, self.model, self.form)

    def open_named(self, traces: Sequence[tuple[str | None, Place]]) -> dict[str, "Store"]:
        """Open traces that may have names, by the names of their schemas (see `schema_names`)."""
        from iotrace.store.traces import schema_names

        names = schema_names(traces)
        return {name: self.open(path) for name, (_, path) in zip(names, traces, strict=True)}

    def open_all(self, traces: Sequence[Place]) -> "Store":
        """Open a store, or a raw trace in one file or several."""
        return open_trace(traces[0] if len(traces) == 1 else traces, self.model, self.form)

    def opened(self, trace: Place, *, as_blocks: bool) -> "Store":
        """Open it; where blocks are asked for, objects that can be blocks of a disk are taken for them."""
        if as_blocks and self.form is None:
            return open_trace(trace, self.model, _format_as_blocks(trace))
        return self.open(trace)


def _format_as_blocks(trace: Place) -> str | None:
    """Return the format that takes a raw trace's objects for blocks; None where its format is not oracleGeneral."""
    from iotrace.store import manifest
    from iotrace.store.folder import is_store

    if is_store(trace):  # which opens in half of the time without what reads raw traces
        if manifest.load(trace).get("format") == OBJECTS:
            raise UsageError(
                f"{trace}: holds keys; for blocks, ingest its trace with --trace-format {BLOCKS}"
            )
        return None
    from iotrace import formats

    if str(trace) != "-" and not trace.exists():
        return None
    read = beginning(trace) if isinstance(trace, Address) else trace
    return BLOCKS if formats.source([read]).name == OBJECTS else None


PopulationOption = Annotated[
    Population | None,
    typer.Option(
        "--population",
        help="References: of reads and writes (default without --where), of look-ups, or all.",
        show_default=False,
    ),
]
AlignClocksOption = Annotated[
    bool,
    typer.Option(
        "--align-clocks",
        rich_help_panel=RARE,
        help="For raw parallel traces: move the ranks' clocks, as iotrace ingest does.",
    ),
    Rules(only_for=Runs.TRACE),
]


class Order(StrEnum):
    """How the files of a ``strace -ff`` log are put in order."""

    TIME = "time"
    CONCATENATE = "concatenate"


OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        rich_help_panel=RARE,
        help="Merge several files of one trace by time, or read them one after the other.",
    ),
]

MODEL_SWITCHES = """
[b]Switches of the file system model[/b] (--model NAME=VALUE; the first value is the default):

 model              linux | 1994 (atime=strict, exec=whole, libraries=none, merged-usr=learnt)
 directory-size     512 | known
 start-directory    in-core | referenced
 atime              relatime | strict | every-inode-read | none
 exec               demand | whole
 libraries          once | none
 mmap               listed | range
 empty-requests     drop | keep
"""


_ENDINGS = re.compile(r"(\.(iotrace|gz|zst|xz|bz2|strace))+$")


def names_of(traces: Sequence[Place]) -> dict[str, Place]:
    """Return traces by what to call them: their files' names, with their folders where two have the same."""
    short = [_ENDINGS.sub("", trace.name) for trace in traces]
    return {
        name if short.count(name) == 1 else f"{trace} ({number})": trace
        for number, (name, trace) in enumerate(zip(short, traces, strict=True), 1)
    }


def model_switches(given: list[str] | None) -> dict[str, str]:
    """Turn ``--model`` options into switches; raises UsageError for words that are no switch."""
    if not given:
        return {}
    from iotrace.engine import native

    switches: dict[str, str] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            name, value = "model", word
        switches[name] = value
    try:
        native.check_model(list(switches.items()))
    except ValueError as error:
        raise UsageError(f"--model: {error}") from None
    return switches


def open_trace(
    trace: Place | Sequence[Place],
    model: list[str] | None = None,
    form: str | None = None,
    order: Order = Order.TIME,
    align_clocks: bool = False,
    worker_spec: "WorkerSpec | None" = None,
) -> "Store":
    """Open a store or raw trace with a progress bar; say what its ingest warned of, and where it is kept."""
    from iotrace.ingest import opening
    from iotrace.store.folder import is_store

    written: list[Place] = []
    traces = [trace] if isinstance(trace, Place) else list(trace)
    first = traces[0]
    with progress_bar(f"Reading {first}") as progress:
        store = opening.open(
            traces,
            format=form,
            model=model_switches(model),
            order=order.value,
            align_clocks=align_clocks,
            progress=progress,
            kept=written.append,
            waits=lambda: print(
                f"iotrace: waiting for another command, which reads {first}", file=sys.stderr
            ),
            worker_spec=worker_spec,
        )
    note([*traces, store.path])
    warn(store.manifest)
    if len(traces) > 1 or not is_store(first):
        partly_read.note(first, store.manifest)
    for path in written:
        _say_where_kept(first, path)
    return store


def _say_where_kept(trace: Place, path: Place) -> None:
    from iotrace.store.kept import removed_at_end
    from iotrace.store.location import SIZE, cache_home, is_temporary, said_bytes

    why = None
    if (size := removed_at_end(path)) is not None:
        why = f"it has {units.size(size)}, more than the cache may have ({SIZE})"
    elif is_temporary(path):
        why = f"{SIZE} is 0" if said_bytes() == 0 else f"{cache_home()} cannot be used"
    if why is None:
        print(f"iotrace: kept as {path}", file=sys.stderr)
    else:
        warn_of(
            f"the store of this trace is removed when the command ends, since {why};"
            f" iotrace ingest {trace} -o STORE keeps one"
        )


_SENTENCES = re.compile(r"(?<=[a-z0-9)])\. (?=[A-Z])")


def warn(manifest: Mapping[str, Any]) -> None:
    """Print a manifest's warnings to standard error, a line each: what one explains at length is in iotrace info."""
    for warning in manifest.get("warnings", []):
        first, *more = _SENTENCES.split(" ".join(str(warning).split()), maxsplit=1)
        warn_of(f"{first}; iotrace info says more" if more else first)


def progress_bar(title: str) -> "AbstractContextManager[Progress | None]":
    """Draw a progress bar of bytes on standard error while it is a terminal."""
    return bar(title, "DownloadColumn", "TransferSpeedColumn")
