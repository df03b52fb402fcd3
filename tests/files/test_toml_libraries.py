"""Libraries of TOML files: what comes along by name, the user's own by path, and one line for what is neither."""

from pathlib import Path

import pytest

from iotrace.errors import IotraceError, UsageError
from iotrace.files.library import Library

LIBRARY = Library("iotrace.simulate.cluster.costs", "presets", "{name!r} is not one of {known}")


def components_of(table: dict) -> list[str]:
    return list(table["components"])


def test_a_name_is_looked_for_among_those_that_come_along_first(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text("[components]\ncall_ms = 1\n")
    assert LIBRARY.names() == ("vilayannur",)
    assert "message_ms" in LIBRARY.find("vilayannur", components_of) != LIBRARY.find(str(own), components_of)
    with pytest.raises(UsageError, match=r"^'vax' is not one of vilayannur$"):
        LIBRARY.find("vax", components_of)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"\xff", "is not UTF-8 text"),
        (b"a = ", "Invalid value"),
        (b"a = " + b"[" * 5000, "recursion|Unclosed|Invalid|too deep"),
    ],
)
def test_a_file_that_makes_no_sense_is_named(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(IotraceError, match=reason) as caught:
        LIBRARY.find(str(path), components_of)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)
