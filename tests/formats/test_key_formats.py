"""Every format of requests to caches reads what its sample states; damage is counted or refused; stores work."""

import json
import random
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from key_samples import DOCKER, NAMED, TEXTS, row
from keys_read import requests
from program import Run, refused
from property_tests import examples

from iotrace import formats, schemas
from iotrace.errors import IotraceError
from iotrace.ingest.pipeline import ingest

DESCRIBED = "csv:time=t:ms,key=k,size=s,op=o,ttl=l,tenant=w,hit=h,latency=d:us"


@pytest.mark.parametrize("name", TEXTS)
def test_a_sample_is_recognised_and_read(name: str, tmp_path: Path) -> None:
    text, expected = TEXTS[name]
    assert [one.name for one in formats.FORMATS if one.recognises(text.encode())] == [name]
    (tmp_path / "t").write_text(text)
    rows, report = requests(tmp_path / "t")
    assert rows == expected and report["skipped"] == {}


@pytest.mark.parametrize("name", NAMED)
def test_a_sample_of_a_format_that_is_named_is_read(name: str, tmp_path: Path) -> None:
    content, expected = NAMED[name]
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == []
    (tmp_path / "t").write_bytes(content)
    rows, report = requests(tmp_path / "t", name)
    assert rows == expected and report["skipped"] == {}


@pytest.mark.parametrize(
    ("operation", "next_access"), [(None, -1), (None, -2), (None, 2**63 - 1), (3, -1), (9, -2)]
)
def test_oracle_general_holds_keys(operation: int | None, next_access: int, tmp_path: Path) -> None:
    middle = b"" if operation is None else struct.pack("<BH", operation, 7)
    records = [
        struct.pack("<IQI", s, key, 1) + middle + struct.pack("<q", following)
        for s, key, following in ((5, 2**64 - 1, 1), (6, 2**64 - 1, next_access), (8, 3, next_access))
    ]
    (tmp_path / "t").write_bytes(b"".join(records))
    rows, report = requests(tmp_path / "t")
    others: dict[str, Any] = {"size": 1}
    if operation is not None:
        others |= {"operation": {3: "set", 9: "delete"}[operation], "tenant": "7"}
    keys = [(0, 2**64 - 1), (10**9, 2**64 - 1), (3 * 10**9, 3)]
    assert rows == [row(str(key), time_ns=ns, **others) for ns, key in keys] and report["skipped"] == {}


LCS = {1: "<IQIq", 2: "<IQIIq", 3: "<IQqIiq"} | {
    version: "<IQqIiq" + "I" * count for version, count in {4: 1, 5: 2, 6: 4, 7: 8, 8: 16}.items()
}
MAGIC = struct.pack("<Q", 0x123456789ABCDEF0)


@pytest.mark.parametrize("version", LCS)
@pytest.mark.parametrize("header", [8192, 1024])
def test_lcs_is_read_in_all_its_versions(version: int, header: int, tmp_path: Path) -> None:
    form = LCS[version]
    records = []
    for s, key, size in ((1, 2**64 - 1, 7), (3, 5, 2**31)):
        values: list[int] = [s, key, size]
        if version > 1:
            values.append(9 | 77 << 8)
        if version > 2:
            values.append(60)
        values += [-1, *([1] * form.count("I"))]
        records.append(struct.pack(form, *values[: len(form) - 1]))
    head = MAGIC + struct.pack("<Q", version)
    content = head.ljust(header - 8, b"\0") + MAGIC + b"".join(records)
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == ["lcs"]
    (tmp_path / "t.lcs").write_bytes(content)
    rows, _ = requests(tmp_path / "t.lcs")
    others: dict[str, Any] = {}
    if version > 1:
        others |= {"operation": "delete", "tenant": "77"}
    if version > 2:
        others["ttl_ns"] = 60 * 10**9
    assert rows == [
        row(str(2**64 - 1), time_ns=0, size=7, **others),
        row("5", time_ns=2 * 10**9, size=2**31, **others),
    ]


def test_the_first_lcs_describes_its_fields(tmp_path: Path) -> None:
    places = bytes([2, 3, 1, 0, 4, 0, 0, 0, 0])
    head = MAGIC + b"<IQIQ".ljust(240, b"\0") + places
    content = head.ljust(1016, b"\0") + MAGIC + struct.pack("<IQIQ", 4, 8, 15, 16)
    (tmp_path / "t.lcs").write_bytes(content)
    assert requests(tmp_path / "t.lcs")[0] == [row("8", time_ns=0, size=15)]


def described(tmp_path: Path, lines: list[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what is read of lines of all columns."""
    (tmp_path / "t.csv").write_text("\n".join(["t,k,s,o,l,w,h,d", *lines]) + "\n")
    return requests(tmp_path / "t.csv", DESCRIBED)


def test_described_columns_are_read(tmp_path: Path) -> None:
    rows, report = described(
        tmp_path,
        [
            '5,"a b",10,GET,60,me,1,7',
            "6.5,b,,touch,,,miss,",
            "7,c,0,delete,0.5,me,?,-1",
            "8,c,5.0,set,0,me,,",
        ],
    )
    assert rows == [
        row(
            "a b",
            time_ns=0,
            size=10,
            operation="get",
            ttl_ns=60 * 10**9,
            tenant="me",
            hit=True,
            duration_ns=7000,
        ),
        row("b", time_ns=1_500_000, operation="touch", hit=False),
        row("c", time_ns=2_000_000, size=0, operation="delete", ttl_ns=5 * 10**8, tenant="me"),
        row("c", time_ns=3_000_000, size=5, operation="set", tenant="me"),
    ]
    assert report["skipped"] == {} and report["seen"]["zero_ttls"] == 1 and report["seen"]["zero_sizes"] == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1,,1,get,,,,", "no key"),
        ("1,a,-3,get,,,,", "negative size"),
        ("1,a,NaN,get,,,,", "no size that can be read"),
        ("1,a,9999999999999999999,get,,,,", "no size that can be read"),
        ("1,a,9000000000000000000,get,,,,", "size out of range"),
        ("NaN,a,1,get,,,,", "no time that can be read"),
        ("1,a,1,get,soon,,,", "no time to live that can be read"),
        ("1,a,1,get,-1,,,", "negative time to live"),
        ("1,a,1", "too few fields"),
    ],
)
def test_a_bad_line_is_counted_and_shown(line: str, reason: str, tmp_path: Path) -> None:
    rows, report = described(tmp_path, ["1,x,1,get,,,,", line, "2,y,1,get,,,,"])
    assert [one["key"] for one in rows] == ["x", "y"]
    assert {
        why: (seen["lines"], seen["first_line"], seen["excerpt"]) for why, seen in report["skipped"].items()
    } == {reason: (1, 3, line)}


def test_times_to_live_of_centuries_do_not_expire(tmp_path: Path) -> None:
    rows, report = described(
        tmp_path, ["1,a,1,set,3153600000,,,", "1,b,1,set,31536000000,,,", "1,c,1,set,1e3,,,"]
    )
    assert [one["ttl_ns"] for one in rows] == [3_153_600_000 * 10**9, None, 10**12]
    assert report["seen"]["endless_ttls"] == 1 and any(
        "292 years" in warning for warning in report["warnings"]
    )


def test_a_key_of_a_megabyte_is_read(tmp_path: Path) -> None:
    keys = ["x" * (1 << 20), "x" * (1 << 20) + "y", "x" * (1 << 20)]
    (tmp_path / "t").write_text("\n".join(keys) + "\n")
    assert [one["key"] for one in requests(tmp_path / "t", "key-lines")[0]] == keys


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '{"hash_ids": 3}',
        '{"hash_ids": [1, {"a": 2}]}',
        '{"hash_ids": [-1]}',
        "[" * 100_000,
        "nonsense",
    ],
)
def test_a_broken_line_of_json_is_counted(line: str, tmp_path: Path) -> None:
    good = '{"timestamp": 1, "hash_ids": [1, 2]}'
    (tmp_path / "t").write_text("\n".join([good, line, good, '{"timestamp": 2, "hash_ids": []}']) + "\n")
    rows, report = requests(tmp_path / "t")
    assert [one["key"] for one in rows] == ["1", "2", "1", "2"]
    assert [one["request"] for one in rows] == [0, 0, 1, 1]
    assert [(seen["lines"], seen["first_line"]) for seen in report["skipped"].values()] == [(1, 2)]


def test_a_line_that_stands_for_too_much_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("1 2 0 0\n5 999999999999 0 1\n7 1 0 2\n")
    rows, report = requests(tmp_path / "t", "arc")
    assert [one["key"] for one in rows] == ["1", "2", "7"]
    assert [(seen["lines"], seen["first_line"]) for seen in report["skipped"].values()] == [(1, 2)]


def test_lines_that_stand_for_too_much_together_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("1 16777216 0 0\n" * 5)
    with pytest.raises(IotraceError, match="line 1: stands for 16,777,216 requests"):
        requests(tmp_path / "t", "arc")


def test_keys_that_are_not_all_numbers_are_names(tmp_path: Path) -> None:
    for last, are_numbers in (
        ("18446744073709551615", True),
        ("007", False),
        ("18446744073709551616", False),
    ):
        (tmp_path / "t").write_text(f"1\n20\n{last}\n")
        store = ingest([tmp_path / "t"], tmp_path / "t.iotrace", format="key-lines", replace=True)
        rows = store.arrow("key_name").to_pylist()
        assert [one["number"] is not None for one in rows] == [are_numbers] * 3
        assert [one["name"] is None for one in rows] == [are_numbers] * 3


def test_keys_of_one_low_half_are_two(tmp_path: Path) -> None:
    keys = [place << 32 | 7 for place in range(5)] + [7 << 32, 7]
    (tmp_path / "t").write_bytes(struct.pack(f"<{len(keys)}Q", *keys))
    assert [int(one["key"]) for one in requests(tmp_path / "t", "u64-le")[0]] == keys


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from(["a", "b", "12", "x" * 40]),
            st.none() | st.integers(0, 9000),
            st.sampled_from(["", "get", "set", "delete", "incr", "nonsense"]),
        ),
        min_size=1,
        max_size=40,
    )
)
@example([(0, "a", 5, "get"), (1, "b", 6, ""), (2, "c", 7, "set")])
def test_the_stream_is_that_of_the_view_in_sql(
    tmp_path_factory: pytest.TempPathFactory, given_requests: list[tuple[int, str, int | None, str]]
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    lines = [f"{t},{key},{'' if size is None else size},{op},,,," for t, key, size, op in given_requests]
    (folder / "t.csv").write_text("\n".join(["t,k,s,o,l,w,h,d", *lines]) + "\n")
    store = ingest([folder / "t.csv"], folder / "t.iotrace", format=DESCRIBED)
    streamed = store.arrow("reference")
    assert streamed.schema.equals(schemas.schema("reference"), check_metadata=True)
    columns = ", ".join(f'"{name}"' for name in streamed.schema.names)
    asked = store.connect(views=[]).execute(f"select {columns} from reference order by seq").fetchall()
    assert [tuple(one.values()) for one in streamed.to_pylist()] == asked
    kinds = {"set": "write", "incr": "write", "delete": "delete"}
    expected = [
        (key, kinds.get(op, "read"), None if op == "delete" else size)
        for _, key, size, op in sorted(given_requests, key=lambda one: one[0])
    ]
    named = store.connect(views=[]).execute(
        "select path, operation, length from reference join file using (file) order by seq"
    )
    assert named.fetchall() == expected
    for table in store.tables:
        rows: pa.Table = store.arrow(table)
        rows.validate(full=True)
        assert rows.schema.equals(schemas.schema(table), check_metadata=True)
        assert len(rows) == store.manifest["tables"][table]


@pytest.fixture(scope="module")
def key_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a few thousand requests with all columns."""
    folder = tmp_path_factory.mktemp("keys")
    chance = random.Random(3)
    lines = ["t,k,s,o,l,w,h,d"]
    for place in range(3000):
        key = f"key{int(chance.paretovariate(0.8)) % 500}"
        op = chance.choices(["get", "set", "delete"], [90, 9, 1])[0]
        lines.append(f"{place * 3},{key},{100 + len(key) * 512},{op},60,{place % 3},{place % 2},{place % 7}")
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    return ingest([folder / "t.csv"], folder / "t.iotrace", format=DESCRIBED).path


COMMANDS = [
    ("info",),
    ("characterize",),
    ("characterize", "--all"),
    ("curve",),
    ("curve", "--sizes", "10,100"),
    ("curve", "--block", "4K"),
    ("curve", "--block", "4K", "--policy", "arc", "--sizes", "1M"),
    ("curve", "--block", "4K", "--sample", "0.5"),
    ("sql", "select count(*) from key_io join key_name using (key)"),
    ("sql", "select * from references_by_type"),
    ("characterize", "--since", "2s"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_work_on_a_store_of_keys(command: tuple[str, ...], run: Run, key_store: Path) -> None:
    name, *options = command
    done = run(name, key_store, *options)
    assert done.returncode == 0, done.stderr
    assert b"disk" not in done.stdout or "--block" in options


def test_time_says_that_there_are_no_calls(run: Run, key_store: Path) -> None:
    assert "requests for the objects of a cache" in refused(run("time", key_store))


def test_a_report_of_a_store_of_keys_is_made(run: Run, key_store: Path, tmp_path: Path) -> None:
    done = run("report", key_store, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").stat().st_size < 6 << 20


def test_a_curve_counts_objects(run: Run, tmp_path: Path) -> None:
    keys = [1, 2, 3, 1, 2, 3, 1, 1]
    (tmp_path / "t.u32").write_bytes(struct.pack("<8I", *keys))
    done = run("curve", tmp_path / "t.u32", "--trace-format", "u32-le", "--sizes", "1,2,3", "-f", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(one["size"], one["requests"], one["request_misses"]) for one in rows] == [
        (1, 8, 7),
        (2, 8, 7),
        (3, 8, 3),
    ]
    assert {(one["bytes"], one["byte_misses"]) for one in rows} == {(None, None)}


def test_a_curve_counts_bytes_of_objects(run: Run, tmp_path: Path) -> None:
    requests_made = [
        ("a", 10, "get"),
        ("b", 30, "get"),
        ("a", 10, "get"),
        ("b", 30, "get"),
        ("c", 100, "set"),
    ]
    requests_made += [("a", 10, "get"), ("a", 10, "purge"), ("a", 10, "get")]
    lines = [f"0,{key},{size},{op},,,," for key, size, op in requests_made]
    (tmp_path / "t.csv").write_text("\n".join(["t,k,s,o,l,w,h,d", *lines]) + "\n")
    words = ("--trace-format", DESCRIBED, "--unit", "bytes", "--sizes", "10,40,1K", "-f", "json")
    done = run("curve", tmp_path / "t.csv", *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    # 10: only a is ever there; 40: a and b, and c is too large; 1K: all; a purge is not a request
    assert [(one["request_misses"], one["byte_misses"]) for one in rows] == [(5, 180), (4, 150), (4, 150)]
    assert {(one["requests"], one["bytes"]) for one in rows} == {(7, 200)}


def test_bytes_are_refused_where_no_size_is_known(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.u64").write_bytes(struct.pack("<2Q", 1, 2))
    done = run("curve", tmp_path / "t.u64", "--trace-format", "u64-le", "--unit", "bytes", "--sizes", "1K")
    assert done.returncode == 2 and b"does not state the sizes of objects" in done.stderr


def test_a_unit_is_refused_where_it_means_nothing(run: Run, key_store: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("0\n")
    disk = ("--trace-format", "csv:offset=1,length=@512")
    of_disk = run("curve", tmp_path / "t.csv", *disk, "--unit", "objects")
    assert (
        of_disk.returncode == 2
        and b"--unit is for caches of objects, not for caches of blocks" in of_disk.stderr
    )
    assert "--unit cannot be combined with --block" in refused(
        run("curve", key_store, "--unit", "objects", "-b", "4K"), 2
    )
    assert (
        "--fetch is for caches of blocks, not for caches of objects; for caches of blocks give --block SIZE"
        in refused(run("curve", key_store, "--fetch", "4K", "--sizes", "10"), 2)
    )


def test_blocks_of_oracle_general_are_those_of_a_disk(run: Run, tmp_path: Path) -> None:
    records = [struct.pack("<IQIq", s, lbn, 4096, -1) for s, lbn in enumerate((0, 8, 0, 8))]
    (tmp_path / "t.oracleGeneral").write_bytes(b"".join(records))
    done = run("curve", tmp_path / "t.oracleGeneral", "--block", "8K", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[-1]["block_misses"] == 1
    objects = run("curve", tmp_path / "t.oracleGeneral", "-f", "json")
    assert json.loads(objects.stdout)[-1]["request_misses"] == 2


OTHER_RELEASES = {
    "meta-kv-2022": ("key,op,size,op_count,key_size,ttl\n177706276,SET,9,1,79,60\n", {"ttl_ns": 60 * 10**9}),
    "meta-kv-2024": (
        "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n564726470,177706276,83,SET,1,9,1,60\n",
        {"ttl_ns": 60 * 10**9, "time_ns": 0},
    ),
}


@pytest.mark.parametrize("name", OTHER_RELEASES)
def test_the_other_releases_of_a_format_are_read(name: str, tmp_path: Path) -> None:
    text, expected = OTHER_RELEASES[name]
    assert [one.name for one in formats.FORMATS if one.recognises(text.encode())] == [name]
    (tmp_path / "t").write_text(text)
    assert requests(tmp_path / "t")[0] == [row("177706276", operation="set", size=9, **expected)]


def test_fields_are_found_by_their_names_in_the_header(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(
        "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,"
        "cache_hit,request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,latency,"
        "simulated_disk_start_time,simulated_latency\n"
        "f1,8,app,1,WARM,REPLICATED,READ,OTHER,0,0,512,0,512,2,0,9,9,0.002\n"
    )
    (read,), _ = requests(tmp_path / "t")
    assert (read["key"], read["duration_ns"], read["hit"]) == ("f1:8", 2_000_000, False)
    (tmp_path / "t").write_text("filename,file_offset,application,c_time,op_type\nf1,8,app,1,READ\n")
    with pytest.raises(IotraceError, match="line 1 names no column io_zone, redundancy_type"):
        requests(tmp_path / "t", "thesios")


@pytest.mark.parametrize("between", [",", ", ", ",\n  ", "\n"])
def test_objects_of_json_are_read_however_they_are_separated(between: str, tmp_path: Path) -> None:
    made = [json.dumps(DOCKER | {"http.request.uri": f"v2/{place % 7}"}) for place in range(20_000)]
    made[5] = '{"http.request.uri": '
    made[6] = '{"nested": {"http.request.uri": [1, {}]}}'
    made[7] = json.dumps(DOCKER | {"http.response.written": -3})
    (tmp_path / "t.json").write_text(f"[{between.join(made)}]")  # longer than what is read at a time
    rows, report = requests(tmp_path / "t.json")
    assert [one["key"] for one in rows] == [
        f"v2/{place % 7}" for place in range(20_000) if place not in (5, 6, 7)
    ]
    nested = {"no request to a registry": 1} if "\n" in between else {}  # else it is a part of the broken one
    skipped = {why: seen["lines"] for why, seen in report["skipped"].items()}
    assert skipped == {"no JSON": 1, "negative size": 1, **nested}
