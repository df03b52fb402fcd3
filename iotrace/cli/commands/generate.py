"""``iotrace generate``: a trace that is made, not traced, to a load that was published."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
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
from iotrace.cli.output import ForceOption, Format, refuse_to_overwrite
from iotrace.cli.terminal import print
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
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="vms-io text, - for stdout; or a store if it ends in .iotrace.",
        ),
    ],
    seed: Annotated[int, typer.Option("--seed", help="The same seed makes the same trace.")] = 1,
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
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter that is invented (repeatable).",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="How to tell what was matched and invented.")
    ] = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make a trace with the published counts, sizes and duration of a real one; say what is matched, what invented."""
    if form is Format.PARQUET:
        raise UsageError("what was matched and invented are several tables: --format table, csv or json")
    if seed < 0:
        raise UsageError(f"--seed is a whole number from 0, not {seed}")
    _refuse(output, force)
    overridden = dict(_named(word) for word in settings or ())

    from iotrace.generate import vms

    preset = vms.preset(like)
    load = _load(preset.load, requests, scale)
    parameters = preset.parameters.with_texts(overridden)

    from iotrace.cli.output import emit_many
    from iotrace.generate import block_trace
    from iotrace.simulate.write_cache.generated import busy

    trace = block_trace.Generated.make(preset, load, parameters, seed)
    block_trace.write(trace, output, force)
    told = {
        "matched": block_trace.matched(trace),
        "busy": busy(trace),
        "invented": block_trace.invented(trace),
    }
    apart = contextlib.redirect_stdout(sys.stderr) if str(output) == "-" else contextlib.nullcontext()
    with apart:
        emit_many(told, form)
        if form is Format.TABLE:
            print(output)


def _refuse(output: Path, force: bool) -> None:
    """Refuse what must not be replaced by a file; a store is looked at where it is written."""
    if output.exists() and output.suffix != ".iotrace" and not output.is_file():
        raise UsageError(f"{output}: is no file; -o wants one, or - for standard output")
    refuse_to_overwrite(output, force)


def _named(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise UsageError(f"--set wants NAME=VALUE, not {word!r}")
    return name.strip().replace("-", "_"), value


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
