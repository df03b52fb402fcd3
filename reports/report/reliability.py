"""How far a store can be trusted: what its manifest counted, each with what follows from it."""

import tomllib
from importlib.resources import files
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.schemas import table_schema

from iotrace import units
from iotrace.store.store import Store

Rows = list[tuple[str, str, str]]


def tables(store: Store) -> dict[str, pa.Table]:
    """Return the tables `reliability` and `skipped` of a store."""
    manifest = store.manifest
    trusted = [dict(zip(("what", "shown", "meaning"), row, strict=True)) for row in _rows(manifest)]
    skipped = [{"reason": reason, **lines} for reason, lines in manifest["skipped"].items()]
    return {
        "reliability": pa.Table.from_pylist(trusted, schema=table_schema("reliability")),
        "skipped": pa.Table.from_pylist(skipped, schema=table_schema("skipped")),
    }


def _rows(manifest: dict[str, Any]) -> Rows:
    return [
        *_lines(manifest["counts"]),
        *(_agreement(manifest["path_agreement"]) if "calls" in manifest["counts"] else _lacks(manifest)),
        *_seen(manifest["seen"]),
        *_times(manifest["times"]),
        *(_model(manifest["model"]) if "calls" in manifest["counts"] else ()),
        *(("Warning", "", str(warning)) for warning in manifest["warnings"]),
    ]


def _lines(counts: dict[str, Any]) -> Rows:
    skipped, lines = counts["skipped_lines"], counts["lines"]
    share = f" ({units.percent(100 * skipped / lines)})" if skipped and lines else ""
    meaning = (
        "Listed below by reason; their I/O is missing here." if skipped else "Every line was understood."
    )
    return [
        ("Lines of the trace", units.count(lines), "As many as were read."),
        ("Lines not understood", units.count(skipped) + share, meaning),
    ]


def _agreement(tally: dict[str, Any] | None) -> Rows:
    name = "Agreement with the kernel's own paths"
    if not tally or not tally["checked"]:
        return [
            (name, "unknown", "The log has no descriptor paths (strace -y) to judge the reconstruction by.")
        ]
    checked = tally["checked"]
    causes = ", ".join(f"{_words(cause)} {units.count(calls)}" for cause, calls in tally["disagreed"].items())
    undecided = tally.get("undecidable") or {}
    unjudged = ", ".join(f"{_words(cause)} {units.count(calls)}" for cause, calls in undecided.items())
    return [
        (
            name,
            units.percent(100 * tally["agreed"] / checked),
            f"{units.count(tally['agreed'])} of {units.count(checked)} reads and writes went to the file that the "
            "reconstruction, which does not look at these paths, says they did."
            + (f" The others by cause: {causes}." if causes else ""),
        ),
        (
            "Calls whose agreement cannot be decided",
            units.count(sum(undecided.values())),
            f"They are left out of the share above. By cause: {unjudged}."
            if undecided
            else "The share above is of all calls whose descriptors the log names.",
        ),
        (
            "Names literally equal",
            units.percent(100 * tally["literally_equal"] / checked),
            "The rest are the same files under other names, mostly symbolic links that the trace never resolves.",
        ),
    ]


def _lacks(manifest: dict[str, Any]) -> Rows:
    lacks = ", ".join(map(_words, manifest.get("lacks", ()))) or "nothing"
    noted = [
        (_words(kind).capitalize(), units.count(count), _REMARKS.get(kind, ""))
        for kind, count in manifest["remarks"].items()
    ]
    return [("Not recorded by the format", lacks, "These columns of the native table are null."), *noted]


_REMARKS = {
    "headers": "Lines that name columns.",
    "merged requests": "They take the completion of the request that they were merged into.",
    "repeated dispatches": "The last one before the completion counts.",
    "dispatches of what was not queued": "Requests whose arrival was not traced: they have no latency.",
    "completions of what was never seen": "Left out.",
    "requests without completion": "They have no latency.",
}

_SEEN = (
    ("unseen_mappings", "Mappings of files into memory", "Reads and writes through them cannot be seen."),
    ("unseen_asynchronous_calls", "Asynchronous calls", "Such as io_uring: their I/O cannot be seen."),
    ("transfers_not_on_disk", "Transfers not on disk", "Pipes, sockets, terminals and devices: left out."),
    ("empty_requests", "Requests that moved nothing", "Ends of files, mostly: left out of the requests."),
    ("discards", "Discards", "In table disk_io; the reference stream has none."),
    ("flushes", "Flushes", "In the reference stream as sync."),
    (
        "unknown_offsets",
        "Accesses at an unknown place",
        "The file pointer was not known: they have no offset.",
    ),
    ("unsorted_requests", "Requests out of the order of time", "They were sorted."),
    ("unaligned_requests", "Requests for pieces of blocks", "They count whole 512-byte blocks."),
    (
        "inherited_descriptors",
        "Descriptors from before the trace",
        "Named by the log's annotations (-y), else fd:PID:N; offsets count from where they stood.",
    ),
    (
        "relative_references",
        "Reads and writes at relative offsets",
        "Counted from an unknown place: a descriptor from before the trace, an end of unknown size.",
    ),
    ("negative_durations", "Negative durations", "They count as unknown."),
    ("negative_offsets", "Negative offsets in calls that succeeded", "They count as unknown."),
    ("negative_sizes", "Negative sizes of files", "They count as unknown."),
    ("execs_of_unknown_size", "Programs of unknown size", "Nothing in the trace shows how large they are."),
    ("execs_without_interpreter", "Programs without a known interpreter", "Its read, if any, is missing."),
    ("appends_of_unknown_offset", "Appends at an unknown place", "The file's size was not known then."),
    ("symbolic_link_loops", "Loops of symbolic links", "Look-ups that were cut off."),
    ("threads_of_unknown_parent", "Threads of unknown parent", "Taken as separate processes."),
)


def _seen(seen: dict[str, Any]) -> Rows:
    rows = []
    for key, title, meaning in _SEEN:
        if number := seen.get(key, 0):
            more = f", {units.size(seen.get('unseen_mapping_bytes', 0))}" if key == "unseen_mappings" else ""
            rows.append((title, units.count(number) + more, meaning))
    return rows


def _times(times: dict[str, Any]) -> Rows:
    resolution = times.get("resolution_ns")
    if resolution is None:
        return [("Time stamps", "none", "Nothing can be said about time.")]
    return [
        ("Time stamps", f"to {units.duration(resolution)}", "What happens within that is in the log's order.")
    ]


def _model(model: dict[str, str]) -> Rows:
    """Return the switches of the file system model that are in force, in words."""
    switches = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("model.toml").read_text("utf-8"))
    named = model.get("model", "linux")
    rows = [
        (
            "File system model",
            ", ".join(f"{name}={value}" for name, value in model.items()) or named,
            "How calls become references; its switches:",
        )
    ]
    for switch in switches["switch"]:
        value = model.get(switch["name"], switch.get(named, switch["linux"]))
        rows.append((f"Model: {switch['name']}", value, switch["values"].get(value, "")))
    return rows


def _words(name: str) -> str:
    return name.replace("_", " ")
