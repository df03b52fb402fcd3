"""Other programs that read logs of strace or Darshan, next to iotrace: the same log, in turn, by processor time.

    python tests/benchmarks/readers.py --strace LOG [--summary PROGRAM] [--lark PYTHON] [--rounds 5]
    python tests/benchmarks/readers.py --darshan LOG --pydarshan PYTHON [--rounds 5]

What is not given is left out. Of a log of strace (not compressed):

- ``iotrace time LOG`` without a store: reading, the file table, a store, and times by call and file;
- --summary: GitLab's strace-parser, a Rust program (gitlab.com/gitlab-com/support/toolbox/strace-parser), which prints
  the calls and times of each process;
- --lark: a Python that has strace-parser of PyPI, which makes a syntax tree of each line; of the first 5,000 lines,
  without its start.

Of a Darshan log, ``iotrace report LOG`` and ``python -m darshan summary LOG``: a page each. iotrace must have
PyDarshan, too. Prints seconds of processor time (for --lark lines a second), and the ratio to iotrace's of the same
round: median, least and most.
"""

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ingest import spread

IOTRACE = [sys.executable, "-P", "-c", "from iotrace.cli import main; main()"]
LARK_LINES = 5_000
LARK = """
import sys, time
from strace_parser.parser import get_parser
parser, lines, began, read = get_parser(), open(sys.argv[1]).read().splitlines(True), None, 0
parser.parse(lines[0])
began = time.process_time()
for line in lines:
    try:
        parser.parse(line)
        read += 1
    except Exception:
        pass
print(time.process_time() - began, read)
"""


def seconds(command: list[str]) -> float:
    """Run a command that has no store of its trace; return its seconds of processor time."""
    with tempfile.TemporaryDirectory() as cache:
        running = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {"XDG_CACHE_HOME": cache},
        )
        assert running.stderr is not None
        said = running.stderr.read().decode()
        _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"{command} failed: {said}")
    return usage.ru_utime + usage.ru_stime


def compared(rounds: int, programs: dict[str, Callable[[], float]]) -> None:
    """Run programs in turn, iotrace first, and print a line for each."""
    found: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, run in programs.items():
            found[name].append(run())
    ours = next(iter(found.values()))
    for name, theirs in found.items():
        ratios = [other / own for own, other in zip(ours, theirs, strict=True)]
        print(f"{name:32} {spread(theirs)} s; {spread(ratios)} times iotrace's", flush=True)


def lark_rate(python: str, log: Path) -> None:
    """Print the lines a second of strace-parser of PyPI, which wants them without the process's number."""
    with tempfile.NamedTemporaryFile("w", suffix=".strace") as few:
        with log.open(errors="replace") as lines:
            for line in itertools.islice(lines, LARK_LINES):
                number, _, rest = line.partition(" ")
                few.write(rest.lstrip() if number.isdigit() else line)
        few.flush()
        done = subprocess.run([python, "-c", LARK, few.name], capture_output=True, text=True, check=True)
    took, read = done.stdout.split()
    print(f"strace-parser of PyPI            {LARK_LINES / float(took):.0f} lines/s, of which it read {read}")


def main() -> None:
    """Print a line for each program."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--strace", type=Path)
    arguments.add_argument("--summary")
    arguments.add_argument("--lark")
    arguments.add_argument("--darshan", type=Path)
    arguments.add_argument("--pydarshan")
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        if options.strace:
            log = options.strace
            programs = {"iotrace time": lambda: seconds([*IOTRACE, "time", str(log)])}
            if options.summary:
                programs["GitLab's strace-parser summary"] = lambda: seconds(
                    [options.summary, str(log), "summary"]
                )
            compared(options.rounds, programs)
            if options.lark:
                lark_rate(options.lark, log)
        if options.darshan:
            log, page = options.darshan, str(folder / "page.html")
            programs = {
                "iotrace report": lambda: seconds([*IOTRACE, "report", str(log), "-o", page, "--force"])
            }
            if options.pydarshan:
                words = [options.pydarshan, "-m", "darshan", "summary", str(log), "--output", page]
                programs["darshan summary"] = lambda: seconds(words)
            compared(options.rounds, programs)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
