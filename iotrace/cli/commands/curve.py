"""``iotrace curve``: exact miss-ratio curves of LRU caches of every size, and other policies at chosen sizes."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.former_doors import Door
from iotrace.cli.inputs import ModelOption, PopulationOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options import cache as options
from iotrace.cli.options import device as devices
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.cache import BlockOption, Deletes, DeletesOption, InodesOption, WhereOption
from iotrace.cli.options.device import DeviceOption, OverheadOption, TransferOption
from iotrace.cli.options.policies import VARIANTS, variants
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    page_path,
    refuse_to_overwrite,
)
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.block_budget import BlockBudget
    from iotrace.analysis.curves import Cache, Curves
    from iotrace.analysis.population import Population
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": f"""
[b]Examples[/b]

 iotrace curve strace.log                              miss ratios at sizes that double
 iotrace curve build.iotrace --block 4K --format csv   every size at which a count changes
 iotrace curve build.iotrace --sizes 64K,1M,16M --by type
 iotrace curve build.iotrace --where "type = 'datafile'" --by "program like '%/cc1'"
 iotrace curve build.iotrace --plot curve.html
 iotrace curve build.iotrace --policy lru,slru,opt --sizes 1M,16M,64M
 iotrace curve build.iotrace --policy all --format csv  every policy, 64K to 256M
 iotrace paper richardson strace.log --chapter 4       the dissertation's figures for this trace, its findings judged

[b]Variants of the policies[/b]

{variants(VARIANTS)}
"""
    + devices.HELP
}

GUESSED = {
    "unknown_lengths": "requests of unknown length were taken to reach the file's end, or one block",
    "unknown_offsets": "requests of unknown offset were taken to start at the file's end as far as known",
    "unplaced": "references that name no file or length were left out",
}


class WritePolicy(StrEnum):
    """What a write does to the cache."""

    ALLOCATE = "allocate"
    NO_ALLOCATE = "no-allocate"
    DATA_OVERWRITE = "data-overwrite"


class Syncs(StrEnum):
    """What a sync does to the cache."""

    HONOUR = "honour"
    IGNORE = "ignore"


def curve(
    trace: TraceArgument,
    block: BlockOption = "4K",
    sizes: Annotated[
        str | None,
        typer.Option("--sizes", "-s", help="Only these cache sizes: 4K,1M,...", show_default=False),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="Count apart by a column (type, process, program, path, ...) or any SQL expression over"
            " reference, file and process.",
            metavar="SQL",
            show_default=False,
        ),
    ] = None,
    where: WhereOption = None,
    population: PopulationOption = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="Compare replacement policies at --sizes: lru, slru, 2q, arc, clock, fifo, lfu, s3-fifo, sieve,"
            " opt, or all.",
            metavar="NAME,...",
            show_default=False,
        ),
    ] = None,
    protected: Annotated[
        int,
        typer.Option(
            "--protected",
            min=0,
            max=100,
            help="For slru: percent of the cache that its protected segment has.",
        ),
    ] = 75,
    split: Annotated[
        bool, typer.Option("--split", help="Give each value of --by a cache of its own.")
    ] = False,
    write_policy: Annotated[
        WritePolicy, typer.Option("--write-policy", help="What a write does to the cache.")
    ] = WritePolicy.ALLOCATE,
    deletes: DeletesOption = Deletes.HONOUR,
    syncs: Annotated[
        Syncs | None,
        typer.Option(
            "--syncs",
            help="Whether syncs and synchronous writes put dirty blocks on the disk; ignore is the paper, and the "
            "default of --model 1994.",
            show_default="honour",
        ),
    ] = None,
    warm_up: Annotated[
        str | None,
        typer.Option(
            "--warm-up",
            help="Simulate and do not count the first so many requests, or so much time (10s, 5min).",
            metavar="TIME|REQUESTS",
            show_default=False,
        ),
    ] = None,
    inodes_per_block: InodesOption = None,
    device: DeviceOption = None,
    overhead: OverheadOption = None,
    transfer: TransferOption = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Former spelling of iotrace paper richardson --chapter 4.", hidden=True),
    ] = False,
    figure: Annotated[
        str | None,
        typer.Option(
            "--figure",
            help="Former spelling of iotrace paper richardson --figure.",
            hidden=True,
        ),
    ] = None,
    paging: Annotated[
        bool,
        typer.Option(
            "--paging", help="Former spelling of iotrace paper richardson --chapter 4.", hidden=True
        ),
    ] = False,
    page: Annotated[str, typer.Option("--page", help="With --paging.", hidden=True)] = "4K",
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            parser=page_path,
            help="Also draw the curve into this HTML file.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    budget: BudgetOption = Budget.CURVE.value,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Show what an LRU cache of every size would have missed: exact, from one pass.

    A terminal table has miss ratios at sizes that double; csv, json and parquet have the counts of table
    curve (iotrace schema curve) at every size where one changes. With --sizes, all have those sizes.
    With --policy, caches of those replacement policies are compared, and with the LRU cache that does as well.
    """
    refuse_to_overwrite(output, force)
    refuse_to_overwrite(plot, force, "--plot")
    from iotrace import units
    from iotrace.analysis.curves.cache import usual_syncs
    from iotrace.cli.options import policies as beside_lru
    from iotrace.cli.output import emit

    asked_beside = paper + (figure is not None) + paging
    if asked_beside > 1:
        raise UsageError("give one of --paper, --figure and --paging")
    if asked_beside and (
        by is not None or where is not None or sizes is not None or policy is not None or population
    ):
        raise UsageError(
            "--paper, --figure and --paging go with none of --by, --where, --population, --sizes and --policy"
        )
    door = Door([trace], form, output, model, trace_format)
    if paper:
        door.chapter_4_findings()
        return
    if figure is not None:
        door.chapter_4_figures(figure, deletes.value, plot)
        return
    if paging:
        door.equation_4_2(page, device, overhead, transfer)
        return
    if split and by is None:
        raise UsageError("--split needs --by: each of its values gets a cache")
    policies = None if policy is None else beside_lru.chosen(policy)
    if policies and (by is not None or plot is not None or write_policy is not WritePolicy.ALLOCATE):
        raise UsageError(
            "--policy goes with neither --by nor --plot, and with the write policy allocate only"
        )
    if policies and syncs is Syncs.HONOUR:
        raise UsageError("--syncs honour goes not with --policy: its caches ignore syncs")
    asked = [units.size_bytes(size) for size in sizes.split(",")] if sizes is not None else None
    requests, time_ns = _warm_up(warm_up)
    cache = replace(
        options.cache(block, deletes, inodes_per_block, device, overhead, transfer),
        write_policy=write_policy.value,
        warm_up_requests=requests,
        warm_up_ns=time_ns,
    )
    if asked is not None:
        cache.sizes_blocks(asked)
    if policies:
        store = open_trace(trace, model, trace_format)
        rows, counts = beside_lru.compared(
            store,
            cache,
            policies,
            asked,
            where,
            population,
            protected,
            block_budget(budget, cache.block_bytes),
        )
        _say_what_was_guessed(counts)
        warn_of_nothing(counts, where)
        _emit_policies(rows, policies, cache, form, output)
        return
    store = open_trace(trace, model, trace_format)
    cache = replace(cache, syncs=syncs.value if syncs else usual_syncs(store.manifest["model"].get("model")))
    curves = _simulated(store, cache, where, by, population, split, block_budget(budget, cache.block_bytes))
    _say_what_was_guessed(curves.counts)
    warn_of_nothing(curves.counts, where)
    if warm_up is not None and not curves.table(asked)["block_references"].to_numpy().any():
        warn_of("the trace ends before the warm-up: nothing was counted")
    if plot is not None:
        _draw(curves, plot, trace.name, units.size(cache.block_bytes))
    if form is Format.TABLE:
        title = f"LRU, blocks of {units.size(cache.block_bytes)}"
        emit(_for_reading(curves, asked), form, output, title, note=_reading_aid(cache))
    else:
        emit(curves.table(asked), form, output)


def warn_of_nothing(counts: dict[str, int], where: str | None) -> None:
    """Say so where no request was chosen, by what the stream contained."""
    if where is None and not counts["requests"]:
        warn_of("no request is of the population; see --population")
    if where is not None and not counts["requests"]:
        warn_of(f"no request fulfils --where {where!r}")


def _emit_policies(
    rows: pa.Table, policies: list[str], cache: Cache, form: Format, output: Path | None
) -> None:
    from iotrace import units
    from iotrace.cli.options.policies import for_reading, say_whether_segmented_lru_doubles
    from iotrace.cli.output import emit

    if form is not Format.TABLE:
        emit(rows, form, output)
        return
    title = f"Replacement policies, blocks of {units.size(cache.block_bytes)}"
    emit(for_reading(rows), form, output, title, note=variants(policies))
    if output is None and {"slru", "lru"} <= set(policies):
        say_whether_segmented_lru_doubles(rows)


def _warm_up(text: str | None) -> tuple[int, int | None]:
    if text is None:
        return 0, None
    return (int(text), None) if units.is_whole(text) else (0, units.time_ns(text))


def _simulated(
    store: Store,
    cache: Cache,
    where: str | None,
    by: str | None,
    population: Population | None,
    split: bool,
    budget: BlockBudget,
) -> Curves:
    from iotrace.analysis.curves import simulate, simulate_split
    from iotrace.analysis.curves.references import chosen

    found, column = chosen(store, where, by, ("flags",), population)
    references = budget.watched(found)
    if split and column is not None:
        return simulate_split(references, cache, column)
    return simulate(references, cache, column)


def _say_what_was_guessed(counts: dict[str, int]) -> None:
    from iotrace import units

    for name, sentence in GUESSED.items():
        if counts[name]:
            warn_of(f"{units.count(counts[name])} {sentence}")


def _for_reading(curves: Curves, asked: list[int] | None) -> pa.Table:
    """Turn counts into ratios, at the sizes asked for or those that double."""
    import pyarrow as pa

    from iotrace import units
    from iotrace.analysis.curves.ratios import ABSORBED, RATIOS, absorbed, ratio

    rows = curves.table(asked or curves.doublings())
    columns = {curves.by: rows[curves.by]} if curves.by else {}
    columns["size"] = pa.array([units.size(size) for size in rows["size_bytes"].to_pylist()])
    columns |= {name: ratio(rows, name) for name in RATIOS}
    if curves.cache.syncs == "honour":
        columns[ABSORBED] = absorbed(rows)
    service_ns = [
        read + write
        for read, write in zip(
            rows["read_service_time_ns"].to_pylist(), rows["write_service_time_ns"].to_pylist(), strict=True
        )
    ]
    columns[f"disk time ({curves.cache.device})"] = pa.array([units.duration(time) for time in service_ns])
    return pa.table(columns)


def _reading_aid(cache: Cache) -> str:
    syncs = (
        " Syncs are honoured: writes_absorbed is the share of the blocks written that are neither expelled nor synced,"
        " nor dirty at the end (--syncs)."
        if cache.syncs == "honour"
        else " Syncs are ignored (--syncs)."
    )
    return (
        "Misses per request: one of more blocks than the cache is issued in pieces, each of which can miss, so"
        f" small caches can exceed 1. Disk time, {cache.device}: {cache.overhead_ms:g} ms for each access and"
        f" {cache.transfer_ms_per_kb:g} ms for each KB (--device, --overhead, --transfer).{syncs}"
    )


def _draw(curves: Curves, plot: Path, name: str, block: str) -> None:
    from iotrace.reports.pages.curve import page
    from iotrace.reports.pages.write import write_page

    write_page(page(curves.table(curves.doublings(steps=8)), name, block, curves.by), plot)
