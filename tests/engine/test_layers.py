"""The layers of the Rust engine: a module uses only modules below it, and no folder has import cycles."""

from pathlib import Path

import pytest
from rust_uses import Crate, Module

SOURCE = Path(__file__).parents[2] / "iotrace" / "engine" / "core" / "src"

# lowest first
LAYERS = (
    "error",
    "columns",
    "lists",
    "histogram",
    "parquet",
    "archive",
    "input",
    "fields",
    "recording",
    "block_trace",
    "parallel_trace",
    "syscalls",
    "reconstruct",
    "cache",
    "keys",
    "simulate",
    "statistics",
    "stored",
)
CRATE = Crate(SOURCE)
FOLDERS = sorted(module for module in CRATE.modules() if CRATE.children(module))


def used_in(folder: Module) -> dict[str, set[str]]:
    """Return which of a folder's files and folders each of them names; its own file is the empty name."""

    def part(module: Module) -> str:
        return module[len(folder)] if len(module) > len(folder) else ""

    within = [module for module in CRATE.modules() if module[: len(folder)] == folder]
    found: dict[str, set[str]] = {part(module): set() for module in within}
    for module in within:
        used = {part(other) for other in CRATE.uses(module) if other[: len(folder)] == folder}
        found[part(module)] |= used - {part(module)}
    return found


def test_every_module_is_in_a_layer() -> None:
    """The top-level modules are those listed."""
    assert CRATE.children(()) == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_use_only_layers_below(layer: str) -> None:
    """A module uses only modules listed before it."""
    assert used_in(())[layer] <= set(LAYERS[: LAYERS.index(layer)])


@pytest.mark.parametrize("folder", FOLDERS, ids="::".join)
def test_files_of_a_folder_form_no_circle(folder: Module) -> None:
    """The files of a folder have an order in which each uses only those before it."""
    left = used_in(folder)
    while left:
        lowest = [name for name, used in left.items() if not used & left.keys()]
        assert lowest, f"a circle among {sorted(left)}"
        for name in lowest:
            del left[name]


def crate(folder: Path, **files: str) -> Crate:
    """Write the files of a crate, each named by its path with __ for /."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.rs"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return Crate(folder)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("use super::b::B;", {"b"}),
        ("use crate::layer::{b::B, c};", {"b", "c"}),
        ("use super::{self, c::{C, D as E}};", {"", "c"}),
        ("fn a() { super::c::f() }", {"c"}),
        ("// use super::b::B;", set()),
        ("use super::passed_on;", {"b"}),
        ("use super::C;", {"c"}),
        ("use super::Own;", {""}),
        ("use super::Own;\nimpl Own {}", set()),
    ],
)
def test_uses_are_read_from_paths(tmp_path: Path, text: str, used: set[str]) -> None:
    """Names that `mod.rs` passes on count for the file that has them; methods of its types count for it."""
    top = "pub use b::passed_on;\npub use c::*;\nstruct Own;"
    source = crate(
        tmp_path, lib="mod layer;", layer__mod=top, layer__a=text, layer__b="", layer__c="pub struct C;"
    )
    assert {"".join(module[1:]) for module in source.uses(("layer", "a"))} == used
    assert source.uses(("layer",)) == set()


def test_a_mod_file_uses_what_it_does_not_only_pass_on(tmp_path: Path) -> None:
    """A name that `mod.rs` both passes on and needs is a use."""
    top = "mod a;\npub use a::A;\nstruct Own(A);"
    source = crate(tmp_path, lib="mod layer;", layer__mod=top, layer__a="use super::Own;")
    assert source.uses(("layer",)) == {("layer", "a")} and source.uses(("layer", "a")) == {("layer",)}
