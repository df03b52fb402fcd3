"""--since, --until, --last, --process, --program, --path and --where, as a user types them."""

import json
from pathlib import Path

import pytest
from program import Run, refused

LOG = """\
10 1700000000.000000 execve("/bin/sh", ["sh"], 0x7ff /* 1 var */) = 0 <0.001000>
10 1700000001.000000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3 <0.010000>
10 1700000002.000000 read(3, "x", 4096) = 4096 <0.030000>
10 1700000003.000000 vfork() = 11 <0.000100>
11 1700000003.100000 execve("/usr/bin/cc1", ["cc1"], 0x7ff /* 1 var */) = 0 <0.001000>
10 1700000004.000000 read(3, "x", 4096) = 4096 <0.030000>
11 1700000005.000000 openat(AT_FDCWD, "/data/b.h", O_RDONLY) = 4 <0.010000>
11 1700000006.000000 read(4, "x", 4096) = 4096 <0.020000>
10 1700000006.500000 pread64(3, "x", 4096, 0) = 4096 <0.030000>
11 1700000007.000000 openat(AT_FDCWD, "/no.h", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000200>
11 1700000008.000000 +++ exited with 0 +++
10 1700000009.000000 fsync(3) = 0 <1.000000>
"""
WITHOUT_TIMES = """\
10 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3
10 read(3, "x", 4096) = 4096
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    place = tmp_path / "t.strace"
    place.write_text(LOG, "utf-8")
    return place


def calls(run: Run, log: Path, *words: str) -> dict[str, int]:
    """Return how many calls of each name are in a part."""
    done = run("time", log, "--by", "call", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = {}
    for row in json.loads(done.stdout):
        found[row["name"]] = found.get(row["name"], 0) + row["calls"]
    return found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--since", "6s"], {"read": 1, "pread64": 1, "openat": 1, "fsync": 1}),
        (["--since", "00:00:06", "--until", "7 s"], {"read": 1, "pread64": 1}),
        (["--since", "2023-11-14T22:13:26", "--until", "T22:13:27"], {"read": 1, "pread64": 1}),
        (["--last", "1.5s"], {"fsync": 1}),
        (["--last", "1s", "--until", "7s"], {"read": 1, "pread64": 1}),
        (["--process", "11"], {"execve": 1, "openat": 2, "read": 1}),
        (["--process", "11", "--until", "6s"], {"execve": 1, "openat": 1}),
        (["--program", "cc1"], {"openat": 2, "read": 1}),  # the exec is the shell's
        (
            ["--program", "/usr/*", "--program", "nothing"],
            {"openat": 2, "read": 1},
        ),  # the exec is the shell's
        (["--path", "*.h"], {"openat": 2, "read": 1}),
        (["--path", "/data/a"], {"openat": 1, "read": 2, "pread64": 1, "fsync": 1}),
        (["--where", "length = 4096 and type = 'datafile'"], {"read": 3, "pread64": 1}),
    ],
)
def test_a_part_has_the_calls_that_are_asked_for(
    run: Run, log: Path, words: list[str], expected: dict[str, int]
) -> None:
    assert calls(run, log, *words) == expected


def test_the_answer_says_what_it_covers(run: Run, log: Path) -> None:
    first = (
        run("time", log, "--since", "4s", "--until", "7s", "--program", "cc1").stdout.decode().splitlines()[0]
    )
    assert first == (
        "covers 4 s to 7 s of 10 s, program cc1: 2 of 11 calls (5 of 29 references);"
        " left out: 5 before, 2 after, 2 of other processes; times count from 4 s"
    )
    done = run("time", log, "--last", "1s", "--format", "csv")
    assert b"covers" not in done.stdout
    assert b"iotrace: covers 9 s to 10 s of 10 s: 1 of 11 calls" in done.stderr


def test_every_command_takes_a_part(run: Run, log: Path, tmp_path: Path) -> None:
    done = run("characterize", log, "totals", "--since", "6s", "--format", "json")
    assert json.loads(done.stdout)[0]["duration_ns"] == 4_000_000_000
    assert run("advice", log, "--program", "cc1").stdout.startswith(b"covers all 10 s, program cc1")
    done = run("sql", log, "select min(time_ns) from syscall", "--since", "6s", "--format", "json")
    assert list(json.loads(done.stdout)[0].values()) == [0]
    page = tmp_path / "r.html"
    assert run("report", log, "--since", "6s", "-o", page).returncode == 0
    text = page.read_text("utf-8")
    assert "covers 6 s to 10 s of 10 s" in text and "Caches are empty when the part begins." in text
    for verb in ("curve", "nonvolatile", "attribute"):
        done = run(verb, log, "--since", "6s")
        assert done.returncode == 0, done.stderr
        assert b"what precedes 6 s warms the caches and is not counted" in done.stdout + done.stderr


def test_commands_without_a_condition_of_their_own_take_where(run: Run, log: Path) -> None:
    words = ("--where", "type = 'datafile' and operation = 'read'", "--format", "json")
    done = run("sql", log, "select operation, count(*) as n from reference group by all", *words)
    assert json.loads(done.stdout) == [{"operation": "read", "n": 4}]
    done = run("compare", log, log, *words)
    calls = {row["metric"]: row["a"] for row in json.loads(done.stdout)}["calls"]
    assert calls == 4 and done.stderr.count(b"where type = 'datafile' and operation = 'read'") == 2
    done = run("patterns", log, "--least", "1", *words)
    assert {row["accesses"] for row in json.loads(done.stdout)} == {1, 3}
    for verb in ("sql", "compare", "patterns", "attribute"):
        places = [log, log] if verb == "compare" else [log, "select 1"] if verb == "sql" else [log]
        assert "--where is empty" in refused(run(verb, *places, "--where", " "), 2)
        assert "no column nothing" in refused(run(verb, *places, "--where", "nothing = 1"), 1)


def test_an_attribute_cache_sees_what_where_says(run: Run, log: Path) -> None:
    """/data/b.h is read once: one miss, fewer than all files have."""
    words = ("attribute", log, "--format", "json", "--where")
    all_of_it, one = (run(*words, condition) for condition in ("true", "path = '/data/b.h'"))
    best = [min(row["best_cost"] for row in json.loads(done.stdout)) for done in (all_of_it, one)]
    assert best[1] == 1 < best[0]
    assert b"where path = '/data/b.h'" in one.stderr and b"caches see no others" in one.stderr


def curve(run: Run, log: Path, *words: str) -> dict[str, int]:
    done = run("curve", log, "--sizes", "1M", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    row: dict[str, int]
    _, row = json.loads(done.stdout)
    return row


def test_what_precedes_a_part_warms_the_cache(run: Run, log: Path) -> None:
    """Block 0 of /data/a was read at 2 s; block 0 of /data/b.h is new at 6 s."""
    warm = curve(run, log, "--since", "6s")
    assert (warm["read_requests"], warm["read_request_misses"]) == (2, 1)
    assert warm == curve(run, log, "--warm-up", "6s")
    cold = curve(run, log, "--where", "time_ns >= 6000000000")
    assert (cold["read_requests"], cold["read_request_misses"]) == (2, 2)
    program = curve(run, log, "--program", "sh", "--path", "/data/*")
    assert (program["read_requests"], program["read_request_misses"]) == (3, 2)


@pytest.mark.parametrize(
    ("verb", "names"),
    [("curve", ["read_requests", "read_request_misses", "block_misses", "write_requests"])],
)
@pytest.mark.parametrize("cut", ["2s", "5s", "6.2s"])
def test_counts_of_complementary_parts_add_up(
    run: Run, log: Path, verb: str, names: list[str], cut: str
) -> None:
    whole, first, last = (curve(run, log, *words) for words in ([], ["--until", cut], ["--since", cut]))
    assert [first[name] + last[name] for name in names] == [whole[name] for name in names]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--since", "20s"], 1, "ends at 10 s, before --since (20 s)"),
        (["--until", "2023-11-14T22:13:20"], 1, "begins at or after --until (0 s)"),
        (["--process", "99"], 1, "has no calls in all 10 s, process 99 (left out: 11 of other processes)"),
        (["--path", "*.none"], 1, "path *.none (left out: 11 on other paths)"),
        (["--where", "length > 99999999"], 1, "(left out: 11 that do not fulfil --where)"),
        (["--since", "7.5s", "--until", "7.9s"], 1, "has no calls in 7.5 s to 7.9 s of 10 s"),
        (["--since", "5s", "--until", "4s"], 2, "--until (4 s) is not after --since (5 s)"),
        (
            ["--since", "5s", "--last", "4s"],
            2,
            "with --since: both say where the part begins",
        ),
        (["--since", "soon"], 2, "--since: 'soon' is not a moment; write it as in 10s"),
        (["--last", "soon"], 2, "--last: 'soon' is not a time"),
        (["--process", "cc1"], 2, "--process: 'cc1' is not the number of a process"),
        (["--program", ""], 2, "--program is empty"),
        (["--where", " "], 2, "--where is empty"),
        (["--where", "nothing = 1"], 1, "there is no column nothing"),
    ],
)
def test_what_leaves_nothing_or_makes_no_sense_is_one_sentence(
    run: Run, log: Path, words: list[str], code: int, sentence: str
) -> None:
    run("info", log)
    assert sentence in refused(run("time", log, *words), code)


def test_a_trace_without_times_has_no_part_by_time(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "plain.strace"
    place.write_text(WITHOUT_TIMES, "utf-8")
    done = run("advice", place, "--last", "1s")
    assert done.returncode == 1
    assert b"has no times, so --last cannot choose a part of it\n" in done.stderr
    done = run("characterize", place, "totals", "--path", "/data/*", "--format", "json")
    assert json.loads(done.stdout)[0]["calls"] == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--since", "2s", "--warm-up", "3s"], "--warm-up cannot be combined with --since"),
        (
            ["--since", "2s", "--state", "-o", "x.state"],
            "with --since: states are of records",
        ),
    ],
)
def test_what_a_curve_refuses(run: Run, log: Path, words: list[str], sentence: str) -> None:
    assert sentence in refused(run("curve", log, *words), 2)


def disk(folder: Path) -> Path:
    """Return a block trace: 8 KiB of one disk a second, 12 times, block 0 and 100 by turns."""
    place = folder / "d.spc"
    place.write_text("".join(f"0,{100 * (second % 2)},8192,w,{second}.0\n" for second in range(12)), "utf-8")
    return place


def test_a_write_cache_is_warm_when_the_part_begins(run: Run, tmp_path: Path) -> None:
    """Of 12 writes 6 are in the part; a block that was read before it is in the cache when it begins."""
    words = ["write-cache", disk(tmp_path), "--purge", "asap", "--format", "json"]
    whole, part = run(*words), run(*words, "--since", "6s")
    assert [json.loads(done.stdout)[0]["writes"] for done in (whole, part)] == [12, 6]
    assert b"covers 6 s to 11 s of 11 s: 6 of 12 requests" in part.stderr
    assert b"what precedes 6 s warms the caches and is not counted" in part.stderr
    part = run(*words, "--where", '"offset" = 0', "--until", "4s")
    assert json.loads(part.stdout)[0]["writes"] == 2 and b"warms" not in part.stderr
    assert "has no requests" in refused(run(*words, "--where", '"offset" = 77', "--since", "4s"))
    place = tmp_path / "r.spc"
    place.write_text("".join(f"0,100,8192,r,{second}.0\n" for second in range(9)), "utf-8")
    words = ["write-cache", place, "--write-cache", "1M", "--format", "json", "--since", "4s"]
    row = json.loads(run(*words).stdout)[0]
    assert (row["reads"], row["disk_reads"]) == (5, 0)


def test_a_cluster_runs_the_part(run: Run, log: Path, tmp_path: Path) -> None:
    """Three reads of /data/a and one of /data/b.h: the whole, one program, the end, one file."""
    words = ["cluster", log, "--discipline", "local", "--format", "json"]
    reads = {}
    for part in ([], ["--program", "cc1"], ["--since", "6s"], ["--path", "/data/a"], ["--process", "10"]):
        done = run(*words, *part)
        assert done.returncode == 0, done.stderr
        reads[" ".join(part)] = json.loads(done.stdout)[0]["reads"]
    assert list(reads.values()) == [4, 1, 2, 3, 3]
    late = run(*words, "--since", "6s")
    assert b"covers 6 s to 10 s of 10 s" in late.stderr
    assert b"what precedes 6 s warms the caches and is not counted" in late.stderr
    assert json.loads(late.stdout)[0]["local_hits"] == 1
    two = run("cluster", log, log, "--discipline", "local", "--process", "10")
    assert two.stdout.count(b"t.strace: covers all 10 s, process 10") == 2
    nests = tmp_path / "nests.parquet"
    assert run("generate", "nests", "tomcatv", "--size", "50", "-o", nests).returncode == 0
    assert "is a program, not a trace" in refused(run("cluster", nests, "--process", "1"), 2)


@pytest.mark.parametrize("verb", ["cluster", "write-cache"])
def test_a_simulation_of_nothing_says_so(run: Run, tmp_path: Path, verb: str) -> None:
    trace = disk(tmp_path)
    run("info", trace)
    assert "has no requests in all 11 s, process 9" in refused(run(verb, trace, "--process", "9"), 1)


def test_a_part_of_references_alone_has_no_time_and_no_advice(run: Run, log: Path) -> None:
    """Look-ups refer to directory /data, on which no call works."""
    for verb in ("time", "advice"):
        done = run(verb, log, "--path", "/data")
        assert done.returncode == 1 and b"has no calls in this part" in done.stderr
