"""Every command and recipe of the pages runs, and prints what its page shows."""

from pathlib import Path

import pytest
from pages import DOCS, pages
from shown import Reader, agrees, run, runs, shown

WITH_COMMANDS = [name for name, page in pages().items() if shown(page)]


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_commands_of_a_page_run(name: str, reader: Reader, desk: Path) -> None:
    for command in shown(pages()[name]):
        if not runs(command.block):
            continue
        printed = run(reader, command.block, desk)
        if command.output is not None:
            place = command.block.place
            assert agrees(command.output, printed), f"{place}: shows\n{command.output}\nprints\n{printed}"
    for picture in (DOCS / "images").glob("*.svg"):
        drawn = desk / picture.name
        assert not drawn.exists() or drawn.read_bytes() == picture.read_bytes(), (
            f"{picture.name} is out of date"
        )


def test_every_page_with_code_names_its_language() -> None:
    nameless = [block.place for page in pages().values() for block in page.blocks() if not block.language]
    assert not nameless


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb", "a\n\n  \nb  \n", True),
        ("a\n…\nc", "a\nb\nb\nc\n", True),
        ("a …", "a bc\n", True),
        ("a\nc", "a\nb\nc\n", False),
        ("took … s", "took 12 ms\n", False),
        ("…", "", True),
    ],
)
def test_shown_output_is_compared_line_by_line(expected: str, printed: str, same: bool) -> None:
    assert agrees(expected, printed) is same
