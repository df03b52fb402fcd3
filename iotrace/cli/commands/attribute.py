"""``iotrace attribute``: misses and disk time of attribute caches, at every total size."""

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import RawTrace, names_of
from iotrace.cli.options.attribute import SCHEMES, PlotOption, TracesArgument
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.cache import Deletes, DeletesOption, cache
from iotrace.cli.options.device import HELP, Costs
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import CachePartWithWhere
from iotrace.cli.options.settings import takes
from iotrace.cli.output import Output, refuse_to_overwrite
from iotrace.cli.progress import doing, percent_of
from iotrace.cli.tables.attribute import emit_attribute
from iotrace.errors import UsageError
from iotrace.simulate.attribute.settings import Settings

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace attribute strace.log                           the dissertation's scheme, a Unix cache, and the best partition
 iotrace attribute build.iotrace --scheme "64K/128 ID, x/4K Temporal, 64K/64K Sequential" --total 1M
 iotrace attribute build.iotrace --best time --space "?/128 ID, ?/4K|8K|16K General"
 iotrace attribute build.iotrace --class "Logs: path like '%.log'" \\
    --class "Rest: general and not logs" \\
    --scheme "64K/128 ID, 1M/4K Logs, x/4K Rest"
 iotrace attribute build.iotrace --adaptive --best time
                                                        subcaches of variable size, compared with fixed ones
 iotrace attribute build.iotrace --total 4M --advise    which files to move to another subcache, and what that saves
 iotrace attribute a.iotrace b.iotrace -t 4M --learn    the same learnt from a, judged on b
 iotrace attribute build.iotrace --split --format csv   counts, also by subcache and by type
 iotrace attribute a.iotrace b.iotrace c.iotrace        also the partition of the least regret over all three
 iotrace paper richardson a.iotrace --chapter 5         figures 5.4 to 5.20, improvements by region, claims judged
"""
    + SCHEMES
    + HELP
}


@takes(Settings)
@grouped
def attribute(
    traces: TracesArgument,
    *,
    settings: Settings,
    plot: PlotOption = None,
    deletes: DeletesOption = Deletes.HONOUR,
    costs: Costs,
    part: CachePartWithWhere,
    budget: BudgetOption = Budget.ATTRIBUTE.value,
    output: Output,
    raw: RawTrace,
) -> None:
    """Compute caches that are partitioned by file attributes, at every size.

    Each is compared with a Unix cache and with the best partition. The dissertation's variable scheme unless another
    is given. Exact, one pass for each class and block size.
    """
    if plot is not None and len(traces) > 1:
        raise UsageError("--plot draws one trace's comparison")
    refuse_to_overwrite(plot, output.force, "--plot")
    from iotrace.simulate.attribute.plan import Plan
    from iotrace.simulate.attribute.simulation import run

    Plan.of(settings)
    like = cache("4K", deletes, None, costs)
    stores = {name: part.of_caches(raw.open(trace)) for name, trace in names_of(traces).items()}
    with doing() as progress:
        done = percent_of("simulating subcaches", progress)
        result = run(stores, settings, like, done, budget)
    emit_attribute(result, like, plot, output)
