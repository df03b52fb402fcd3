"""Which files of a Rust crate use which, read from the paths that they name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Module = tuple[str, ...]

PATH = re.compile(r"\b(?:crate|super|self)(?:::(?:\w+|\*|\{[^;]*\}))+")
IMPL = re.compile(r"^impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{", re.MULTILINE)
PUBLIC = re.compile(r"^pub(?:\([\w ]+\))? (?:struct|enum|fn|const|trait|type) (\w+)", re.MULTILINE)
TESTS = re.compile(r"#\[cfg\(test\)\][^;{]*\bmod tests \{.*", re.DOTALL)
USE = re.compile(r"(pub(?:\(\w+\))?\s+)?use\s+([^;]+);")


def branches(path: str) -> Iterator[str]:
    """Return the single paths of a path with braces."""
    base, brace, rest = path.partition("{")
    if not brace:
        yield path.split(" as ")[0].strip()
        return
    depth, start = 0, 0
    for place, character in enumerate(rest):
        depth += (character == "{") - (character == "}")
        if depth < 0 or (character == "," and depth == 0):
            if rest[start:place].strip():
                yield from branches(base + rest[start:place].strip())
            start = place + 1


@dataclass(frozen=True)
class Crate:
    """The source files of a crate, tests left out.

    A module is the tuple of names of its path. A folder's `mod.rs` is the module of the folder.
    """

    source: Path

    def modules(self) -> dict[Module, Path]:
        """Return the file of each module."""
        files: dict[Module, Path] = {}
        for file in sorted(self.source.rglob("*.rs")):
            parts = file.relative_to(self.source).with_suffix("").parts
            if "tests" not in parts:
                files[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = file
        return files

    @cache  # noqa: B019
    def text(self, module: Module) -> str:
        """Return the text of a module without its comments and tests."""
        return TESTS.sub("", re.sub(r"//.*", "", self.modules()[module].read_text()))

    @cache  # noqa: B019
    def children(self, folder: Module) -> frozenset[str]:
        """Return the names of the modules of a folder."""
        return frozenset(name[-1] for name in self.modules() if name and name[:-1] == folder)

    def from_root(self, module: Module, path: str) -> Module:
        """Return the names of a path, counted from the crate's root."""
        names = tuple(path.split("::"))
        if names[0] == "crate":
            return names[1:]
        while names and names[0] in ("self", "super"):
            module = module[:-1] if names[0] == "super" else module
            names = names[1:]
        return module + names

    @cache  # noqa: B019
    def passed_on(self, folder: Module) -> dict[str, Module]:
        """Return the paths of the names that a folder's `mod.rs` only passes on."""
        named: dict[str, Module] = {}
        for public, use in USE.findall(self.text(folder)):
            for path in branches(use):
                first = path.split("::")[0]
                if public and first in self.children(folder) | {"self", "super", "crate"}:
                    path = f"self::{path}" if first in self.children(folder) else path
                    *within, name = self.from_root(folder, path)
                    names = PUBLIC.findall(self.text(tuple(within))) if name == "*" else [name]
                    named |= {name: (*within, name) for name in names}
        return named

    def home(self, path: Module) -> Module:
        """Return the module in which what a path names is written."""
        module: Module = ()
        for place, name in enumerate(path):
            if name in self.children(module):
                module = (*module, name)
                continue
            elsewhere = self.passed_on(module).get(name)
            return module if elsewhere is None else self.home(elsewhere + path[place + 1 :])
        return module

    def uses(self, module: Module) -> set[Module]:
        """Return the modules that a module names, passing on left out."""
        text = USE.sub(lambda use: "" if use[1] else use[0], self.text(module))
        extended = set(IMPL.findall(text))
        used: set[Module] = set()
        for path in (path for found in PATH.findall(text) for path in branches(found)):
            whole = self.from_root(module, path)
            home = self.home(whole)
            # further methods of the folder's own type
            if home != module[:-1] or whole[-1] not in extended:
                used.add(home)
        for child in self.children(module):
            if re.search(rf"(?<!::)\b{child}::", text):
                used.add((*module, child))
        for name, whole in self.passed_on(module).items():
            if re.search(rf"(?<!::)\b{name}\b", text):
                used.add(self.home(whole))
        return used - {module}
