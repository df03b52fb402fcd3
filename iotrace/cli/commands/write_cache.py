"""``iotrace write-cache``: a block trace replayed on a disk controller with a write cache."""

from functools import partial

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import TraceArgument, TraceFormat, open_trace
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import SimulatedPart
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.options.workers import Runners
from iotrace.cli.options.write_cache import DevicesOption, Search, SearchOption
from iotrace.cli.output import Output
from iotrace.cli.tables.write_cache import emit_write_caches
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError
from iotrace.option import check_rules
from iotrace.option.rules import Given
from iotrace.simulate.sweep import swept_fields
from iotrace.simulate.write_cache.comparison import controllers
from iotrace.simulate.write_cache.replaying import Replaying
from iotrace.simulate.write_cache.settings import Settings

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace write-cache disk.iotrace                     no write cache, then sizes of 16 MB to 4 GB
 iotrace write-cache disk.iotrace --write-cache 1G    policies: asap, one threshold, two, piggybacking
 iotrace write-cache disk.iotrace --sweep write-cache=64M,256M,1G --sweep unit=all
 iotrace write-cache disk.iotrace --single 512M --search thresholds
 iotrace write-cache vms.csv --disk ra82 --read-cache 2M --write-cache 1M --admission blocks     as in 1993

[b]Columns[/b] in percent: w_wc disk writes over writes, r_wc disk reads over reads, io_stall requests stalled
"""
}


@takes(Settings)
@takes(Replaying, "replaying")
@grouped
def write_cache(
    context: typer.Context,
    given: Given,
    trace: TraceArgument,
    *,
    settings: Settings,
    device: DevicesOption = None,
    replaying: Replaying,
    sweep: SweepOption = None,
    search: SearchOption = None,
    budget: BudgetOption = Budget.WRITE_CACHE.value,
    form: TraceFormat,
    part: SimulatedPart,
    runners: Runners,
    output: Output,
) -> None:
    """Simulate the write cache of a disk controller. Shows disk operations, and requests' service and waiting times."""
    from iotrace.simulate.write_cache import devices
    from iotrace.simulate.write_cache.requests import Requests
    from iotrace.simulate.write_cache.search import search as searched
    from iotrace.simulate.write_cache.simulation import run

    named = named_fields(context, Settings) | swept_fields(Settings, sweep or [])
    all_settings, left_out = controllers(settings, sweep or [], named, is_searched=search is not None)
    for sentence in left_out:
        warn_of(sentence)
    if search is Search.SPLIT:
        named -= {"read_cache_bytes", "write_cache_bytes"}
    check_rules(all_settings, named, given)
    store = part.of_simulated_caches(open_trace(trace, form=form.form), output.is_interactive)
    requests = Requests(store, None if device is None else devices.parse_choice(store, device), budget)
    if "sharing" in named and len(requests.survey.devices) == 1:
        raise UsageError("--sharing is for traces of several disks, not of one")
    with runners.started() as workers:
        replayed = partial(run, requests, replaying=replaying, workers=workers)
        rows = replayed(all_settings) if search is None else searched(search.value, settings, replayed)
    emit_write_caches(rows, device or [], output)
