"""Last lines without an end: whole ones are kept and named, cut ones are left out."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from program import Run

sys.path.append(str(Path(__file__).parents[1] / "formats"))

from ingested_traces import LEFT_OUT, MSR, NO_END, STRACE, information, ingested, told
from key_samples import TEXTS
from samples import SAMPLES

TRACES = os.environ.get("IOTRACE_TRACES")


ASCII = {name: found for name, found in SAMPLES.items() if found[1][:200].isascii() and b"\0" not in found[1]}


@pytest.mark.parametrize("name", ASCII)
def test_a_whole_last_line_without_an_end_is_kept_and_named(run: Run, tmp_path: Path, name: str) -> None:
    form, content = ASCII[name]
    whole, open_end = tmp_path / "whole.txt", tmp_path / "open.txt"
    whole.write_bytes(content)
    open_end.write_bytes(content.removesuffix(b"\n"))
    words = ("--columns", form.removeprefix("csv:")) if form.startswith("csv:") else ("--trace-format", form)
    done, expected = ingested(run, whole, *words)
    assert done.returncode == 0 and "no end" not in told(done)
    done, known = ingested(run, open_end, *words)
    assert (known["lines"], known["requests"]) == (expected["lines"], expected["requests"])
    assert known["damage"] == []
    assert done.returncode == 0
    is_record = name not in ("fio-iolog-2", "fio-iolog-3", "blkparse")  # they end with other lines
    assert (f"{open_end}: {NO_END}" in told(done)) == is_record


@pytest.mark.parametrize("name", TEXTS)
def test_a_whole_last_line_of_keys_without_an_end_is_kept(run: Run, tmp_path: Path, name: str) -> None:
    content = TEXTS[name][0]
    whole, open_end = tmp_path / "whole.txt", tmp_path / "open.txt"
    whole.write_text(content)
    open_end.write_text(content.removesuffix("\n"))
    words = ("--columns", name.partition(":")[2]) if name.startswith("csv:") else ("--trace-format", name)
    done, expected = ingested(run, whole, *words)
    assert expected, told(done)
    done, known = ingested(run, open_end, *words)
    assert (known["lines"], known["requests"]) == (expected["lines"], expected["requests"])
    assert known["damage"] == []


CUT = {
    "length": ("30 /d/f write 262144 1310", "fio", "whole ones"),
    "fields": ("128166372003361629,web,0,Read,4096", "msr", "fields"),
    "length in the middle": (
        "128166372003361629,web,0,Read,4096,6553",
        "msr",
        "fewer fields than the line before",
    ),
    "page": ("128166372003361629,web,0,Read,4096,512,7", "msr", "not a multiple of 4,096 bytes"),
    "time": ("64,W,4096,8192,15", "alibaba", "time out of range"),
}
HEADS = {
    "fio": "fio version 3 iolog\n0 /d/f add\n0 /d/f open\n10 /d/f write 0 131072\n20 /d/f write 131072 131072\n",
    "msr": MSR[: MSR.index("\n", 40_000) + 1],
    "alibaba": "".join(f"64,W,{4096 * n},8192,{1_600_000_000_000_000 + n}\n" for n in range(500)),
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("packed", [False, True])
def test_a_last_line_that_differs_from_all_others_is_left_out(
    run: Run, tmp_path: Path, name: str, packed: bool
) -> None:
    line, head, why = CUT[name]
    trace = tmp_path / ("cut.gz" if packed else "cut")
    text = (HEADS[head] + line).encode()
    trace.write_bytes(gzip.compress(text) if packed else text)
    done, known = ingested(run, trace)
    assert done.returncode == 1
    (damage,) = known["damage"]
    assert (
        damage.startswith(f"{trace}: the last line has no end and is not a complete record (")
        and why in damage
    )
    assert damage.endswith(LEFT_OUT) and f"{damage}." in run("characterize", f"{trace}.store").stdout.decode()
    assert (
        known["skipped"]["cut short" if "cut short" in known["skipped"] else next(iter(known["skipped"]))][
            "lines"
        ]
        == 1
    )
    assert known["parsed"] + 1 == known["lines"]
    with_end = tmp_path / "whole"
    with_end.write_text(HEADS[head])
    _, expected = ingested(run, with_end)
    assert known["requests"] == expected["requests"]


def test_from_standard_input_it_is_the_same(run: Run, tmp_path: Path) -> None:
    text = (HEADS["fio"] + CUT["length"][0]).encode()
    done = run("ingest", "-", "-o", tmp_path / "s.iotrace", given=text)
    assert done.returncode == 1 and "-: the last line has no end and is not a complete record" in told(done)
    done = run("characterize", "-", given=text + b"72\n")
    assert done.returncode == 0 and "no end" not in told(done)


def test_each_of_several_files_is_judged_and_workers_judge_as_one(run: Run, tmp_path: Path) -> None:
    lines = MSR.splitlines(keepends=True)
    for part in range(3):
        text = "".join(lines[part * 500 : part * 500 + 500])
        (tmp_path / f"{part}.csv").write_text(text.removesuffix("\n") if part == 1 else text)
    done = run("ingest", *sorted(tmp_path.glob("*.csv")), "-o", tmp_path / "one.iotrace")
    split = run("ingest", *sorted(tmp_path.glob("*.csv")), "--workers", "2", "-o", tmp_path / "two.iotrace")
    for each, store in ((done, "one"), (split, "two")):
        assert each.returncode == 0 and told(each).count(NO_END) == 1
        assert f"{tmp_path / '1.csv'}: {NO_END}" in told(each)
        assert information(run, tmp_path / f"{store}.iotrace")["requests"] == 1500


LAST_LINES = {
    "stamp": "1700000009.000000 ",
    "number and stamp": "7 1700000009.000000 ",
    "number in brackets": "[pid     7] 1700000009.000000 ",
    "time of day": "7 11:22:33.000009 ",
}
CALL = 'read(3</d/a>, "x"..., 4096) = 4096 <0.000010>'


@pytest.mark.parametrize("begin", LAST_LINES.values(), ids=list(LAST_LINES))
def test_a_log_that_is_cut_anywhere_in_its_last_line_is_damaged(run: Run, tmp_path: Path, begin: str) -> None:
    """Where all other calls have a duration, a last line without one is cut; a whole one may be cut."""
    line, trace = begin + CALL, tmp_path / "a.strace"
    places = (1, len(begin) + 2, len(begin) + 15, -len(" <0.000010>"), -2, len(line))
    for end in places:
        trace.write_text(f"{line}\n" * 3 + line[:end])
        done = run("info", trace, "--format", "json")
        known = json.loads(done.stdout)
        damaged = end != len(line)
        assert (done.returncode, len(known["damage"])) == (damaged, damaged), line[:end]
        assert (f"{trace}: {NO_END}" in told(done)) == (not damaged)
        assert known["calls"] == 4 - damaged


def test_files_of_a_set_are_cut_like_one_file(run: Run, tmp_path: Path) -> None:
    line = '1700000009.000000 read(3</d/a>, "x"..., 4096) = 4096 <0.000010>'
    ends = ["", line[:5], line[:30], line[:-4], line]
    for number, end in enumerate(ends):
        (tmp_path / f"log.{number + 7}").write_text(f"{line}\n{end}")
    done = run("info", tmp_path, "--format", "json")
    known = json.loads(done.stdout)
    assert done.returncode == 1 and known["calls"] == 6
    assert "1 of the log's files end with a line that has no end: it may be cut" in told(done)
    left_out = "is not a complete record (cut short): it is left out"
    assert known["damage"] == [f"3 of the log's files end with a line that has no end and {left_out}"]


def test_a_call_without_its_end_is_left_out(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    trace.write_text(STRACE[:5000].rpartition("\n")[0] + '\n7 1700000009.000000 pread64(3</d/a>, "x"..., 40')
    done, known = ingested(run, trace)
    assert done.returncode == 1 and known["damage"][0].endswith(LEFT_OUT)
    trace.write_text(STRACE[:5000].rpartition("\n")[0])
    done, known = ingested(run, trace)
    assert done.returncode == 0 and f"{trace}: {NO_END}" in told(done) and known["damage"] == []


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES names no folder")
@pytest.mark.parametrize(
    ("name", "words", "requests"),
    [
        ("block/mqsim-wsrch-small.trace.zst", (), None),
        ("block/cloudPhysicsIO.txt.zst", ("--trace-format", "key-lines"), None),
    ],
)
def test_whole_traces_that_end_without_a_line_end_stay_exact(
    run: Run, tmp_path: Path, name: str, words: tuple[str, ...], requests: int | None
) -> None:
    trace = Path(str(TRACES)) / name
    if not trace.exists():
        pytest.skip(f"needs {name}")
    text = subprocess.run(["zstd", "-dc", trace], capture_output=True, check=True).stdout
    assert not text.endswith(b"\n")
    copies = {}
    for kind, content in (("open", text), ("whole", text + b"\n")):
        copy = tmp_path / kind
        copy.write_bytes(content)
        done, copies[kind] = ingested(run, copy, *words)
        assert done.returncode == 0 and (NO_END in told(done)) == (kind == "open")
    assert copies["open"]["requests"] == copies["whole"]["requests"] == text.count(b"\n") + 1
    assert copies["open"]["damage"] == []


PARALLEL = (
    "charisma.csv",
    "darshan-dxt.txt",
    "dftracer.0.pfw",
    "pattern.csv",
    "recorder-text.txt",
    "copy.ultrix",
)


@pytest.mark.parametrize("name", PARALLEL)
def test_a_last_line_of_a_trace_of_calls_without_an_end_is_kept_or_left_out(
    run: Run, tmp_path: Path, name: str
) -> None:
    whole = (Path(__file__).parents[1] / "fuzz" / "samples" / name).read_bytes()
    trace, expected = tmp_path / name, {}
    lines = whole.rstrip(b"\n]").rstrip().splitlines(keepends=True)
    for kind, text in (
        ("whole", b"".join(lines) + b"\n"),
        ("open", b"".join(lines)),
        ("cut", b"".join(lines)[: -len(lines[-1]) * 2 // 3]),
    ):
        trace.write_bytes(text)
        done, known = ingested(run, trace)
        if kind == "whole":
            assert known["damage"] == [] and "no end" not in told(done)
            expected = known
        elif kind == "open":
            assert known["lines"] == expected["lines"] and known["damage"] == []
            assert f"{trace}: {NO_END}" in told(done)
        else:
            assert f"{trace}: the last line has no end" in told(done)
            assert done.returncode == (1 if known["damage"] else 0)
