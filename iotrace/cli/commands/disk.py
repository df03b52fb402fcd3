"""``iotrace disk``: the drives that can be simulated, and the accuracy of their models."""

from iotrace.cli.help import Commands
from iotrace.cli.options import disk as options
from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output, refuse_to_overwrite
from iotrace.cli.pages import draw_seek_curve
from iotrace.cli.tables.disk import emit_agreement, emit_drive

SETTINGS = {
    "help": "List and show the drives that can be simulated. Also compare the model of one with measurements.",
    "no_args_is_help": True,
    "epilog": """
[b]Examples[/b]

 iotrace disk list                                the library
 iotrace disk show ra82 --plot seek.svg           one drive: properties, zones, seek curve
 iotrace disk show my-drive.toml                  your own, in a file such as those of the library
 iotrace disk show dec_rz26.parv                  or in DiskSim's files
 iotrace disk validate dec_rz26.trace --disk rz26 compared with a real one's service times
""",
}
disk = Commands()


@disk.command("list")
@grouped
def list_drives(*, output: Output) -> None:
    """List the library of drives."""
    from iotrace.simulate.disk import drive, names, overview

    drives = {name: drive(name) for name in names()}
    output.emit(overview(drives), "Drives", "iotrace disk show DISK shows the sources of a drive's numbers.")


@disk.command("show")
@grouped
def show(
    name: options.DiskArgument,
    *,
    output: Output,
    plot: options.PlotOption = None,
) -> None:
    """Show a drive: its properties, zones and seek curve, and their sources."""
    refuse_to_overwrite(plot, output.force, "--plot")
    from iotrace.simulate.disk import drive

    shown = drive(name)
    if plot is not None:
        draw_seek_curve(shown, plot)
    emit_drive(name, shown, output)


@disk.command("validate")
@grouped
def validate(
    trace: options.MeasuredArgument,
    disk: options.DiskOption,
    each: options.EachOption = False,
    *,
    output: Output,
) -> None:
    """Compare simulated with measured service times: demerit figure, and errors request by request.

    The loop is closed: each request arrives as long after the simulated end of the one before as it did after the
    real one's.
    """
    from iotrace.simulate.disk import drive, read_measured, replayed

    requests = replayed(drive(disk), read_measured(trace))
    title = f"{trace.name} on {disk}"
    if each:
        output.emit(requests, title)
    else:
        emit_agreement(requests, title, output)
