"""Messages about a part of a trace: what it covers, what is left out, and why nothing is left."""

from collections.abc import Mapping

from iotrace import units
from iotrace.store.part.selection import Selection, moment
from iotrace.store.store import Store


def covered(store: Store, selection: Selection) -> str:
    """Return which part of a trace a selection is: `10 s to 20 s of 38.3 s, program */cc1`."""
    length_ns = store.manifest["counts"]["duration_ns"]
    whole = "the whole time" if length_ns is None else f"all {moment(length_ns)}"
    if selection.is_of_times and length_ns is not None:
        since, until = selection.since_ns or 0, selection.until_ns
        end_ns = length_ns if until is None else min(until, length_ns)
        whole = f"{moment(since)} to {moment(end_ns)} of {moment(length_ns)}"
    return ", ".join(part for part in (whole, selection.words()) if part)


def sentence(store: Store, selection: Selection, counts: Mapping[str, int], origin_ns: int) -> str:
    """Return what a part covers, how much that is, and what is left out."""
    one, many = store.family.row
    parts = [
        f"covers {covered(store, selection)}: {counts['kept']:,} of {units.plural(counts['all_calls'], one, many)}"
        f" ({counts['references']:,} of {counts['all_references']:,} references)"
    ]
    if left_out := _left_out(selection, counts):
        parts.append(f"left out: {left_out}")
    if counts["under_way"]:
        at = moment(selection.since_ns or 0)
        parts.append(f"{units.plural(counts['under_way'], one, many)} under way at {at} began before")
    if selection.is_of_objects and store.family.answers("time"):
        parts.append("the clock's time is divided by all calls")
    if origin_ns:
        parts.append(f"times count from {moment(origin_ns)}")
    return "; ".join(parts)


def warmed_sentence(store: Store, selection: Selection, counts: Mapping[str, int]) -> str:
    """Return what a part for caches covers, and what they see beside it."""
    parts = [
        f"covers {covered(store, selection)}: {counts['references']:,} of {counts['all_references']:,} references"
    ]
    if selection.is_of_processes or selection.is_of_objects:
        parts.append("caches see no others")
    if selection.since_ns:
        parts.append(warms(selection))
    return "; ".join(parts)


def warms(selection: Selection) -> str:
    """Say what the time before a part is for."""
    return f"what precedes {moment(selection.since_ns or 0)} warms the caches and is not counted"


def _left_out(selection: Selection, counts: Mapping[str, int]) -> str:
    reasons = {
        "before": "before",
        "after": "after",
        "untimed": "without a time",
        "of_others": "of other processes",
        "elsewhere": "that do not fulfil --where" if selection.where is not None else "on other paths",
    }
    return ", ".join(f"{counts[name]:,} {words}" for name, words in reasons.items() if counts[name])


def nothing(store: Store, selection: Selection, counts: Mapping[str, int]) -> str:
    """Return why nothing is left of a trace."""
    _, many = store.family.row
    left_out = _left_out(selection, counts) or f"the trace has no {many}"
    return f"{store.name}: has no {many} in {covered(store, selection)} (left out: {left_out})"
