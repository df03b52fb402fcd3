"""The dissertation's notation for attribute caches: ``64K/128 ID, x/4K Temporal`` (Richardson 1994, 5.2).

A configuration is a list of subcaches, each ``size/block class``. Sizes are bytes, or K, M, G (powers of 1024); one
size may be ``x``: what is left of the total. In a space of configurations, from which the best is looked for, every
size is ``?`` and the block is one of several: ``?/128 ID, ?/4K|8K General``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from iotrace.errors import UsageError

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SIZE = re.compile(r"(\d{1,30}(?:\.\d{1,30})?)([A-Za-z]*)")
_NAME = re.compile(r"[A-Za-z_]\w*")
LARGEST_BLOCK = 2**30
"""The engine's largest block in bytes."""


class NotationError(UsageError):
    """A configuration that cannot be read; the message says at which character."""


@dataclass(frozen=True)
class Subcache:
    """One part of an attribute cache: its size in bytes (None for x), its blocks, and the class that it takes."""

    size_bytes: int | None
    block_bytes: int
    category: str

    def __str__(self) -> str:
        size = "x" if self.size_bytes is None else written(self.size_bytes)
        return f"{size}/{written(self.block_bytes)} {self.category}"


@dataclass(frozen=True)
class Configuration:
    """An attribute cache; at most one subcache has no given size."""

    subcaches: tuple[Subcache, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.subcaches))

    @property
    def fixed_bytes(self) -> int:
        """The subcaches of a given size, together."""
        return sum(subcache.size_bytes or 0 for subcache in self.subcaches)

    @property
    def has_rest(self) -> bool:
        """Whether a subcache takes what is left of the total."""
        return any(subcache.size_bytes is None for subcache in self.subcaches)

    @property
    def rest_block_bytes(self) -> int:
        """The block size of the subcache that takes the rest; 0 if there is none."""
        return next((subcache.block_bytes for subcache in self.subcaches if subcache.size_bytes is None), 0)

    @property
    def without_block(self) -> tuple[str, ...]:
        """The classes whose subcache, all sizes given, has not one block: their requests go uncached."""
        return tuple(
            subcache.category
            for subcache in self.subcaches
            if subcache.size_bytes is not None and subcache.size_bytes < subcache.block_bytes
        )

    def sized(self, total_bytes: int) -> "Configuration":
        """Return the configuration with all sizes at a total; what is left may be nothing.

        Raises UsageError for a total smaller than the fixed parts, or one that no subcache can take.
        """
        left = total_bytes - self.fixed_bytes
        if left < 0:
            raise UsageError(
                f"a total of {written(total_bytes)} is less than the fixed parts of '{self}',"
                f" {written(self.fixed_bytes)}"
            )
        if left and not self.has_rest:
            raise UsageError(
                f"'{self}' has no x, and so one total only: {written(self.fixed_bytes)}, not {written(total_bytes)}"
            )
        sized = (
            subcache
            if subcache.size_bytes is not None
            else Subcache(left, subcache.block_bytes, subcache.category)
            for subcache in self.subcaches
        )
        return Configuration(tuple(sized))


@dataclass(frozen=True)
class Choice:
    """In a space: a class, and the blocks that its subcache may have."""

    category: str
    blocks_bytes: tuple[int, ...]

    def __str__(self) -> str:
        return f"?/{'|'.join(map(written, self.blocks_bytes))} {self.category}"


def written(size: int) -> str:
    """Write bytes as the notation does: the largest unit that leaves a whole number."""
    for unit in ("G", "M", "K"):
        if size and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)


def parse(text: str) -> Configuration:
    """Read a configuration; raises NotationError, which points at the character, for an invalid one."""
    reader = _Reader(text)
    subcaches: list[Subcache] = []
    for _ in reader.parts():
        start = reader.position
        size = None if reader.takes("x") else reader.size()
        if size is None and any(subcache.size_bytes is None for subcache in subcaches):
            reader.fail("x stands for what is left, so only one subcache can have it", start)
        reader.expect("/")
        block = reader.block()
        if size is not None and size < block:
            reader.fail(f"a subcache of {written(size)} is less than one block of {written(block)}", start)
        subcaches.append(Subcache(size, block, reader.name(subcache.category for subcache in subcaches)))
    return Configuration(tuple(subcaches))


def parse_space(text: str) -> tuple[Choice, ...]:
    """Read a space of configurations; raises NotationError as `parse` does."""
    reader = _Reader(text)
    choices: list[Choice] = []
    for _ in reader.parts():
        reader.expect("?", "the size is ? where the best one is looked for")
        reader.expect("/")
        blocks = [reader.block()]
        while reader.takes("|"):
            blocks.append(reader.block())
        choices.append(
            Choice(reader.name(choice.category for choice in choices), tuple(dict.fromkeys(blocks)))
        )
    return tuple(choices)


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._skip()

    def _skip(self) -> None:
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def fail(self, reason: str, position: int | None = None) -> NoReturn:
        index = self.position if position is None else position
        there = repr(self.text[index]) if index < len(self.text) else "the end"
        raise NotationError(f"{self.text!r}, character {index + 1} ({there}): {reason}")

    def parts(self) -> Iterator[None]:
        """Step from one subcache to the next, over commas."""
        yield
        while self.position < len(self.text):
            self.expect(",", "a comma, or the end, comes after a subcache")
            yield

    def takes(self, sign: str) -> bool:
        """Read a sign if it comes next, in either case."""
        if not self.text.startswith((sign, sign.upper()), self.position):
            return False
        self.position += len(sign)
        self._skip()
        return True

    def expect(self, sign: str, reason: str | None = None) -> None:
        if not self.takes(sign):
            self.fail(reason or f"'{sign}' is missing; a subcache is written size/block class")

    def size(self) -> int:
        """Read a number of bytes above 0."""
        start, match = self.position, _SIZE.match(self.text, self.position)
        if match is None:
            self.fail("a size is missing: bytes, or 2K, 2M, 2G, or x for what is left")
        number, unit = match[1], match[2].upper().removesuffix("B").removesuffix("I")
        if unit not in _UNITS:
            self.fail("sizes are in bytes, K, M or G", match.start(2))
        size = float(number) * _UNITS[unit]
        if size != int(size):
            self.fail(f"{match[0].strip()} is not a whole number of bytes", start)
        if not size:
            self.fail("a size is more than 0; leave a class out to have it uncached", start)
        if size >= 2**63:
            self.fail("a size is less than 2^63 bytes", start)
        self.position = match.end()
        self._skip()
        return int(size)

    def block(self) -> int:
        start, size = self.position, self.size()
        if size > LARGEST_BLOCK:
            self.fail("a block is at most 1G", start)
        return size

    def name(self, earlier: Iterator[str]) -> str:
        """Read a class that none of the `earlier` ones is."""
        match = _NAME.match(self.text, self.position)
        if match is None:
            self.fail("the name of a class is missing, such as ID or Temporal")
        if match[0].lower() in {name.lower() for name in earlier}:
            self.fail(f"{match[0]} has a subcache already")
        self.position = match.end()
        self._skip()
        return match[0]
