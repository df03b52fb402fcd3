"""Every command that the first screen, the page and the commands' notes name works on the trace that they speak of."""

import re
import shlex
import sys
from html import unescape
from pathlib import Path

import pytest
from first_screens import ANSWERS, OPTIONS, written
from program import Run

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("formats", "queries")]  # of counted_jobs

PAGE = re.compile(r'<p class="command">On the terminal: <code>(.*?)</code>')
HINT = re.compile(r"\biotrace ([a-z][a-z-]+(?: (?:TRACE|--?[a-z][\w-]*|[\w./-]+))*)")
TALK = {"is", "of", "takes", "has", "reads", "without", "can"}
"""Words after the program's name that are no command."""
ASKED = ((), ("info",), ("time",), ("advice",), ("curve",), ("memory",), ("characterize",), ("jobs",))
"""The commands whose notes are read; one that a trace has no answer for says so, and what to ask instead."""


def hints_of(text: str) -> set[str]:
    """Return the commands that a line of text names."""
    return {found.rstrip(".") for found in HINT.findall(text) if found.split()[0] not in TALK}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ANSWERS)
def test_every_hint_works(run: Run, name: str, tmp_path: Path) -> None:
    store = tmp_path / "t.iotrace"
    done = run("ingest", written(name, tmp_path), "-o", store, *OPTIONS.get(name, ()))
    assert done.returncode in (0, 1), done.stderr  # 1 for the damaged one
    assert run("report", "t.iotrace", "-o", "t.html", folder=tmp_path).returncode == 0
    page = (tmp_path / "t.html").read_text("utf-8")
    hints = {unescape(command).removeprefix("iotrace ") for command in PAGE.findall(page)}
    assert hints
    for command in ASKED:
        said = run(*command, "t.iotrace", folder=tmp_path)
        lines = [*said.stdout.decode().splitlines(), *said.stderr.decode().splitlines()]
        hints |= {hint for line in lines for hint in hints_of(line) if "t.iotrace" in hint or "TRACE" in hint}
    assert {hint.split()[0] for hint in hints} >= {"report"}
    for hint in sorted(hints):
        words = ["t.iotrace" if word == "TRACE" else word for word in shlex.split(hint)]
        more = ("-o", "hint.html") if words[0] == "report" else ()
        done = run(*words, *more, folder=tmp_path)
        assert done.returncode == 0, (hint, done.stderr)
