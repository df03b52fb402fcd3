"""Real traces of caches against parsers that share nothing with the readers: the same keys, sizes, times and hits."""

import bz2
import gzip
import os
import struct
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from keys_read import requests

TRACES = Path(os.environ.get("IOTRACE_TRACES", "."))
pytestmark = pytest.mark.skipif(
    not os.environ.get("IOTRACE_TRACES"),
    reason="IOTRACE_TRACES does not name the folder of the larger traces",
)


@pytest.mark.parametrize("name", ["2_pools", "cpp", "cs", "gli", "multi1", "multi2", "ps", "sprite"])
def test_lirs(name: str) -> None:
    path = TRACES / "lirs" / f"{name}.trace.gz"
    lines = [line.strip() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    expected = [line for line in lines if line and line != "*"]
    rows, report = requests(path, "lirs")
    assert [row["key"] for row in rows] == expected and report["skipped"] == {}
    assert sum(report["remarks"].values()) == len(lines) - len(expected)


def test_photos_of_tencent() -> None:
    path = TRACES / "block" / "cloud_photos-sample.bz2"
    rows, report = requests(path)
    expected = []
    for line in bz2.decompress(path.read_bytes()).decode().splitlines():
        time, photo, kind, size_class, size, hit, _terminal, ms = line.split()
        at = int(datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp())
        expected.append((at, f"{photo}:{kind}:{size_class}", int(size), hit == "1", int(ms) * 10**6))
    first_s = min(at for at, *_ in expected)
    read = [tuple(row[name] for name in ("time_ns", "key", "size", "hit", "duration_ns")) for row in rows]
    assert sorted(read) == sorted(((at - first_s) * 10**9, *rest) for at, *rest in expected)
    assert report["skipped"] == {} and len(read) == 10_000


def test_oracle_general() -> None:
    path = TRACES / "block" / "cloudPhysicsIO.oracleGeneral.bin.zst"
    content = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    records = list(struct.iter_unpack("<IQIq", content))
    rows, report = requests(path)
    first_s = records[0][0]
    assert [(row["time_ns"], row["key"], row["size"]) for row in rows] == [
        ((at - first_s) * 10**9, str(key), size) for at, key, size, _ in records
    ]
    assert report["skipped"] == {} and len(rows) == 113_872
