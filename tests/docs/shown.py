"""Commands that a page shows, run as its reader runs them, and what they print against what the page shows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from pages import PROJECT, Block, Page
from program import PROGRAM, Run

NOT_RUN = frozenset(
    {"not run: installs packages", "not run: needs a cluster", "not run: needs a trace of yours"}
)
"""The marks of blocks that are shown only."""
NEEDS_STRACE = "run where strace works"
SHELL = re.compile(r"[|<>;&$*]")
DEMO = PROJECT / "iotrace" / "demo" / "demo.strace.zst"


class Reader(Run):
    """Runs commands with a terminal's usual width, and finds the programs of this environment."""

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(Path(PROGRAM).parent), os.environ["PATH"]])
        return {**super().environment, "COLUMNS": "100", "PATH": path}

    def line(self, line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
        """Run a line of a page."""
        words = shlex.split(line, comments=True)
        bare = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", line)
        if words[0] == "iotrace" and not SHELL.search(bare) and r"\$" not in line:
            return self(*words[1:], folder=folder)
        return self.shell(line, folder)

    def python(self, code: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
        """Run a block of Python."""
        return subprocess.run(
            [sys.executable, "-P", "-c", code],
            cwd=folder,
            env=self.environment,
            capture_output=True,
            timeout=60,
            check=False,
        )


@dataclass(frozen=True)
class Shown:
    """A block that runs, and the output that the page shows after it."""

    block: Block
    output: str | None


def shown(page: Page) -> list[Shown]:
    """Return the blocks of a page that run, each with the block of text that follows it at once."""
    blocks = page.blocks()
    return [
        Shown(
            block,
            after.text if after is not None and after.language == "text" and _follows(block, after) else None,
        )
        for block, after in zip_longest(blocks, blocks[1:])
        if block.language in ("sh", "python")
    ]


def _follows(block: Block, after: Block) -> bool:
    end = block.line + block.text.count("\n") + (2 if block.text else 1)
    return after.line - end <= 2


def runs(block: Block) -> bool:
    """Return whether a block can run here; raises AssertionError for an unknown mark."""
    if block.mark.startswith("not run"):
        assert block.mark in NOT_RUN, f"{block.place}: unknown reason: {block.mark}"
        return False
    return block.mark != NEEDS_STRACE or strace_works()


@cache
def strace_works() -> bool:
    """Return whether programs can be traced here."""
    if not shutil.which("strace"):
        return False
    probe = ["strace", "-o", os.devnull, "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def commands(text: str) -> Iterator[str]:
    """Return the commands of a block, each of one line or, where a quotation goes on, of several."""
    line = ""
    for part in text.replace("\\\n", " ").splitlines():
        line = f"{line}\n{part}" if line else part
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if words:
            yield line
        line = ""
    assert not line, f"a quotation without an end: {line}"


def run(reader: Reader, block: Block, folder: Path) -> str:
    """Run a block; return what it prints to standard output. Raises AssertionError if it fails."""
    if block.language == "python":
        done = [reader.python(block.text, folder)]
    else:
        done = [reader.line(line, folder) for line in commands(block.text)]
    for one in done:
        assert one.returncode == 0, (
            f"{block.place}: {one.args}: status {one.returncode}: {one.stderr.decode()}"
        )
    return b"".join(one.stdout for one in done).decode()


def agrees(expected: str, printed: str) -> bool:
    """Return whether output matches a page, in which … stands for any text, and alone on a line for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else r".*".join(map(re.escape, _parts(line))) + "\n"
        for line in lines_of(expected)
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines_of(printed))) is not None


def _parts(line: str) -> list[str]:
    """Return what a line shows between its ellipses; one at its end stands for the space before it, too."""
    return re.sub(r"\s+…$", "…", line).split("…")


def lines_of(text: str) -> list[str]:
    """Return the lines of output that count, without spaces at their ends."""
    return textwrap.dedent(
        "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    ).splitlines()
