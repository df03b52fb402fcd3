"""Stores of parallel traces: file pointers and uses against an oracle, layers, clocks, export, the program."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from program import LOG, Run, refused
from property_tests import examples

from iotrace.families import PARALLEL
from iotrace.ingest import parallel, pipeline
from iotrace.store.store import Store

HEAD = "time_us,type,app,client,file,offset,length,mode\n"


def stored(path: Path, text: str, **choices: Any) -> Store:
    path.write_text(text)
    return pipeline.ingest([path], path.with_suffix(".iotrace"), replace=True, **choices)


Call = tuple[str, int, str, int | None, int]
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["open", "close", "read", "write"]),
        st.integers(0, 2),
        st.sampled_from("ab"),
        st.none() | st.integers(0, 9),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=40,
)


def followed(calls: list[Call]) -> list[tuple[Any, ...]]:
    """What the stream must hold: process, operation, file, offset, its source, length, use."""
    pointers: dict[tuple[int, str], int | None] = {}
    uses: dict[tuple[int, str], int] = {}
    made, count = [], 0
    for operation, process, file, offset, length in calls:
        key = (process, file)
        if operation == "open" or key not in uses:
            uses[key], count = count, count + 1
        if operation == "open":
            pointers[key] = 0
        elif operation != "close":
            known = pointers.get(key)
            place = offset if offset is not None else known
            source = "explicit" if offset is not None else "unknown" if known is None else "tracked"
            if length:
                made.append((process, operation, file, place, source, length, uses[key]))
            if offset is None and known is not None:
                pointers[key] = known + length
        if operation == "close":
            del uses[key]
    return made


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=CALLS, batch=st.sampled_from([1, 3, 1 << 18]))
def test_file_pointers_and_uses_are_those_of_the_oracle(
    tmp_path: Path, calls: list[Call], batch: int
) -> None:
    types = {"open": "CLIENT_OPEN", "close": "CLIENT_CLOSE"}
    lines = [
        f"{place},{types.get(operation, 'RW')},0,{process},{file},"
        f"{'' if offset is None else offset},{length},{operation}"
        for place, (operation, process, file, offset, length) in enumerate(calls)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parallel, "BATCH_ROWS", batch)
        store = stored(tmp_path / "t.csv", HEAD + "\n".join(lines) + "\n")
    rows = store.connect(views=[]).sql(
        'select pid, operation, path, "offset", offset_source, length, use from reference'
        " join process using (process) join file using (file) order by seq"
    )
    assert rows.fetchall() == followed(calls)
    uses = store.arrow("use").to_pylist()
    assert [row["use"] for row in uses] == list(range(len(uses)))
    expected: dict[int, int] = {}
    for row in followed(calls):
        expected[row[6]] = expected.get(row[6], 0) + row[5]
    assert {
        row["use"]: row["bytes_read"] + row["bytes_written"] for row in uses if row["references"]
    } == expected


RECORDER = """1.0 1.1 open 0 0 ( /f 66 420 )
2.0 2.1 write 0 0 ( /f 0x1 100 )
3.0 3.1 lseek 0 0 ( /f 50 1 )
4.0 4.1 write 0 0 ( /f 0x1 100 )
5.0 5.1 lseek 0 0 ( /f 0 2 )
6.0 6.1 read 0 0 ( /f 0x1 100 )
7.0 7.1 lseek 0 0 ( /f 10 0 )
8.0 8.1 read 0 0 ( /f 0x1 100 )
9.0 9.1 ftruncate 0 0 ( /f 7 )
9.2 9.3 fsync 0 0 ( /f )
9.4 9.5 close 0 0 ( /f )
9.6 9.7 unlink 0 0 ( /f )
9.8 9.9 open 0 0 ( /g 1025 420 )
9.9 9.91 write 0 0 ( /g 0x1 1 )
"""


def test_seeks_truncates_syncs_and_deletes_are_references_or_move_the_pointer(tmp_path: Path) -> None:
    store = stored(tmp_path / "0.txt", RECORDER)
    found = store.connect(views=[]).sql(
        'select operation, "offset", offset_source, length, use from reference order by seq'
    )
    assert found.fetchall() == [
        ("write", 0, "tracked", 100, 0),
        ("write", 150, "tracked", 100, 0),
        ("read", None, "unknown", 100, 0),
        ("read", 10, "tracked", 100, 0),
        ("truncate", 7, None, None, 0),
        ("sync", None, None, None, 0),
        ("delete", None, None, None, None),
        ("write", None, "unknown", 1, 1),
    ]
    assert store.manifest["seen"]["unknown_offsets"] == 1
    assert store.manifest["seen"]["appends_of_unknown_offset"] == 1
    assert store.manifest["warnings"] == ["2 of 5 reads and writes are at an unknown place of their file"]


def test_of_several_layers_the_lowest_of_each_file_counts(tmp_path: Path) -> None:
    rows = [
        "# DXT, file_id: 1, file_name: /both",
        "# DXT, rank: 0, hostname: n",
        " X_MPIIO 0 write 0 0 20 0.1 0.4",
        " X_POSIX 0 write 0 0 10 0.1 0.2",
        " X_POSIX 0 write 0 10 10 0.2 0.3",
        "# DXT, file_id: 2, file_name: /above",
        "# DXT, rank: 1, hostname: m",
        " X_MPIIO 1 read 0 5 20 0.1 0.4",
    ]
    store = stored(tmp_path / "t.txt", "\n".join(rows) + "\n")
    found = store.connect(views=[]).sql(
        "select path, sum(length), count(*), any_value(node), any_value(type) from reference join file using (file)"
        " group by path order by path"
    )
    assert found.fetchall() == [("/above", 20, 1, 1, "datafile"), ("/both", 20, 2, 0, "datafile")]
    assert store.manifest["remarks"] == {"accesses that higher layers made of others": 1}
    assert store.arrow("parallel_io").num_rows == 4
    assert store.family is PARALLEL


def clients(shifts_us: list[int], pause: bool = True) -> str:
    """Each client makes ten accesses a millisecond apart, waits at a barrier for a second, and makes ten more."""
    lines = []
    for client, shift in enumerate(shifts_us):
        for place in range(20):
            wait = 1_000_000 if pause and place >= 10 else 0
            early = client * 100 if place < 10 else 0
            time = 5_000_000 + shift + place * 1000 + wait - early
            lines.append((time, f"{time},RW,0,{client},f,{place * 10},10,read"))
    return HEAD + "\n".join(line for _, line in sorted(lines)) + "\n"


def test_clocks_that_disagree_are_aligned_at_the_first_pause(tmp_path: Path) -> None:
    shifts = [0, 3_000_000, -2_000_000, 0, 0]
    store = stored(tmp_path / "t.csv", clients(shifts), align_clocks=True)
    alignment = store.manifest["clock_alignment"]
    assert alignment["rule"] == "first pause"
    assert sorted(one["moved_ns"] for one in alignment["processes"]) == [-(3 * 10**9), 0, 0, 0, 2 * 10**9]
    aligned = stored(tmp_path / "u.csv", clients([0] * 5))
    columns = ["time_ns", "offset"]
    assert (
        store.arrow("reference", columns)
        .sort_by([("time_ns", "ascending"), ("offset", "ascending")])
        .to_pylist()
        == aligned.arrow("reference", columns)
        .sort_by([("time_ns", "ascending"), ("offset", "ascending")])
        .to_pylist()
    )
    assert store.manifest["counts"]["duration_ns"] == aligned.manifest["counts"]["duration_ns"]
    assert store.manifest["warnings"][0].startswith(
        "clocks were aligned at each process's first pause: moved process"
    )


def test_verbs_that_ingest_on_the_way_align_clocks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(clients([0, 3_000_000]))
    assert run("ingest", "t.csv", "-o", "s.iotrace", folder=tmp_path).returncode == 0
    for verb in ("patterns", "parallel"):
        done = run(verb, "t.csv", "--align-clocks", folder=tmp_path)
        assert done.returncode == 0 and b"clocks were aligned at each process's first pause" in done.stderr
        assert b"clocks" not in run(verb, "t.csv", folder=tmp_path).stderr  # kept apart
        result = refused(run(verb, "s.iotrace", "--align-clocks", folder=tmp_path), 2)
        assert result == "s.iotrace: is a store: clocks are aligned by iotrace ingest --align-clocks"


def test_clocks_without_a_common_pause_are_left_as_they_are(tmp_path: Path) -> None:
    store = stored(tmp_path / "t.csv", clients([0, 3_000_000], pause=False), align_clocks=True)
    assert {one["moved_ns"] for one in store.manifest["clock_alignment"]["processes"]} == {None}
    assert "left as they are" in store.manifest["warnings"][0]


def test_files_that_number_their_processes_alike_are_warned_of_where_clocks_are_aligned(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, shifts in zip(paths, ([0, 0], [5_000_000]), strict=True):
        path.write_text(clients(shifts))
    store = pipeline.ingest(paths, tmp_path / "s.iotrace", align_clocks=True)
    warned = [one for one in store.manifest["warnings"] if "for 1 processes" in one]
    assert len(warned) == 1 and warned[0].startswith("several files hold calls of the same process")
    apart = pipeline.ingest(paths[:1], tmp_path / "t.iotrace", align_clocks=True)
    assert not [one for one in apart.manifest["warnings"] if "several files" in one]


def test_a_barrier_that_all_call_is_taken_before_pauses(tmp_path: Path) -> None:
    for rank, shift in enumerate((0.0, 7.0)):
        lines = [
            f"{shift + 1:.6f} {shift + 1.1:.6f} open 0 0 ( /f 66 420 )",
            f"{shift + 2 + rank:.6f} {shift + 4:.6f} MPI_Barrier 0 2 ( MPI_COMM_WORLD )",
            f"{shift + 5:.6f} {shift + 5.1:.6f} write 0 0 ( /f 0x1 100 )",
        ]
        (tmp_path / f"{rank}.txt").write_text("\n".join(lines) + "\n")
    store = pipeline.ingest(
        [tmp_path / "0.txt", tmp_path / "1.txt"], tmp_path / "s.iotrace", align_clocks=True
    )
    assert store.manifest["clock_alignment"]["rule"] == "first barrier"
    assert [row["time_ns"] for row in store.arrow("reference").to_pylist()] == [4 * 10**9] * 2


def test_the_program_ingests_tells_and_exports(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        HEAD + "5,RW,1,0,a b,0,100,write\n6,RW,1,1,a b,,100,read\n7,RW,1,1,a b,100,9,write\n"
    )
    done = run("ingest", "t.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == (
        "t.csv.iotrace: 3 lines, 3 requests, 3 references, 1 file, 2 processes; 0 lines skipped\n"
    )
    result = json.loads(run("info", "t.csv.iotrace", "-f", "json", folder=tmp_path).stdout)
    assert result["format"] == "charisma" and result["tables"]["parallel_io"] == 3
    done = run("export", "t.csv.iotrace", "--as", "umd-ascii", "-o", "t.asc", folder=tmp_path)
    assert done.stderr.decode().splitlines() == [
        "iotrace: warning: 1 of 3 reads and writes are at an unknown place of their file",
        "iotrace: warning: 1 reads and writes of unknown place, length or process were left out",
    ]
    assert (tmp_path / "t.asc").read_text() == (
        "2 1 2\n3 a b\n3 1 0 0 0.000005000 0 0 100\n3 1 1 0 0.000007000 0 100 9\n"
    )
    done = run("export", "t.asc", "--to", "pattern", "-o", "-", folder=tmp_path)
    assert done.stdout.decode().splitlines()[2:] == [
        "# file a b",
        "0,0,write,0,0,100,0",
        "1,0,write,11,100,9,0",
    ]
    assert run("characterize", "t.csv.iotrace", folder=tmp_path).returncode == 0
    assert run("curve", "t.csv.iotrace", folder=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.asc", "t.csv", "t.csv.iotrace"]


def test_a_umd_text_that_is_exported_is_the_trace_once_more(run: Run, tmp_path: Path) -> None:
    lines = [
        "2 2 8",
        "4 acha",
        "1 b",
        "0 1 7 0 0.120000000 0 0 0",
        "0 1 3 1 0.120000000 0 0 0",
        "2 1 7 1 0.120000000 0 1111 11",
        "5 2 7 0 0.120000000 0 1111 11",
        "3 1 7 0 0.120000000 0 0 4",
        "2 1 7 0 0.250000000 0 8 4",
        "4 1 3 1 0.250000000 0 64 0",
        "1 1 7 0 0.500000000 0 0 0",
    ]
    (tmp_path / "t.asc").write_text("\n".join(lines) + "\n")
    done = run("export", "t.asc", "--as", "umd-ascii", "-o", "u.asc", folder=tmp_path)
    assert done.returncode == 0 and b"left out" not in done.stderr
    assert (tmp_path / "u.asc").read_text().splitlines() == lines


def test_what_an_export_leaves_out_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "0.txt").write_text(RECORDER)
    done = run("export", "0.txt", "--as", "umd-ascii", "-o", "-", folder=tmp_path)
    written = done.stdout.decode().splitlines()[1:]
    assert [line.split()[0] for line in written if len(line.split()) == 8] == list("0334210")
    result = done.stderr.decode().splitlines()[-1]
    for what in (
        "2 reads and writes of unknown",
        "2 calls of seek",
        "1 calls of truncate",
        "1 calls of sync",
    ):
        assert what in result and result.endswith("were left out")


def test_what_makes_no_sense_is_refused_in_a_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HEAD + "5,RW,1,0,a,0,100,write\n")
    (tmp_path / "p.csv").write_text("# iotrace pattern 1\n0,0,read,0,0,1024,0\n")
    (tmp_path / "e.csv").write_text("# iotrace pattern 1\n")
    (tmp_path / "d.csv").write_text("128166372003061629,web,0,Read,512,512,1\n" * 3)
    result = refused(run("ingest", "t.csv", "--model", "1994", folder=tmp_path), 2)
    assert "a trace of calls of ranks has no system calls" in result
    assert "no times" in refused(run("ingest", "p.csv", "--align-clocks", folder=tmp_path))
    assert "only the ranks" in refused(run("ingest", "d.csv", "--align-clocks", folder=tmp_path), 2)
    assert refused(run("ingest", "e.csv", folder=tmp_path)) == "e.csv: holds no call"
    assert "is not a UMD trace" in refused(run("ingest", "t.csv", "--trace-format", "umd", folder=tmp_path))
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".csv"]


@pytest.mark.parametrize("form", ["umd-ascii", "pattern"])
def test_of_system_calls_what_they_do_to_data_is_exported(run: Run, tmp_path: Path, form: str) -> None:
    assert run("ingest", LOG, "-o", "a.iotrace", folder=tmp_path).returncode == 0
    done = run("export", "a.iotrace", "--as", form, "-o", "b.txt", folder=tmp_path)
    assert done.returncode == 0 and b"references of type inode" in done.stderr
    wanted = "operation in ('read', 'write') and type = 'datafile'"
    query = (
        'select operation, path, "offset", length, dense_rank() over (order by thread) as thread'
        f" from reference join file using (file) join process using (process) where {wanted} order by all"
    )
    before, after = (
        run("sql", trace, query, "-f", "csv", folder=tmp_path).stdout for trace in ("a.iotrace", "b.txt")
    )
    assert before.count(b"\n") > 3 and after == before
