"""What ``iotrace attribute --scheme paper`` and ``iotrace paper`` share: traces beside the dissertation."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace.cli.inputs import open_trace
from iotrace.cli.options.given import was_given
from iotrace.cli.options.settings import named_options
from iotrace.cli.output import Format
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError
from iotrace.files import write_text

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.papers.richardson.page import Seen
    from iotrace.simulate.attribute.settings import Settings


class Regions(StrEnum):
    """How sizes are divided into regions."""

    PRINTED = "printed"
    BOUNDS = "bounds"


FigureOption = Annotated[
    str | None,
    typer.Option(
        "--figure",
        help="With --scheme paper: only these figures of 5.4 to 5.20.",
        metavar="N,...",
        show_default=False,
    ),
]
RegionsOption = Annotated[
    Regions,
    typer.Option(
        "--regions",
        help="With --scheme paper: regions of sizes as table 5.1 has them, or by the bounds of 5.1.4.",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        help="Also draw: a trace's read misses as .svg, or with --scheme paper all figures as .html.",
        metavar="FILE",
        show_default=False,
    ),
]
_ENDINGS = re.compile(r"(\.(iotrace|gz|zst|xz|bz2|strace))+$")


def names(traces: list[Path]) -> list[str]:
    """Return what to call the traces: their files' names, with their folders where two have the same."""
    short = [_ENDINGS.sub("", trace.name) for trace in traces]
    return [
        name if short.count(name) == 1 else f"{trace} ({place})"
        for place, (name, trace) in enumerate(zip(short, traces, strict=True), 1)
    ]


def seen(traces: list[Path], model: list[str] | None, trace_format: str | None) -> dict[str, Seen]:
    """Open traces by the paper's model of the file system, with today's beside; or by a model given."""
    from iotrace.papers.richardson.page import Seen

    return {
        name: Seen(*_opened(trace, model, trace_format))
        for name, trace in zip(names(traces), traces, strict=True)
    }


def _opened(trace: Path, model: list[str] | None, trace_format: str | None) -> tuple[Any, ...]:
    today = open_trace(trace, model, trace_format)
    if model or today.family != "syscall":
        return (today,)
    try:
        return open_trace(trace, ["1994"], trace_format), today
    except IotraceError as error:
        print(f"iotrace: warning: not by the paper's model of the file system: {error}", file=sys.stderr)
        return (today,)


WITH_PAPER = ("figure", "regions")
"""Options of ``iotrace attribute`` that only ``--scheme paper`` has."""
WITHOUT_PAPER = ("deletes", "device", "overhead", "transfer")
"""Those that it does not have, beyond the simulator's."""


def is_chapter_5(context: typer.Context, settings: Settings) -> bool:
    """Return whether ``--scheme paper`` is asked for; raises UsageError for options that do not go with it."""
    if settings.scheme.strip().lower() != "paper":
        if given := [name for name in WITH_PAPER if was_given(context, name)]:
            raise UsageError(f"--{given[0]} needs --scheme paper")
        return False
    given = [one.name for one in named_options(context, type(settings)) if one.field != "scheme"]
    given += [name for name in WITHOUT_PAPER if was_given(context, name)]
    if given:
        raise UsageError(f"--scheme paper does not go with {', '.join(f'--{name}' for name in given)}")
    return True


def emit_chapter_5(
    traces: list[Path],
    figure: str | None,
    regions: Regions,
    plot: Path | None,
    form: Format,
    output: Path | None,
    model: list[str] | None,
    trace_format: str | None,
) -> None:
    """Write improvements by region, the findings judged, and (but on a terminal) the points of the figures."""
    from iotrace.cli.output import emit_many
    from iotrace.papers.richardson.page import attribute_tables, page
    from iotrace.reports.pages.write import refuse_to_overwrite, write_page

    if plot is not None and plot.suffix not in (".html", ".htm"):
        raise UsageError("--plot draws --scheme paper as .html")
    ids = None if figure is None else [one.strip() for one in figure.split(",")]
    if plot is not None:
        refuse_to_overwrite(plot)
    opened = seen(traces, model, trace_format)
    with doing() as progress:
        tables = attribute_tables(opened, regions.value, ids, progress)
        if plot is not None:
            write_page(page(tables, list(opened)), plot)
    if form is Format.TABLE:
        tables = {
            "By region, beside the dissertation": tables["improvements"],
            "The partition that is nearest to each trace's own best": tables["least_regret"],
            "Findings": tables["findings"].select(FINDINGS),
        }
    emit_many(tables, form, output)


FINDINGS = ["trace", "finding", "verdict", "claim", "paper", "ours", "ours_today", "unit", "reason"]


def draw_comparison(table: pa.Table, output: Path) -> None:
    """Draw the read misses of one trace's comparison as SVG: the Unix baseline, the scheme, the best partition."""
    from iotrace.reports.pages.charts.svg import SvgLine, svg

    rows = table.to_pylist()
    reads = [
        row["cost"] / row["read_request_miss_ratio"]
        for row in rows
        if row["objective"] == "reads" and row["cost"] and row["read_request_miss_ratio"]
    ]
    lines = [
        SvgLine(label, [(row["total_bytes"], 100 * row[name]) for row in rows if row[name] is not None])
        for label, name in (
            ("Unix baseline", "baseline_read_request_miss_ratio"),
            (rows[0]["scheme"] if rows else "scheme", "read_request_miss_ratio"),
        )
    ]
    if reads:
        best = [(row["total_bytes"], 100 * row["best_cost"] / reads[0]) for row in rows]
        lines.append(SvgLine("best partition", best))
    title = f"{rows[0]['trace']}: read requests that go to the disk" if rows else ""
    write_text(output, svg(title, lines, "Read requests that miss"))
