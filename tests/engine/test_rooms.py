"""The rooms of the Rust engine: a room uses only rooms below it, and what is in a room forms no circles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "iotrace" / "engine" / "core" / "src"

# lowest first
ROOMS = (
    "error",
    "columns",
    "lists",
    "histogram",
    "archive",
    "input",
    "syscalls",
    "reconstruct",
    "cache",
    "simulate",
)
# rooms whose modules are made of several files
FLATS = ("syscalls", "reconstruct", "cache", "simulate")


def modules(folder: Path) -> list[str]:
    """Return the names of the modules in a folder, itself and its tests left out."""
    names = {path.stem for path in folder.iterdir() if path.is_dir() or path.suffix == ".rs"}
    return sorted(names - {"lib", "mod", "tests"})


def uses(module: Path, prefix: str) -> set[str]:
    """Return the modules that a module names below this path, its tests left out."""
    files = [module.with_suffix(".rs")] if not module.is_dir() else sorted(module.rglob("*.rs"))
    found: set[str] = set()
    for file in files:
        if "tests" not in file.relative_to(SOURCE).parts and file.stem != "tests":
            text = re.sub(r"//.*", "", file.read_text())
            for path in re.findall(rf"\b{prefix}::(\w+|\{{[^;]*)", text):
                found |= set(re.findall(r"\w+", path.split("{")[-1])) if "{" in path else {path}
    return found


def test_all_modules_are_in_rooms() -> None:
    """No module lies loose."""
    assert modules(SOURCE) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_use_only_rooms_below(room: str) -> None:
    """A room names itself and rooms that stand before it."""
    above = set(ROOMS[ROOMS.index(room) + 1 :])
    assert not uses(SOURCE / room, "crate") & above


@pytest.mark.parametrize("room", FLATS)
def test_modules_of_a_room_form_no_circle(room: str) -> None:
    """The modules of a room have an order in which each uses only those before it."""
    names = set(modules(SOURCE / room))
    left = {name: uses(SOURCE / room / name, f"crate::{room}") & names - {name} for name in names}
    while left:
        lowest = [name for name, used in left.items() if not used & left.keys()]
        assert lowest, f"a circle among {sorted(left)}"
        for name in lowest:
            del left[name]
