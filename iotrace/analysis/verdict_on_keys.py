"""The workload of a key trace in a few sentences with numbers."""

from iotrace import units
from iotrace.analysis.facts import Facts


def sentences_on_keys(facts: Facts) -> tuple[str, ...]:
    """Say what the requests are for, whether they read or write, and how often objects come again."""
    return (_extent(facts), _nature(facts), _direction(facts), _reuse(facts))


def _extent(facts: Facts) -> str:
    totals = facts.totals
    requests = units.plural(totals["requests"], "request", "requests")
    when = f" in {units.duration(totals['duration_ns'])}" if totals["duration_ns"] is not None else ""
    if facts.average_request_bytes is None:
        return f"It holds {requests}{when}."
    moved = units.size(facts.data("bytes_read") + facts.data("bytes_written"))
    return f"It holds {requests}{when}, for {moved} of objects."


def _nature(facts: Facts) -> str:
    keys = units.plural(int(facts.totals["requested_files"]), "key", "keys")
    size = facts.average_request_bytes
    average = (
        "the trace does not state the sizes of objects"
        if size is None
        else f"the average request is for {units.size(size)}"
    )
    return f"They are requests to a cache or key-value store, for {keys}; {average}."


def _direction(facts: Facts) -> str:
    if not facts.is_directed:
        return (
            "Whether it reads or writes is unknown: the trace does not state the operation of each request."
        )
    reads = facts.read_requests_percent
    if reads is None:
        return "No request reads or writes."
    return f"{units.percent(reads)} of the requests read, and {units.percent(100 - reads)} write."


def _reuse(facts: Facts) -> str:
    keys, requests = facts.totals["requested_files"], facts.totals["requests"]
    parts = [f"The average key is requested {requests / max(keys, 1):,.2f} times"]
    if facts.data_size_bytes:
        parts.append(f"the objects take {units.size(facts.data_size_bytes)}")
    if (window := facts.smallest_window) and window["average_unique_bytes"]:
        parts.append(
            f"an average window of {units.duration(window['window_ns'])} touches"
            f" {units.size(window['average_unique_bytes'])} of it"
        )
    return f"{'; '.join(parts)}."
