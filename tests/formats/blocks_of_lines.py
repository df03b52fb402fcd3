"""Text read in blocks of a few lines, as longer text is in blocks of megabytes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from iotrace.formats.reading.bytes_in import Reading


def in_blocks(monkeypatch: pytest.MonkeyPatch, lines_each: int) -> None:
    """Have text read in blocks of a few lines."""

    def lines(self: Reading) -> tuple[bytes, bool]:
        if not hasattr(self, "blocks"):
            split = _split(self.paths[0])
            self.blocks: Iterator[bytes] = iter(
                [b"".join(split[at : at + lines_each]) for at in range(0, len(split), lines_each)]
            )
            return next(self.blocks, b""), True
        return next(self.blocks, b""), False

    monkeypatch.setattr(Reading, "lines", lines)


def _split(path: Path) -> Sequence[bytes]:
    return [line + b"\n" for line in path.read_bytes().removesuffix(b"\n").split(b"\n")]
