"""Commands are thin: they parse, call, and print; what two of them take is declared once."""

import ast
from pathlib import Path

import pytest

import iotrace.cli.commands

COMMANDS = sorted(Path(iotrace.cli.commands.__file__).parent.glob("[a-z]*.py"))
MOST_LINES = 80


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_command_has_few_lines(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


def test_commands_declare_no_option_twice() -> None:
    declared: dict[str, str] = {}
    for path in COMMANDS:
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("typer.Option", "written_option"):
                words = ast.unparse(call)
                assert words not in declared, f"{path.stem} declares as {declared[words]} does: {words}"
                declared[words] = path.stem


def test_commands_import_none_of_each_other() -> None:
    for path in COMMANDS:
        for one in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(one, ast.ImportFrom):
                assert not (one.module or "").startswith("iotrace.cli.commands"), path.stem
