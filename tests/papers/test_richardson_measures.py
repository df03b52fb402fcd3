"""The quantities of the dissertation's claims: on made-up inputs each of them bears its claim out, and fails it."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from iotrace import queries
from iotrace.analysis.lines.counts import Counts
from iotrace.analysis.lines.runs import Run
from iotrace.papers.findings.claim import Claim
from iotrace.papers.findings.verdicts import Verdict
from iotrace.papers.richardson import attribute_judging, cache_judging, cache_measures, characterization
from iotrace.papers.richardson.judging import claims, measures
from iotrace.simulate.attribute.curves import COUNTS

TRIES = 1500
BOTH = {Verdict.HOLDS, Verdict.FAILS}


def named(files: tuple[str, ...]) -> Any:
    of = [claim for claim in claims(files) if not claim.structural]
    return pytest.mark.parametrize("claim", of, ids=[claim.finding for claim in of])


def both_sides(claim: Claim, measured: Callable[[random.Random], tuple[float, ...]]) -> set[Verdict]:
    pick = random.Random(1994)
    verdicts: set[Verdict] = set()
    for _ in range(TRIES):
        numbers = measured(pick)
        if numbers:
            verdicts.add(claim.verdict(claim.decisive(numbers, claim.how.get("take"))))
        if verdicts == BOTH:
            break
    return verdicts


WORDS = {
    "type": ["inode", "directory", "executable", "datafile", "total"],
    "class": ["read", "write", "read_write"],
    "size_class": ["1k", "4k", "32k", "64k", "256k", "1M"],
}


def made_rows(pick: random.Random, columns: pa.Schema, kinds: list[str]) -> list[dict[str, Any]]:
    """Three rows for each combination of the words of a table, their numbers near each other or far apart."""
    words = [name for name in WORDS if name in columns.names]
    rows: list[dict[str, Any]] = [{}]
    for name in words:
        rows = [{**row, name: word} for row in rows for word in WORDS[name]]
    rows = [dict(row) for row in rows for _ in range(3)]
    scale, spread = pick.choice([1, 10, 50]), pick.choice([0.0, 0.3, 3.0])
    for row in rows:
        for field in columns:
            if field.name not in row:
                number = scale * 2 ** pick.gauss(0, spread) * pick.choice([0, 1, 1, 1])
                is_size = field.name.startswith("maximum_")
                row[field.name] = pick.choice([4096, 16384, 65536, 2**20]) if is_size else number
                if pa.types.is_string(field.type):
                    row[field.name] = "x"
    return [row for row in rows if pick.random() < 0.95 or row.get("type") in kinds]


@named(characterization.FILES)
def test_what_sql_measures_can_bear_a_claim_out_and_not(claim: Claim) -> None:
    (measure,) = (one for one in measures(characterization.FILES) if one["id"] == claim.how["measure"])
    connection = duckdb.connect()
    connection.execute(queries.macros_sql())

    def measured(pick: random.Random) -> tuple[float, ...]:
        for name in queries.named_in(measure["sql"]):
            columns = queries.query(name).schema
            rows = made_rows(pick, columns, measure["types"])
            flat = pa.schema([(field.name, _loose(field.type)) for field in columns])
            connection.register(name, pa.Table.from_pylist(rows, schema=flat))
        found = connection.execute(measure["sql"]).fetchall()
        return tuple(float(number) for (number,) in found[:1] if number is not None)

    assert both_sides(claim, measured) == BOTH


def _loose(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_string(kind) else pa.float64()


KEPT = ("block_misses", "request_misses", "disk_writes", "dirty_at_end")


@dataclass
class MadeHalf:
    """Counts of one direction that change at some sizes, as `iotrace.analysis.lines.counts.Half` gives them."""

    requests: int
    blocks: int
    sizes: Any
    counted: dict[str, Any]

    def change_points(self) -> Any:
        return self.sizes.astype(np.uint32)

    def at(self, name: str, sizes_blocks: Any) -> Any:
        if name not in self.counted:
            return np.zeros(len(sizes_blocks))
        return self.counted[name][np.searchsorted(self.sizes, sizes_blocks, side="right") - 1].astype(float)


class MadeCurves:
    """Curves made up for each run: misses fall with the cache to a floor, by shapes that runs share or not."""

    def __init__(self, pick: random.Random) -> None:
        self._pick = pick
        self._shared = self._shape() if pick.random() < 0.6 else None
        self._by_block = pick.choice([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0])
        self._noise = pick.choice([0.0, 0.0, 0.02, 0.5])
        self._known: dict[Run, Counts] = {}

    def _shape(self) -> tuple[float, float, float, int]:
        pick = self._pick
        working_set = 2 ** pick.uniform(6, 26)
        return (
            pick.uniform(0, 1.5),
            working_set,
            pick.choice([0.0, 0.005, 0.1, 0.5]),
            2 ** pick.randrange(8, 27),
        )

    def counts(self, run: Run) -> Counts:
        """Return the counts of a run."""
        if run not in self._known:
            self._known[run] = self._made(run)
        return self._known[run]

    def _made(self, run: Run) -> Counts:
        block = run.block_bytes
        top, working_set, floor, distinct_bytes = self._shared or self._shape()
        distinct = max(1, distinct_bytes // block)
        sizes = np.unique(
            np.concatenate([[1, 2, 3], 2 ** np.arange(0, distinct.bit_length() + 1), [distinct]])
        )
        whole = 100_000.0
        scale = (block / 4096) ** self._by_block * 2 ** self._pick.gauss(0, self._noise)
        halves: dict[Any, Any] = {}
        for direction in ("read", "write"):
            falling = floor + max(0.0, top - floor) * np.exp(-sizes * block / working_set)
            jitter = 2 ** self._pick.gauss(0, self._noise)
            counted = {
                name: np.maximum(0, whole * scale * jitter * falling).astype(np.int64) for name in KEPT
            }
            hits = (whole * np.clip(1 - falling, 0, 1)).astype(np.int64)
            counted |= {"write_block_overwrites": hits, "write_block_fills": hits}
            exact = 4096 * self._pick.choice([0.1, 1, 4]) * (block / 4096) ** self._pick.choice([0, 0.5])
            counted["read_bytes_exact"] = (counted["block_misses"] * exact).astype(np.int64)
            halves[direction] = MadeHalf(int(whole), int(whole), sizes.astype(np.int64), counted)
        return Counts(block, int(distinct), halves)

    def prepare(self, runs: Any) -> None:
        """Do nothing: all is made when it is asked for."""


@named(cache_judging.FILES)
def test_what_curves_measure_can_bear_a_claim_out_and_not(claim: Claim) -> None:
    (measure,) = (one for one in measures(cache_judging.FILES) if one["id"] == claim.how["measure"])

    def measured(pick: random.Random) -> tuple[float, ...]:
        with np.errstate(all="ignore"):
            return cache_measures.numbers(MadeCurves(pick), measure)  # type: ignore[arg-type]

    assert both_sides(claim, measured) == BOTH


@named(attribute_judging.FILES)
def test_what_subcaches_measure_can_bear_a_claim_out_and_not(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    (measure,) = (one for one in measures(attribute_judging.FILES) if one["id"] == claim.how["measure"])

    def measured(pick: random.Random) -> tuple[float, ...]:
        base, slope = 10 ** pick.uniform(0, 5), pick.choice([0.0, 0.0, -0.3, -2.0])
        spread, noise = pick.choice([0.0, 0.1, 1.0]), pick.choice([0.0, 0.05, 1.0])
        factors: dict[Any, float] = {}

        def factor(word: Any) -> float:
            return factors.setdefault(word, 2 ** pick.gauss(0, spread))

        def outcome(memo: Any, scheme: Any, total: int) -> Any:
            size = (total / 2**20) ** slope * factor(("of scheme", scheme.id, total.bit_length() // 3))
            scale = factor(("scheme", scheme.id, scheme.cut_off_bytes)) * size

            def number(*words: Any) -> float:
                return base * scale * factors.setdefault((words, scheme.id, total), 2 ** pick.gauss(0, noise))

            return SimpleNamespace(
                sum=lambda names: number(tuple(names)),
                read_request_miss_ratio=min(1.0, number("misses") / 1000),
                write_expulsion_ratio=number("expulsions") / 10000,
                counts={("inode", "inode"): np.full(len(COUNTS), 1)},
            )

        monkeypatch.setattr(attribute_judging, "outcome", outcome)
        numbers = attribute_judging.numbers(None, measure)  # type: ignore[arg-type]
        return tuple(number for number in numbers if math.isfinite(number))

    assert both_sides(claim, measured) == BOTH
