"""``iotrace nonvolatile``: a cache of which only a part survives a crash."""

from __future__ import annotations

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.commands.curve import warn_of_nothing
from iotrace.cli.inputs import ModelOption, PopulationOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options import device as devices
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.cache import BlockOption, Deletes, DeletesOption, InodesOption, WhereOption, cache
from iotrace.cli.options.device import DeviceOption, OverheadOption, TransferOption
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.output import ForceOption, Format, FormatOption, OutputOption, refuse_to_overwrite
from iotrace.option import refuse_without_effect
from iotrace.simulate.nonvolatile.settings import Settings
from iotrace.simulate.sweep import varied

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace nonvolatile strace.log                        four write policies, with and without non-volatile memory
 iotrace nonvolatile build.iotrace --volatile 16M --nonvolatile 0,256K,1M,4M
 iotrace nonvolatile build.iotrace --write-policy periodic,deadline --interval 5s
 iotrace nonvolatile build.iotrace --volatile 0 --nonvolatile 1M,16M --write-policy copy-back
                                                       all of it non-volatile: the dissertation's caches
 iotrace nonvolatile build.iotrace --where "path like '/var/%'" --format csv

[b]Write policies[/b] (what happens to dirty blocks in volatile memory): copy-back (written when expelled),
write-through (at once), periodic (all of them at each interval), deadline (each when it has been at risk for so long).
The syncs of the trace, and its synchronous writes, are obeyed by all.
"""
    + devices.HELP
}


@takes(Settings)
def nonvolatile(
    context: typer.Context,
    trace: TraceArgument,
    *,
    settings: Settings,
    sweep: SweepOption = None,
    block: BlockOption = "4K",
    where: WhereOption = None,
    population: PopulationOption = None,
    deletes: DeletesOption = Deletes.HONOUR,
    inodes_per_block: InodesOption = None,
    device: DeviceOption = None,
    overhead: OverheadOption = None,
    transfer: TransferOption = None,
    budget: BudgetOption = Budget.NONVOLATILE.value,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Show what caches with limited non-volatile memory would have written, and what a crash would have cost.

    One LRU cache over both memories; the blocks written last are safe in the non-volatile part, older dirty ones at
    risk in the volatile part until the write policy, a sync or an expulsion puts them on the disk.
    """
    refuse_to_overwrite(output, force)
    from iotrace.analysis.curves import tally
    from iotrace.analysis.curves.references import chosen
    from iotrace.cli.tables.nonvolatile import emit_nonvolatile, possible_with_warning, warn_of_short_trace
    from iotrace.simulate.nonvolatile.simulation import TimeSpan, run, with_memory

    named = named_fields(context, Settings)
    like = cache(block, deletes, inodes_per_block, device, overhead, transfer)
    all_settings = with_memory(varied(settings, sweep or []), like)
    refuse_without_effect(named, all_settings)
    store = open_trace(trace, model, trace_format)
    all_settings = possible_with_warning(store, all_settings, named)
    references, _ = chosen(store, where, None, ("flags",), population)
    span = TimeSpan()
    watched = span.watched(block_budget(budget, like.block_bytes).watched(references))
    rows = run(watched, all_settings, like)
    warn_of_nothing(tally(rows), where)
    warn_of_short_trace(span, all_settings)
    emit_nonvolatile(rows, like.block_bytes, form, output)
