"""The report's figures as data: figures.toml lists its sections and, one entry each, its figures."""

import tomllib
from collections.abc import Collection
from dataclasses import fields, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from iotrace.reports.pages.figures import Figure, Section

from iotrace.analysis.advice.ask import adviser
from iotrace.analysis.jobs import jobs_of
from iotrace.analysis.lines.library import lines_of
from iotrace.families import CALLS, SEVERAL_JOBS, counts_jobs
from iotrace.store.store import Store


class Extra(StrEnum):
    """Figures that are made only if they are asked for."""

    PAPER = "paper"
    """The comparison with papers, which is a section of this name, too."""
    CACHES = "caches"


OF_LINES = ("line", "lines_of", "only", "names")
OF_SECTION = {"question", "lead", "optional", "how", "command", "answers", "on_request_for"}
OF_FIGURE = {field.name for field in fields(Figure)}


@cache
def sections() -> tuple[Section, ...]:
    """Return the sections of figures.toml with their figures, in order."""
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("figures.toml").read_text("utf-8"))
    return tuple(_section(id, entry) for id, entry in raw.items())


def families_of(store: Store) -> tuple[str, ...]:
    """Return the families whose figures show something of a store: that of counters of jobs, too, where it has some.

    Where the counters are of several jobs, it has the figures over all of them instead.
    """
    if counts_jobs(store.tables) and jobs_of(store) > 1:
        return (SEVERAL_JOBS,) if store.family.has_counters else (SEVERAL_JOBS, store.family.name)
    return tuple(dict.fromkeys((adviser(store).name, store.family.name)))


def sections_of(families: Collection[str], extras: Collection[Extra] = ()) -> list[Section]:
    """Return the sections that have figures for families of traces, with those."""

    def is_shown(figure: Figure) -> bool:
        is_asked = Extra.PAPER in extras or not (figure.is_of_paper or figure.section == Extra.PAPER)
        return is_asked and not set(families).isdisjoint(figure.families)

    chosen = [
        replace(section, figures=tuple(filter(is_shown, section.figures)))
        for section in sections()
        if Extra.CACHES in extras or set(families).isdisjoint(section.on_request_for)
    ]
    return [section for section in chosen if section.figures]


def figures(families: Collection[str] = (CALLS.name,), extras: Collection[Extra] = ()) -> list[Figure]:
    """Return the figures for families of traces, in the order of the page."""
    return [figure for section in sections_of(families, extras) for figure in section.figures]


def _section(id: str, entry: dict[str, Any]) -> Section:
    figures = {name: figure for name, figure in entry.items() if isinstance(figure, dict)}
    common = {name: entry[name] for name in entry.keys() - figures.keys() - OF_SECTION}
    read = (_figure({**common, **figure, "id": name, "section": id}) for name, figure in figures.items())
    texts = {name: entry[name] for name in ("how", "command", "answers") if name in entry}
    return Section(
        id,
        entry["question"],
        entry["lead"],
        tuple(read),
        entry.get("optional", False),
        on_request_for=tuple(entry.get("on_request_for", ())),
        **texts,
    )


def _figure(entry: dict[str, Any]) -> Figure:
    """Read a figure; see `lines_of` for how its lines are described."""
    values = {"draw": "table", **{name: value for name, value in entry.items() if name in OF_FIGURE}}
    if "families" in values:
        values["families"] = tuple(values["families"])
    arguments = {
        name: value for name, value in entry.items() if name not in OF_FIGURE and name not in OF_LINES
    }
    lines = lines_of(entry)
    if "query" in values:
        values.pop("producer", None)  # its section's
    elif not lines:
        values.setdefault("table", values["id"])
    return Figure(lines=lines, arguments=arguments, **values)
