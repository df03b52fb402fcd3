"""``iotrace record``: trace a command and ingest the trace."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.inputs import progress_bar, warn
from iotrace.cli.output import Format, Output, written_option
from iotrace.cli.tables.store import counted, emit_information
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError

SETTINGS = {
    "context_settings": {"ignore_unknown_options": True, "allow_interspersed_args": False},
    "epilog": """
[b]Examples[/b]

 iotrace record -o build.iotrace -- make -j2
 iotrace record -- sh -c 'sort big.txt | uniq -c > counts.txt'

The log is kept next to the store, as NAME.strace.zst. If iotrace is killed it stays as NAME.partial, and the next
run shows how to ingest it.

Exit status: that of the command; 127 if it is not found, 2 if strace is missing.
""",
}


def record(
    command: Annotated[
        list[str],
        typer.Argument(help="The command to trace, after --.", metavar="COMMAND...", show_default=False),
    ],
    output: Annotated[
        Path | None,
        written_option("--output", "-o", help="The store to write [COMMAND.iotrace].", metavar="STORE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a store and a log that exist.")] = False,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="Print the output of iotrace info in this format, after the command's own output.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Trace a command with strace, and ingest the trace. Also records the sizes of the files that it names."""
    from iotrace.analysis.verdict import unseen_sentences
    from iotrace.ingest import record as recorder
    from iotrace.store.store import SUFFIX

    if output is None:
        output = Path(f"{Path(command[0]).name}{SUFFIX}")
    if output.name in ("", ".."):
        raise UsageError(f"{output}: is not a name for a store; give -o STORE")
    for partial in recorder.unfinished_logs(output):
        warn_of(
            f"{partial}: is the log of a run that was killed; ingest it with:"
            f" {recorder.how_to_ingest(partial)}"
        )
    with progress_bar("Reading the trace") as progress:
        store, status = recorder.record(command, output, replace=force, progress=progress)
    warn(store.manifest)
    print(f"{store.path}: {counted(store, ('calls', 'references', 'files', 'processes'))}", file=sys.stderr)
    with store.queried() as connection:
        for sentence in unseen_sentences(connection):
            warn_of(sentence)
    print(f"iotrace: the log is kept as {recorder.log_place(store.path)}", file=sys.stderr)
    if form is not None:
        emit_information(store, Output(form))
    raise typer.Exit(status)
