"""What strangers wrote reaches a terminal as text: no control character, no failure of the encoding."""

import ast
import csv
import io
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import PROGRAM, Run, refused

from iotrace.cli.terminal import visible, visible_lines

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\r\n\u202eexe.\u2066\x85"
CONTROLS = {character for character in HOSTILE if not character.isprintable()}
COMMANDS = Path(__file__).parents[2] / "iotrace" / "cli"


@given(st.text())
def test_what_is_visible_has_nothing_but_printable_characters(text: str) -> None:
    assert visible(text).isprintable()
    assert visible_lines(text).replace("\n", "").isprintable()
    assert visible_lines(text).count("\n") == text.count("\n")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\xa0")))
def test_what_is_printable_stays(text: str) -> None:
    if text.isprintable():
        assert visible(text) == text


@pytest.fixture
def hostile(store: Path) -> Path:
    """A store whose manifest has control characters wherever it has text."""
    place = store / "manifest.json"
    manifest = json.loads(place.read_text())
    for name in ("format", "host", "iotrace"):
        manifest[name] = HOSTILE
    manifest |= {"sources": [HOSTILE], "warnings": [HOSTILE], "remarks": {HOSTILE: 1}}
    manifest["skipped"] = {HOSTILE: {"lines": 1, "first_line": 1, "excerpt": HOSTILE}}
    place.write_text(json.dumps(manifest))
    return store


@pytest.mark.parametrize(
    "words",
    [
        ["info", "STORE"],
        ["characterize", "STORE"],
        ["curve", "STORE", "--sizes", "1M"],
        ["sql", "STORE", f"select '{HOSTILE}' as \"{HOSTILE}\""],
        ["sql", "STORE", HOSTILE],
        ["info", HOSTILE],
    ],
    ids=["info", "characterize", "curve", "sql", "bad-sql", "no-file"],
)
def test_tables_and_messages_are_visible(run: Run, hostile: Path, words: list[str]) -> None:
    done = run(*(str(hostile) if word == "STORE" else word for word in words))
    shown = (done.stdout + done.stderr).decode()
    assert not CONTROLS & (set(shown) - {"\n"})
    assert "\\x1b" in shown


@pytest.mark.parametrize("form", ["csv", "json"])
def test_files_and_pipes_keep_the_bytes_and_terminals_do_not(
    run: Run, shared_store: Path, tmp_path: Path, form: str
) -> None:
    words = ["sql", str(shared_store), "select chr(27) || chr(8238) as a", "-f", form]
    written = tmp_path / "out"
    assert run(*words, "-o", written).returncode == 0
    text = written.read_text()
    kept = json.loads(text)[0]["a"] if form == "json" else list(csv.reader(io.StringIO(text)))[1][0]
    assert kept == "\x1b\u202e"
    assert run(*words).stdout == written.read_bytes()
    here, there = pty.openpty()
    subprocess.run([PROGRAM, *words], stdout=there, env=run.environment, check=True)
    os.close(there)
    shown = os.read(here, 4096).decode()
    os.close(here)
    assert "\\u202e" in shown and not {"\x1b", "\u202e"} & set(shown)


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_terminal_that_knows_only_ascii(run: Run, shared_store: Path, tmp_path: Path, form: str) -> None:
    query = "select 'caf' || chr(233) || chr(8594) as a"
    line = f'"$IOTRACE" sql {shared_store} - -f {form} < query'
    (tmp_path / "query").write_text(query, "utf-8")
    done = run.shell(f"PYTHONIOENCODING=ascii {line}", tmp_path)
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.isascii() and b"caf\\" in done.stdout
    if form == "json":
        decoder = json.JSONDecoder()
        assert decoder.raw_decode(done.stdout.decode())[0] == [{"a": "caf\xe9\u2192"}]


def test_a_message_is_one_line_whatever_it_names(run: Run, tmp_path: Path) -> None:
    assert refused(run("info", "no\niotrace: warning: all is well\n")).startswith("no")


@pytest.mark.parametrize("module", sorted(COMMANDS.glob("*.py")), ids=lambda path: path.stem)
def test_commands_print_through_the_one_place(module: Path) -> None:
    tree = ast.parse(module.read_text())
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    prints = any(isinstance(call, ast.Name) and call.id == "print" for call in calls)
    echoes = [call for call in calls if isinstance(call, ast.Attribute) and call.attr in ("echo", "secho")]
    imported = {
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "iotrace.cli.terminal"
        for name in node.names
    }
    assert not echoes
    assert "print" in imported or not prints or module.stem == "terminal"
