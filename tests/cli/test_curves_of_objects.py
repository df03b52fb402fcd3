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


def names_of(requests: list[Request]) -> list[str]:
    """The tenants, in the order of their first requests."""
    return list(dict.fromkeys(request[4] for request in requests))


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
    misses, misses_of_a = counted(requests, 10, True)
    found = {
        row["tenant"]: int(row["request_misses"]) for row in csv.DictReader(io.StringIO(done.stdout.decode()))
    }
    assert found == {"a": misses_of_a, "b": misses - misses_of_a}
    drawn = run("curve", trace, *COLUMNS, "--by", "tenant", "--sizes", "10").stdout.decode()
    assert [line.split()[0] for line in drawn.splitlines() if line.split()[1:2] == ["10"]] == names_of(
        requests
    )


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
    assert b"block miss ratio" in run("curve", log, "--unit", "prefixes").stdout


def test_policies(run: Run, trace: Path, requests: list[Request]) -> None:
    """LRU is the curve's; by bytes, of objects of 100 bytes each, policies miss as by objects."""
    words = ("--policy", "fifo,lru,gdsf", "--ttl", "eager", "-f", "csv")
    by_objects = run("curve", trace, *COLUMNS, *words, "--sizes", "3,10").stdout.decode().splitlines()
    by_bytes = run("curve", trace, *COLUMNS, *words, "--sizes", "300,1000", "--unit", "bytes")
    assert by_bytes.stdout.decode().splitlines() == [
        line.replace(",3,", ",300,").replace(",10,", ",1000,") for line in by_objects
    ]
    rows = list(csv.DictReader(by_objects))
    assert [row["policy"] for row in rows] == ["fifo", "fifo", "lru", "lru", "gdsf", "gdsf"]
    assert [int(row["request_misses"]) for row in rows[2:4]] == [
        counted(requests, size, False)[0] for size in (3, 10)
    ]
    drawn = run("curve", trace, *COLUMNS, "--policy", "all", "--unit", "bytes").stdout.decode()
    assert "w-tinylfu: W-TinyLFU of 2017 with sizes as weights" in drawn
    assert "objects do not expire here" in drawn.lower()


def test_tenants_with_separate_caches(run: Run, trace: Path, requests: list[Request]) -> None:
    done = run(
        "curve", trace, *COLUMNS, "--ttl", "lazy", "--by", "tenant", "--split", "--sizes", "9", "-f", "csv"
    )
    expected = [
        (name, counted([one for one in requests if one[4] == name], 9, True)[0])
        for name in names_of(requests)
    ]
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    assert [(row["tenant"], int(row["request_misses"])) for row in rows] == expected


def test_parts_for_tenants(run: Run, trace: Path, requests: list[Request]) -> None:
    words = ("--ttl", "lazy", "--by", "tenant", "--sizes", "10,4")
    done = run("curve", trace, *COLUMNS, *words, "--partition", "requests", "-f", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["way"] for row in rows] == ["shared", "shared", "equal", "equal", "best", "best"] * 2
    assert [row["tenant"] for row in rows] == names_of(requests) * 6
    for row in rows:
        if row["way"] != "shared":
            own = [request for request in requests if request[4] == row["tenant"]]
            missed = counted(own, int(row["size"]), True)[0] if int(row["size"]) else len(own)
            assert int(row["request_misses"]) == missed
    assert b"the best parts" in run("curve", trace, *COLUMNS, *words, "--partition", "bytes").stdout.lower()


def test_writes_absorbed(run: Run, tmp_path: Path) -> None:
    """Two sets of a, of which the first is absorbed at both sizes; b's is written back by a cache of one object."""
    (tmp_path / "t.csv").write_text("k,s,o\na,5,set\na,5,set\nb,5,set\na,5,get\n")
    words = ("--columns", "key=k,size=s,op=o", "--write-back", "--sizes", "1,2")
    done = run("curve", tmp_path / "t.csv", *words, "-f", "csv")
    rows = [[row["writes_absorbed"], row["dirty_at_end"]] for row in rows_of(done.stdout)]
    assert rows == [[1, 0], [1, 2]]
    assert b"are written back" in run("curve", tmp_path / "t.csv", *words).stdout


def test_a_log_in_flash(run: Run, trace: Path) -> None:
    """It is said to be a model; without reinsertion nothing is written again."""
    words = ("curve", trace, *COLUMNS, "--flash-log", "500", "--sizes", "1000,3000")
    assert b"This is a first model" in run(*words).stdout
    found = json.loads(run(*words, "-f", "json").stdout)
    plain = json.loads(run(*words, "--no-reinsert", "-f", "json").stdout)
    assert [row["size"] for row in found] == [1000, 3000]
    assert all(row["appended_again_bytes"] > 0 and row["write_amplification"] > 1 for row in found)
    assert all(row["appended_again_bytes"] == 0 for row in plain)


def test_levels_of_memory(run: Run, tmp_path: Path) -> None:
    prompts = [[5], [3, 4], [1, 2], [1, 2], [3, 4], [5]]
    log = tmp_path / "prompts.jsonl"
    log.write_text("".join(f'{{"timestamp": 0, "hash_ids": {prompt}}}\n' for prompt in prompts))
    done = run("curve", log, "--tiers", "HBM=2:1us, DRAM=2:10us,computed=5ms", "-f", "csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout.decode())))[1:]
    assert [row[:4] for row in rows] == [
        ["HBM", "2", "2", "1"],
        ["DRAM", "2", "2", "1"],
        ["computed", "", "6", "4"],
    ]
    assert [float(row[-1]) for row in rows] == pytest.approx([2e-6, 20e-6, 30e-3])
    assert b"30 ms" in run("curve", log, "--tiers", "HBM=2:1us,DRAM=2:10us,computed=5ms").stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--unit", "prefixes"), b"the trace has no prompts"),
        (("--unit", "prefixes", "--ttl", "lazy"), b"--ttl cannot be combined"),
        (("--by", "size"), b"--by: only tenant is supported for caches of objects"),
        (("--block", "4K", "--ttl", "lazy"), b"--ttl is for caches of objects"),
        (("--policy", "opt"), b"'opt' is not simulated for caches sized in objects"),
        (("--policy", "arc", "--unit", "bytes"), b"'arc' is not simulated for caches sized in bytes"),
        (("--policy", "unknown"), b"'unknown' is not one of lru"),
        (("--policy", "lru", "--by", "tenant"), b"--policy cannot be combined with --by"),
        (("--policy", "lru", "--write-back"), b"--write-back cannot be combined with --policy"),
        (("--policy", "lru", "--unit", "prefixes"), b"--policy cannot be combined with --unit prefixes"),
        (("--partition", "bytes", "--sizes", "5"), b"--partition needs --by tenant"),
        (("--partition", "bytes", "--by", "tenant"), b"--partition needs --sizes"),
        (("--split",), b"--split needs --by"),
        (("--write-back",), b"does not state which requests are writes"),
        (("--write-back", "--ttl", "lazy"), b"--ttl cannot be combined with --write-back"),
        (("--flash-log", "1M"), b"--flash-log needs --sizes"),
        (
            ("--flash-log", "1M", "--sizes", "1M"),
            b"--flash-log 1M: a segment is at least 1 byte, and at most half",
        ),
        (
            ("--flash-log", "1M", "--sizes", "1M", "--unit", "objects"),
            b"cannot be combined with --unit objects",
        ),
        (("--reinsert",), b"--reinsert needs --flash-log"),
        (("--no-reinsert",), b"--no-reinsert needs --flash-log"),
        (("--unit", "prefixes", "--ttl", "ignore"), b"the trace has no prompts"),
        (("--budget", "5"), b"--budget is for caches of blocks"),
        (("--tiers", "HBM=5:1us"), b"needs the time of a block that no level has"),
        (("--tiers", "HBM,computed=5ms"), b"'HBM' is neither NAME=BLOCKS:TIME"),
        (("--tiers", "HBM=5:1us,computed=5ms", "--sizes", "5"), b"--tiers cannot be combined with --sizes"),
        (("--tiers", "HBM=5:1us,computed=5ms"), b"the trace has no prompts"),
        (("--deletes", "ignore"), b"--deletes is for caches of blocks, not for caches of objects"),
        (("--device", "hdd"), b"--device is for caches of blocks"),
        (("--until", "10s"), b"--until is for caches of blocks"),
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
    assert done.returncode == 1
    assert b"iotrace advice has no rules for them" in done.stderr
    assert run("report", trace, *COLUMNS, "-o", tmp_path / "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Nothing worth changing" not in page
    assert "What should I change?" not in page
