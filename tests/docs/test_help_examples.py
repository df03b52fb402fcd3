"""The examples that commands show in their help, and so on the page of the command line, have options that exist."""

import re
import sys

import pytest
from pages import DOCS

from iotrace.cli import PANELS

sys.path.append(str(DOCS / "generate"))
import command_line

COMMANDS = {command.name: command for panel in PANELS for command in command_line.commands(panel)}
COMMENT = re.compile(r"\s{3,}\S.*")


def examples() -> list[str]:
    """Return the lines of examples, without the comments on them."""
    lines = [line for command in COMMANDS.values() for line in command.epilog.splitlines()]
    return sorted({COMMENT.sub("", line.strip()) for line in lines if line.startswith(" iotrace ")})


@pytest.mark.parametrize("line", examples())
def test_options_of_examples_exist(line: str) -> None:
    words = line.split(" -- ")[0].split()[1:]
    name = words[0] if words[0] in COMMANDS else " ".join(words[:2])
    parameters = COMMANDS[name].parameters() if name in COMMANDS else []  # iotrace TRACE has no name
    known = {
        option
        for parameter, info in parameters
        for option in re.findall(r"-[\w-]+", " ".join(command_line.names(parameter, info)))
    }
    assert {word for word in words if re.fullmatch(r"--?[a-z][\w-]*", word)} <= known | {"--help"}
