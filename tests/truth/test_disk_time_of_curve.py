"""2,000 writes of 128 KB to one disk: its time without a cache is a sum, and no cache of the curve can take more."""

import csv
import io
import json
import random
import re
from collections import OrderedDict
from pathlib import Path

import pytest
from program import Run

KB = 1024
REQUEST_BYTES, REQUESTS, PLACES = 128 * KB, 2000, 1920
WRITE_MS = 0.1 + 128 * 0.0019
"""What one such write takes on the preset ssd."""
SIZES = {"1M": KB**2, "16M": 16 * KB**2, "64M": 64 * KB**2}


@pytest.fixture(scope="module")
def places() -> list[int]:
    """Where the writes go, in pieces of 256 KB, so that no two of them adjoin: 80 go to where one has been."""
    drawn = random.Random(29)
    distinct = drawn.sample(range(100_000), PLACES)
    again = [drawn.choice(distinct) for _ in range(REQUESTS - PLACES)]
    return drawn.sample([*distinct, *again], REQUESTS)


@pytest.fixture(scope="module")
def trace(places: list[int], tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = (
        f"0,W,{place * 256 * KB},{REQUEST_BYTES},{1_577_808_000_000_000 + 1000 * number}\n"
        for number, place in enumerate(places)
    )
    path = tmp_path_factory.mktemp("disk") / "writes.csv"
    path.write_text("".join(lines))
    return path


def written_ms(places: list[int], size_bytes: int) -> float:
    """Return the time of a plain cache of whole requests, which writes each as it leaves."""
    cache: OrderedDict[int, None] = OrderedDict()
    writes = 0
    for place in places:
        cache.pop(place, None)
        if len(cache) == size_bytes // REQUEST_BYTES:
            cache.popitem(last=False)
            writes += 1
        cache[place] = None
    return writes * WRITE_MS


def times_ms(row: dict) -> float:
    return float(row["read_service_time_ns"] + row["write_service_time_ns"]) / 1e6


def test_times_are_those_of_a_plain_cache(run: Run, trace: Path, places: list[int]) -> None:
    none, *rows = json.loads(run("curve", trace, "--sizes", ",".join(SIZES), "-f", "json").stdout)
    assert none["size_bytes"] == 0
    assert times_ms(none) == pytest.approx(REQUESTS * WRITE_MS) == pytest.approx(686.4)
    for row, size_bytes in zip(rows, SIZES.values(), strict=True):
        assert row["size_bytes"] == size_bytes
        assert times_ms(row) == pytest.approx(written_ms(places, size_bytes), rel=0.01)
        assert times_ms(row) <= times_ms(none)


def test_the_table_begins_without_a_cache(run: Run, trace: Path) -> None:
    lines = run("curve", trace).stdout.decode().splitlines()
    header = next(line for line in lines if "saved against none" in line)
    assert "disk time (ssd preset)" in header
    rows = lines[lines.index(header) + 2 :]
    assert rows[0].split()[0] == "none" and rows[0].rstrip().endswith("686 ms")
    assert rows[1].split()[:2] == ["4", "KB"]
    saved = [line.split()[-2:] for line in lines if line.split()[:2] == ["64", "MB"]]
    assert saved and saved[0][1] == "ms" and 150 < float(saved[0][0]) < 250
    note = " ".join(" ".join(lines).split())
    assert "Without a cache (none), each request is one access for all its blocks" in note
    assert "Adjacent dirty blocks are written in one access (--coalesce)" in note


def test_all_sizes_have_no_times_unless_each_block_is_alone(run: Run, trace: Path) -> None:
    def rows(*words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(run("curve", trace, "-f", "csv", *words).stdout.decode())))

    none, *others = rows()
    assert none["size_blocks"] == "0" and none["write_service_time_ns"] == "686400000"
    assert len(others) > 1
    assert {row["read_service_time_ns"] + row["write_service_time_ns"] for row in others} == {""}
    none, *alone = rows("--coalesce", "none")
    assert [row["write_expulsions"] for row in alone] == [row["write_expulsions"] for row in others]
    # 63,999 blocks of 4 KB, each an access of 0.1076 ms
    assert int(alone[0]["write_service_time_ns"]) == 63_999 * 107_600
    assert none["write_service_time_ns"] == "686400000"


def test_fetch_and_coalesce_begin_without_a_cache(run: Run, trace: Path) -> None:
    words = ("--sizes", ",".join(SIZES), "-f", "json")
    curve = json.loads(run("curve", trace, *words).stdout)
    for option in (("--coalesce", "100"), ("--fetch", "4K")):
        rows = json.loads(run("curve", trace, *option, *words).stdout)
        assert [times_ms(row) for row in rows] == [times_ms(row) for row in curve]
    text = run("curve", trace, "--coalesce", "25", "--sizes", "1M").stdout.decode()
    row = next(line for line in text.splitlines() if line.split()[:1] == ["none"])
    assert row.rstrip().endswith("686 ms") and "saved against none" in text


@pytest.mark.parametrize(
    "words", [("--by", "operation"), ("--write-policy", "no-allocate"), ("--workers", "2")]
)
def test_what_is_not_simulated_has_no_times(run: Run, trace: Path, words: tuple[str, ...]) -> None:
    def of_sizes(*options: str) -> tuple[str, str, str]:
        text = run("curve", trace, "--sizes", "1M", *words, *options).stdout.decode()
        of_none, of_cache = (
            line.rstrip() for line in text.splitlines() if re.search(r" (none|1 MB) .*\d", line)
        )
        return of_none, of_cache, text

    none, row, text = of_sizes()
    assert none.endswith("686 ms") and not row.endswith("s")
    assert "Disk times with a cache are left out" in text
    none, row, text = of_sizes("--coalesce", "none")
    assert none.endswith("686 ms") and row.endswith("s")
    assert "Disk times with a cache are left out" not in text


@pytest.mark.parametrize("asked", ["0", "101", "some", "25%"])
def test_what_is_no_percentage_is_refused(run: Run, trace: Path, asked: str) -> None:
    done = run("curve", trace, "--coalesce", asked)
    assert done.returncode == 2
    assert b"--coalesce is 1 to 100 percent of the LRU stack, or none" in done.stderr
