"""``iotrace record``: trace a command, or what runs already, and ingest the trace."""

from typing import Annotated

import typer

from iotrace.cli import recording
from iotrace.cli.inputs import progress_bar
from iotrace.cli.options import record as options
from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.cli.tables.store import emit_information
from iotrace.ingest.backends import Backend

SETTINGS = {
    "context_settings": {"allow_interspersed_args": False},
    "epilog": """
[b]Examples[/b]

 iotrace record -o build.iotrace -- make -j2
 iotrace record -- sh -c 'sort big.txt | uniq -c > counts.txt'
 iotrace record -p 1234 --seconds 30       a running process, which then runs on
 iotrace record --block --rotate 1h --max-size 1G -o disks.iotrace    a partition for each hour
 iotrace record --system --sample-files 1% --rotate 1h -o calls       a store for each hour, in a folder

The recording is kept next to the store, as NAME.iorec, or NAME.strace.zst with strace. If iotrace is killed it stays
as NAME.partial, and the next run shows how to ingest it.

Exit status: that of the command, 0 if --seconds ends the recording first; 127 if the command is not found, 2 if nothing
can record here, 1 if no store could be made.
""",
}


@grouped
def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(help="The command to trace, after --.", metavar="COMMAND...", show_default=False),
    ] = None,
    backend: options.BackendOption = Backend.AUTO,
    output: options.StoreOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a store and a log that exist.")] = False,
    form: options.FormOption = None,
    *,
    what: options.Recorded,
    besides: options.UnderCalls,
    keeping: options.Kept,
) -> None:
    """Record the system calls of a command, or of running processes, and ingest them.

    Also records the sizes of the files that it names, and how much recording slows a call down on this machine.
    The contents of reads, writes and messages, and the environment, are not kept.
    """
    from iotrace.ingest import caller
    from iotrace.ingest import record as recorder

    caller.become(what.as_root)
    kept, limits, recorder_options = keeping.contents(), what.limits(), besides.words()
    subject = what.running() or besides.disks(command)
    seconds = what.rotation_s()
    path = recording.place_of(command, subject, output, is_folder=bool(seconds) and not besides.block)
    recording.say_unfinished(path)
    chosen = recorder.choose(backend, kept, subject, limits, recorder_options, rotates=seconds is not None)
    recording.say_how(chosen, subject)
    settings = recorder.RecordingSettings(chosen, kept, keeping.all_waits, force, limits, recorder_options)
    if seconds is not None:
        raise typer.Exit(recording.record_rotated(subject, path, settings, seconds))
    with progress_bar("Reading the trace") as progress:
        store, status = recorder.record_any(subject or command or [], path, settings, progress)
    recording.say_what_was_recorded(store, recorder.log_place(store.folder, chosen), kept)
    if form is not None:
        emit_information(store, Output(form))
    raise typer.Exit(status)
