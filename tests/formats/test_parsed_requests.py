"""What the engine reads gives the same tables, skips and counts as its slow twins."""

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from block_twins import RECORDS, run_of_lines
from blocks_of_lines import in_blocks
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples
from tables_read import everything, read_tables

from iotrace import formats, schemas
from iotrace.formats import vscsi
from iotrace.formats.disk_io import order
from iotrace.formats.disk_io.order import Order
from iotrace.formats.disk_io.parsed_lines import ParsedLines
from iotrace.formats.disk_io.records import Records, RecordSource
from iotrace.formats.disk_io.run import DiskRun

LINES: dict[str, Callable[[random.Random, int], str]] = {
    "msr-cambridge": lambda chance, us: (
        f"{128166372003061629 + us * 10},{chance.choice(['web', 'usr'])},{chance.randrange(3)},"
        f"{chance.choice(['Read', 'Write'])},{chance.randrange(2**40)},{chance.choice([0, 512, 4096, 700])},"
        f"{chance.choice([-3, 7, 10**17, 654])}"
    ),
    "systor17": lambda chance, us: (
        f"{1456182000 + us / 1000:.6f},{chance.choice(['', '0.000123', '1'])},{chance.choice('RW')},"
        f"{chance.randrange(4)},{chance.randrange(2**40)},{chance.choice([512, 1])}"
    ),
    "alibaba": lambda chance, us: (
        f"{chance.randrange(4)},{chance.choice('RW')},{chance.randrange(2**40)},4096,{1577808000000000 + us}"
    ),
    "tencent": lambda chance, us: (
        f"{1538323200 + us // 100},{chance.randrange(2**30)},{chance.randrange(2**8)},{chance.choice('01')},12"
    ),
    "spc": lambda chance, us: (
        f"{chance.randrange(2)},{chance.randrange(2**30)},{chance.choice([0, 512, 513])},{chance.choice('rwRW')},"
        f"{us / 7}"
    ),
    "disksim": lambda chance, us: (
        f"{us / 3:.3f} 0  {chance.randrange(2**30)}\t8 {chance.choice(['1', '0', 'aF'])}"
    ),
    "mqsim": lambda chance, us: f"{us * 1000} 1 {chance.randrange(2**30)} 8 {chance.choice('01')}",
}


def hurt(chance: random.Random, line: str) -> bytes:
    """Return a line damaged in one of many ways."""
    at = chance.randrange(len(line) + 1)
    separator = "," if "," in line else " "
    fields = line.split(separator)
    field = chance.randrange(len(fields))

    def with_field(text: str) -> str:
        return separator.join([*fields[:field], text, *fields[field + 1 :]])

    ways = (
        lambda: "",
        lambda: "   ",
        lambda: line[:at],
        lambda: line + ",further",
        lambda: line + "\r",
        lambda: f"  {line} ",
        lambda: line[:at] + " " + line[at:],
        lambda: with_field(""),
        lambda: with_field(f"-{fields[field]}"),
        lambda: with_field(f"+{fields[field]}"),
        lambda: with_field("12345678901234567890"),
        lambda: with_field("999999999999999999"),
        lambda: with_field("18446744073709551616"),
        lambda: with_field("1e5"),
        lambda: with_field("5.7"),
        lambda: with_field("0x10"),
        lambda: with_field("1_000"),
        lambda: with_field("007"),
        lambda: with_field(f"{fields[field]}.7"),
        lambda: with_field(f"{fields[field]}e3"),
        lambda: with_field(".5E1"),
        lambda: with_field("-0.0000000001"),
        lambda: with_field("0X1f"),
        lambda: with_field("-3"),
        lambda: with_field('\'"quoted"'),
        lambda: with_field(f'"{fields[field]}"'),
        lambda: with_field(f' "{fields[field]}" '),
        lambda: with_field(f'"{fields[field]}'),
        lambda: with_field(f'"{fields[field]},""x"" '),
        lambda: with_field(f"\N{NO-BREAK SPACE}{fields[field]}\x0b"),
        lambda: with_field("\N{EM SPACE}"),
        lambda: with_field("\N{GREEK SMALL LETTER ALPHA}"),
        lambda: with_field(fields[field].swapcase()),
        lambda: with_field(f" {fields[field]}\t"),
        lambda: separator.join([*fields[:field], *fields[field + 1 :]]),
    )
    damaged = chance.choice(ways)().encode()
    if chance.random() < 0.1:
        damaged = damaged[:at] + bytes([chance.choice([0, 11, 128, 255])]) + damaged[at:]
    return damaged.replace(b"\n", b"")


def text(chance: random.Random, name: str, lines: int) -> bytes:
    """Return some lines of a trace, some of them damaged, a few with a time far away."""
    made = []
    us = 1000
    for _ in range(lines):
        us += chance.randrange(-20, 100)
        far = 10**16 if chance.random() < 0.01 else 0
        line = LINES[name](chance, max(0, us) + far)
        made.append(hurt(chance, line) if chance.random() < chance.choice([0, 0.05, 0.5]) else line.encode())
    return b"\n".join(made) + chance.choice([b"", b"\n"])


@pytest.mark.parametrize("name", LINES)
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), lines=st.integers(1, 60), lines_each=st.integers(0, 40))
def test_lines_read_by_the_engine_give_what_expressions_give(
    tmp_path: Path, name: str, seed: int, lines: int, lines_each: int
) -> None:
    path = tmp_path / "t"
    path.write_bytes(text(random.Random(seed), name, lines))
    with pytest.MonkeyPatch.context() as patch:
        if lines_each:  # else the last line may have no end
            in_blocks(patch, lines_each)
        patch.setattr(order, "HELD_ROWS", 4)
        run = formats.source([path], name).start([path], {}, "time", None)
        assert isinstance(run, DiskRun) and isinstance(run.source, ParsedLines)
        assert everything(run) == everything(run_of_lines(name, path))


def test_a_line_that_makes_no_sense_leaves_no_names(tmp_path: Path) -> None:
    trace = tmp_path / "a.csv"
    lines = ("web,0,Read,4096,4096,5", f"mail,9,Read,4096,{1 << 50},5", "web,1,Write,0,512,5")
    trace.write_text("".join(f"{128166372003061629 + place},{line}\n" for place, line in enumerate(lines)))
    rows, report = read_tables(trace, "msr-cambridge")
    assert report["counts"]["skipped_lines"] == 1
    assert [row["path"] for row in rows["file"]] == ["web_0", "web_1"]
    assert [row["host"] for row in rows["disk_io"]] == ["web", "web"]


def records_of(name: str, chance: random.Random, count: int) -> bytes:
    """Return records, some of them of unknown commands, out of range or in no order, the last perhaps cut short."""
    made = []
    us = 1000
    for number in range(count):
        us += chance.randrange(-20, 100)
        odd = chance.random() < chance.choice([0, 0.05, 0.5])
        lbn = chance.choice([2**54, 2**63, 2**64 - 1]) if odd else chance.randrange(2**30) * 8
        size = chance.choice([0, 513, 2**32 - 1]) if odd else 512 * chance.randrange(1, 9)
        time = chance.choice([us, 2**60, 2**64 - 1]) if odd else us
        command = chance.choice([*vscsi.COMMANDS, *([0x99] if odd else [])])
        if name == "vscsi1":
            made.append(struct.pack("<IIIHHQQ", number, size, 1, command, 0x100, lbn, time))
        elif name == "vscsi2":
            took = chance.choice([2**62, 5]) if odd else 10
            made.append(struct.pack("<HHIIIQQQ", command, 0x200, number, size, 1, lbn, time, took))
        elif name == "oracle_general":
            made.append(struct.pack("<IQIq", time % 2**32, lbn % 2**54, size // 512 * 512, -1))
        else:
            made.append(
                struct.pack(
                    "<IQIBHq", time % 2**32, lbn % 2**54, size // 512 * 512, chance.randrange(17), 0, -1
                )
            )
    whole = b"".join(made)
    return whole[: len(whole) - chance.choice([0, 0, 5])]


@pytest.mark.parametrize("kind", RECORDS)
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60))
def test_records_read_by_the_engine_give_what_numpy_gives(
    tmp_path: Path, kind: str, seed: int, count: int
) -> None:
    path = tmp_path / "t"
    path.write_bytes(records_of(kind, random.Random(seed), count))
    name = "vscsi" if kind.startswith("vscsi") else "oracle-general-blocks"

    def run(records: Records) -> DiskRun:
        return DiskRun(name, [path], RecordSource([path], lambda head: records, name))

    assert everything(run(replace(RECORDS[kind], requests=kind))) == everything(run(RECORDS[kind]))


@examples(60)
@given(
    st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=6), min_size=1, max_size=12),
    st.integers(1, 8),
)
def test_rows_in_order_are_those_of_a_stable_sort(blocks: list[list[int]], held: int) -> None:
    times = [time for block in blocks for time in block]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "HELD_ROWS", held)
        rows = Order()
        passed, at = [], 0
        for block in blocks:
            passed += rows.take(_rows(block, at))
            at += len(block)
        passed += rows.rest()
    found = [row for batch in passed for row in batch.to_pylist()]
    first = min(times) if rows.is_kept else None
    by_lbn = {row["lbn"]: row for row in found}
    assert sorted(by_lbn) == list(range(len(times))) and len(found) == len(times)
    assert sorted(row["seq"] for row in found) == list(range(len(times)))
    # even where the order is lost, a stable sort of what was passed on gives that of the trace
    sorted_again = sorted(found, key=lambda row: (row["time_ns"], row["seq"]))
    expected = sorted(range(len(times)), key=lambda place: times[place])
    assert [row["lbn"] for row in sorted_again] == expected
    if rows.is_kept:
        assert [row["lbn"] for row in found] == expected
        assert [row["seq"] for row in found] == list(range(len(times)))
        assert [row["time_ns"] + first for row in found] == [times[place] for place in expected]
    if len(times) <= held:
        assert rows.is_kept


def _rows(times: list[int], start: int) -> pa.RecordBatch:
    schema = schemas.schema("disk_io")
    count = len(times)
    columns = {
        "seq": pa.array(range(start, start + count), pa.int64()),
        "time_ns": pa.array(times, pa.int64()),
        "device": pa.array([0] * count, pa.int32()),
        "lbn": pa.array(range(start, start + count), pa.int64()),
    }
    return pa.RecordBatch.from_arrays(
        [columns.get(one.name, pa.nulls(count, one.type)) for one in schema], schema=schema
    )
