"""Requests to language models as JSON Lines, with the hashes of the blocks of each prompt (``hash_ids``).

Mooncake's traces (Qin et al., FAST '25), which AIPerf and others replay, have a hash for each 512 tokens, chained so
that equal hashes mean equal prefixes, and milliseconds. Bailian's (Alibaba's qwen traces) have one for each 16 tokens,
and seconds, and are known by their member chat_id. Others say nowhere how many tokens a block has; ``prompt-blocks:N``
(--prompt-block N) does. A row is a block of a prompt, in the prompt's order; column request has the prompt, and column
tokens the block's tokens, of which the last one may have fewer.

A prompt of n blocks has more than n - 1 times a block's tokens, and at most n times. As soon as one has not, the tokens
of a block are not known, and column tokens is null in all rows: a sum over the others would pass for one over all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iotrace.errors import UsageError
from iotrace.formats.disk_io.lines import text_lines
from iotrace.formats.format import Format
from iotrace.formats.key_io.format import key_format
from iotrace.formats.reading.batches import BLANK, Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S
from iotrace.libraries import np, pl

MOST_KEY = 2**64
LATEST_S = 2**33
MOONCAKE_TOKENS = 512
BAILIAN_TOKENS = 16
NAME = "prompt-blocks"
DESCRIPTION = (
    "Requests to language models with the hashes of their prompts' blocks (Mooncake, Bailian): JSON Lines."
)
PREFIX = f"{NAME}:"
MOST_TOKENS = 2**31 - 1
"""The most tokens of a block."""


@dataclass(frozen=True)
class Prompt:
    """A line: the hashes of its blocks, its time, the tokens of a block, and of the last one; or why it is skipped."""

    hashes: list[int] = field(default_factory=list)
    time_ns: int | None = None
    tokens: int | None = None
    last_tokens: int | None = None
    reason: str | None = None


@dataclass
class BlockSizes:
    """Which numbers of tokens in a block fit all prompts seen, and how many prompts the number in use does not fit."""

    prompts: int = 0
    misfits: int = 0
    unstated: int = 0
    """Prompts that state no input_length."""
    used: set[int] = field(default_factory=set)
    least: int = 1
    most: int = MOST_TOKENS

    def last_tokens(self, length: Any, blocks: int, tokens: int) -> int | None:
        """Count a prompt of blocks of these tokens; return the tokens of its last block, None where they do not fit."""
        self.prompts += 1
        if type(length) is not int:
            self.unstated += 1
            return None
        self.used.add(tokens)
        self.least = max(self.least, -(-length // blocks))
        if blocks > 1 or length < 1:
            self.most = min(self.most, (length - 1) // max(blocks - 1, 1))
        last = length - tokens * (blocks - 1)
        if 0 < last <= tokens:
            return last
        self.misfits += 1
        return None

    @property
    def warning(self) -> str | None:
        """Why the tokens of blocks are not known, and what to do; None where they are known."""
        unknown = "tokens of blocks are not known, and are not counted"
        if self.misfits:
            used = " or ".join(map(str, sorted(self.used)))
            return (
                f"{self.misfits:,} of {self.prompts:,} prompts have an input_length that does not fit their number of"
                f" blocks of {used} tokens: {unknown}; {self._remedy()}"
            )
        if self.unstated:
            return f"{self.unstated:,} of {self.prompts:,} prompts state no input_length: {unknown}"
        return None

    def _remedy(self) -> str:
        if self.most < self.least:
            return "no number of tokens in a block fits all prompts"
        upto = "or more" if self.most == MOST_TOKENS else f"to {self.most}"
        fitting = str(self.least) if self.least == self.most else f"{self.least} {upto}"
        return f"--prompt-block N says how many tokens a block has: {fitting} would fit all prompts"


class PromptSource:
    """Lines of JSON being read; `tokens` is what a block has, where that is given."""

    def __init__(self, paths: Sequence[Path], tokens: int | None = None) -> None:
        self.notes = SourceNotes()
        self.reading = Reading(paths, self.notes)
        self._tokens = tokens
        self._sizes = BlockSizes()
        self._line = self._requests = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the blocks of the next prompts."""
        block, is_first = self.reading.lines()
        self.notes.open_end = self.reading.take_open_end()
        if not block:
            self._end()
            return None
        if is_first:
            self._line = 0
        lines, first = text_lines(block), self._line + 1
        self._line += len(lines)
        self.notes.records += len(lines)
        prompts = [self._prompt(line) for line in lines]
        self.notes.remark(BLANK, sum(1 for line in lines if not line.strip()))
        return Batch(self._frame(prompts, first), ("key",), lambda record: lines[record - first])

    def _prompt(self, line: str) -> Prompt:
        if not line.strip():
            return Prompt()
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            return Prompt(reason="no JSON")
        if not isinstance(record, dict) or not isinstance(hashes := record.get("hash_ids"), list):
            return Prompt(reason="no list hash_ids")
        if not all(type(key) is int and 0 <= key < MOST_KEY for key in hashes):
            return Prompt(reason="a hash that is not an unsigned integer of 64 bits")
        is_bailian = "chat_id" in record
        time, unit_ns = record.get("timestamp"), NS_PER_S if is_bailian else NS_PER_MS
        if time is not None and (
            type(time) not in (int, float) or not abs(time) * unit_ns < LATEST_S * NS_PER_S
        ):
            return Prompt(reason="no time that can be read")
        tokens = self._tokens or (BAILIAN_TOKENS if is_bailian else MOONCAKE_TOKENS)
        last = self._sizes.last_tokens(record.get("input_length"), len(hashes), tokens) if hashes else None
        known = (None, None) if last is None else (tokens, last)
        return Prompt(hashes, None if time is None else round(time * unit_ns), *known)

    def _end(self) -> None:
        """Say at the end where the tokens of blocks are not known."""
        if (warning := self._sizes.warning) is not None:
            self.notes.warnings.append(warning)
            self.notes.unknown = ("tokens",)

    def _frame(self, prompts: list[Prompt], first: int) -> pl.DataFrame:
        counts = np.array([len(prompt.hashes) + (prompt.reason is not None) for prompt in prompts], np.int64)
        of_row = np.repeat(np.arange(len(prompts)), counts)
        is_request = np.array([bool(prompt.hashes) for prompt in prompts], bool)
        requests = self._requests + np.cumsum(is_request) - 1
        self._requests += int(is_request.sum())
        keys = [key for prompt in prompts for key in (prompt.hashes if prompt.reason is None else [None])]
        places = pl.Series(of_row)
        is_last = pl.Series(np.append(of_row[1:] != of_row[:-1], [True] * bool(len(of_row))))
        tokens, last_tokens = (
            pl.Series(column, dtype=pl.Int64).gather(places)
            for column in ([prompt.tokens for prompt in prompts], [prompt.last_tokens for prompt in prompts])
        )
        return pl.DataFrame(
            {
                "record": pl.Series(of_row + first, dtype=pl.Int64),
                "number": pl.Series(keys, dtype=pl.UInt64),
                "time_ns": pl.Series([prompt.time_ns for prompt in prompts], dtype=pl.Int64).gather(places),
                "tokens": last_tokens.zip_with(is_last, tokens) if len(of_row) else tokens,
                "reason": pl.Series([prompt.reason for prompt in prompts], dtype=pl.String).gather(places),
                "request": pl.Series(requests, dtype=pl.Int64).gather(places),
            }
        )


def recognises(head: bytes) -> bool:
    """Return whether a file begins with a JSON object that has hash_ids."""
    line = head.lstrip().split(b"\n", 1)[0]
    return line.startswith(b"{") and b'"hash_ids"' in line


def of_tokens(text: str) -> Format:
    """Return the format whose blocks have as many tokens as a text says; raises UsageError for no such number."""
    tokens = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_TOKENS)) else 0
    if not 0 < tokens <= MOST_TOKENS:
        raise UsageError(f"--prompt-block: a block has from 1 to {MOST_TOKENS:,} tokens, not {text}")
    return _format(f"{PREFIX}{tokens}", tokens)


def _format(name: str, tokens: int | None) -> Format:
    return key_format(
        name=name,
        description=DESCRIPTION,
        endings=".jsonl",
        recognises=recognises,
        source=lambda paths: PromptSource(paths, tokens),
    )


FORMAT = _format(NAME, None)
