"""``iotrace disk``: the drives that simulations know, and how true their model is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    output_path,
    refuse_to_overwrite,
)
from iotrace.errors import UsageError
from iotrace.files import write_text

if TYPE_CHECKING:
    import pyarrow as pa

SETTINGS = {
    "help": "Drives that simulations know: list them, show one, compare its model with a real one.",
    "no_args_is_help": True,
    "epilog": """
[b]Examples[/b]

 iotrace disk list                                the library
 iotrace disk show ra82 --plot seek.svg           one drive: properties, zones, seek curve
 iotrace disk show my-drive.toml                  your own, in a file such as those of the library
 iotrace disk show dec_rz26.parv                  or in DiskSim's files
 iotrace disk validate dec_rz26.trace --disk rz26 beside what a real one took
""",
}
disk = typer.Typer()
LONGEST_PLOT_NAME = 80

DiskArgument = Annotated[
    str,
    typer.Argument(
        metavar="DISK",
        help="A drive of the library, or a file: .toml, or DiskSim's .parv or .diskspecs.",
        show_default=False,
    ),
]


@disk.command("list")
def list_drives(
    form: FormatOption = Format.TABLE, output: OutputOption = None, force: ForceOption = False
) -> None:
    """List the library of drives."""
    refuse_to_overwrite(output, force)
    from iotrace.cli.output import emit
    from iotrace.simulate.disk import drive, names, overview

    drives = {name: drive(name) for name in names()}
    emit(
        overview(drives),
        form,
        output,
        "Drives",
        "iotrace disk show DISK tells where a drive's numbers come from.",
    )


@disk.command("show")
def show(
    name: DiskArgument,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            parser=output_path,
            metavar="FILE.svg",
            help="Also draw the seek curve.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show a drive: its properties, its zones, its seek curve, and the sources of all that."""
    refuse_to_overwrite(output, force)
    refuse_to_overwrite(plot, force)
    if plot is not None and plot.suffix.lower() != ".svg":
        raise UsageError(f"--plot: {plot} does not end in .svg")
    from iotrace.cli.output import emit_many
    from iotrace.simulate.disk import drive, overview, seek_table, zone_table

    shown = drive(name)
    tables = {"drive": overview({name: shown}), "zones": zone_table(shown), "seek": seek_table(shown)}
    if plot is not None:
        from iotrace.reports.pages.charts.seek_plot import seek_plot

        title = f"Seek times of {shown.name[:LONGEST_PLOT_NAME]}"
        drawn = seek_plot(title, shown.native.seek_ns(), shown.seek.table_ms)
        write_text(plot, drawn)
    sources = [f"Source: {source}" for source in shown.sources]
    emit_many(
        tables, form, output, "\n".join([f"Where its parameters come from: {shown.provenance}.", *sources])
    )


@disk.command("validate")
def validate(
    trace: Annotated[
        Path,
        typer.Argument(
            metavar="TRACE",
            help="Service times measured on a real drive, in DiskSim's VALIDATE format.",
            show_default=False,
        ),
    ],
    disk: Annotated[
        str,
        typer.Option(
            "--disk",
            metavar="DISK",
            help="The drive: one of the library, or a file (.toml, .parv, .diskspecs).",
            show_default=False,
        ),
    ],
    each: Annotated[
        bool, typer.Option("--each", help="A row for each request, with the parts of its simulated time.")
    ] = False,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Compare simulated with measured service times: demerit figure, and errors request by request.

    The loop is closed: each request arrives as long after the simulated end of the one before as it did after the
    real one's.
    """
    refuse_to_overwrite(output, force)
    from iotrace.cli.output import emit, write_json
    from iotrace.simulate.disk import agreement, drive, read_measured, replayed

    requests = replayed(drive(disk), read_measured(trace))
    if each:
        emit(requests, form, output, f"{trace.name} on {disk}")
    elif form is Format.JSON:
        write_json(_as_object(agreement(requests)), output)
    else:
        emit(agreement(requests), form, output, f"{trace.name} on {disk}")


def _as_object(table: pa.Table) -> dict[str, object]:
    """Return the whole trace's figures, and those of its halves below."""
    whole, *halves = table.to_pylist()
    return {**whole, "halves": halves}
