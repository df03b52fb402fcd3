"""Limited non-volatile memory against a plain twin, against the curve where all of it is non-volatile, and by hand."""

from collections import Counter, OrderedDict
from collections.abc import Sequence
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.analysis.curves import curve
from iotrace.analysis.curves.cache import Cache
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.nonvolatile.columns import Processes
from iotrace.simulate.nonvolatile.settings import WRITE_POLICIES, Settings, compared
from iotrace.simulate.nonvolatile.simulation import run

BLOCK = 4
INTERVAL_S = 10
SECOND = 10**9
Row = tuple[int, str, int | None, int, int, bool]
"""Time in s, operation, file, first block, blocks, synchronous.

A `sync` is of the whole file, or of everything where the file is None; a `sync range` is of blocks of a file, to its
end where `synchronous` is set.
"""


def limited_nonvolatile(
    references: pa.Table,
    *,
    volatile_bytes: list[int],
    nonvolatile_bytes: Sequence[int] = (0,),
    write_policies: Sequence[str] = WRITE_POLICIES,
    interval_s: int = 30,
    block_bytes: int = 4096,
) -> pa.Table:
    """Run every write policy with every size."""
    choices = product(write_policies, volatile_bytes, nonvolatile_bytes, [interval_s * SECOND])
    return run(references, [Settings(*choice) for choice in choices], Cache(block_bytes))


class Twin:
    """One cache, written down as plainly as possible; safe and at_risk are blocks, the latter since when.

    The blocks of `lost` files may be lost; of `processes`, one number for each row, each takes a block.
    """

    def __init__(
        self, volatile: int, safe: int, policy: str, lost: Sequence[int] = (), processes: Sequence[int] = ()
    ) -> None:
        self.size, self.room, self.policy = volatile + safe, safe, policy
        self.all_volatile, self.lost, self.processes = volatile, lost, processes
        self.cache, self.safe, self.at_risk = OrderedDict(), OrderedDict(), OrderedDict()
        self.unsecured = OrderedDict()
        self.counts, self.now, self.promised = Counter(), 0, set()

    def put_on_disk(self, block: tuple, why: str) -> None:
        self.end_risk(block)
        self.counts[why] += 1

    def end_risk(self, block: tuple) -> None:
        if block in self.at_risk:
            longest = max(self.counts["longest"], self.now - self.at_risk.pop(block))
            self.counts["longest"] = longest

    def endanger(self, block: tuple) -> None:
        if self.policy == "write-through":
            self.counts["through"] += 1
        else:
            self.at_risk.setdefault(block, self.now)
            self.counts["most"] = max(self.counts["most"], len(self.at_risk))

    def resize(self, processes: int) -> None:
        self.size = max(1, max(0, self.all_volatile - processes) + self.room)
        while len(self.cache) > self.size:
            self.expel()
        while len(self.at_risk) + len(self.unsecured) > self.size - self.room:
            self.write_out(next(iter([*self.at_risk, *self.unsecured])))

    def expel(self) -> None:
        old, _ = self.cache.popitem(last=False)
        self.write_out(old)

    def write_out(self, old: tuple) -> None:
        lost = self.unsecured.pop(old, False)
        self.counts["unsecured"] += lost
        if lost or old in self.at_risk or self.safe.pop(old, False):
            self.put_on_disk(old, "expelled")

    def stays_unsecured(self, block: tuple) -> bool:
        if block[0] not in self.lost or block in self.safe or block in self.at_risk:
            return False
        full = len(self.at_risk) + len(self.unsecured) >= self.size - self.room
        if block not in self.unsecured and full:
            return False
        self.unsecured[block] = True
        self.counts["most unsecured"] = max(self.counts["most unsecured"], len(self.unsecured))
        return True

    def second(self, now: int) -> None:
        """The time comes to `now`, a second after the last."""
        self.counts["risk"] += len(self.at_risk)
        self.counts["unsecured seconds"] += len(self.unsecured)
        self.now = now
        due = {"periodic": now % INTERVAL_S == 0, "deadline": True}.get(self.policy, False)
        for block in [block for block, since in self.at_risk.items() if due]:
            if self.policy == "periodic" or self.at_risk[block] + INTERVAL_S <= now:
                self.put_on_disk(block, "flushed")

    def touch(self, block: tuple, write: bool) -> bool:
        if missed := block not in self.cache:
            if len(self.cache) == self.size:
                self.expel()
            self.cache[block] = True
        self.cache.move_to_end(block)
        if write and self.stays_unsecured(block):
            return missed
        if write and self.room == 0:
            self.endanger(block)
        elif write:
            self.counts["safe writes"] += 1
            self.end_risk(block)
            self.safe[block] = True
            self.safe.move_to_end(block)
            self.promised.discard(block)
            if len(self.safe) > self.room:
                displaced, _ = self.safe.popitem(last=False)
                if displaced in self.promised:
                    self.put_on_disk(displaced, "synced")
                else:
                    self.endanger(displaced)
        return missed

    def drop(self, file: int | None) -> None:
        for block in [block for block in self.cache if block[0] == file]:
            self.end_risk(block)
            self.safe.pop(block, None)
            self.unsecured.pop(block, None)
            del self.cache[block]

    def sync(self, file: int | None, blocks: list) -> None:
        asked = [b for b in self.cache if file is None or (b[0] == file and (not blocks or b in blocks))]
        self.promised.update(block for block in asked if block in self.safe)
        for block in asked:
            if block in self.at_risk:
                self.put_on_disk(block, "synced")

    def run(self, rows: list[Row]) -> Counter:
        for number, (time, operation, file, first, length, synchronous) in enumerate(rows):
            for now in range(self.now + 1, time + 1):
                self.second(now)
            if self.processes:
                self.resize(self.processes[number])
            blocks = [(file, number) for number in range(first, first + length)]
            if operation == "delete":
                self.drop(file)
            elif operation == "sync":
                self.sync(file, [])
            elif operation == "sync range":
                self.sync(file, [(file, number) for number in range(first, 99)] if synchronous else blocks)
            else:
                for start in range(0, length, self.size):
                    missed = [
                        self.touch(block, operation == "write") for block in blocks[start : start + self.size]
                    ]
                    self.counts[operation] += any(missed)
                if synchronous and operation == "write":
                    self.sync(file, blocks)
        for block in list(self.at_risk):
            longest = max(self.counts["longest"], self.now - self.at_risk[block])
            self.counts["longest"] = longest
        return self.counts


@st.composite
def traces(draw: st.DrawFn) -> list[Row]:
    operation = st.sampled_from(["read", "write", "write", "write", "delete", "sync", "sync range"])
    row = st.tuples(
        st.integers(0, 8), operation, st.integers(0, 2), st.integers(0, 5), st.integers(1, 4), st.booleans()
    )
    now, rows = 0, []
    for wait, operation, file, first, length, flag in draw(st.lists(row, max_size=40)):
        now += wait
        rows.append((now, operation, None if flag and operation == "sync" else file, first, length, flag))
    return rows


def table(rows: list[Row]) -> pa.Table:
    operations = [row[1].partition(" ")[0] for row in rows]
    offsets = [None if row[1] == "sync" else row[3] * BLOCK for row in rows]
    to_the_end = [row[1] == "sync range" and row[5] for row in rows]
    lengths = [
        None if row[1] == "sync" or to_end else row[4] * BLOCK
        for row, to_end in zip(rows, to_the_end, strict=True)
    ]
    return pa.table(
        {
            "time_ns": pa.array([row[0] * SECOND for row in rows], pa.int64()),
            "operation": pa.array(operations, pa.string()),
            "file": pa.array([row[2] for row in rows], pa.int32()),
            "offset": pa.array(offsets, pa.int64()),
            "length": pa.array(lengths, pa.int64()),
            "flags": pa.array(["direct|synchronous" if row[5] else None for row in rows], pa.string()),
        }
    )


@examples(150)
@given(traces(), st.integers(0, 6), st.integers(0, 6))
def test_every_write_policy_is_its_plain_twin(rows: list[Row], volatile: int, safe: int) -> None:
    volatile += volatile + safe == 0
    sizes = {"volatile_bytes": [volatile * BLOCK], "nonvolatile_bytes": [safe * BLOCK]}
    found = limited_nonvolatile(table(rows), interval_s=INTERVAL_S, block_bytes=BLOCK, **sizes).to_pylist()
    for policy, row in zip(WRITE_POLICIES, found, strict=True):
        twin = Twin(volatile, safe, policy)
        counts = twin.run(rows)
        assert row["write_policy"] == policy
        assert (row["read_request_misses"], row["write_request_misses"]) == (counts["read"], counts["write"])
        for why in ("expelled", "flushed", "synced"):
            assert row[f"blocks_{why}"] == counts[why], (policy, why)
        assert row["blocks_written_through"] == counts["through"]
        assert (row["safe_at_end"], row["at_risk_at_end"]) == (len(twin.safe), len(twin.at_risk))
        assert row["most_at_risk"] == counts["most"]
        assert row["longest_at_risk_ns"] == counts["longest"] * SECOND
        started = next((time for time, operation, *_ in rows if operation in ("read", "write")), 0)
        seconds = max((row[0] for row in rows), default=0) - started
        assert row["mean_at_risk"] == pytest.approx(counts["risk"] / seconds if seconds else 0)
        if policy in ("periodic", "deadline"):
            assert row["longest_at_risk_ns"] <= INTERVAL_S * SECOND


@examples(150)
@given(st.data(), traces(), st.integers(1, 6), st.integers(0, 6), st.sampled_from([(), (1,), (0, 2)]))
def test_data_that_may_be_lost_and_processes_are_as_in_the_plain_twin(
    data: st.DataObject, rows: list[Row], volatile: int, safe: int, lost: tuple[int, ...]
) -> None:
    processes = [data.draw(st.integers(0, 4)) for _ in rows]
    references = table(rows)
    may_be_lost = [file in lost for file in references["file"].to_pylist()]
    references = references.append_column("may_be_lost", pa.array(may_be_lost, pa.bool_()))
    references = references.append_column("processes", pa.array(processes, pa.int32()))
    settings = [
        Settings(policy, volatile * BLOCK, safe * BLOCK, INTERVAL_S * SECOND, condition, taken)
        for policy in WRITE_POLICIES
        for condition in (None, "temporary")
        for taken in (0, BLOCK)
    ]
    started = next((row[0] for row in rows if row[1] in ("read", "write")), 0)
    seconds = max((row[0] for row in rows), default=0) - started
    for setting, row in zip(settings, run(references, settings, Cache(BLOCK)).to_pylist(), strict=True):
        spared = lost if setting.may_be_lost else ()
        twin = Twin(
            volatile, safe, setting.write_policy, spared, processes if setting.process_memory_bytes else ()
        )
        counts = twin.run(rows)
        assert (row["read_request_misses"], row["write_request_misses"]) == (counts["read"], counts["write"])
        for why in ("expelled", "flushed", "synced"):
            assert row[f"blocks_{why}"] == counts[why], (setting, why)
        assert row["blocks_written_through"] == counts["through"]
        assert row["nonvolatile_block_writes"] == counts["safe writes"]
        assert row["unsecured_blocks_written"] == counts["unsecured"]
        dirty = (row["safe_at_end"], row["at_risk_at_end"], row["unsecured_at_end"])
        assert dirty == (len(twin.safe), len(twin.at_risk), len(twin.unsecured))
        assert (row["most_at_risk"], row["most_unsecured"]) == (counts["most"], counts["most unsecured"])
        assert row["longest_at_risk_ns"] == counts["longest"] * SECOND
        assert row["mean_at_risk"] == pytest.approx(counts["risk"] / seconds if seconds else 0)
        assert row["mean_unsecured"] == pytest.approx(counts["unsecured seconds"] / seconds if seconds else 0)


@pytest.mark.parametrize("policy", WRITE_POLICIES)
def test_temporary_data_that_may_be_lost_cost_no_write(policy: str) -> None:
    """A file is written synchronously and deleted: secured, it is written; as data that may be lost, never."""
    rows = [(1, "write", 0, 0, 2, True), (40, "read", 1, 0, 1, False), (41, "delete", 0, 0, 0, False)]
    references = table(rows).append_column("may_be_lost", pa.array([True, False, False]))
    settings = compared([Settings(policy, 10 * BLOCK, 0, may_be_lost="temporary")])
    secured, unsecured = run(references, settings, Cache(BLOCK)).to_pylist()
    assert (secured["may_be_lost"], unsecured["may_be_lost"]) == (None, "temporary")
    assert (secured["blocks_written"], unsecured["blocks_written"]) == (2, 0)
    assert (secured["most_unsecured"], unsecured["most_unsecured"]) == (0, 2)


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9))), st.lists(st.integers(0, 12)))
def test_processes_run_from_their_start_to_their_end(
    lives: list[tuple[int, int | None]], times: list[int]
) -> None:
    lives = [(start, None if end is None else start + end) for start, end in lives]
    starts = np.array(sorted(start for start, _ in lives), np.int64)
    ends = np.array(sorted(end for _, end in lives if end is not None), np.int64)
    expected = [sum(start <= now and (end is None or now < end) for start, end in lives) for now in times]
    assert Processes(starts, ends).at(np.array(times, np.int64)).tolist() == expected


def test_a_cache_shrinks_while_processes_run() -> None:
    """Three dirty blocks in a memory of four; two processes leave room for two, and the oldest is expelled."""
    rows = [(0, "write", 0, 0, 3, False), (1, "read", 0, 2, 1, False), (2, "read", 0, 0, 1, False)]
    references = table(rows).append_column("processes", pa.array([0, 2, 0], pa.int32()))
    (row,) = run(
        references, [Settings("copy-back", 4 * BLOCK, process_memory_bytes=1)], Cache(BLOCK)
    ).to_pylist()
    assert (row["process_memory_bytes"], row["least_volatile_blocks"]) == (BLOCK, 2)
    assert (row["blocks_expelled"], row["read_request_misses"], row["most_at_risk"]) == (1, 1, 3)


@examples(50)
@given(traces(), st.integers(1, 12))
def test_all_of_it_non_volatile_is_the_dissertations_cache(rows: list[Row], size: int) -> None:
    memory = {"block_bytes": BLOCK, "sizes_bytes": [size * BLOCK]}
    # what is safe needs no write when it is synced
    (expected,) = curve(table(rows), syncs="ignore", **memory).to_pylist()
    for row in limited_nonvolatile(
        table(rows), volatile_bytes=[0], nonvolatile_bytes=[size * BLOCK], block_bytes=BLOCK
    ).to_pylist():
        for name in row.keys() & expected.keys():
            assert row[name] == expected[name], name
        assert row["blocks_written"] == row["blocks_expelled"] == expected["write_expulsions"]
        assert (row["safe_at_end"], row["most_at_risk"]) == (expected["dirty_at_end"], 0)


def test_a_write_reaches_the_disk_when_its_policy_says() -> None:
    """A block written at 3 s and at 12 s, in a trace that ends at 25 s: at 10 and 20 s, or with both writes at 13."""
    rows = [(3, "write", 0, 0, 1, False), (12, "write", 0, 0, 1, False), (25, "read", 1, 0, 1, False)]
    found = limited_nonvolatile(
        table(rows), volatile_bytes=[40], nonvolatile_bytes=[0, 4], interval_s=10, block_bytes=BLOCK
    )
    assert found.schema.equals(queries.table_schema("limited_nonvolatile"))
    by_policy = dict(
        zip(
            zip(found["write_policy"].to_pylist(), found["nonvolatile_bytes"].to_pylist(), strict=True),
            found.to_pylist(),
            strict=True,
        )
    )
    written = {key: row["blocks_written"] for key, row in by_policy.items()}
    assert [written[policy, 0] for policy in WRITE_POLICIES] == [0, 2, 2, 1]
    assert [written[policy, 4] for policy in WRITE_POLICIES] == [0, 0, 0, 0]
    longest = [by_policy[policy, 0]["longest_at_risk_ns"] / SECOND for policy in WRITE_POLICIES]
    assert longest == [22, 0, 8, 10]


def test_what_was_synced_never_comes_to_be_at_risk() -> None:
    """Two blocks written and synced with non-volatile memory for one; the next write displaces the other."""
    rows = [
        (0, "write", 0, 0, 1, False),
        (0, "sync", 0, 0, 1, False),
        (1, "write", 1, 0, 1, False),
        (9, "read", 1, 0, 1, False),
    ]
    for row in limited_nonvolatile(
        table(rows), volatile_bytes=[40], nonvolatile_bytes=[4], interval_s=10, block_bytes=BLOCK
    ).to_pylist():
        assert (row["most_at_risk"], row["blocks_synced"], row["blocks_written"]) == (0, 1, 1)


def test_a_sync_of_a_range_writes_the_blocks_that_the_range_reaches_into() -> None:
    """Of blocks 0 to 9 of one file: bytes 9 to 13 lie in blocks 2 and 3, byte 36 and the rest in block 9."""
    columns = {
        "operation": ["write", "sync", "sync"],
        "file": pa.array([0, 0, 0], pa.int32()),
        "offset": [0, 9, 36],
        "length": [10 * BLOCK, 5, None],
    }
    for operations, synced in ((2, 2), (3, 3)):
        (row,) = limited_nonvolatile(
            pa.table(columns).slice(0, operations),
            volatile_bytes=[400],
            write_policies=["copy-back"],
            block_bytes=BLOCK,
        ).to_pylist()
        assert (row["blocks_synced"], row["at_risk_at_end"]) == (synced, 10 - synced)


def test_what_makes_no_sense_is_refused() -> None:
    rows = table([(0, "write", 0, 0, 1, False)])
    with pytest.raises(UsageError, match="at least one block"):
        limited_nonvolatile(rows, volatile_bytes=[100])
    with pytest.raises(UsageError, match="interval_ns: 0 is below 1 ns"):
        limited_nonvolatile(rows, volatile_bytes=[4096], interval_s=0)
    with pytest.raises(UsageError, match="no column 'may_be_lost'"):
        run(rows, [Settings(may_be_lost="temporary")])
    with pytest.raises(UsageError, match="may_be_lost has one value"):
        run(rows, [Settings(may_be_lost="temporary"), Settings(may_be_lost="true")])
    with pytest.raises(UsageError, match="not 'never'"):
        limited_nonvolatile(rows, volatile_bytes=[4096], write_policies=["never"])
    untimed = rows.set_column(0, "time_ns", pa.array([None], pa.int64()))
    with pytest.raises(IotraceError, match="reference 0: periodic writes need a time"):
        limited_nonvolatile(untimed, volatile_bytes=[4096])
    (row,) = limited_nonvolatile(untimed, volatile_bytes=[4096], write_policies=["copy-back"]).to_pylist()
    assert (row["mean_at_risk"], row["longest_at_risk_ns"], row["most_at_risk"]) == (None, None, 1)
