"""``iotrace attribute``: what an attribute cache would do, at every total size."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.commands.curve import Deletes
from iotrace.cli.commands.report import doing
from iotrace.cli.inputs import ModelOption, TraceFormatOption, open_trace
from iotrace.cli.options import device as devices
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.device import DeviceOption, OverheadOption, TransferOption
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    refuse_to_overwrite,
)
from iotrace.cli.papers import dissertation as beside
from iotrace.cli.tables.attribute import emit_attribute
from iotrace.cli.terminal import print
from iotrace.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.attribute import Scheme, Study

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace attribute strace.log                          the dissertation's scheme, a Unix cache, and the best partition
 iotrace attribute build.iotrace --scheme "64K/128 ID, x/4K Temporal, 64K/64K Sequential" --total 256K,1M,4M
 iotrace attribute build.iotrace --best time --space "?/128 ID, ?/4K|8K|16K General"
 iotrace attribute build.iotrace --class "Logs: path like '%.log'" --class "Rest: general and not logs"
         --scheme "64K/128 ID, 1M/4K Logs, x/4K Rest"
 iotrace attribute build.iotrace --adaptive --best time
                                                       subcaches that grow and shrink, beside those that do not
 iotrace attribute build.iotrace --split --format csv  counts, also by subcache and by type
 iotrace attribute a.iotrace b.iotrace c.iotrace       also the partition of the least regret over all three
 iotrace attribute a.iotrace b.iotrace --scheme paper --plot figures.html
                                                       figures 5.4 to 5.20, improvements by region, findings judged

[b]Schemes[/b] are written size/block class, ... with x for what is left of the total. Classes: inode, directory, ID
(both), Unix (all but inode), General (executables and datafiles), and Temporal and Sequential (General below the
cut-off, and from it on). Names: variable (table 5.1), unix, unix-8K, unix-16K, unix-32K, id-only.
"""
    + devices.HELP
}

SMALLEST, LARGEST = 12, 30
"""Totals are powers of two, from 4 KB to 1 GB, unless told otherwise."""


class FileSize(StrEnum):
    """Which size of a file the cut-off looks at."""

    FIRST = "first"
    EACH = "each"
    LARGEST = "largest"


class Regions(StrEnum):
    """How sizes are divided into regions."""

    PRINTED = "printed"
    BOUNDS = "bounds"


class Objective(StrEnum):
    """What the best partition makes least."""

    READS = "reads"
    TIME = "time"
    REQUESTS = "requests"


def attribute(
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="TRACE...", help="Stores (NAME.iotrace) or raw traces.", show_default=False),
    ],
    scheme: Annotated[
        str,
        typer.Option("--scheme", "-s", help="A scheme's name, or a configuration.", metavar="SCHEME"),
    ] = "variable",
    total: Annotated[
        str | None,
        typer.Option(
            "--total",
            "-t",
            help="Total sizes: 1M,4M,... Powers of two from 4K to 1G otherwise.",
            metavar="SIZE,...",
            show_default=False,
        ),
    ] = None,
    best: Annotated[
        Objective,
        typer.Option(
            "--best", help="What the best partition makes least: read misses, disk time or disk requests."
        ),
    ] = Objective.READS,
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--space",
            metavar="SPACE",
            show_default=False,
            help="From which configurations the best is taken: ?/128 ID, ?/4K|8K General (repeatable). Otherwise those"
            " of the dissertation's schemes and of the scheme given, any sizes.",
        ),
    ] = None,
    class_: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="NAME:SQL",
            show_default=False,
            help="A class of your own: any condition over reference, file and process (repeatable).",
        ),
    ] = None,
    cut_off: Annotated[
        str, typer.Option("--cut-off", help="From which size on a file is Sequential.", metavar="SIZE")
    ] = "512K",
    file_size: Annotated[
        FileSize,
        typer.Option(
            "--file-size",
            help="The size that the cut-off sees: at a file's first request, at each, or"
            " the largest. The first is the paper's: sizes that change need not move files (5.3.2).",
        ),
    ] = FileSize.FIRST,
    reclassify: Annotated[
        bool,
        typer.Option(
            "--reclassify",
            help="Each request decides anew, and the blocks of a file that changes its"
            " class leave the old subcache, dirty ones to the disk.",
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a scheme that leaves requests without a subcache.")
    ] = False,
    figure: Annotated[
        str | None,
        typer.Option(
            "--figure",
            help="With --scheme paper: only these figures of 5.4 to 5.20.",
            metavar="N,...",
            show_default=False,
        ),
    ] = None,
    regions: Annotated[
        Regions,
        typer.Option(
            "--regions",
            help="With --scheme paper: regions of sizes as table 5.1 has them, or by the bounds of 5.1.4.",
        ),
    ] = Regions.PRINTED,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Also draw: a trace's read misses as .svg, or with --scheme paper all figures as .html.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive",
            help="Let the scheme's subcaches grow and shrink by what space is worth, and show what that changes.",
        ),
    ] = False,
    period: Annotated[
        int | None,
        typer.Option(
            "--period",
            min=1,
            help="With --adaptive: after so many requests space may move; 2,000 unless given.",
            show_default=False,
        ),
    ] = None,
    split: Annotated[
        bool, typer.Option("--split", help="Show counts, also apart by subcache and by type.")
    ] = False,
    deletes: Annotated[
        Deletes,
        typer.Option("--deletes", help="Whether truncated and deleted blocks leave; ignore is the paper."),
    ] = Deletes.HONOUR,
    device: DeviceOption = None,
    overhead: OverheadOption = None,
    transfer: TransferOption = None,
    budget: BudgetOption = Budget.ATTRIBUTE.value,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Show what an attribute cache would do at every total size: beside a Unix cache, and beside the best partition.

    The dissertation's variable scheme unless another is given. Exact, one pass for each class and block size.
    """
    refuse_to_overwrite(output, force)
    refuse_to_overwrite(plot if plot is not None and plot.suffix == ".svg" else None, force, "--plot")
    import pyarrow as pa

    from iotrace.simulate.attribute import Classes, Rule, Study, adapted, find

    if scheme.strip().lower() == "paper":
        own = {
            "--total": total,
            "--space": space,
            "--class": class_,
            "--reclassify": reclassify,
            "--strict": strict,
            "--split": split,
            "--adaptive": adaptive,
            "--cut-off": cut_off != "512K",
            "--best": best is not Objective.READS,
            "--file-size": file_size is not FileSize.FIRST,
            "--deletes": deletes is not Deletes.HONOUR,
            "--device": device is not None,
            "--overhead": overhead is not None,
            "--transfer": transfer is not None,
        }
        if given := [option for option, value in own.items() if value]:
            raise UsageError(f"--scheme paper does not go with {', '.join(given)}")
        beside.emit_chapter_5(traces, figure, regions.value, plot, form, output, model, trace_format)
        return
    if figure is not None:
        raise UsageError("--figure needs --scheme paper")
    if adaptive and (split or space):
        raise UsageError("--adaptive goes with neither --split nor --space: its subcaches are the scheme's")
    if period is not None and not adaptive:
        raise UsageError("--period needs --adaptive")
    if regions is not Regions.PRINTED:
        raise UsageError("--regions needs --scheme paper")
    if plot is not None and (plot.suffix != ".svg" or len(traces) > 1 or split or adaptive):
        raise UsageError("--plot draws one trace's comparison as .svg, or --scheme paper as .html")
    cut_off_bytes = _at_least_one(cut_off, "--cut-off")
    asked_totals = [_at_least_one(one, "--total") for one in total.split(",")] if total is not None else None
    totals = list(dict.fromkeys(asked_totals)) if asked_totals else None
    asked = find(scheme).with_cut_off(cut_off_bytes)
    rule = Rule(Classes.read(class_ or []), file_size.value, reclassify, cut_off_bytes)
    _refuse_totals(asked, totals or [])
    costs = devices.chosen(device, overhead, transfer)
    stores = [open_trace(trace, model, trace_format) for trace in traces]
    with doing() as progress:

        def told(done: int, of: int) -> None:
            progress(f"simulating subcaches, {100 * done // max(of, 1)} %")

        made = [
            Study(
                store,
                rule,
                deletes.value,
                costs.overhead_ms,
                costs.transfer_ms_per_kb,
                strict,
                told,
                budget,
            )
            for store in stores
        ]
        studies = dict(zip(beside.names(traces), made, strict=True))
        if split:
            tables = {"counts": _counts(studies, asked, totals or _totals(asked))}
        elif adaptive:
            adapts = partial(adapted, objective=best.value, period_requests=period or 2000, progress=told)
            sizes = totals or _totals(asked)
            parts = [adapts(name, study, asked, sizes) for name, study in studies.items()]
            tables = {"adaptive": pa.concat_tables(parts)}
        else:
            searched = {"objective": best.value, "cut_off_bytes": cut_off_bytes}
            tables = _comparisons(studies, asked, totals or _totals(asked), space or [], searched)
    _say_what_was_guessed(studies, asked, space or [], cut_off_bytes)
    if plot is not None:
        beside.draw_comparison(tables["comparison"], plot)
    emit_attribute(tables, costs, form, output)


def _at_least_one(text: str, option: str) -> int:
    if (size := units.size_bytes(text)) < 1:
        raise UsageError(f"{option} wants sizes above 0, not {text.strip()!r}")
    return size


def _refuse_totals(scheme: Scheme, totals: list[int]) -> None:
    """Raise UsageError for a total, given in so many words, at which the scheme has no configuration."""
    for total in totals:
        if total < scheme.smallest_bytes and len(scheme.rows) > 1:
            raise UsageError(
                f"the {scheme.label} scheme begins at {units.size(scheme.smallest_bytes)}, above"
                f" {units.size(total)}"
            )
        if scheme.at(total) is None:
            scheme.rows[0].configuration.sized(total)


def _totals(scheme: Scheme) -> list[int]:
    """Return powers of two; for a scheme that has one size only, that."""
    if not any(row.configuration.has_rest for row in scheme.rows):
        return [scheme.smallest_bytes]
    return [2**power for power in range(SMALLEST, LARGEST + 1)]


def _counts(studies: dict[str, Study], scheme: Scheme, totals: list[int]) -> pa.Table:
    import pyarrow as pa

    from iotrace.simulate.attribute import outcome_table, schemes

    shown = [scheme, schemes()["unix"].with_cut_off(scheme.cut_off_bytes)]
    parts = []
    for name, study in studies.items():
        rows = outcome_table(study, shown, totals, split=True)
        names = pa.array([name] * rows.num_rows, pa.string())
        field = pa.field("trace", pa.string(), False, {"unit": "name", "sentence": "The trace."})
        parts.append(rows.add_column(0, field, names))
    return pa.concat_tables(parts)


def _comparisons(
    studies: dict[str, Study],
    scheme: Scheme,
    totals: list[int],
    texts: list[str],
    searched: dict[str, Any],
) -> dict[str, pa.Table]:
    import pyarrow as pa

    from iotrace.simulate.attribute import (
        Searches,
        comparison,
        prepare,
        regrets,
        schemes,
        spaces,
        spaces_of,
    )

    searches = {}
    looked_at = spaces(texts) if texts else list(dict.fromkeys([*spaces(), *spaces_of(scheme)]))
    for name, study in studies.items():
        prepare(study, [scheme, schemes()["unix"].with_cut_off(scheme.cut_off_bytes)])
        searches[name] = Searches(study, looked_at, **searched)
    parts = [comparison(name, search, scheme, totals) for name, search in searches.items()]
    tables = {"comparison": pa.concat_tables(parts)}
    if len(searches) > 1:
        tables["least_regret"] = regrets(list(searches), list(searches.values()), scheme, totals)
    return tables


def _say_what_was_guessed(
    studies: dict[str, Study], scheme: Scheme, texts: list[str], cut_off_bytes: int
) -> None:
    """Tell which share of the requests has no subcache, and which went by a size that is not known."""
    from iotrace.simulate.attribute import uncached_by_space
    from iotrace.simulate.attribute.outcome import assigned_rows

    for name, study in studies.items():
        if not study.requests:
            print(f"iotrace: warning: {name}: the trace has no requests", file=sys.stderr)
            continue
        left = max(study.unclassified(assigned) for assigned in assigned_rows(study, scheme))
        spared = uncached_by_space(study, texts, cut_off_bytes) if texts else 0
        for number, sentence in (
            (spared, "have no subcache in a --space, whose best partition leaves them uncached"),
            (left, "have no subcache and are uncached"),
            (study.unknown_size_requests, "are to files of unknown size, which count as below the cut-off"),
        ):
            if number:
                share = units.percent(100 * number / study.requests)
                print(f"iotrace: warning: {name}: {share} of the requests {sentence}", file=sys.stderr)
