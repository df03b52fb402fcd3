"""``iotrace curve`` on traces of keys: times to live, tenants, prefixes of prompts, as a user asks for them."""

import csv
import io
import json
from collections import OrderedDict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from program import Run

COLUMNS = ("--columns", "time=t,key=k,size=s,ttl=l,tenant=w")
Request = tuple[int, str, int, int, str]


@pytest.fixture(scope="module")
def requests() -> list[Request]:
    draw = Random(7)
    return [
        (place, f"k{int(draw.paretovariate(0.7)) % 60}", 100, draw.choice([5, 40, 400]), draw.choice("ab"))
        for place in range(800)
    ]


@pytest.fixture
def trace(requests: list[Request], tmp_path: Path) -> Path:
    lines = [",".join(map(str, request)) for request in requests]
    (tmp_path / "t.csv").write_text("\n".join(["t,k,s,l,w", *lines]) + "\n")
    return tmp_path / "t.csv"


def rows_of(text: bytes) -> list[dict[str, int]]:
    rows = csv.DictReader(io.StringIO(text.decode()))
    return [{name: int(value) for name, value in row.items() if value} for row in rows]


def counted(requests: list[Request], size: int, is_lazy: bool) -> tuple[int, int]:
    """Misses of all, and of tenant a, of one list: the slow twin. Objects expire when they would in any cache."""
    cached: OrderedDict[str, None] = OrderedDict()
    ends: dict[str, int] = {}
    misses = misses_of_a = 0
    for time, key, _, ttl, tenant in requests:
        if not is_lazy:
            for other in [other for other in cached if ends[other] <= time]:
                del cached[other]
        if key in ends and ends[key] <= time:
            del ends[key]
            cached.pop(key, None)
        if key not in cached:
            misses += 1
            misses_of_a += tenant == "a"
        ends.setdefault(key, time + ttl)
        cached[key] = None
        cached.move_to_end(key)
        if len(cached) > size:
            cached.popitem(last=False)
    return misses, misses_of_a


@pytest.mark.parametrize("expiry", ["eager", "lazy"])
def test_objects_expire(run: Run, trace: Path, requests: list[Request], expiry: str) -> None:
    done = run("curve", trace, *COLUMNS, "--ttl", expiry, "--sizes", "3,10,40", "-f", "csv")
    assert done.returncode == 0, done.stderr
    found = [(row["size"], row["request_misses"]) for row in rows_of(done.stdout)]
    assert found == [(size, counted(requests, size, expiry == "lazy")[0]) for size in (3, 10, 40)]


def test_without_the_option_nothing_expires_which_is_said(
    run: Run, trace: Path, requests: list[Request]
) -> None:
    done = run("curve", trace, *COLUMNS, "--sizes", "10", "-f", "csv")
    endless = [(time, key, size, 10**9, tenant) for time, key, size, _, tenant in requests]
    assert rows_of(done.stdout)[0]["request_misses"] == counted(endless, 10, True)[0]
    assert b"objects do not expire here" in done.stderr
    drawn = run("curve", trace, *COLUMNS, "--sizes", "10")
    assert (
        b"Objects do not expire here, though the trace has times to live: --ttl eager or lazy."
        in drawn.stdout
    )
    assert b"do not expire" not in run("curve", trace, *COLUMNS, "--ttl", "ignore", "--sizes", "10").stdout


def test_misses_by_tenant(run: Run, trace: Path, requests: list[Request]) -> None:
    done = run("curve", trace, *COLUMNS, "--ttl", "lazy", "--by", "tenant", "--sizes", "10", "-f", "csv")
    assert done.returncode == 0, done.stderr
    first, second = rows_of(done.stdout)
    misses, misses_of_first = counted(requests, 10, True)
    name = requests[0][4]  # tenants are numbered in the order of their first requests
    if name != "a":
        misses_of_first = misses - misses_of_first
    assert (first["tenant"], first["request_misses"]) == (0, misses_of_first)
    assert first["request_misses"] + second["request_misses"] == misses
    assert b"tenant" in run("curve", trace, *COLUMNS, "--by", "tenant", "--sizes", "10").stdout


def prefix_hits(prompts: list[list[int]], size: int) -> int:
    """Blocks served by one LRU cache of prefixes: the slow twin."""
    cached: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for blocks in prompts:
        for block in blocks:
            if block not in cached:
                break
            hits += 1
        for block in reversed(blocks):
            cached[block] = None
            cached.move_to_end(block)
        while len(cached) > size:
            cached.popitem(last=False)
    return hits


def test_prefixes_of_prompts(run: Run, tmp_path: Path) -> None:
    draw = Random(3)
    prompts = []
    for _ in range(300):
        root = draw.randrange(6)
        prompts.append([root * 100 + depth for depth in range(draw.randrange(1, 9))])
    lines: list[dict[str, Any]] = [
        {"timestamp": place, "input_length": 512 * len(blocks), "output_length": 1, "hash_ids": blocks}
        for place, blocks in enumerate(prompts)
    ]
    log = tmp_path / "prompts.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = run("curve", log, "--unit", "prefixes", "--sizes", "30,5,12", "-f", "csv")
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    total = sum(map(len, prompts))
    assert [(row["size"], row["blocks"] - row["block_misses"]) for row in rows] == [
        (size, prefix_hits(prompts, size)) for size in (30, 5, 12)
    ]
    assert {row["blocks"] for row in rows} == {total}
    assert b"block_miss_ratio" in run("curve", log, "--unit", "prefixes").stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--unit", "prefixes"), b"the trace has no prompts"),
        (("--unit", "prefixes", "--ttl", "lazy"), b"--ttl cannot be combined"),
        (("--by", "size"), b"--by cannot be combined"),
        (("--block", "4K", "--ttl", "lazy"), b"--ttl is for caches of objects"),
    ],
)
def test_what_does_not_fit_is_refused(run: Run, trace: Path, words: tuple[str, ...], reason: bytes) -> None:
    done = run("curve", trace, *COLUMNS, *words)
    assert done.returncode == 2
    assert reason in done.stderr


def test_what_the_trace_does_not_state_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k\na\nb\na\n")
    for words, reason in (
        (("--ttl", "eager"), b"the trace states no times to live"),
        (("--by", "tenant"), b"the trace names no tenants"),
    ):
        done = run("curve", tmp_path / "t.csv", "--columns", "key=k", *words)
        assert done.returncode == 2
        assert reason in done.stderr


def test_there_is_no_advice_for_caches(run: Run, trace: Path, tmp_path: Path) -> None:
    """No rule looked, so that nothing is said to be fine."""
    done = run("advice", trace, *COLUMNS)
    assert done.returncode == 2
    assert b"there are no rules for traces of caches" in done.stderr
    assert run("report", trace, *COLUMNS, "-o", tmp_path / "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "No rule found" not in page
    assert "What should I change?" not in page
