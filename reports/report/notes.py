"""Notes on a figure for this trace: its model of the file system, a clock too coarse."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report.producers import producer_of

from iotrace import units
from iotrace.analysis.times import lengthened
from iotrace.store.store import Store

WINDOWS = (
    "timeline", "latency_over_time", "request_latency_over_time",
    "requests_over_time", "bytes_over_time", "working_set_over_time", "load", "addresses",
)  # fmt: skip
"""Figures that divide the trace into windows."""
INTERVALS = ("interarrival", "read_after_write", "lifetimes", "reuse_times", "decay", "periods")
"""Figures of times between events."""
ONE_CACHE = ("unified", "disk_requests", "disk_time", "crash")
"""Figures of a cache for all requests, whoever makes them."""
TIMES = ("wall_time", "time_by_call")
"""Figures of times in calls, which the tracer lengthens."""
PAPER = ("findings",)
"""Figures that judge the trace by the dissertation."""
FINE_NS = 1000
"""Stamps to the microsecond, as strace's own by default, need no note."""


def notes(store: Store, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Return a sentence for each figure that needs one, by its id; `tables` are those of the figures."""
    clock = _clock(store.manifest["times"].get("resolution_ns"), tables)
    tracing = lengthened(store.manifest)
    traced = {name: tracing for name in TIMES if tracing and name in tables and tables[name].num_rows}
    return {**_model(store.manifest["model"]), **traced, **clock, **_one_cache(store, tables)}


def with_text(noted_figures: Mapping[str, Note], figures: Iterable[Figure], text: str) -> dict[str, Note]:
    """Return the notes with a text added to those of some figures."""
    noted = dict(noted_figures)
    for figure in figures if text else ():
        note = noted.get(figure.id, Note(""))
        noted[figure.id] = replace(note, text=f"{note.text} {text}".strip())
    return noted


def with_cold_caches(store: Store, figures: Iterable[Figure], noted: Mapping[str, Note]) -> dict[str, Note]:
    """Return the notes with those on caches that are empty when a part of a trace begins."""
    if store.warmed is None:
        return dict(noted)
    cold = [figure for figure in figures if (producer := producer_of(figure)) and producer.starts_empty]
    return with_text(noted, cold, "Caches are empty when the part begins.")


def _one_cache(store: Store, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Say of figures of one cache whose it would be, where several nodes have made the requests."""
    shown = [name for name in ONE_CACHE if name in tables]
    if not shown or store.family.has_disks:  # a disk's requests name no nodes
        return {}
    seen: set[int] = set()
    for batch in store.batches("reference", ["node"]):
        seen.update(pc.unique(batch["node"].drop_null()).to_pylist())
    nodes = len(seen)
    if nodes < 2:
        return {}
    sentence = (
        f"The requests of {nodes:,} nodes go to one cache, as at a file server that has no others before it;"
        " what caches on the nodes would do is not shown here."
    )
    return dict.fromkeys(shown, sentence)


def _model(model: Mapping[str, str]) -> dict[str, str]:
    """Say by which model the trace is compared with the dissertation, unless it is the dissertation's own."""
    if model == {"model": "1994"}:
        return {}
    named = ", ".join(f"{switch}={value}" for switch, value in model.items()) or "today's defaults"
    sentence = (
        f"This page uses this store's model of the file system ({named}); iotrace paper richardson uses the "
        "paper's own (--model 1994: libraries, which its programs did not have, are not read), and so comes to other "
        "numbers and verdicts. iotrace report --model 1994 makes this page by that one."
    )
    return dict.fromkeys(PAPER, sentence)


def _clock(resolution: int | None, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Say where the clock of the log is too coarse for a figure."""
    if resolution is None or resolution <= FINE_NS:
        return {}
    stamps = f"The log's time stamps are to {units.duration(resolution)}"
    sentences = {}
    for name in WINDOWS:
        if (table := tables.get(name)) is not None and table.num_rows:
            (first,) = table.slice(0, 1).select(["start_ns", "end_ns"]).to_pylist()
            width = first["end_ns"] - first["start_ns"]
            if width <= resolution:
                sentences[name] = f"{stamps}: a window cannot be shorter."
    for name in INTERVALS:
        if (table := tables.get(name)) is not None and table.num_rows:
            sentences[name] = f"{stamps}: a shorter time shows as 0, or as {units.duration(resolution)}."
    return sentences
