"""The report of a store: a verdict, then the figures by question, in one HTML file."""

import datetime
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import PurePath

from iotrace.reports.pages.compose import GENERATOR, compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Section
from iotrace.reports.report import figures
from iotrace.reports.report.advice import cards
from iotrace.reports.report.data import Evidence, collect
from iotrace.reports.report.figures import Extra
from iotrace.reports.report.opening import opening
from iotrace.reports.report.progress import Progress, silent
from markupsafe import Markup, escape

from iotrace import queries, units
from iotrace.analysis.advice.ask import asked_of
from iotrace.analysis.answers.ask import named
from iotrace.analysis.times import lengthened
from iotrace.store.store import Store

_NUMBER = re.compile(r"(?<![\w/.-])\d[\d,]*(?:\.\d+)?(?:\s?(?:bytes?|[KMGT]B|%|ns|µs|ms|s|min|h)(?![\w]))?")

UNSEEN = "unseen"
BEFORE_ADVICE = (UNSEEN, "job", "job_time", "spent", "disks", "disk_load", "answers")
"""The sections on what the trace does not show, and on its time: what advice is judged by."""


def report(store: Store, progress: Progress = silent, extras: Collection[Extra] = ()) -> str:
    """Return the HTML report of a store, a single file of under 6 MB for any trace.

    `extras` are figures that are made only if they are asked for.
    """
    evidence = collect(store, figures.figures(figures.families_of(store), extras), progress)
    progress("writing the page")
    return render(store, evidence, extras)


def render(store: Store, evidence: Evidence, extras: Collection[Extra] = ()) -> str:
    """Return the report's HTML."""
    title = _title(store)
    sections = figures.sections_of(figures.families_of(store), extras)
    if not evidence.is_much_unseen:
        sections = _with_unseen_late(sections)
    return compose(
        sections,
        evidence.tables,
        brand=GENERATOR,
        title=title,
        headline=f"{title}: what its I/O looks like",
        facts=_facts(store),
        sentences=[_emphasised(printable(sentence)) for sentence in evidence.verdict],
        advised=cards(evidence.advice, lengthened(store.manifest), evidence.why_no_advice)
        if asked_of(store)
        else None,
        advised_after=BEFORE_ADVICE,
        opening=opening(
            evidence.screen, sections, {**evidence.tables, **evidence.over_time}, store.length_ns
        ),
        about=printable(" · ".join(evidence.screen.about)),
        trace=printable(named(store)),
        numbers=evidence.numbers.to_pylist(),
        views=[queries.query(name) for name in _views_below(sections)],
        notes=evidence.notes,
        timed=store.manifest["times"].get("resolution_ns") is not None,
    )


def _with_unseen_late(sections: list[Section]) -> list[Section]:
    """Return the sections with that on what the trace does not show before the last, on how far to trust it."""
    unseen = [section for section in sections if section.id == UNSEEN]
    others = [section for section in sections if section.id != UNSEEN]
    return [*others[:-1], *unseen, others[-1]]


def _title(store: Store) -> str:
    """Return the trace's name: that of its first file, or of the store, as of one of several partitions."""
    sources = store.manifest.get("sources") or [] if store.kept is None else []
    name = PurePath(sources[0]).name if sources and sources[0] != "-" else store.path.name
    return printable(re.sub(r"\.(gz|zst|xz|bz2|iotrace)$", "", name))


def _facts(store: Store) -> list[tuple[str, str]]:
    """Return what the head of the page says of the trace's origin."""
    manifest = store.manifest
    facts = [("Format", manifest["format"])]
    if command := manifest.get("command"):
        facts.append(("Command", command if isinstance(command, str) else shlex.join(map(str, command))))
    times = manifest["times"]
    if times.get("base") == "epoch" and times.get("first_ns") is not None:
        began = datetime.datetime.fromtimestamp(times["first_ns"] // 10**9, datetime.UTC)
        facts.append(("Recorded", f"{began:%-d %B %Y, %H:%M} UTC"))
    for name, counted in (("System calls", "calls"), ("Requests", "requests")):
        if counted in manifest["counts"]:
            facts.append((name, units.count(manifest["counts"][counted])))
    if store.family.answers("accesses"):
        facts.append(("References", units.count(manifest["counts"]["references"])))
    if part := manifest.get("part"):
        facts.append(("Part", part["covers"]))
    return [(name, printable(value)) for name, value in facts]


def _views_below(sections: Sequence[Section]) -> list[str]:
    """Return the views and statistics on which the figures' statistics build."""
    shown = [figure.query for section in sections for figure in section.figures if figure.query]
    return list(dict.fromkeys(name for query in shown for name in queries.ordered([query]) if name != query))


def _emphasised(sentence: str) -> Markup:
    """Return a sentence with its numbers marked."""
    parts, end = [], 0
    for number in _NUMBER.finditer(sentence):
        parts += [escape(sentence[end : number.start()]), Markup("<b>{}</b>").format(number[0])]
        end = number.end()
    return Markup("").join([*parts, escape(sentence[end:])])
