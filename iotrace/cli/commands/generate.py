"""``iotrace generate``: a trace that is made, not traced, to a load that was published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from iotrace.cli.commands.generate_parallel import SETTINGS as PARALLEL_SETTINGS
from iotrace.cli.commands.generate_parallel import parallel
from iotrace.cli.commands.generate_programs import (
    IMITATION_SETTINGS,
    MICRO_SETTINGS,
    NESTS_SETTINGS,
    imitation,
    micro,
    nests,
)
from iotrace.cli.options.generated import (
    FormOption,
    OutputOption,
    SeedOption,
    SetOption,
    hand_out,
    named_values,
    refuse,
)
from iotrace.cli.output import ForceOption, Format
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.generate import vms

SETTINGS = {
    "help": "Make a trace: requests to a VMS disk, the pattern of a parallel program, or programs for a cluster.",
    "no_args_is_help": True,
    "epilog": """
[b]Examples[/b]

 iotrace generate vms --like off-day -o off-day.csv                 150,194 requests in 10 hours, as vms-io text
 iotrace generate parallel gw --processes 20 --record 1/4 -o gw.csv 16,000 self-scheduled records, as pattern text
 iotrace generate nests tomcatv --size 1500 -o tomcatv.parquet      loop nests whose arrays are files, as a program
""",
}
VMS_SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace generate vms --like off-day -o off-day.csv               150,194 requests in 10 hours, as vms-io text
 iotrace generate vms --like sci-off --seed 7 -o sci-off.iotrace  the same kind of trace as a store
 iotrace generate vms --like air-rsv --scale 0.1 -o small.csv     a tenth of the requests, in a tenth of the time
 iotrace generate vms --like off-day --set rewrite_share=0.9 --set burst_gap_ms=5 -o mine.csv

[b]Next[/b]

 iotrace write-cache off-day.csv --disk ra81 --write-cache 1M --read-cache 2M

What is invented, and can be --set, is listed with what it means whenever a trace is made.
"""
}
LARGEST_SCALE = 1000


class Kinds(TyperGroup):
    """The kinds of traces; one that there is not is refused in a line."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a kind."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            kinds = ", ".join(self.list_commands(ctx))
            raise UsageError(f"{args[0]!r} is not a kind of trace that can be made: {kinds}")
        return super().resolve_command(ctx, args)


generate = typer.Typer(cls=Kinds)


@generate.command("vms", **VMS_SETTINGS)  # type: ignore[arg-type]
def vms_disk(
    like: Annotated[
        str,
        typer.Option(
            "--like", help="The load to match, of table 3.1 of Biswas et al. 1993: off-day, air-rsv, sci-off."
        ),
    ],
    output: OutputOption,
    seed: SeedOption = 1,
    requests: Annotated[
        int | None,
        typer.Option("--requests", help="So many requests, at the published rate.", show_default=False),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale", help="This part of the requests, in this part of the time.", show_default=False
        ),
    ] = None,
    settings: SetOption = None,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make a trace with the published counts, sizes and duration of a real one; say what is matched, what invented."""
    refuse(output, force, form)
    from iotrace.generate import vms
    from iotrace.generate.parameters import with_texts
    from iotrace.generate.vms.generated import DiskTrace, generated
    from iotrace.simulate.write_cache.generated import busy

    preset = vms.preset(like)
    load = _load(preset.load, requests, scale)
    trace = DiskTrace.make(preset, load, with_texts(preset.parameters, named_values(settings)), seed)
    hand_out(generated(trace, busy(trace)), output, force, form)


def _load(load: vms.Load, requests: int | None, scale: float | None) -> vms.Load:
    if requests is not None and scale is not None:
        raise UsageError("--requests and --scale both say how much; give one")
    if requests is not None:
        return load.with_requests(requests)
    if scale is None:
        return load
    if not 0 < scale <= LARGEST_SCALE:
        raise UsageError(f"--scale is a number above 0, at most {LARGEST_SCALE}, not {scale:g}")
    return load.scaled(scale)


generate.command("parallel", **PARALLEL_SETTINGS)(parallel)  # type: ignore[arg-type]
generate.command("micro", **MICRO_SETTINGS)(micro)  # type: ignore[arg-type]
generate.command("nests", **NESTS_SETTINGS)(nests)  # type: ignore[arg-type]
generate.command("imitation", **IMITATION_SETTINGS)(imitation)  # type: ignore[arg-type]
