"""The share of the operations that a trace holds, by its log's counters; what info says of machines and order."""

import json
from pathlib import Path

import darshan_logs
from calls_read import read_calls
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from program import Run
from property_tests import examples

from iotrace.engine import native
from iotrace.formats.darshan import DarshanSource
from iotrace.formats.parallel_io.coverage import Coverage, sentence
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.reading import tables
from iotrace.ingest import pipeline

RANKS = 12


def dxt(path: Path, hosts: int) -> Path:
    """Write DXT as text: each rank on one of the hosts, its operations in order, rank after rank."""
    lines = ["# darshan log version: 3.21", "# start_time: 1000"]
    for rank in range(RANKS):
        lines += [
            f"# DXT, file_id: {rank}, file_name: /f{rank}",
            f"# DXT, rank: {rank}, hostname: n{rank % hosts}",
            f" X_POSIX {rank} write 0 0 16 0.1000 0.2000",
            f" X_POSIX {rank} write 1 16 16 0.3000 0.4000",
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


def covered(held: int, counted: int) -> dict[str, object]:
    """Return a manifest's entry for a log of POSIX operations of one byte each."""
    coverage = Coverage()
    coverage.add("posix", held, held, {"operations": counted, "bytes": counted, "is_partial": False})
    entry = coverage.as_dict()
    assert entry is not None
    return entry


def test_a_trace_that_holds_a_part_says_which() -> None:
    assert sentence(covered(65_536, 1_000_000)) == (
        "the trace holds 65,536 of the 1,000,000 reads and writes that the log's counters count (6.55 %) and 6.55 % of"
        " their bytes; missing in: POSIX 65,536 of 1,000,000"
    )
    assert sentence(covered(10, 10)) is None
    assert sentence(None) is None
    assert Coverage().as_dict() is None


def test_layers_that_are_made_of_others_are_not_added_up() -> None:
    coverage = Coverage()
    counted = {"operations": 100, "bytes": 1000, "is_partial": True}
    coverage.add("posix", 100, 1000, counted)
    coverage.add("mpiio", 50, 500, counted)
    coverage.add("stdio", 0, 0, {"operations": 100, "bytes": 10, "is_partial": False})
    entry = coverage.as_dict()
    assert entry is not None and (entry["operations"], entry["counted_operations"]) == (100, 200)
    assert sentence(entry) == (
        "the trace holds 100 of the 200 reads and writes that the log's counters count (at most 50 %) and at most 99 %"
        " of their bytes; missing in: MPI-IO 50 of 100, STDIO 0 of 100"
    )


def test_accesses_whose_lengths_make_no_sense_are_not_held(tmp_path: Path) -> None:
    accesses = [(0, length, 1.0, 2.0) for length in (10, -(2**62), 2**62, 20)]
    log = darshan_logs.log({"DXT_POSIX": darshan_logs.dxt(1, "<", False, [(1, 0, "n", accesses, [])])})
    (tmp_path / "a.darshan").write_bytes(log)
    source = DarshanSource(Members([]), [tmp_path / "a.darshan"])
    source.next()
    entry = source.coverage.as_dict()
    assert entry is not None and (entry["operations"], entry["bytes"]) == (2, 30)


def test_the_verdict_begins_with_the_share(tmp_path: Path, run: Run) -> None:
    store = pipeline.ingest([dxt(tmp_path / "a.txt", 1)], tmp_path / "a.iotrace")
    manifest = store.path / "manifest.json"
    result = json.loads(manifest.read_text()) | {"coverage": covered(24, 48)}
    manifest.write_text(json.dumps(result))
    done = run("characterize", store.path, "--format", "json")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)["verdict"][0]["sentence"]
    assert (
        first.startswith("The trace holds 24 of the 48 reads and writes")
        and "what follows is of these" in first
    )


def test_machines_take_one_row_and_a_host_is_named_only_where_the_trace_does(
    tmp_path: Path, run: Run
) -> None:
    store = pipeline.ingest([dxt(tmp_path / "a.txt", 10)], tmp_path / "a.iotrace")
    rows = dict(
        line.split(",", 1) for line in run("info", store.path, "-f", "csv").stdout.decode().splitlines()
    )
    assert rows["nodes"] == '"10: n0, n1, n2, n3, n4, n5, n6, n7, ..."'
    assert not any(name.startswith("nodes.") for name in rows)
    assert "host" not in rows
    result = json.loads(run("info", store.path, "-f", "json").stdout)
    assert result["nodes"] == [f"n{number}" for number in range(10)] and "host" not in result
    one = pipeline.ingest([dxt(tmp_path / "b.txt", 1)], tmp_path / "b.iotrace")
    assert json.loads(run("info", one.path, "-f", "json").stdout)["host"] == "n0"


def test_ranks_that_follow_one_another_in_a_log_are_not_out_of_order(tmp_path: Path) -> None:
    _, report = read_calls(dxt(tmp_path / "a.txt", 1))
    assert "unsorted_requests" not in report["seen"] and report["warnings"] == []
    assert report["unsorted"], "ranks are interleaved in time, and so are sorted"
    lines = (tmp_path / "a.txt").read_text().splitlines()
    lines[4:6] = reversed(lines[4:6])
    (tmp_path / "b.txt").write_text("\n".join(lines) + "\n")
    _, report = read_calls(tmp_path / "b.txt")
    assert report["seen"]["unsorted_requests"] == 1
    assert report["warnings"] == [
        "1 of 24 calls came after a later one of their process; they were sorted by time"
    ]


CALLS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12), st.none() | st.integers(0, 5)), max_size=25)


@examples(80, suppress_health_check=[HealthCheck.too_slow])
@given(CALLS, st.integers(1, 7))
def test_disorder_within_a_process_is_that_of_the_oracle(
    calls: list[tuple[int, int, int | None]], batch: int
) -> None:
    order = native.CallOrder(by_access=False)
    for at in range(0, len(calls), batch):
        rows = [
            {"seq": 0, "operation": "read", "process": process, "time_ns": start, "duration_ns": duration}
            for process, start, duration in calls[at : at + batch]
        ]
        order.see(tables.of_rows("parallel_io", rows))
    expected = 0
    for place, (process, start, duration) in enumerate(calls):
        earlier = [(s, s + (d or 0)) for p, s, d in calls[:place] if p == process]
        end = start + (duration or 0)
        expected += bool(earlier and start < max(s for s, _ in earlier) and end < max(e for _, e in earlier))
    assert order.broken == expected
