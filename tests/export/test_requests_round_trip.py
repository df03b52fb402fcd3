"""Requests to disks and caches in other programs' forms, read back: what a form has room for is the same."""

import os
import random
import struct
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.curves import object_requests
from iotrace.errors import IotraceError
from iotrace.export import named
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

CSV = "csv:time=ts:us,offset=lba:512,length=sectors:512,op=rw,device=disk,latency=lat:us"
KEY_CSV = "csv:time=t,key=k,size=s,op=o,ttl=l,tenant=w"
BLOCK_FORMS = ("msr-cambridge", "fio-iolog", "disksim", "blkparse")
ROWS = "select time_ns, device, operation, lbn, blocks, latency_ns from disk_request order by seq"
KEY_ROWS = """
    select time_ns, key, coalesce(number, key + 1) as number, operation, size, ttl_ns
    from key_io join key_name using (key) order by seq
"""
KEPT_NS = {"msr-cambridge": 100, "fio-iolog": 1000, "disksim": 1, "blkparse": 1}
"""To what times are cut."""
HAVE_LATENCY = ("msr-cambridge", "blkparse")


def rows(store: Store, sql: str = ROWS) -> list[dict[str, Any]]:
    reader = (
        store.sandboxed(["disk_request"] if "disk_request" in sql else []).sql(sql).to_arrow_reader(65536)
    )
    return [row for batch in reader for row in batch.to_pylist()]


def expected(store: Store, form: str) -> list[dict[str, Any]]:
    """Return what a form has room for: disks by the order in which they come, times from the first request written."""
    kinds = {"read", "write"} | ({"discard", "flush"} if form in ("fio-iolog", "blkparse") else set())
    kept = [row for row in rows(store) if row["operation"] in kinds]
    return as_numbers(kept, form)


def as_numbers(kept: list[dict[str, Any]], form: str) -> list[dict[str, Any]]:
    disks: dict[str, int] = {}
    step = KEPT_NS[form]
    zero = kept[0]["time_ns"] // step * step if kept else 0
    made = []
    for row in kept:
        latency = row["latency_ns"] if form in HAVE_LATENCY else None
        is_flush = row["operation"] == "flush"
        made.append(
            {
                **row,
                "device": disks.setdefault(row["device"], len(disks)),
                "time_ns": row["time_ns"] // step * step - zero,
                "latency_ns": None if latency is None else latency // step * step,
                "lbn": None if is_flush else row["lbn"],
                "blocks": None if is_flush else row["blocks"],
            }
        )
    return made


def without_latency(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(str(value) for name, value in row.items() if name != "latency_ns")


REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 3).map(lambda gap: gap * 7),
        st.integers(0, 1 << 30),
        st.integers(1, 2048),
        st.sampled_from(["read", "write", "discard", "flush"]),
        st.sampled_from(["web_0", "web_1", "a b,c", "8,16"]),
        st.none() | st.integers(0, 40),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda request: request[1],
)


def stored(folder: Path, requests: list[tuple[int, int, int, str, str, int | None]]) -> Store:
    time, lines = 10, ["ts,lba,sectors,rw,disk,lat"]
    for gap, lbn, blocks, operation, disk, latency in requests:
        time += gap
        lines.append(f'{time},{lbn},{blocks},{operation},"{disk}",{"" if latency is None else latency}')
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    return ingest([folder / "t.csv"], folder / "t.iotrace", format=CSV)


@pytest.mark.parametrize("form", BLOCK_FORMS)
@examples(25)
@given(requests=REQUESTS)
def test_requests_to_disks_survive(
    form: str, requests: list[tuple[int, int, int, str, str, int | None]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = stored(folder, requests)
        wanted = expected(store, form)
        named(form).write(store, folder / "t.out", False)
        if not wanted:
            return
        back = ingest([folder / "t.out"], folder / "b.iotrace", format=form)
        assert back.manifest["skipped"] == {}
        assert as_numbers(rows(back), form) == wanted


@pytest.mark.parametrize("form", BLOCK_FORMS)
@pytest.mark.parametrize(
    "trace",
    ["msr-cambridge1-sample.csv", "systor17-traces-sample.csv.gz", "blktrace/isotopp/keks.blktrace.0"],
)
def test_real_requests_to_disks_survive(form: str, trace: str, tmp_path: Path) -> None:
    folder = os.environ.get("IOTRACE_TRACES")
    if folder is None:
        pytest.skip("IOTRACE_TRACES does not name the folder of traces")
    store = ingest([Path(folder) / "block" / trace], tmp_path / "t.iotrace")
    named(form).write(store, tmp_path / "t.out", False)
    back = ingest([tmp_path / "t.out"], tmp_path / "b.iotrace")
    assert back.manifest["skipped"] == {} and back.manifest["format"] == form
    wanted, found = expected(store, form), as_numbers(rows(back), form)
    if form == "blkparse":  # which of two requests for one place in flight ends first, its text does not say
        wanted, found = (sorted(map(without_latency, one)) for one in (wanted, found))
    assert found == wanted


KEY_REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["1", "7", "18446744073709551615"]) | st.sampled_from(["a", "b c"]),
        st.none() | st.integers(0, 5000),
        st.sampled_from(["get", "set", "delete", "incr", "nonsense"]),
        st.sampled_from(["", "60"]),
        st.sampled_from(["3", "77"]),
    ),
    min_size=1,
    max_size=40,
)


def stored_keys(folder: Path, requests: list[tuple[int, str, int | None, str, str, str]]) -> Store:
    time, lines = 1_700_000_000, ["t,k,s,o,l,w"]
    for gap, key, size, operation, ttl, tenant in requests:
        time += gap
        lines.append(f"{time},{key},{'' if size is None else size},{operation},{ttl},{tenant}")
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    return ingest([folder / "t.csv"], folder / "t.iotrace", format=KEY_CSV)


@examples(40)
@given(requests=KEY_REQUESTS)
def test_requests_for_keys_survive(requests: list[tuple[int, str, int | None, str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = stored_keys(folder, requests)
        wanted = rows(store, KEY_ROWS)
        named("lcs").write(store, folder / "t.lcs", False)
        back = rows(ingest([folder / "t.lcs"], folder / "lcs.iotrace"), KEY_ROWS)
        has_number = {"get", "set", "delete", "incr"}
        assert back == [
            {
                **row,
                "size": 1 if row["size"] is None else row["size"],
                "operation": row["operation"] if row["operation"] in has_number else None,
            }
            for row in wanted
        ]
        kept = [row for row in wanted if row["operation"] != "delete"]
        named("oracle-general").write(store, folder / "t.bin", False)
        content = (folder / "t.bin").read_bytes()
        records = list(struct.iter_unpack("<IQIq", content))
        objects = [row["number"] % (1 << 64) for row in kept]
        assert [record[1] for record in records] == objects
        assert [record[2] for record in records] == [
            1 if row["size"] is None else row["size"] for row in kept
        ]
        for place, record in enumerate(records):
            later = [one + 1 for one in range(place + 1, len(objects)) if objects[one] == objects[place]]
            assert record[3] == (later[0] if later else -1)


def test_records_of_a_real_trace_are_those_of_libcachesim(tmp_path: Path) -> None:
    folder = os.environ.get("IOTRACE_TRACES")
    if folder is None:
        pytest.skip("IOTRACE_TRACES does not name the folder of traces")
    trace = Path(folder) / "block" / "cloudPhysicsIO.oracleGeneral.bin.zst"
    store = ingest([trace], tmp_path / "t.iotrace")
    named("oracle-general").write(store, tmp_path / "t.bin", False)
    theirs = pa.input_stream(str(trace), compression="zstd").read()
    # their times are those of the records, ours count from the first
    ours = (tmp_path / "t.bin").read_bytes()
    first = struct.unpack_from("<I", theirs)[0]
    shifted = [(time - first, *rest) for time, *rest in struct.iter_unpack("<IQIq", theirs)]
    assert list(struct.iter_unpack("<IQIq", ours)) == shifted


@pytest.mark.parametrize("form", ["lcs", "oracle-general", *BLOCK_FORMS])
def test_other_traces_are_refused(form: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_text('1 openat(AT_FDCWD, "a", O_RDONLY) = 3\n')
    store = ingest([tmp_path / "t"], tmp_path / "t.iotrace")
    with pytest.raises(IotraceError, match=f"is made of system calls; {form} is a form of requests"):
        named(form).write(store, tmp_path / "out", False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", BLOCK_FORMS)
def test_a_trace_without_operations_is_refused(form: str, tmp_path: Path) -> None:
    records = b"".join(struct.pack("<IQIq", time, 8 * time, 4096, -1) for time in range(5))
    (tmp_path / "t").write_bytes(records)
    store = ingest([tmp_path / "t"], tmp_path / "t.iotrace", format="oracle-general-blocks")
    with pytest.raises(IotraceError, match="the trace has no operations, which"):
        named(form).write(store, tmp_path / "out", False)


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    store = stored(tmp_path, [(1, 8, 8, "write", "web_0", None), (1, 16, 8, "flush", "web_0", None)])
    (remark, lost) = named("msr-cambridge").write(store, tmp_path / "out", False)
    assert "1970" in remark and lost.startswith("1 discards, flushes and requests")


def test_libcachesim_reads_records_and_finds_the_same_misses(tmp_path: Path) -> None:
    libcachesim = pytest.importorskip("libcachesim", reason="has no package for this machine")
    draw = random.Random(5)
    requests = [(1, str(int(draw.paretovariate(0.6)) % 300), 100, "get", "", "3") for _ in range(3000)]
    store = stored_keys(tmp_path, requests)
    curve = object_requests.curve_of_store(store, "bytes", [1000, 5000]).to_pylist()
    kinds = {
        "lcs": libcachesim.TraceType.LCS_TRACE,
        "oracle-general": libcachesim.TraceType.ORACLE_GENERAL_TRACE,
    }
    for form, kind in kinds.items():
        named(form).write(store, tmp_path / form, False)
        for row in curve:
            cache = libcachesim.LRU(row["size"], consider_obj_metadata=False)
            by_request, by_byte = cache.process_trace(libcachesim.TraceReader(str(tmp_path / form), kind))
            assert by_request == pytest.approx(row["request_misses"] / row["requests"], abs=1e-12)
            assert by_byte == pytest.approx(row["byte_misses"] / row["bytes"], abs=1e-12)
