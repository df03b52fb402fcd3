"""Stores of block traces: the reference stream against a plain twin, and every command as a user runs it."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from program import Run, refused
from property_tests import examples
from samples import SAMPLES

import iotrace
from iotrace import schemas
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

Request = tuple[int, int, str, int, int]
"""Microseconds, disk, operation, block, blocks."""
REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 500),
        st.integers(0, 2),
        st.sampled_from(["read", "write", "trim", "sync"]),
        st.integers(0, 40),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=40,
).filter(
    lambda requests: any(blocks or operation in ("trim", "sync") for *_, operation, _, blocks in requests)
)
"""Not all of length 0, which is refused."""


@pytest.fixture(scope="session")
def disk_store(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a trace of two disks, with latencies, a discard and a flush, not to be changed."""
    folder = tmp_path_factory.mktemp("disks")
    lines = [
        f"  8,{n % 2} 0 {n} {n // 1000}.{n % 1000:03d}00{after} 9 {action} {rwbs} {n % 50 * 8} + 8 [{comm}]"
        for n in range(1, 2000)
        for action, after, comm in (("Q", "0000", "cc1"), ("D", "1000", "cc1"), ("C", "5000", "0"))
        for rwbs in (["DS"] if n == 77 else ["W" if n % 3 else "R"])
    ]
    (folder / "disks.txt").write_text("\n".join(lines) + "\n  8,0 0 9999 3.000000000 9 Q FN [x]\n")
    done = run("ingest", folder / "disks.txt", "-o", folder / "disks.iotrace")
    assert done.returncode == 0, done.stderr
    return folder / "disks.iotrace"


def stored(requests: list[Request], folder: Path) -> Store:
    """Ingest requests by way of fio's text, whose order is theirs."""
    lines = ["fio version 3 iolog"]
    for us, disk, operation, lbn, blocks in requests:
        lines.append(f"{us} /dev/d{disk} {operation} {lbn * 512} {blocks * 512}")
    (folder / "t.iolog").write_text("\n".join(lines) + "\n")
    return ingest([folder / "t.iolog"], folder / "t.iotrace", replace=True)


def twin(requests: list[Request]) -> list[tuple[Any, ...]]:
    """What the reference stream must be: sorted by time, names numbered as they come, moves and syncs alone."""
    numbers = {disk: number for number, disk in enumerate(dict.fromkeys(disk for _, disk, *_ in requests))}
    first = min(us for us, *_ in requests)
    rows = []
    for us, disk, operation, lbn, blocks in sorted(requests, key=lambda request: request[0]):
        if operation == "sync":
            rows.append(((us - first) * 1000, numbers[disk], "sync", None, None))
        elif operation != "trim" and blocks:
            rows.append(((us - first) * 1000, numbers[disk], operation, lbn * 512, blocks * 512))
    return rows


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUESTS)
def test_the_reference_stream_is_that_of_a_plain_twin(tmp_path: Path, requests: list[Request]) -> None:
    store = stored(requests, tmp_path)
    rows = store.arrow("reference").to_pylist()
    names = ("time_ns", "file", "operation", "offset", "length")
    expected = twin(requests)
    assert [tuple(row[name] for name in names) for row in rows] == expected
    assert [row["seq"] for row in rows] == list(range(len(rows)))
    assert {row["type"] for row in rows} <= {"disk"}
    uses = {row["file"]: row for row in store.arrow("use").to_pylist()}
    for file, use in uses.items():
        moved = [row for row in expected if row[1] == file and row[2] != "sync"]
        assert use["references"] == len(moved)
        assert use["bytes_read"] == sum(row[4] for row in moved if row[2] == "read")
        assert use["bytes_written"] == sum(row[4] for row in moved if row[2] == "write")
    assert len(store.arrow("disk_io")) == len(requests)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUESTS)
def test_a_footprint_is_the_blocks_touched(tmp_path: Path, requests: list[Request]) -> None:
    touched: dict[str, set[int]] = {}
    for _, disk, operation, lbn, blocks in requests:
        if operation in ("read", "write") and blocks:
            touched.setdefault(f"/dev/d{disk}", set()).update(range(lbn, lbn + blocks))
    found = (
        stored(requests, tmp_path)
        .connect(["requests_by_disk"])
        .sql("select device, footprint_bytes from requests_by_disk")
        .fetchall()
    )
    assert dict(found) == {device: 512 * len(blocks) for device, blocks in touched.items()}


def test_stage_times_count_from_the_first_event_of_a_trace_out_of_order(tmp_path: Path) -> None:
    def life(start_us: int, sector: int) -> list[str]:
        return [
            f"  8,0 0 {number} 5.{(start_us + after) * 1000:09d} 9 {action} W {sector} + 8 [cc1]"
            for number, (after, action) in enumerate(zip((0, 1, 3, 6, 10), "QGIDC", strict=True), 1)
        ]

    (tmp_path / "t.txt").write_text("\n".join([*life(4000, 64), *life(0, 640), *life(100, 800)]) + "\n")
    rows = ingest([tmp_path / "t.txt"], tmp_path / "t.iotrace").arrow("disk_io").to_pylist()
    names = ("time_ns", "queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (start, start, start + 1000, start + 3000, start + 6000, start + 10_000)
        for start in (0, 100_000, 4_000_000)
    ]


def test_one_damaged_latency_leaves_the_statistics_over_time(tmp_path: Path) -> None:
    """A latency longer than any trace is unknown and counted: it would stretch the windows."""
    ticks, second = 128166372003061629, 10**7
    rows = [
        f"{ticks + n * second},host,1,Read,{n * 4096},4096,{10**9 * second if n == 500 else 5000}"
        for n in range(1000)
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    store = ingest([tmp_path / "t.csv"], tmp_path / "t.iotrace")
    latencies = store.arrow("disk_io")["latency_ns"].to_pylist()
    assert latencies == [None if n == 500 else 500_000 for n in range(1000)]
    assert store.manifest["counts"]["duration_ns"] == 999 * 10**9 + 500_000
    assert store.manifest["seen"]["latencies_out_of_range"] == 1
    assert store.manifest["warnings"] == [
        "1 latencies of 1,000 requests are longer than thirty years, and so unknown"
    ]
    assert store.connect(["time_window"]).sql("select width_ns from time_window").fetchall() == [
        (10 * 10**9,)
    ]


def test_a_damaged_completion_is_no_stage(tmp_path: Path) -> None:
    lines = [
        f"  8,0 0 {number} {seconds}.000000000 9 {action} W {sector} + 8 [cc1]"
        for number, (seconds, action, sector) in enumerate(
            [(1, "Q", 8), (2, "D", 8), (3, "C", 8), (4, "Q", 80), (5, "D", 80), (2 * 10**9, "C", 80)], 1
        )
    ]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    store = ingest([tmp_path / "t.txt"], tmp_path / "t.iotrace")
    first, second = store.arrow("disk_io").to_pylist()
    names = ("issued_ns", "completed_ns", "latency_ns", "service_ns")
    assert [first[name] for name in names] == [10**9, 2 * 10**9, 2 * 10**9, 10**9]
    assert [second[name] for name in names] == [4 * 10**9, None, None, None]
    assert store.manifest["seen"]["latencies_out_of_range"] == 2


@pytest.mark.parametrize("name", SAMPLES)
def test_tables_have_their_documented_shape(name: str, tmp_path: Path) -> None:
    form, content = SAMPLES[name]
    (tmp_path / "trace").write_bytes(content)
    store = ingest([tmp_path / "trace"], tmp_path / "a.iotrace", format=form)
    assert store.tables == ["disk_io", "file", "process", "reference", "use"]
    for table in store.tables:
        rows: pa.Table = store.arrow(table)
        assert rows.schema.equals(schemas.schema(table), check_metadata=True)
        rows.validate(full=True)
        assert len(rows) == store.manifest["tables"][table]
    assert store.manifest["counts"]["references"] == 4


def test_info_of_a_block_trace(run: Run, disk_store: Path) -> None:
    result = json.loads(run("info", disk_store, "-f", "json").stdout)
    assert (result["requests"], result["references"], result["files"], result["processes"]) == (
        2000,
        1999,
        2,
        1,
    )
    assert result["seen"]["discards"] == result["seen"]["flushes"] == 1 and result["lacks"] == [
        "file",
        "host",
    ]
    assert result["remarks"] == {"requests without completion": 1} and "calls" not in result
    (totals,) = json.loads(run("characterize", disk_store, "totals", "--format", "json").stdout)
    for key in ("references", "files", "processes", "duration_ns"):
        assert result[key] == totals[key], key


def test_characterize_speaks_of_disks(run: Run, disk_store: Path) -> None:
    done = run("characterize", disk_store)
    message = done.stdout.decode()
    assert "They are requests to 2 disks; the average request is for 4 KB" in message
    assert "inode" not in message and "system calls" not in message
    results = json.loads(run("characterize", disk_store, "--all", "-f", "json").stdout)
    assert {"requests_by_disk", "answer_times", "sequentiality", "interarrival_times"} <= set(results)
    assert not {"calls_by_name", "executables_by_size", "by_directory", "unseen_mappings"} & set(results)
    (program,) = results["by_program"]
    assert program["program"] == "cc1" and program["requests"] == 1998
    read, write, *_ = results["answer_times"]
    assert (read["measure"], read["median_ns"], write["longest_ns"]) == ("latency", 5000, 5000)


def test_a_statistic_of_system_calls_says_what_it_lacks(run: Run, disk_store: Path) -> None:
    done = run("characterize", disk_store, "calls_by_name")
    assert (
        done.returncode == 0
        and b"calls_by_name says something of system calls alone; this trace has requests to disks"
        in done.stderr
    )


def test_curves_and_policies_of_a_block_trace_which_has_no_attributes(run: Run, disk_store: Path) -> None:
    rows = json.loads(run("curve", disk_store, "--block", "4K", "-f", "json").stdout)
    assert rows[-1]["block_references"] == 1998 and rows[-1]["block_misses"] == 50
    rows = json.loads(run("curve", disk_store, "--by", "path", "--sizes", "1M", "-f", "json").stdout)
    assert sorted(row["path"] for row in rows if row["size_bytes"]) == ["8,0", "8,1"]
    assert run("curve", disk_store, "--policy", "lru,opt", "--sizes", "64K").returncode == 0
    done = run("attribute", disk_store, "-f", "json")
    assert done.returncode == 1 and b"is made of requests to disks, and attribute caches are" in done.stderr


def test_sql_sees_requests_with_names(run: Run, disk_store: Path) -> None:
    query = "select device, operation, program, count(*) as n from disk_request group by all order by n, device desc"
    rows = json.loads(run("sql", disk_store, query, "-f", "json").stdout)
    assert rows[0] == {"device": "8,1", "operation": "discard", "program": "cc1", "n": 1}
    assert rows[1] == {"device": "8,0", "operation": "flush", "program": "x", "n": 1}


def test_the_report_has_the_figures_of_disks_alone(run: Run, disk_store: Path, tmp_path: Path) -> None:
    done = run("report", disk_store, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert done.returncode == 0 and "What do the disks get?" in page
    for absent in (
        'id="inode_cache"',
        'id="findings"',
        "The trace shows no requests for inodes",
        "File system model",
    ):
        assert absent not in page
    figures = json.loads(run("report", disk_store, "-f", "json").stdout)
    assert all(
        figures[name] for name in ("requests_by_disk", "unified", "disk_requests", "disk_time", "latencies")
    )


def test_a_block_trace_goes_through_vms_text_and_back(run: Run, disk_store: Path, tmp_path: Path) -> None:
    done = run("export", disk_store, "--to", "vms-io", "-o", tmp_path / "t.vms")
    assert done.returncode == 0 and b"2 discards, flushes" in done.stderr
    again = iotrace.open(tmp_path / "t.vms")
    query = "select time_ns, device, operation, lbn, blocks, pid, latency_ns from disk_request"
    ours = iotrace.open(disk_store).connect().sql(f"{query} where operation in ('read', 'write')").fetchall()
    theirs = again.connect().sql(query).fetchall()
    first = ours[0][0]
    assert theirs == [(time - first, device.replace(",", "_"), *rest) for time, device, *rest in ours]
    result = run("export", tmp_path / "t.vms", "--to", "vms-io", "-o", "-").stdout
    assert result == (tmp_path / "t.vms").read_bytes()


def test_a_trace_without_operations_has_no_vms_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("1\n2\n1\n")
    ingested = run("ingest", tmp_path / "t.txt", "--columns", "offset=1:512,length=@4K")
    assert ingested.returncode == 0, ingested.stderr
    done = run("export", tmp_path / "t.txt.iotrace", "--to", "vms-io", "-o", "-")
    assert b"has no times and no operations" in done.stderr and done.returncode == 1
    rows = json.loads(
        run(
            "sql",
            tmp_path / "t.txt.iotrace",
            'select "offset", length, operation from reference',
            "-f",
            "json",
        ).stdout
    )
    assert rows[0] == {"offset": 512, "length": 4096, "operation": "read"}


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ("time=1", "offset or key is needed"),
        ("offset", "is not NAME=COLUMN"),
        ("offset=1,nonsense=2", "there is no nonsense"),
        ("offset=1:5x", "the unit of offset"),
        ("offset=1,op=2:0", "the unit of op"),
        ("offset=1,time=2:hours", "the unit of time"),
        ("offset=1,offset=2", "given twice"),
        ("offset=0", "numbered from 1"),
        ("offset=1,separator=dot", "separator is"),
        ("offset=1,length=@x", "is not a number"),
    ],
)
def test_columns_that_cannot_be_understood(run: Run, tmp_path: Path, columns: str, says: str) -> None:
    (tmp_path / "t.csv").write_text("1,2\n")
    assert says in refused(run("ingest", tmp_path / "t.csv", "--columns", columns), 2)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_columns_by_name_in_any_order_and_separator(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(
        '"what"\t"where"\t"when"\t"size"\nREAD\t8\t1.5\t2\nWRITE\t9\t2.25\t1\nERASE\t1\t3\t1\n'
    )
    words = "time=when:ms,offset=where:4K,length=size:512,op=what:READ/WRITE,device=@sda,separator=tab"
    done = run("ingest", tmp_path / "t.tsv", "--columns", words, "--max-skipped", "50")
    assert done.returncode == 0 and b"1 unknown operation" in done.stderr
    rows = json.loads(run("sql", tmp_path / "t.tsv.iotrace", "from disk_request", "-f", "json").stdout)
    assert [(row["time_ns"], row["device"], row["operation"], row["lbn"], row["blocks"]) for row in rows] == [
        (0, "sda", "read", 64, 2),
        (750_000, "sda", "write", 72, 1),
    ]
    assert "names no column nothing" in refused(
        run("ingest", tmp_path / "t.tsv", "--force", "--columns", "offset=nothing,separator=tab")
    )


def test_columns_are_a_format_for_every_verb(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("0,1,512\n1,1,512\n")
    done = run(
        "curve", tmp_path / "t.csv", "--trace-format", "csv:time=1,offset=2:512,length=3", "-f", "json"
    )
    assert done.returncode == 0 and json.loads(done.stdout)[-1]["block_misses"] == 1


@pytest.mark.parametrize("name", ["blktrace-7-big", "spc", "vscsi-2", "vms-io"])
def test_standard_input_is_read_where_the_format_is_named(run: Run, tmp_path: Path, name: str) -> None:
    form, content = SAMPLES[name]
    done = run("ingest", "-", "-o", tmp_path / "a.iotrace", "--trace-format", form, given=content)
    assert done.returncode == 0 and b"4 requests" in done.stdout, done.stderr
