"""``iotrace record``: trace a command or a running process, and ingest the trace."""

from typing import Annotated

import typer

from iotrace.cli.inputs import progress_bar
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.record import Kept, PidOption, SecondsOption, StoreOption
from iotrace.cli.output import Format, Output
from iotrace.cli.recording import place_of, say_unfinished, say_what_was_recorded
from iotrace.cli.tables.store import emit_information

SETTINGS = {
    "context_settings": {"ignore_unknown_options": True, "allow_interspersed_args": False},
    "epilog": """
[b]Examples[/b]

 iotrace record -o build.iotrace -- make -j2
 iotrace record -- sh -c 'sort big.txt | uniq -c > counts.txt'
 iotrace record -p 1234 --seconds 30       a running process, which then runs on

The log is kept next to the store, as NAME.strace.zst. If iotrace is killed it stays as NAME.partial, and the next
run shows how to ingest it.

Exit status: that of the command; 127 if it is not found, 2 if strace is missing.
""",
}


@grouped
def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(help="The command to trace, after --.", metavar="COMMAND...", show_default=False),
    ] = None,
    pid: PidOption = None,
    seconds: SecondsOption = None,
    output: StoreOption = None,
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
    *,
    keeping: Kept,
) -> None:
    """Trace a command or a running process with strace, and ingest the trace.

    Also records the sizes of the files that it names, and how much strace slows a call down on this machine.
    Neither the log nor the store holds what is read, written, sent or received, or the environment.
    """
    from iotrace.ingest import record as recorder

    kept, all_waits = keeping.contents(), keeping.all_waits
    place = place_of(command, pid, output)
    say_unfinished(place)
    with progress_bar("Reading the trace") as progress:
        if pid:
            store = recorder.record_attached(
                pid, place, seconds=seconds, kept=kept, all_waits=all_waits, replace=force, progress=progress
            )
            status = 0
        else:
            store, status = recorder.record(
                command or [], place, kept=kept, all_waits=all_waits, replace=force, progress=progress
            )
    say_what_was_recorded(store, recorder.log_place(store.path), kept)
    if form is not None:
        emit_information(store, Output(form))
    raise typer.Exit(status)
