"""The language of DiskSim's parameter files, read into plain dictionaries.

``type name { key = value, ... }`` is a block, and so may a value be, without a name; values are numbers, words, lists
in brackets, or ``source FILE``, a file that holds one block. ``#`` begins a comment. Top level ``source FILE`` takes
in a file; ``instantiate`` and ``topology`` lines are skipped.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from iotrace.errors import IotraceError, reason
from iotrace.simulate.disk.description import DriveFileError

Value: TypeAlias = "float | str | list[Value] | Block"
_TOKEN = re.compile(r"[{}\[\],=]|[^\s{}\[\],=#]+")
_COMMENT = re.compile(r"#[^\n]*")
MOST_FILES = 50
MOST_BYTES = 10_000_000
MOST_DEPTH = 50


@dataclass(frozen=True)
class Block:
    """A block: its type (``dm_disk``), its name if it has one, and its keys in lower case with single spaces."""

    type: str
    name: str
    values: dict[str, Value] = field(default_factory=dict)


def read_blocks(path: Path) -> list[Block]:
    """Read a parameter file and those that it names; returns the blocks at the top, in order.

    Raises IotraceError for a file that cannot be read, and DriveFileError, naming the file and the line, for one that
    is no such file.
    """
    return _Reader([path]).blocks(path)


class _Reader:
    """One file after the other; ``files`` are those read so far."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files

    def blocks(self, path: Path) -> list[Block]:
        tokens = _Tokens(path)
        blocks: list[Block] = []
        while (word := tokens.take()) is not None:
            if word == "source":
                blocks += self._sourced(path, tokens)
            elif word == "instantiate":
                tokens.skip_brackets()
                tokens.expect("as")
                tokens.word()
            elif word == "topology":
                tokens.skip_topology()
            else:
                blocks.append(self._block(path, tokens, word, 0))
        return blocks

    def _sourced(self, path: Path, tokens: _Tokens) -> list[Block]:
        named = path.with_name(tokens.word())
        self._files.append(named)
        if len(self._files) > MOST_FILES:
            raise tokens.error("files include each other without end")
        return self.blocks(named)

    def _block(self, path: Path, tokens: _Tokens, kind: str, depth: int) -> Block:
        if depth > MOST_DEPTH:
            raise tokens.error("blocks are nested too deeply")
        name = tokens.word()
        if name == "{":
            name = ""
        else:
            tokens.expect("{")
        block = Block(kind, name)
        while (word := tokens.word()) != "}":
            if word == ",":
                continue
            key = [word]
            while (word := tokens.word()) != "=":
                if word in ("{", "}", "[", "]", ","):
                    raise tokens.error(f"{' '.join(key)!r} is followed by {word!r}, not by =")
                key.append(word)
            block.values[" ".join(key).lower()] = self._value(path, tokens, depth)
        return block

    def _value(self, path: Path, tokens: _Tokens, depth: int) -> Value:
        word = tokens.word()
        if word == "[":
            return self._list(path, tokens, depth)
        if word == "source":
            blocks = self._sourced(path, tokens)
            if len(blocks) != 1:
                raise tokens.error(f"{self._files[-1].name} holds {len(blocks)} blocks, not one")
            return blocks[0]
        if word in ("{", "}", "]", ",", "="):
            raise tokens.error(f"{word!r} is not a value")
        following = tokens.peek()
        if following not in (",", "}", "]", None):
            return self._block(path, tokens, word, depth + 1)
        try:
            number = float(word)
        except ValueError:
            return word
        return number if math.isfinite(number) else word

    def _list(self, path: Path, tokens: _Tokens, depth: int) -> list[Value]:
        if depth > MOST_DEPTH:
            raise tokens.error("lists are nested too deeply")
        values: list[Value] = []
        while tokens.peek() != "]":
            if tokens.peek() == ",":
                tokens.word()
                continue
            values.append(self._value(path, tokens, depth + 1))
        tokens.word()
        return values


class _Tokens:
    """The words and marks of a file, and where they are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise IotraceError(f"{path}: {reason(error)}") from None
        if len(raw) > MOST_BYTES or b"\0" in raw:
            raise DriveFileError(f"{path}: is not a parameter file of DiskSim")
        self._text = _COMMENT.sub(lambda comment: " " * len(comment[0]), raw.decode("utf-8", "replace"))
        self._found = list(_TOKEN.finditer(self._text))
        self._next = 0

    def peek(self) -> str | None:
        return self._found[self._next][0] if self._next < len(self._found) else None

    def take(self) -> str | None:
        word = self.peek()
        self._next += 1
        return word

    def word(self) -> str:
        word = self.take()
        if word is None:
            raise self.error("the file ends in the middle of a block")
        return word

    def expect(self, expected: str) -> None:
        if (word := self.word()) != expected:
            raise self.error(f"{word!r} where {expected!r} should be")

    def skip_brackets(self) -> None:
        self.expect("[")
        depth = 1
        while depth:
            depth += {"[": 1, "]": -1}.get(self.word(), 0)

    def skip_topology(self) -> None:
        """Skip a type, a name, and what is below it."""
        self.word()
        self.word()
        self.skip_brackets()

    def error(self, why: str) -> DriveFileError:
        index = min(self._next, len(self._found)) - 1
        start = self._found[index].start() if index >= 0 else 0
        line = self._text.count("\n", 0, start) + 1
        return DriveFileError(f"{self._path}, line {line}: {why}")
