"""Windows of a trace whose clock was set back: each call is in one of them."""

from pathlib import Path

from iotrace.analysis.characterize import characterize, prepared
from iotrace.analysis.phases import phases
from iotrace.ingest import ingest

NAMES = ("calls_over_time", "storage_by_window", "latency_over_time")
SECONDS = (1700000000, 1700000001, 1699990002, 1700000003)


def test_calls_from_before_the_first_event_are_in_the_first_window(tmp_path: Path) -> None:
    log = tmp_path / "back.strace"
    read = 'pread64(3</data/a>, "x", 4096, 0) = 4096 <0.000100>'
    log.write_text("".join(f"10 {second}.000000 {read}\n" for second in SECONDS))
    store = ingest([log], tmp_path / "back.iotrace")
    with store.queried() as connection, prepared(connection, NAMES, {}):
        found = {name: characterize(connection, [name])[name] for name in NAMES}
    calls, kinds, latencies = (found[name].to_pylist() for name in NAMES)
    assert [row["storage_calls"] for row in calls] == [2, 1, 0, 1]
    assert {row["window"]: row["calls"] for row in kinds if row["by"] == "kind"} == {0: 2, 1: 1, 3: 1}
    assert {row["window"]: row["calls"] for row in latencies} == {0: 2, 1: 1, 3: 1}
    assert phases(found["storage_by_window"], len(calls))[-1].last_window == 3
