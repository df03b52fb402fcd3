"""What answers questions, asked of traces that have little to answer with: one clear sentence, or counted warnings."""

from pathlib import Path

import pytest
from program import Run

OPEN = 'openat(AT_FDCWD, "/data/a", O_RDONLY) = 3'
READ = 'read(3, "x", 4096) = 4096'
TRACES = {
    "fair": f"10 1700000001.000000 {OPEN} <0.010000>\n10 1700000002.000000 {READ} <0.030000>\n",
    "timeless": f"10 {OPEN}\n10 {READ}\n",
    "one call": f"1700000002.000000 {READ} <0.030000>\n",
    "clock jumps": f"10 1700000010.000000 {OPEN} <0.01>\n10 1600000005.000000 {READ} <0.03>\n"
    f"10 1900000005.000000 {READ} <0.03>\n",
    "set back": f"10 1700000000.000000 {OPEN} <0.01>\n10 1699990002.000000 {READ} <0.03>\n"
    f"10 1700000003.000000 {READ} <0.03>\n",
    "disk": "0,100,8192,w,0.0\n0,300,8192,r,0.5\n",
    "empty": "",
    "noise": "neither this\nnor that\n",
}
BACKWARDS = "warning: time runs backwards at 1 lines, first at line 2"
SAID = {
    ("time", "timeless"): "has no times: the log has no time stamps; strace -f -ttt -T",
    ("time", "disk"): "is made of requests to disks, and iotrace time shows the time in system calls; iotrace report",
    ("compare", "timeless"): "",
    ("compare", "one call"): "has 1 of the at least 2 calls that a comparison needs",
    ("compare", "disk"): "is made of system calls, disk.log of requests to disks: only traces of one kind",
    **{(verb, "clock jumps"): BACKWARDS for verb in ("time", "advice", "report", "compare")},
    **{(verb, "set back"): BACKWARDS for verb in ("time", "advice", "report", "compare")},
    **{(verb, "empty"): "is empty; record the trace again" for verb in ("time", "advice", "report", "compare")},
    **{(verb, "noise"): "no known format; line 1 is: neither this" for verb in ("time", "advice", "report", "compare")},
}  # fmt: skip
FAILING = {
    ("time", "timeless"), ("time", "disk"), ("compare", "one call"), ("compare", "disk"),
    *((verb, trace) for verb in ("time", "advice", "report", "compare") for trace in ("empty", "noise")),
}  # fmt: skip
CASES = [(verb, trace) for verb in ("time", "advice", "report", "compare") for trace in TRACES]


def is_no_error(line: str) -> bool:
    """Whether a line is a warning, says where a store is kept, or how far a slow machine is."""
    return line.startswith(("iotrace: warning: ", "iotrace: kept as ")) or " …" in line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TRACES.items():
        (tmp_path / f"{name}.log").write_text(text)
    return tmp_path


@pytest.mark.parametrize(("verb", "trace"), CASES, ids=[" ".join(case) for case in CASES])
def test_each_answers_or_says_why_not(run: Run, folder: Path, verb: str, trace: str) -> None:
    words = ["fair.log", f"{trace}.log"] if verb == "compare" else [f"{trace}.log"]
    more = ["-o", "page.html"] if verb == "report" else []
    done = run(verb, *words, *more, folder=folder)
    lines = done.stderr.decode().splitlines()
    errors = [line for line in lines if not is_no_error(line)]
    assert all(line.startswith("iotrace: ") for line in lines)
    assert SAID.get((verb, trace), "") in done.stderr.decode()
    assert (done.returncode, len(errors)) == ((1, 1) if (verb, trace) in FAILING else (0, 0)), lines
    if (verb, trace) in FAILING:
        assert done.stdout == b"" and not (folder / "page.html").exists()


@pytest.mark.parametrize("verb", ["time", "advice", "report", "compare"])
@pytest.mark.parametrize(
    ("part", "why"),
    [
        (["--process", "9"], "has no calls in all 1.03 s, process 9 (left out: 2 of other processes)"),
        (["--path", "/no*"], "path /no* (left out: 2 on other paths)"),
        (["--since", "20s"], "ends at 1.03 s, before --since (20 s)"),
    ],
)
def test_a_part_without_anything(run: Run, folder: Path, verb: str, part: list[str], why: str) -> None:
    words = ["fair.log", "fair.log"] if verb == "compare" else ["fair.log"]
    done = run(verb, *words, *part, folder=folder)
    (error,) = [line for line in done.stderr.decode().splitlines() if not is_no_error(line)]
    assert done.returncode == 1 and error.startswith("iotrace: ") and why in error
