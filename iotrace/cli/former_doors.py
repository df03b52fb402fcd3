"""The former spellings of ``iotrace paper richardson``, which work for one release: each warns, and gives what it gave.

curve --paper, --figure and --paging, characterize --paper, attribute --scheme paper.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace import units
from iotrace.cli.inputs import RawTrace, names_of, open_trace
from iotrace.cli.options.curve import CurveOptions
from iotrace.cli.options.device import Costs
from iotrace.cli.options.given import was_given
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.settings import named_options
from iotrace.cli.output import Output, written_option
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Deletes
    from iotrace.papers.richardson.chapters import ModelPair
    from iotrace.simulate.attribute.settings import Settings

TO_READ = ["finding", "verdict", "claim", "paper", "ours", "ours_today", "unit", "range", "reason"]
"""The columns of findings that fit a terminal."""


@contextlib.contextmanager
def _is_now(former: str, now: str) -> Iterator[None]:
    """Say what the command is called now, once it has done what it was asked for: a refusal is one line."""
    yield
    warn_of(f"{former} is now iotrace paper richardson {now}; the former spelling works for one release")


class Regions(StrEnum):
    """How sizes are divided into regions."""

    PRINTED = "printed"
    BOUNDS = "bounds"


PlotOption = Annotated[Path | None, written_option("--plot", help="Also draw a trace's read misses as .svg.")]


@dataclass(frozen=True)
class Door:
    """A command by which somebody asks for a part of the dissertation: of which traces, and where it goes."""

    traces: Sequence[Path]
    output: Output
    raw: RawTrace

    @_is_now("characterize --paper", "--chapter 3")
    def chapter_3(self, parameters: Mapping[str, str | int]) -> None:
        """Do ``characterize --paper``."""
        from iotrace.papers.richardson.chapters import compared
        from iotrace.papers.richardson.judging import tally

        (pair,) = self._pairs().values()
        tables = compared(pair, parameters)
        del tables["paper_figures"]
        if self.output.is_table:
            if self.output.is_to_read:
                print(tally(tables["paper_findings"]))
            tables["paper_findings"] = tables["paper_findings"].select(TO_READ)
        self.output.emit_many(tables)

    @_is_now("curve --paper", "--chapter 4")
    def chapter_4_findings(self) -> None:
        """Do ``curve --paper``."""
        from iotrace.analysis.lines.runs import RunMemo
        from iotrace.papers.findings.verdicts import counted, counts
        from iotrace.papers.richardson.cache_judging import judge

        (pair,) = self._pairs().values()
        judged = judge(RunMemo(pair.paper), RunMemo(pair.today, deletes="honour") if pair.today else None)
        if self.output.is_table:
            if self.output.is_to_read:
                verdicts = judged.column("verdict").to_pylist()
                print(
                    f"Of {len(verdicts)} claims of the dissertation on caches, {counted(counts(verdicts))}."
                )
            judged = judged.select(TO_READ)
        self.output.emit(judged)

    @_is_now("curve --figure", "--figure N.M")
    def chapter_4_figures(self, ids: str, deletes: "Deletes", plot: Path | None) -> None:
        """Do ``curve --figure``."""
        from iotrace.analysis.lines.runs import RunMemo
        from iotrace.papers.richardson import page
        from iotrace.papers.richardson.cache_figures import figure_tables
        from iotrace.papers.richardson.chapters import named
        from iotrace.reports.pages.write import write_page

        wanted = None if ids.strip() == "all" else _words(ids)
        (trace,) = self.traces
        table = figure_tables(RunMemo(self.raw.open(trace), deletes), wanted)
        if plot is not None:
            write_page(page.write({"chapter_4_figures": named(trace.name, table)}, [trace.name]), plot)
        self.output.emit(table, "Figures")

    @_is_now("curve --paging", "--chapter 4")
    def equation_4_2(self, page: str, costs: Costs) -> None:
        """Do ``curve --paging``: the dissertation's typical disk, but for what was given."""
        from iotrace.papers.richardson.paging import Disk, demand_paging

        typical = Disk()
        overhead_ms, transfer_ms_per_kb = costs.overhead, costs.transfer
        if costs.device is not None:
            chosen = costs.chosen()
            overhead_ms, transfer_ms_per_kb = chosen.overhead_ms, chosen.transfer_ms_per_kb
        if transfer_ms_per_kb == 0:
            raise UsageError("--paging needs a transfer time above 0")
        disk = Disk(
            typical.overhead_ms if overhead_ms is None else overhead_ms,
            typical.transfer_kb_per_ms if transfer_ms_per_kb is None else 1 / transfer_ms_per_kb,
            units.size_bytes(page),
        )
        (trace,) = self.traces
        self.output.emit(demand_paging(self.raw.open(trace), disk), "Equation 4.2")

    @_is_now("attribute --scheme paper", "--chapter 5")
    def chapter_5(self, figure: str | None, regions: Regions, plot: Path | None) -> None:
        """Do ``attribute --scheme paper``: improvements by region, findings judged, and the points of the figures."""
        import pyarrow.compute as pc

        from iotrace.papers.options import Options
        from iotrace.papers.richardson import page
        from iotrace.papers.richardson.attribute_figures import known
        from iotrace.papers.richardson.reproduction import all_tables
        from iotrace.reports.pages.write import refuse_to_overwrite, write_page

        if plot is not None and plot.suffix not in (".html", ".htm"):
            raise UsageError("--plot draws --scheme paper as .html")
        ids = [drawn.id for drawn in known(None if figure is None else _words(figure))]
        if plot is not None:
            refuse_to_overwrite(plot)
        pairs = self._pairs()
        with doing() as progress:
            made = all_tables(pairs, Options(regions=regions.value), progress, ("5",))
            del made["chapter_5_printed"]
            made["chapter_5_figures"] = made.pop("chapter_5_figures").filter(pc.field("figure").isin(ids))
            if plot is not None:
                write_page(page.write(made, list(pairs)), plot)
        tables = {name.removeprefix("chapter_5_"): table for name, table in made.items()}
        if self.output.is_table:
            to_read = ["trace", *(name for name in TO_READ if name != "range")]
            tables = {
                "By region, compared with the dissertation": tables["improvements"],
                "The partition that is nearest to each trace's own best": tables["least_regret"],
                "Findings": tables["findings"].select(to_read),
            }
        self.output.emit_many(tables)

    def _pairs(self) -> "dict[str, ModelPair]":
        """Open the traces as the dissertation's chapters take them."""
        from iotrace.papers.reproduction import PaperRequest, Part
        from iotrace.papers.richardson.reproduction import opened

        request = PaperRequest(
            Part.CELLS,
            names_of(self.traces),
            lambda trace, model: open_trace(trace, model, self.raw.form),
            warn_of,
            self.raw.model,
        )
        return {name: opened(request, trace) for name, trace in request.traces.items()}


WITH_PAPER = ("figure", "regions")
"""Options of ``iotrace attribute`` that only ``--scheme paper`` has."""
WITHOUT_PAPER = ("deletes", "device", "overhead", "transfer")
"""Those that it does not have, beyond the simulator's."""


@dataclass(frozen=True)
class AttributeDoors(Group):
    """The options of ``iotrace attribute`` that go with ``--scheme paper``."""

    figure: str | None = declared(None, "With --scheme paper: only these figures.", hidden=True)
    regions: Regions = declared(Regions.PRINTED, "With --scheme paper: regions of sizes.", hidden=True)

    def run(self, context: typer.Context, door: Door, settings: "Settings", plot: Path | None) -> bool:
        """Do what ``--scheme paper`` asks for, if it is given; raises UsageError for options that do not go with it."""
        if settings.scheme.strip().lower() != "paper":
            if given := [name for name in WITH_PAPER if was_given(context, name)]:
                raise UsageError(f"--{given[0]} needs --scheme paper")
            return False
        given = [option.name for option in named_options(context, type(settings)) if option.field != "scheme"]
        given += [name for name in WITHOUT_PAPER if was_given(context, name)]
        if given:
            raise UsageError(f"--scheme paper does not go with {', '.join(f'--{name}' for name in given)}")
        door.chapter_5(self.figure, self.regions, plot)
        return True


@dataclass(frozen=True)
class CurveDoors(Group):
    """The options of ``iotrace curve`` by which parts of chapter 4 were asked for."""

    paper: bool = declared(False, "Former spelling of iotrace paper richardson --chapter 4.", hidden=True)
    figure: str | None = declared(None, "Former spelling of iotrace paper richardson --figure.", hidden=True)
    paging: bool = declared(False, "Former spelling of iotrace paper richardson --chapter 4.", hidden=True)
    page: str = declared("4K", "With --paging.", hidden=True)

    def run(self, door: Door, options: CurveOptions, plot: Path | None) -> bool:
        """Do what is asked for by one of them, if any is; raises UsageError for options that do not go with it."""
        if (doors := self.paper + (self.figure is not None) + self.paging) > 1:
            raise UsageError("give one of --paper, --figure and --paging")
        others: list[object] = [options.by, options.where, options.sizes, options.policy, options.population]
        others += [options.fetch, options.coalesce]
        if doors and any(other is not None for other in others):
            raise UsageError(
                "--paper, --figure and --paging go with none of --by, --where, --population, --sizes, --policy,"
                " --fetch and --coalesce"
            )
        if self.paper:
            door.chapter_4_findings()
        elif self.figure is not None:
            door.chapter_4_figures(self.figure, options.deletes.value, plot)
        elif self.paging:
            door.equation_4_2(self.page, options.costs)
        return doors > 0


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]
