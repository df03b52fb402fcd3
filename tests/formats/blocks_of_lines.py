"""Text read in blocks of a few lines, as longer text is in blocks of megabytes."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from iotrace.formats.reading.bytes_in import Reading


def in_blocks(monkeypatch: pytest.MonkeyPatch, lines_each: int) -> None:
    """Have text read in blocks of a few lines."""

    def parts(self: Reading) -> tuple[list[bytes], bool]:
        if not hasattr(self, "blocks"):
            split = _split(self.paths[0])
            self.blocks: Iterator[bytes] = iter(
                [b"".join(split[at : at + lines_each]) for at in range(0, len(split), lines_each)]
            )
            return list(islice(self.blocks, 1)), True
        return list(islice(self.blocks, 1)), False

    monkeypatch.setattr(Reading, "parts", parts)


def _split(path: Path) -> Sequence[bytes]:
    return [line + b"\n" for line in path.read_bytes().removesuffix(b"\n").split(b"\n")]
