"""The parallel formats that are text or tables, by small samples: what each line becomes, and what cuts do."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from calls_read import read_calls, reported
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from named_calls import WITH_OFFSET
from property_tests import examples, sampled

from iotrace import formats, schemas
from iotrace.errors import IotraceError
from iotrace.formats import pattern
from iotrace.formats.parallel_io.calls import OPERATION_OF

PATTERN = """# iotrace pattern 1
proc,seq,op,record,offset_bytes,length_bytes,compute_us
0,0,write,0,0,1024,30.5
*,0,read,1,1024,1024,0
# file other file
1,0,sync_write,1,1024,1024,
1,1,compute,,,,5
"""
CHARISMA = """time_us,type,app,client,file,offset,length,mode
0,APP_LOAD,1,0,,,,
5,CLIENT_OPEN,1,0,a,,,CREATE|WRITE
6,9,1,0,a,,100,write
9.5,RW,2,0,a,500,100,r
10,CLIENT_CLOSE,1,0,a,,,
"""
RECORDER = """1.000000 1.000010 MPI_Barrier 0 2 ( MPI_COMM_WORLD )
1.100000 1.100010 open 0 0 ( /data/my file 1089 420 )
1.200000 1.200010 write 0 0 ( /data/my file 0x7ffe 100 )
1.300000 1.300010 lseek64 0 0 ( /data/my file 1000 0 )
1.400000 1.400010 fread 0 0 ( 0x7ffe 8 25 /data/x )
1.500000 1.500010 pread 0 0 ( /data/my file 0x7ffe 100 64 )
1.600000 1.600010 MPI_File_write_at 0 1 ( a b c )
1.700000 1.700010 close 0 0 ( /data/my file )
"""
DXT = """# darshan log version: 3.21
# start_time: 1000

# DXT, file_id: 77, file_name: /a b/c
# DXT, rank: 3, hostname: n1
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       3  write        0               0        16      0.0892      0.2150  [  1] [ 12]
 X_POSIX       3   read        0              16        16      0.3000      0.3000
# DXT, file_id: 78, file_name: (null)
# DXT, rank: 4, hostname: n2
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)  Pthread-ID
 X_MPIIO       4  write        0              -1        16      0.1000      0.2000  N/A
 X_POSIX       4  write        0              32        16      0.1000      0.2000  [3]  139
"""
HASHED = 9509357668201227806


def dftracer(dialect: int) -> str:
    """Two calls, one of them nested in a layer above, as each dialect writes them."""
    phase = ("X", "M") if dialect < 2 else (1, 4)
    hashed = (None, HASHED, "d1f757951ac1fe4d")[dialect]
    known = {"fname": "/f", "hostname": "n1"} if dialect == 0 else {"fhash": hashed, "hhash": 1}
    number = str if dialect == 0 else int
    calls = [
        ("POSIX", "open64", {"ret": number(18), "flags": 66}),
        ("POSIX", "read", {"ret": number(10), "count": number(20), "fd": 18}),
        ("reader", "Reader.get", {}),
        ("POSIX", "read", {"ret": number(-1), "count": number(20), "fd": 18}),
        ("POSIX", "pread", {"ret": number(10), "count": number(10), "offset": number(7), "fd": 18}),
    ]
    events = [
        {"id": place, "name": name, "cat": layer, "pid": number(5), "tid": number(6), "ts": number(10 * place),
         "dur": number(3), "ph": phase[0], "args": {**known, **args}}
        for place, (layer, name, args) in enumerate(calls)
    ]  # fmt: skip
    names = [
        {"id": 9, "name": kind, "cat": "dftracer", "pid": 5, "tid": 6, "ph": phase[1],
         "args": {"hhash": 1, "name": name, "value": value}}
        for kind, name, value in (("FH", "/f", hashed), ("HH", "n1", 1))
    ]  # fmt: skip
    lines = [json.dumps(event, separators=(",", ":")) for event in [*events, *(names if dialect else [])]]
    return "[\n" + ("" if dialect else " ") + "\n".join(lines) + "\n]"


SAMPLES = {
    "pattern": PATTERN,
    "charisma": CHARISMA,
    "recorder-text": RECORDER,
    "darshan-dxt": DXT,
    **{f"dftracer {dialect}": dftracer(dialect) for dialect in range(3)},
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_sample_is_recognised_plain_and_compressed(name: str, packed: bool, tmp_path: Path) -> None:
    content = SAMPLES[name].encode()
    (tmp_path / "0.txt").write_bytes(gzip.compress(content) if packed else content)
    assert formats.source([tmp_path / "0.txt"]).name == name.split()[0]
    rows, report = read_calls(tmp_path / "0.txt")
    assert rows and report["skipped"] == {}


def sample(tmp_path: Path, name: str) -> Path:
    (tmp_path / "0.txt").write_text(SAMPLES[name])
    return tmp_path / "0.txt"


def test_a_pattern_is_read(tmp_path: Path) -> None:
    rows, report = read_calls(sample(tmp_path, "pattern"))
    assert reported(rows, "process", "operation", "file", "offset", "length", "compute_ns", "flags") == [
        (0, "write", "pattern", 0, 1024, 30_500, None),
        (None, "read", "pattern", 1024, 1024, 0, None),
        (1, "write", "other file", 1024, 1024, None, "synchronous"),
        (1, "compute", None, None, None, 5_000, None),
    ]
    assert report["times"] == {"base": "none", "first_ns": None, "resolution_ns": None}


def test_what_a_pattern_contradicts_itself_in_is_counted_and_told(tmp_path: Path) -> None:
    lines = [
        "0,0,read,0,0,1024,0",
        "0,1,read,1,1024,1024,-4",
        "0,1,read,1,1024,1024,1e300",
        "0,1,read,1,1024,1024,soon",
        "0,0,read,1,1024,1024,0",
        "0,0,read,2,2048,1024,1.5",
        "*,0,read,3,2048,1024,",
        "1,0,read,,2048,1024,0",
    ]
    (tmp_path / "p").write_text("# iotrace pattern 1\n" + "\n".join(lines) + "\n")
    rows, report = read_calls(tmp_path / "p")
    assert [row["compute_ns"] for row in rows] == [0, 0, 1_500, None, 0]
    assert report["warnings"] == [
        "3 of 8 records were skipped: 1 computation out of range, 2 no computation that can be read",
        "2 lines have a seq that does not ascend within their process; the order of the lines is trusted",
        "1 lines have a record that is not offset_bytes / length_bytes; the offset is trusted",
    ]
    (tmp_path / "p").write_text("# iotrace pattern 1\n\n" + lines[1] + "\n")
    with pytest.raises(IotraceError, match=r"is a call; line 3 \(computation out of range\) is: 0,1,read"):
        read_calls(tmp_path / "p")


RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "process": st.none() | st.integers(0, 70),
            "operation": st.sampled_from(["read", "write", "sync_write"]),
            "file": st.integers(0, 2),
            "offset": st.integers(0, 2**50),
            "length": st.integers(0, 2**30),
            "compute_ns": st.integers(0, 10**12),
        }
    ),
    min_size=1,
)


@examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS)
def test_a_pattern_that_is_written_reads_back(tmp_path: Path, records: list[dict[str, object]]) -> None:
    schema = schemas.schema("program")
    rows = [{"application": 0, **row} for row in records]
    pattern.write(tmp_path / "p", pa.Table.from_pylist(rows, schema=schema), ["x", "y z"])
    names = ["x", "y z", "pattern 2"]
    read, _ = read_calls(tmp_path / "p")
    assert reported(read, "process", "file", "offset", "length", "compute_ns") == [
        (row["process"], names[int(str(row["file"]))], row["offset"], row["length"], row["compute_ns"])
        for row in records
    ]
    assert [row["flags"] for row in read] == [
        "synchronous" if row["operation"] == "sync_write" else None for row in records
    ]


def test_charisma_is_read(tmp_path: Path) -> None:
    rows, report = read_calls(sample(tmp_path, "charisma"))
    assert reported(rows, "time_ns", "process", "operation", "file", "offset", "length", "flags") == [
        (0, 0, "open", "a", None, None, "create"),
        (1_000, 0, "write", "a", None, 100, None),
        (4_500, 0, "read", "a", 500, 100, None),
        (5_000, 0, "close", "a", None, None, None),
    ]
    assert report["remarks"] == {"records of type APP_LOAD": 1}


def test_times_at_the_ends_of_64_bits_are_skipped(tmp_path: Path) -> None:
    most_us = "4611686018427387.904"
    lines = [f"{sign}{most_us},RW,2,0,a,500,100,r" for sign in ("-", "-", "-", "")]
    (tmp_path / "far.csv").write_text("\n".join([CHARISMA.splitlines()[0], *lines, ""]))
    rows, report = read_calls(tmp_path / "far.csv", "charisma")
    assert len(rows) == 3 and report["counts"]["duration_ns"] == 0
    assert report["skipped"]["time out of range"]["lines"] == 1


def test_recorder_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "trace" / "_text").mkdir(parents=True)
    for rank in (10, 9):
        (tmp_path / "trace" / "_text" / f"{rank}.txt").write_text(RECORDER)
    rows, report = read_calls(tmp_path / "trace")
    assert reported(
        rows[:7], "process", "operation", "file", "offset", "whence", "length", "layer", "flags"
    ) == [
        (9, "barrier", None, None, None, None, None, None),
        (9, "open", "/data/my file", None, None, None, "posix", "append|create"),
        (9, "write", "/data/my file", None, None, 100, "posix", None),
        (9, "seek", "/data/my file", 1000, "start", None, "posix", None),
        (9, "read", "/data/x", None, None, 200, "stdio", None),
        (9, "read", "/data/my file", 64, None, 100, "posix", None),
        (9, "close", "/data/my file", None, None, None, "posix", None),
    ]
    assert {row["process"] for row in rows[7:]} == {10} and len(rows) == 14
    assert report["remarks"] == {"other calls of MPI-IO": 2}


def test_darshan_text_is_read_in_both_dialects(tmp_path: Path) -> None:
    rows, report = read_calls(sample(tmp_path, "darshan-dxt"))
    columns = (
        "time_ns",
        "duration_ns",
        "process",
        "layer",
        "operation",
        "file",
        "offset",
        "length",
        "thread",
    )
    assert reported(rows, *columns) == [
        (0, 125_800_000, 3, "posix", "write", "/a b/c", 0, 16, None),
        (210_800_000, 0, 3, "posix", "read", "/a b/c", 16, 16, None),
        (10_800_000, 100_000_000, 4, "mpiio", "write", "file_id 78", None, 16, None),
        (10_800_000, 100_000_000, 4, "posix", "write", "file_id 78", 32, 16, 139),
    ]
    assert report["nodes"] == ["n1", "n2"]
    assert report["times"]["first_ns"] == 1_000_089_200_000


@pytest.mark.parametrize("dialect", range(3))
def test_dftracer_is_read_in_every_dialect(dialect: int, tmp_path: Path) -> None:
    rows, report = read_calls(sample(tmp_path, f"dftracer {dialect}"))
    assert reported(
        rows, "time_ns", "process", "operation", "file", "offset", "length", "requested", "descriptor"
    ) == [
        (0, 5, "open", "/f", None, None, None, 18),
        (10_000, 5, "read", "/f", None, 10, 20, 18),
        (40_000, 5, "read", "/f", 7, 10, 10, 18),
    ]
    assert report["remarks"] == {"events of layer reader": 1, "calls that failed": 1}
    assert report["nodes"] == ["n1"] and report["warnings"] == []


def test_recorder_parquet_is_read_in_both_shapes(tmp_path: Path) -> None:
    times = {"rank": [3, 3], "tstart": [1.0, 2.0], "tend": [1.5, 2.5]}
    args = {"arg_count": [3, 3], "args_1": ["/a", "/a"], "args_2": ["7", "0x1"], "args_3": ["0", "10"]}
    pq.write_table(pa.table({**times, "func_id": ["lseek", "read"], **args}), tmp_path / "a.parquet")
    sizes = {"file_name": ["/a", "/a"], "size": [7, 10], "hostname": ["h", "h"]}
    pq.write_table(pa.table({**times, "func_id": ["lseek", "read"], **sizes}), tmp_path / "b.parquet")
    for name in ("a", "b"):
        rows, _ = read_calls(tmp_path / f"{name}.parquet")
        assert reported(
            rows, "time_ns", "duration_ns", "process", "operation", "file", "offset", "length"
        ) == [
            (0, 5 * 10**8, 3, "seek", "/a", 7, None),
            (10**9, 5 * 10**8, 3, "read", "/a", None, 10),
        ]
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(IotraceError, match="is no Parquet of Recorder: it has no column rank"):
        read_calls(tmp_path / "c.parquet")


NEEDED = {"read": 3, "write": 3, "seek": 3, "truncate": 2, "barrier": 0}
"""How many arguments a call has, by what it does; others have one."""
WITH_ONE_MORE = (*WITH_OFFSET, "fread", "fwrite")


@pytest.mark.parametrize("form", ["recorder-text", "recorder-parquet"])
def test_a_recorder_call_of_too_few_arguments_is_skipped_alone(form: str, tmp_path: Path) -> None:
    calls = [(name, ["5", "5", "7", "8", "9"][:count]) for name in OPERATION_OF for count in range(6)]
    calls.append(("read", ["/kept", "0x1", "10"]))
    path = tmp_path / "0"
    if form == "recorder-text":
        path.write_text("".join(f"1.0 1.1 {name} 0 0 ( {' '.join(given)} )\n" for name, given in calls))
    else:
        columns = {
            f"args_{place + 1}": [(given + [None] * 10)[place] for _, given in calls] for place in range(10)
        }
        times = {name: [1.0] * len(calls) for name in ("tstart", "tend")}
        names = {"func_id": [name for name, _ in calls], "rank": [0] * len(calls)}
        pq.write_table(
            pa.table({**times, **names, "arg_count": [len(given) for _, given in calls], **columns}), path
        )
    rows, report = read_calls(path, form)
    assert reported(rows[-1:], "operation", "file", "length") == [("read", "/kept", 10)]
    short = [
        (name, given)
        for name, given in calls
        if len(given) < NEEDED.get(OPERATION_OF[name], 1) + (name in WITH_ONE_MORE)
    ]
    assert {reason: one["lines"] for reason, one in report["skipped"].items()} == {
        "too few arguments": len(short)
    }
    assert len(rows) == len(calls) - len(short)


def test_columns_of_other_types_in_recorder_parquet_are_skipped_not_fatal(tmp_path: Path) -> None:
    times = {"tstart": [1.0, 2.0], "tend": [1.5, 2.5], "func_id": ["read", "read"]}
    odd = {"rank": ["a", "3"], "file_name": ["/a", "/b"], "size": ["x", "10"], "hostname": [1, 2]}
    pq.write_table(pa.table({**times, **odd, "thread_id": ["t", "5"]}), tmp_path / "a.parquet")
    rows, report = read_calls(tmp_path / "a.parquet", "recorder-parquet")
    assert reported(rows, "process", "file", "length", "thread") == [(3, "/b", 10, 5)]
    assert list(report["skipped"]) == ["no process that can be read"]


def test_a_lone_surrogate_in_json_is_no_defect(tmp_path: Path) -> None:
    lines = dftracer(0).replace('"/f"', r'"/f\ud800"').replace('"n1"', r'"n\udfff"')
    (tmp_path / "a.pfw").write_text(lines)
    rows, report = read_calls(tmp_path / "a.pfw")
    assert {row["file"] for row in rows} == {"/f?"} and report["nodes"] == ["n?"]
    (tmp_path / "b.pfw").write_text(dftracer(2).replace('"/f"', r'"/f\ud800"'))
    assert {row["file"] for row in read_calls(tmp_path / "b.pfw")[0]} == {"/f?"}


def test_an_archive_with_a_file_for_each_rank_is_one_trace(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name in ("_text/0.txt", "_text/1.txt", "README"):
            content = b"about\n" if name == "README" else RECORDER.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    for packed in (archive.getvalue(), gzip.compress(archive.getvalue())):
        (tmp_path / "t").write_bytes(packed)
        rows, report = read_calls(tmp_path / "t")
        assert len(rows) == 14 and {row["process"] for row in rows} == {0, 1}
        assert report["warnings"] == [
            "files that are not in format recorder-text were left out: README; taken: 0.txt, 1.txt"
        ]
    for size in range(0, len(archive.getvalue()), 97):
        (tmp_path / "t").write_bytes(archive.getvalue()[:size])
        quietly(tmp_path / "t", "recorder-text")


def quietly(path: Path, form: str) -> None:
    """Read a damaged trace, which may be refused in a line."""
    try:
        read_calls(path, form)
    except IotraceError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_text_cut_anywhere_is_read_or_refused(name: str, tmp_path: Path) -> None:
    whole = SAMPLES[name].encode()
    for size in sampled(range(len(whole)), 100):
        (tmp_path / "0.txt").write_bytes(whole[:size])
        quietly(tmp_path / "0.txt", name.split()[0])


ODD = (
    "-1",
    "99999999999999999999",
    "9223372036854775807",
    "nan",
    "inf",
    "1e400",
    "",
    "[",
    '"',
    "\\",
    "é",
    "\0",
    "1" * 5000,
)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_odd_fields_never_do_more_than_skip_or_refuse(tmp_path: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(SAMPLES)))
    whole = SAMPLES[name]
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start, min(len(whole), start + 12)))
    (tmp_path / "0.txt").write_text(whole[:start] + data.draw(st.sampled_from(ODD)) + whole[end:])
    quietly(tmp_path / "0.txt", name.split()[0])


def test_json_that_nests_too_deep_or_holds_other_things_is_skipped(tmp_path: Path) -> None:
    odd = [
        "[" * 100_000,
        "1",
        "null",
        '{"name":1}',
        '{"name":"read","ph":"X","args":[]}',
        '{"name":"x","ph":"i"}',
    ]
    (tmp_path / "t.pfw").write_text(dftracer(1) + "\n" + "\n".join(odd))
    _, report = read_calls(tmp_path / "t.pfw", "dftracer")
    assert {reason: reported["lines"] for reason, reported in report["skipped"].items()} == {
        "no JSON that can be read": 1,
        "no event": 3,
    }


def test_a_cut_archive_of_tables_is_told_as_one(tmp_path: Path) -> None:
    noise = pa.table({"rank": range(20_000), "tstart": [1.0] * 20_000, "tend": [1.5] * 20_000})
    table = noise.append_column("func_id", [["read"] * 20_000]).append_column("file_name", [["/a"] * 20_000])
    pq.write_table(table.append_column("size", [[7] * 20_000]), tmp_path / "part.0.parquet")
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "part.0.parquet", "part.0.parquet")
    whole = (tmp_path / "t.tar.gz").read_bytes()
    (tmp_path / "t.tar.gz").write_bytes(whole[: len(whole) // 2])
    reported = r"part\.0\.parquet: is damaged: .*t\.tar\.gz: the archive is damaged: the gzip .* after [1-9]\d* bytes"
    with pytest.raises(IotraceError, match=reported):
        read_calls(tmp_path / "t.tar.gz", "recorder-parquet")


@pytest.mark.parametrize("size", [0, 3, 11, 100, 400])
def test_a_cut_parquet_is_refused(tmp_path: Path, size: int) -> None:
    table = pa.table(
        {"rank": [3], "tstart": [1.0], "tend": [1.5], "func_id": ["read"], "file_name": ["/a"], "size": [7]}
    )
    pq.write_table(table, tmp_path / "whole.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "whole.parquet").read_bytes()[:size])
    with pytest.raises(IotraceError) as refused:
        read_calls(tmp_path / "cut.parquet", "recorder-parquet")
    assert "\n" not in str(refused.value)
