"""``iotrace export``: a store in another format."""

from typing import Annotated

import typer

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.export import Profile, TableOption, TargetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.record import RedactOption
from iotrace.cli.output import written_option
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_folder, refuse_no_folder
from iotrace.files.remote import Place, here

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace export strace.log --to csv -o tables/
 iotrace export build.iotrace --to parquet --table reference --table file -o tables/
 iotrace export build.iotrace --to strace -o build.strace      also of a recording of BPF programs
 iotrace export disk.iotrace --to fio-iolog -o disk.iolog      to replay with fio
 iotrace export keys.iotrace --to lcs -o keys.lcs              for libCacheSim
 iotrace export ranks.iotrace --to pattern -o ranks.csv
 iotrace export build.iotrace --to speedscope -o build.speedscope.json
 iotrace export build.iotrace --to folded --by bytes -o - | flamegraph.pl > build.svg
 iotrace export build.iotrace --to perfetto -o build.pftrace       for ui.perfetto.dev
"""
}


@grouped
def export(
    trace: TraceArgument,
    to: TargetOption,
    output: Annotated[
        Place,
        written_option(
            "--output",
            "-o",
            help="The file (for text) or folder (for tables) to write; - for standard output (text only).",
            metavar="PATH",
        ),
    ],
    table: TableOption = None,
    redact: RedactOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    *,
    profile: Profile,
    raw: RawTrace,
) -> None:
    """Write a trace as text that can be ingested again, as a profile or timeline, or as tables (CSV, JSON, Parquet)."""
    from iotrace.export import named, profiles, tables
    from iotrace.export.redacted import redacted
    from iotrace.ingest.contents import Contents

    if to.value in tables.FORMS and str(output) == "-":
        raise UsageError(
            f"the tables as {to.value} need -o FOLDER; for one of them: iotrace sql TRACE 'from file'"
        )
    folder = here(output, "-o") if to.value in tables.FORMS else None
    (refuse_folder if folder is None else refuse_no_folder)(output)
    kept = Contents(redact=tuple(redact or ()))
    with redacted(raw.open(trace), kept) as store:
        if folder is not None:
            tables.write(store, folder, to.value, table, force)
            return
        if to.value in profiles.NAMES:
            lost = profiles.write(store, output, to.value, profile.by, profile.stacks, force)
        else:
            lost = named(to.value).write(store, output, force)
        for sentence in lost:
            warn_of(sentence)
