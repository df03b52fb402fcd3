"""The answers of ``iotrace curve`` on caches of objects: one for each question of the options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from iotrace import units
from iotrace.cli.options.objects import UNITS, Least, Question, Ttl, Unit
from iotrace.cli.options.policies import chosen, named, variants
from iotrace.cli.output import Output
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.cli.options.curve import CurveOptions
    from iotrace.store.store import Store

ENDLESS = "objects do not expire here, though the trace has times to live: --ttl eager or lazy"
FIRST_MODEL = (
    "This is a first model: objects that miss or are set are appended to the open segment, and the oldest segment is"
    " reclaimed as a whole. What the device does within is not in it."
)


@dataclass(frozen=True)
class ObjectAnalysis:
    """Caches of objects, and the trace whose requests they serve."""

    store: Store
    unit: Unit
    options: CurveOptions
    sizes: Sequence[int] | None

    @property
    def size_unit(self) -> Literal["objects", "bytes"]:
        """The unit of sizes, of caches that are not prefix caches."""
        return "bytes" if self.unit is Unit.BYTES else "objects"

    @property
    def ttl(self) -> Literal["ignore", "eager", "lazy"]:
        """The treatment of objects whose time is over."""
        return (self.options.objects.ttl or Ttl.IGNORE).value


@dataclass(frozen=True)
class Answer:
    """A table: its counts, those of its rows that a person reads under a title, and lines below it."""

    rows: pa.Table
    title: str
    note: str | None = None
    read: Callable[[pa.Table], pa.Table] = lambda rows: rows


def show_objects(store: Store, options: CurveOptions, output: Output) -> None:
    """Write the answer to a question about caches of objects: for a terminal as ratios, otherwise the counts.

    Each question has a table: object_curve, by tenant tenant_curve, and of prefixes prefix_curve; object_policies;
    tenant_caches; object_writes; flash_log; prefix_tiers.
    """
    from iotrace.analysis.curves.object_requests import states_times_to_live

    question = options.objects.question(options.policy)
    unit = options.objects.unit or UNITS.get(question, Unit.OBJECTS)
    analysis = ObjectAnalysis(store, unit, options, options.sizes_bytes())
    answer = ANSWERS[question](analysis)
    is_endless = options.objects.ttl is None and question not in TIMELESS and states_times_to_live(store)
    remarks = [ENDLESS] if is_endless else []
    if output.is_table:
        output.emit_remarked(
            {answer.title: answer.read(answer.rows)}, remarks, answer.note, size_unit=analysis.size_unit
        )
    else:
        output.emit_remarked({"curve": answer.rows}, remarks)


def _curve(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves import object_requests
    from iotrace.analysis.curves.objects import doubling
    from iotrace.simulate.tenants import tenant_curves

    sizes, by_tenant = analysis.sizes, analysis.options.by_tenant()
    unit, ttl = analysis.size_unit, analysis.ttl
    if analysis.unit is Unit.PREFIXES:
        rows = object_requests.curve_of_prefixes(analysis.store, sizes)
    elif analysis.options.split:
        requests = object_requests.requests_of(analysis.store, ttl, by_tenant=True)
        curves = tenant_curves(requests, unit=unit, sizes=sizes, ttl=ttl)
        rows = object_requests.named_tenants(analysis.store, curves)
    else:
        rows = object_requests.curve_of_store(analysis.store, unit, sizes, ttl=ttl, by_tenant=by_tenant)
    what = (
        "prefixes of prompts, sizes in blocks"
        if analysis.unit is Unit.PREFIXES
        else f"sizes in {analysis.unit.value}"
    )
    title = f"LRU, {what}{_expiring(analysis)}"
    return Answer(rows, title) if sizes is not None or by_tenant else Answer(rows, title, read=doubling)


def _policies(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves.object_caches import OBJECT_POLICIES
    from iotrace.analysis.curves.object_requests import policies_of_store

    known = OBJECT_POLICIES[analysis.size_unit]
    names = chosen(named(analysis.options.policy or ""), known, f"caches sized in {analysis.unit.value}")
    rows = policies_of_store(analysis.store, names, analysis.size_unit, analysis.sizes, analysis.ttl)
    title = f"Replacement policies, sizes in {analysis.unit.value}{_expiring(analysis)}"
    return Answer(rows, title, variants(names, known), lambda rows: rows.sort_by("size"))


def _partition(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves.object_requests import named_tenants, requests_of
    from iotrace.simulate.tenants import tenant_caches

    least = analysis.options.objects.partition or Least.REQUESTS
    measure: Literal["request_misses", "byte_misses"] = (
        "byte_misses" if least is Least.BYTES else "request_misses"
    )
    requests = list(requests_of(analysis.store, analysis.ttl, by_tenant=True))
    rows = pa.concat_tables(
        tenant_caches(requests, size, unit=analysis.size_unit, measure=measure, ttl=analysis.ttl)
        for size in analysis.sizes or ()
    )
    rows = named_tenants(analysis.store, rows)
    title = f"Tenants of one LRU cache, sizes in {analysis.unit.value}{_expiring(analysis)}"
    note = (
        "Column size has the shared cache, or the tenant's part. The best parts are those that miss the least"
        f" {least.value}, among eight to each doubling."
    )
    return Answer(rows, title, note)


def _writes(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves.object_requests import writes_of_store
    from iotrace.analysis.curves.objects import doubling

    rows = writes_of_store(analysis.store, analysis.size_unit, analysis.sizes)
    note = (
        "A write is absorbed if its object is set again or deleted before it is evicted; those neither absorbed nor"
        " dirty at the end are written back."
    )
    title = f"LRU that writes back, sizes in {analysis.unit.value}"
    return Answer(rows, title, note) if analysis.sizes is not None else Answer(rows, title, note, doubling)


def _flash(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves.object_requests import flash_logs_of_store

    segment_bytes = analysis.options.objects.segment_bytes(analysis.sizes or [])
    reinserts = analysis.options.objects.reinsert is not False
    rows = flash_logs_of_store(
        analysis.store, analysis.sizes or (), segment_bytes, reinserts=reinserts, ttl=analysis.ttl
    )
    title = f"Flash, a log of segments of {units.size(segment_bytes)}{_expiring(analysis)}"
    return Answer(rows, title, FIRST_MODEL)


def _tiers(analysis: ObjectAnalysis) -> Answer:
    from iotrace.analysis.curves.object_requests import tiers_of_store

    levels, computed_s = analysis.options.objects.levels()
    rows = tiers_of_store(analysis.store, levels, computed_s)
    note = "Levels hold different blocks: what one evicts moves to the next. A request counts at its slowest block."
    return Answer(rows, "Prefixes of prompts, LRU in levels of memory", note)


ANSWERS: dict[Question, Callable[[ObjectAnalysis], Answer]] = {
    Question.CURVE: _curve,
    Question.POLICIES: _policies,
    Question.PARTITION: _partition,
    Question.WRITES: _writes,
    Question.FLASH: _flash,
    Question.TIERS: _tiers,
}
TIMELESS = (Question.WRITES, Question.TIERS)
"""Questions about caches whose objects cannot expire."""


def _expiring(analysis: ObjectAnalysis) -> str:
    return "" if analysis.ttl == "ignore" else f", objects expire ({analysis.ttl})"
