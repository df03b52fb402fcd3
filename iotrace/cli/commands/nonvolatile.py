"""``iotrace nonvolatile``: a cache of which only a part survives a crash."""

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import PopulationOption, RawTrace, TraceArgument
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.cache import BlockOption, Deletes, DeletesOption, InodesOption, WhereOption, cache
from iotrace.cli.options.device import HELP, Costs
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import CachePart
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.options.workers import Runners
from iotrace.cli.output import Output
from iotrace.option import check_rules
from iotrace.option.rules import Given
from iotrace.simulate.nonvolatile.settings import Settings
from iotrace.simulate.sweep import swept_fields, varied

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace nonvolatile strace.log                        four write policies, with and without non-volatile memory
 iotrace nonvolatile build.iotrace --volatile 16M --nonvolatile 0,256K,1M,4M
 iotrace nonvolatile build.iotrace --write-policy periodic,deadline --interval 5s
 iotrace nonvolatile build.iotrace --volatile 0 --nonvolatile 1M,16M --write-policy copy-back
 iotrace nonvolatile build.iotrace --may-be-lost "path like '/tmp/%'"

[b]Write policies[/b] (when dirty blocks in volatile memory are written to the disk): copy-back (when
evicted), write-through (at once), periodic (all of them at each interval), deadline (each when it
has been at risk for one interval). All obey the trace's syncs and synchronous writes.
"""
    + HELP
}


@takes(Settings)
@grouped
def nonvolatile(
    context: typer.Context,
    given: Given,
    trace: TraceArgument,
    *,
    settings: Settings,
    sweep: SweepOption = None,
    block: BlockOption = "4K",
    where: WhereOption = None,
    population: PopulationOption = None,
    deletes: DeletesOption = Deletes.HONOUR,
    inodes_per_block: InodesOption = None,
    part: CachePart,
    costs: Costs,
    budget: BudgetOption = Budget.NONVOLATILE.value,
    runners: Runners,
    output: Output,
    raw: RawTrace,
) -> None:
    """Compute caches with limited non-volatile memory. Shows disk writes, and what a crash would have lost.

    One LRU cache over both memories. The blocks written last are safe in the non-volatile part; older dirty ones are
    at risk in the volatile part until the write policy, a sync or an eviction writes them to the disk.
    """
    from iotrace.analysis.curves.requests import Requests
    from iotrace.cli.tables.nonvolatile import emit_nonvolatile
    from iotrace.simulate.nonvolatile.sentences import possible_of, warnings_of
    from iotrace.simulate.nonvolatile.simulation import with_memory
    from iotrace.simulate.nonvolatile.sweeping import sweep as sweep_all

    named = named_fields(context, Settings) | swept_fields(Settings, sweep or [])
    like = cache(block, deletes, inodes_per_block, costs)
    all_settings = with_memory(varied(settings, sweep or []), like)
    check_rules(all_settings, named, given)
    store = part.of_caches(raw.open(trace), output.is_interactive)
    all_settings, left_out = possible_of(store, all_settings, named)
    requests = Requests(store, block_budget(budget, like.block_bytes), where, population)
    with runners.started() as workers:
        rows, span = sweep_all(requests, all_settings, like, workers)
    warnings = [*left_out, *warnings_of(rows, where, span, all_settings)]
    emit_nonvolatile(rows, warnings, like.block_bytes, output)
