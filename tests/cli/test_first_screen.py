"""``iotrace TRACE``: the first screen of a trace of each family, and what is refused."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import first_screens
import pytest
from first_screens import OPTIONS, TRACES, numbers, written
from program import Run, refused

TRACES_FOLDER = os.environ.get("IOTRACE_TRACES", "")
ANSWERS = {name: answers.keys() - {"headline"} for name, answers in first_screens.ANSWERS.items()}


@pytest.fixture(scope="module", params=TRACES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def trace(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(name, tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def screen(run: Run, trace: Path, name: str) -> list[str]:
    done = run(trace, *OPTIONS.get(name, ()))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def answers(run: Run, trace: Path, name: str) -> Any:
    done = run("report", trace, "--format", "json", *OPTIONS.get(name, ()))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_is_a_screen(screen: list[str]) -> None:
    assert 8 <= len(screen) <= 25
    assert max(map(len, screen)) <= 100
    assert not any("\x1b" in line for line in screen)


def test_json_has_the_answers_that_the_family_has(name: str, answers: Any) -> None:
    assert {"time", "change", "cache"} & answers.keys() == ANSWERS[name]
    for one in ANSWERS[name] | {"headline"}:
        answer = answers[one]
        assert answer.keys() == {"sentence", "numbers", "unit", "command"}
        assert 0 < len(answer["sentence"].split()) <= 25
        assert answer["command"].startswith("iotrace ")
    assert isinstance(answers["reliability"], list)


def test_every_command_works(
    run: Run, name: str, trace: Path, answers: Any, screen: list[str], tmp_path: Path
) -> None:
    shutil.copy(trace, tmp_path)
    named = {answers[one]["command"] for one in ANSWERS[name] | {"headline"}}
    for command in named | {line[8:] for line in screen[-2:]}:
        words = command.replace(str(trace), trace.name).split()[1:]
        done = run(*words, *OPTIONS.get(name, ()), folder=tmp_path)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("name", ["two\nlines.strace", "n" * 99 + ".strace"])
def test_a_name_that_commands_cannot_show_is_written_trace(run: Run, name: str, tmp_path: Path) -> None:
    trace = tmp_path / name
    trace.write_text(first_screens.CALLS)
    done = run(trace)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines()[-2].startswith("Next    iotrace report TRACE")


def test_calls(run: Run, tmp_path: Path) -> None:
    (done,) = [run("report", written("calls", tmp_path), "--format", "json")]
    answers = json.loads(done.stdout)
    assert numbers(answers["time"]) == pytest.approx({"no recorded call": 9.0, "storage calls": 1.0})
    assert answers["time"]["unit"] == "s"
    assert "9 s of 10 s (90 %)" in answers["headline"]["sentence"]
    assert "storage takes 1 s" in answers["headline"]["sentence"]
    assert numbers(answers["cache"]) == {"1 MB": 4096}
    assert answers["cache"]["numbers"][0]["size_bytes"] == 1 << 20
    assert answers["cache"]["unit"] == "bytes"
    assert (
        answers["cache"]["sentence"]
        == "1 MB of memory is enough: with more, Linux reads the same 4 KB from the device."
    )
    assert answers["cache"]["command"].startswith("iotrace memory ")
    shown = run(tmp_path / "db.strace").stdout.decode()
    assert "call read 600 ms" in shown and "file /data/a" in shown and "program /bin/db" in shown
    assert "8 KB read" in shown and "10 s duration" in shown and "6 system calls" in shown


def test_nothing_to_change(run: Run, tmp_path: Path) -> None:
    answers = json.loads(run("report", written("quiet", tmp_path), "--format", "json").stdout)
    assert answers["change"]["numbers"] == []
    assert "nothing to gain" in answers["change"]["sentence"]
    assert (
        answers["cache"]["sentence"]
        == "1 MB of memory is enough: with more, Linux reads the same 4 KB from the device."
    )


def test_disks(run: Run, tmp_path: Path) -> None:
    answers = json.loads(run("report", written("disks", tmp_path), "--format", "json").stdout)
    assert numbers(answers["time"]) == pytest.approx({"reads": 0.009, "writes": 0.001})
    assert "30.3 %" in answers["time"]["sentence"]  # 10 of 33 ms
    assert list(numbers(answers["cache"]).values()) == [50.0]
    shown = run(tmp_path / "web.csv").stdout.decode()
    assert "3 ms, 3 ms read latency p50, p99" in shown
    assert "75 % of the requests read" in shown and "8 KB footprint" in shown and "33 ms duration" in shown
    assert "121 requests a second" in shown  # 4 in 33 ms


def test_keys(run: Run, tmp_path: Path) -> None:
    trace = written("keys", tmp_path)
    answers = json.loads(run("report", trace, "--format", "json", *OPTIONS["keys"]).stdout)
    lru = {one["size_bytes"]: one["value"] for one in answers["cache"]["numbers"] if one["key"] == "lru"}
    assert lru[max(lru)] == 50.0
    assert {one["key"] for one in answers["cache"]["numbers"]} == {"lru", "sieve", "s3-fifo", "w-tinylfu"}
    shown = run(trace, *OPTIONS["keys"]).stdout.decode()
    assert "6 requests" in shown and "3 objects" in shown and "600 bytes requested" in shown
    assert "33.3 % of the objects asked for once" in shown


def test_ranks(run: Run, tmp_path: Path) -> None:
    answers = json.loads(run("report", written("ranks", tmp_path), "--format", "json").stdout)
    assert numbers(answers["time"]) == pytest.approx({"not in I/O": 5.5, "writes": 1.5, "reads": 1.0})
    assert "31.2 % of the time of 2 ranks" in answers["time"]["sentence"]
    shown = run(tmp_path / "ranks.dxt").stdout.decode()
    assert "2 ranks with I/O" in shown and "4 s duration" in shown and "16 KB moved" in shown


def test_a_commands_name_wins(run: Run, tmp_path: Path) -> None:
    written("calls", tmp_path).rename(tmp_path / "formats")
    assert b"strace" in run("formats", folder=tmp_path).stdout
    assert b"storage" in run("./formats", folder=tmp_path).stdout


@pytest.mark.parametrize(
    ("word", "command"), [("reprot", "report"), ("inof", "info"), ("writecache", "write-cache")]
)
def test_a_word_that_looks_like_a_command(run: Run, word: str, command: str) -> None:
    assert f"did you mean iotrace {command}?" in refused(run(word), 2)


@pytest.mark.parametrize("word", ["gone.strace", "/gone/log", "./report"])
def test_a_path_that_is_not_there(run: Run, word: str, tmp_path: Path) -> None:
    assert refused(run(word, folder=tmp_path), 1) == f"{word}: no such file or folder"


def test_a_log_in_several_files(run: Run, tmp_path: Path) -> None:
    for pid in (7, 8):
        lines = [f"{1700000000 + pid + step / 10:.6f} getpid() = {pid} <0.000010>\n" for step in range(3)]
        (tmp_path / f"log.{pid}").write_text("".join(lines))
    done = run(tmp_path / "log.7", tmp_path / "log.8")
    assert done.returncode == 0, done.stderr
    assert b"2 processes" in done.stdout


LONG = "/data/" + "/".join(["long" * 12] * 80)
ODD = "/data/\u05d0\u05d1\u05d2 \u202e e\u0301\u0301 \u4e2d\u6587" + " a" * 200


@pytest.mark.parametrize("path", [LONG, ODD, "/data/" + "\\n\\33[31m" * 50], ids=["long", "odd", "control"])
def test_names_that_break_layouts(run: Run, tmp_path: Path, path: str) -> None:
    octal = "".join(f"\\{byte:o}" if byte > 126 else chr(byte) for byte in path.encode())
    calls = [f'openat(AT_FDCWD, "{octal}", O_RDONLY) = 3', *['read(3, ""..., 1) = 1'] * 400, "close(3) = 0"]
    text = "".join(f"7 {1700000000 + place / 10:.6f} {call} <0.09>\n" for place, call in enumerate(calls))
    (tmp_path / "odd.strace").write_text(text)
    done = run(tmp_path / "odd.strace")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert len(lines) <= 25 and max(map(len, lines)) <= 100
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout.decode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('openat(AT_FDCWD, "/a", O_RDONLY) = 3\nread(3, "x", 1) = 1\n', "no time stamps"),
        (
            '1700000000.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3\n1700000001.000000 close(3) = 0\n',
            "does not",
        ),
        ("7 1700000000.000000 getpid() = 7\n", "does not"),
    ],
    ids=["no stamps", "no lengths", "one call"],
)
def test_what_a_trace_lacks_is_said(run: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "little.strace").write_text(text)
    done = run(tmp_path / "little.strace", "--trace-format", "strace")
    assert done.returncode == 0, done.stderr
    assert said in done.stdout.decode()
    assert len(done.stdout.splitlines()) <= 25


def test_one_request_to_a_disk(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("time,offset,length,op\n0,0,4096,r\n")
    options = ("--columns", "time=time,offset=offset,length=length,op=op")
    done = run(tmp_path / "one.csv", *options)
    assert done.returncode == 0, done.stderr
    assert "does not record how long requests took" in done.stdout.decode()
    page = run("report", tmp_path / "one.csv", "-o", tmp_path / "one.html", *options)
    assert page.returncode == 0 and b"could not" not in page.stderr


def test_a_damaged_trace_says_so(run: Run, tmp_path: Path) -> None:
    import gzip

    whole = gzip.compress((TRACES["calls"][1] * 1).encode() * 200)
    (tmp_path / "cut.strace.gz").write_bytes(whole[: len(whole) // 2])
    done = run(tmp_path / "cut.strace.gz")
    assert done.returncode == 1
    assert "damage" in done.stdout.decode()


def test_answers_are_kept_in_the_cache_and_never_in_the_store(run: Run, tmp_path: Path) -> None:
    store, cache = tmp_path / "db.iotrace", tmp_path / "cache"
    mine = Run(cache)
    assert run("ingest", written("calls", tmp_path), "-o", store).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in store.iterdir()}
    first = mine(store)
    (kept,) = (cache / "iotrace" / "answers").iterdir()
    assert {path: path.stat().st_mtime_ns for path in store.iterdir()} == before
    screen = json.loads(kept.read_text())
    kept.write_text(json.dumps({**screen, "name": "as kept"}))
    assert mine(store).stdout.startswith(b"as kept ")
    for damaged in (
        "",
        "[]",
        "{}",
        json.dumps({**screen, "figures": [1]}),
        json.dumps({**screen, "time": "x"}),
    ):
        kept.write_text(damaged)
        assert mine(store).stdout == first.stdout
    (store / "manifest.json").touch()
    kept.write_text(json.dumps({**screen, "name": "of the store as it was"}))
    assert mine(store).stdout == first.stdout


def test_a_kept_answer_opens_no_table(tmp_path: Path) -> None:
    """It is there at once: nothing that reads tables is loaded."""
    store, cache = tmp_path / "db.iotrace", tmp_path / "cache"
    mine = Run(cache)
    assert mine("ingest", written("calls", tmp_path), "-o", store).returncode == 0
    assert mine(store).returncode == 0
    program = (
        "import sys; from pathlib import Path; from iotrace.analysis.answers.kept import kept_of;"
        "kept = kept_of(Path(sys.argv[1])); assert kept and kept.screen.headline.sentence;"
        "print({'pyarrow', 'numpy', 'duckdb'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, store],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", TRACES)
def test_a_report_keeps_the_same_answers(name: str, tmp_path: Path) -> None:
    store, cache = tmp_path / "t.iotrace", tmp_path / "cache"
    mine = Run(cache)
    assert mine("ingest", written(name, tmp_path), "-o", store, *OPTIONS.get(name, ())).returncode == 0
    assert mine("report", store, "-o", tmp_path / "t.html").returncode == 0
    (kept,) = (cache / "iotrace" / "answers").iterdir()
    by_report = json.loads(kept.read_text())
    kept.unlink()
    assert mine(store).returncode == 0
    assert json.loads(kept.read_text()) == by_report


def test_nothing_is_kept_where_the_cache_is_to_have_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRACE_CACHE_SIZE", "0")
    cache = tmp_path / "cache"
    assert Run(cache)(written("calls", tmp_path)).returncode == 0
    assert not list(cache.rglob("*.json"))


def test_what_takes_long_is_left_to_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from iotrace.analysis.answers import ask
    from iotrace.ingest.pipeline import ingest

    store = ingest([written("calls", tmp_path)], tmp_path / "db.iotrace")
    monkeypatch.setattr(ask, "MOST_REFERENCES", 1)
    screen = ask.first_screen(store)
    assert screen.cache is not None and screen.change is not None and screen.time is not None
    assert screen.cache.sentence.startswith("Caches are not simulated: it takes long here (iotrace memory ")
    assert screen.change.sentence.startswith("What to change is unknown: it takes long here (iotrace advice ")
    assert screen.time.amounts and not screen.cache.amounts and not screen.change.amounts


@pytest.mark.skipif(not TRACES_FOLDER, reason="IOTRACE_TRACES does not name the folder of large traces")
@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            "8a_benchmark_write_parallel_12.darshan",
            (
                "I/O is 93.8 % of the run (4,320 s at MPI-IO of 384 ranks x 12 s), 98.9 % of it writes.",
                "All writes at MPI-IO are collective. 24.1 GB are read below MPI-IO only to be written again",
                "93.8 % of ranks × run time in I/O",
            ),
        ),
        (
            "imbalanced-io.darshan",
            (
                "I/O is 77.7 % of the run (570,210 s at MPI-IO of 496 ranks x 1,479 s), 92.1 % of it writes.",
                "What POSIX counts is not of all files.",
                "Next    iotrace report",
            ),
        ),
    ],
)
def test_jobs_are_judged_by_their_counters(run: Run, log: str, said: tuple[str, ...]) -> None:
    done = run(Path(TRACES_FOLDER, "parallel", "darshan", log))
    assert done.returncode == 0, done.stderr
    screen = done.stdout.decode()
    for words in said:
        assert words in screen


def test_options_of_a_format_are_not_in_the_head(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "requests.csv"
    log.write_text(
        "ts,op,lba,size\n" + "".join(f"{1.7e9 + place},R,{8 * place},4096\n" for place in range(9))
    )
    columns = "time=ts,op=op,offset=lba:512,length=size,epoch=1970"
    assert run("ingest", log, "--columns", columns, "-o", tmp_path / "a.iotrace").returncode == 0
    head = run(tmp_path / "a.iotrace").stdout.decode().splitlines()[0]
    assert head == "a.iotrace  disks · 8 s · recorded 14 Nov 2023 by csv"
