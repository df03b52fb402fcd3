"""Requests to language models as JSON Lines, with the hashes of the blocks of each prompt (``hash_ids``).

Mooncake's traces (Qin et al., FAST '25), which AIPerf and others replay, have a hash for each 512 tokens, chained so
that equal hashes mean equal prefixes, and milliseconds. Bailian's (Alibaba's qwen traces) have one for each 16 tokens,
and seconds, and are known by their member chat_id. A row is a block of a prompt, in the prompt's order; column request
has the prompt, and column tokens the block's tokens, of which the last one may have fewer, if input_length fits the
number of blocks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.delimited import text_lines
from iotrace.formats.key_io.format import key_format
from iotrace.formats.reading.batches import BLANK, Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S
from iotrace.libraries import np, pl

MOST_KEY = 2**64
LATEST_S = 2**33
MOONCAKE_TOKENS = 512
BAILIAN_TOKENS = 16


@dataclass(frozen=True)
class Prompt:
    """A line: the hashes of its blocks, its time, the tokens of a block, and of the last one; or why it is skipped."""

    hashes: list[int] = field(default_factory=list)
    time_ns: int | None = None
    tokens: int | None = None
    last_tokens: int | None = None
    reason: str | None = None


class PromptSource:
    """Lines of JSON being read."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.notes = SourceNotes()
        self.reading = Reading(paths, self.notes)
        self._line = self._requests = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the blocks of the next prompts."""
        block, is_first = self.reading.lines()
        self.notes.open_end = self.reading.take_open_end()
        if not block:
            return None
        if is_first:
            self._line = 0
        lines, first = text_lines(block), self._line + 1
        self._line += len(lines)
        self.notes.records += len(lines)
        made = [self._prompt(line) for line in lines]
        self.notes.remark(BLANK, sum(1 for line in lines if not line.strip()))
        return Batch(self._frame(made, first), ("key",), lambda record: lines[record - first])

    def _prompt(self, line: str) -> Prompt:
        if not line.strip():
            return Prompt()
        try:
            found: Any = json.loads(line)
        except (ValueError, RecursionError):
            return Prompt(reason="no JSON")
        if not isinstance(found, dict) or not isinstance(hashes := found.get("hash_ids"), list):
            return Prompt(reason="no list hash_ids")
        if not all(type(key) is int and 0 <= key < MOST_KEY for key in hashes):
            return Prompt(reason="a hash that is no unsigned integer of 64 bits")
        is_bailian = "chat_id" in found
        time, unit_ns = found.get("timestamp"), NS_PER_S if is_bailian else NS_PER_MS
        if time is not None and (
            type(time) not in (int, float) or not abs(time) * unit_ns < LATEST_S * NS_PER_S
        ):
            return Prompt(reason="no time that can be read")
        tokens = BAILIAN_TOKENS if is_bailian else MOONCAKE_TOKENS
        length = found.get("input_length")
        last = length - tokens * (len(hashes) - 1) if type(length) is int else 0
        known = (tokens, last) if 0 < last <= tokens else (None, None)
        return Prompt(hashes, None if time is None else round(time * unit_ns), *known)

    def _frame(self, made: list[Prompt], first: int) -> pl.DataFrame:
        counts = np.array([len(prompt.hashes) + (prompt.reason is not None) for prompt in made], np.int64)
        of_row = np.repeat(np.arange(len(made)), counts)
        is_request = np.array([bool(prompt.hashes) for prompt in made], bool)
        requests = self._requests + np.cumsum(is_request) - 1
        self._requests += int(is_request.sum())
        keys = [key for prompt in made for key in (prompt.hashes if prompt.reason is None else [None])]
        places = pl.Series(of_row)
        is_last = pl.Series(np.append(of_row[1:] != of_row[:-1], [True] * bool(len(of_row))))
        tokens, last_tokens = (
            pl.Series(column, dtype=pl.Int64).gather(places)
            for column in ([prompt.tokens for prompt in made], [prompt.last_tokens for prompt in made])
        )
        return pl.DataFrame(
            {
                "record": pl.Series(of_row + first, dtype=pl.Int64),
                "number": pl.Series(keys, dtype=pl.UInt64),
                "time_ns": pl.Series([prompt.time_ns for prompt in made], dtype=pl.Int64).gather(places),
                "tokens": last_tokens.zip_with(is_last, tokens) if len(of_row) else tokens,
                "reason": pl.Series([prompt.reason for prompt in made], dtype=pl.String).gather(places),
                "request": pl.Series(requests, dtype=pl.Int64).gather(places),
            }
        )


def recognises(head: bytes) -> bool:
    """Return whether a file begins with a JSON object that has hash_ids."""
    line = head.lstrip().split(b"\n", 1)[0]
    return line.startswith(b"{") and b'"hash_ids"' in line


FORMAT = key_format(
    name="prompt-blocks",
    sentence="Requests to language models with the hashes of their prompts' blocks (Mooncake, Bailian): JSON Lines.",
    endings=".jsonl",
    recognises=recognises,
    source=PromptSource,
)
