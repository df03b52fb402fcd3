"""``iotrace merge-curves``: the exact curve of slices whose states ``iotrace curve --state`` wrote."""

from pathlib import Path
from typing import Annotated

import typer

from iotrace import units
from iotrace.cli.options.device import HELP, Costs
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.state import NEEDED, UNWRITTEN
from iotrace.cli.output import Output
from iotrace.cli.states import emit_state
from iotrace.option.rules import Rules

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace curve monday.iotrace --state -o monday.state
 iotrace curve tuesday.iotrace --state -o tuesday.state
 iotrace merge-curves monday.state tuesday.state              the curve of both days
 iotrace merge-curves web1.iotrace --last 30d                  partitions of iotrace ingest --append
 iotrace merge-curves *.state --state -o week.state           their state, to be merged further
"""
    + HELP
}
StatesArgument = Annotated[
    list[Path],
    typer.Argument(
        help="States, in the order of their records; or a store, for those of its partitions.",
        show_default=False,
    ),
]
StateOption = Annotated[
    bool,
    typer.Option("--state", help="Write their state to -o instead of the curve, to be merged further."),
    Rules(needs=NEEDED, conflicts=UNWRITTEN),
]
SizesOption = Annotated[
    str | None, typer.Option("--sizes", "-s", help="Only these cache sizes: 4K,1M,...", show_default=False)
]

LastOption = Annotated[
    str | None,
    typer.Option(
        "--last", metavar="TIME", help="Of stores, only the partitions that end in their last TIME: 30d."
    ),
]


@grouped
def merge_curves(
    states: StatesArgument,
    *,
    state: StateOption = False,
    sizes: SizesOption = None,
    last: LastOption = None,
    costs: Costs,
    output: Output,
) -> None:
    """Merge the states of consecutive slices, exactly: the curve is that of one pass over all records.

    A slice is some records of a trace, or a block trace that follows another one of the same devices. The states need
    the same settings (block size, population, deletes, syncs, largest size).
    """
    from iotrace.analysis.kept_partitions import merged
    from iotrace.store.part.time_spec import length_ns

    sizes_bytes = None if sizes is None else [units.size_bytes(size) for size in sizes.split(",")]
    last_ns = None if last is None else length_ns(last)
    emit_state(merged(states, last_ns), state, costs, sizes_bytes, output)
