"""What a person is shown of results: the lines that declare it, and the tables that follow from them."""

import tomllib
from importlib.resources import files

import pyarrow as pa
import pytest
from iotrace.queries.shown import declared, shown
from iotrace.schemas.shown import MalformedLine

from iotrace import queries, schemas, units

COLUMNS = """
policy     string   [name]                  The policy.
misses     int64    [requests]              Misses.
requests   int64    [requests]              Requests.
size       int64    [bytes]                 A size.
time_ns    int64?   [ns]                    A time.
objective  string   [name]                  What cost counts.
cost       double?  [see column objective]  A cost.
"""


def table(
    lines: str, rows: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch, **given: object
) -> pa.Table:
    raw = {
        "description": "A table.",
        "columns": COLUMNS,
        "also": "block int64 [bytes] A block.",
        "shown": lines,
    }
    read = schemas.Table.read("example", raw)
    monkeypatch.setattr(queries, "results", lambda: {"example": read})
    return shown(queries.result_table("example", rows), **given)


ROW = ("lru", 1, 4, 0, None, "reads", 2500.0)


def headings(made: pa.Table) -> list[str]:
    return [(field.metadata or {}).get(b"heading", b"").decode() for field in made.schema]


def units_of(made: pa.Table) -> list[str]:
    return [(field.metadata or {}).get(b"unit", b"").decode() for field in made.schema]


def test_columns_have_headings_units_and_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table("policy\nall requests = requests\nsize", [ROW], monkeypatch)
    assert headings(made) == ["policy", "all requests", "size"]
    assert units_of(made) == ["name", "requests", "bytes"]
    assert made.schema.field("requests").metadata[b"description"] == b"Requests."
    assert made.to_pylist() == [{"policy": "lru", "requests": 4, "size": 0}]


def test_arithmetic_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ROW, ("lru", 0, 0, 8, 5, "reads", None)]
    lines = "miss ratio = misses / requests as percent\nhits = requests - misses\nrest = 1 - misses / (misses + 3)"
    made = table(f"{lines}\nblocks = misses * block as bytes", rows, monkeypatch, block=4096)
    assert units_of(made) == ["part of one", "requests", "ratio", "bytes"]
    assert made["miss_ratio"].to_pylist() == [0.25, None]
    assert made["hits"].to_pylist() == [3, 0]
    assert made["rest"].to_pylist() == [0.75, 1]
    assert made["blocks"].to_pylist() == [4096, 0]


def test_what_is_missing_in_all_rows_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert headings(table("policy\ntime = time_ns", [ROW], monkeypatch)) == ["policy"]
    assert headings(table("policy\ntime = time_ns", [], monkeypatch)) == ["policy", "time"]
    assert headings(table("time = time_ns or never", [ROW], monkeypatch)) == ["time"]


def test_columns_depend_on_others(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "policy if several\nmisses if size\nrequests unless size"
    assert headings(table(lines, [ROW, ROW], monkeypatch)) == ["requests"]
    other = ("fifo", 1, 4, 8, None, "reads", None)
    assert headings(table(lines, [ROW, other], monkeypatch)) == ["policy", "misses"]


def test_a_word_stands_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table("size or none", [ROW], monkeypatch)
    assert made["size"].to_pylist() == [None]
    assert made.schema.field("size").metadata[b"nothing"] == b"none"


def test_each_row_has_the_unit_that_another_column_names(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ROW, ("lru", 1, 4, 0, None, "time", 2500.0), ("lru", 1, 4, 0, None, "time", None)]
    assert table("cost", rows, monkeypatch)["cost"].to_pylist() == ["2,500", "2.5 µs", None]
    assert units_of(table("size as objective", rows[1:], monkeypatch)) == ["time"]


def test_a_range_and_a_sum_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ROW, ("lru", 3, 3, 0, None, "reads", None)]
    made = table("band = misses / 2 to requests / 2\nshare = misses / sum(misses)", rows, monkeypatch)
    assert made["band"].to_pylist() == ["0.5 to 2", None]
    assert made["share"].to_pylist() == [0.25, 0.75]


def test_a_heading_names_a_value_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "misses ({block}) = misses"
    assert headings(table(line, [ROW], monkeypatch, block="4 KB")) == ["misses (4 KB)"]
    assert headings(table(line, [ROW], monkeypatch)) == ["misses"]


def test_repeated_columns_have_the_rest_of_their_names_as_headings() -> None:
    columns = "claim string [name] A claim.\nours_* double? [percent] A trace's number."
    raw = {"description": "Claims.", "columns": columns, "shown": "claim\n* = ours_*"}
    rows = pa.table({"claim": ["a"], "ours_b c": [1.0], "other": [2], "ours_*": [3.0], "ours_d": pa.nulls(1)})
    made = shown(rows, schemas.Table.read("example", raw).shown)
    assert made.column_names == ["other", "claim", "ours_b c", "ours_*"]
    assert headings(made)[2:] == ["b c", "*"] and units_of(made)[2:] == ["percent", "percent"]
    assert shown(rows.select(["claim"]), schemas.Table.read("example", raw).shown).column_names == ["claim"]


def test_columns_that_are_added_to_a_result_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    table("misses", [ROW], monkeypatch)
    rows = queries.result_table("example", [ROW])
    assert shown(rows.append_column("type", pa.array(["data"]))).column_names == ["type", "misses"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("other", "other: not a column"),
        ("hits = requests - other", "other: not a column"),
        ("size ({other}) = size", "other: not a column"),
        ("size if other", "other: not a column"),
        ("size\nsize", "the same name"),
        ("size = size\nsize = misses", "the same heading"),
        ("size as furlongs", "furlongs is neither a unit nor a column"),
        ("size unless several", "several follows if alone"),
        ("hits = len(size)", "not arithmetic"),
        ("hits = size ** 2", "not arithmetic"),
        ("hits = size size", "not a column to show"),
        ("hits = 'size'", "not a column to show"),
        ("hits = size.real", "not a column to show"),
        ("* = size", "the heading of repeated columns is"),
        ("* = size_*", "size_.*: not a column"),
    ],
)
def test_what_is_unknown_is_refused(line: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MalformedLine, match=why):
        table(line, [], monkeypatch)


def test_a_table_with_an_unknown_part_is_refused() -> None:
    with pytest.raises(MalformedLine, match="example: unknown: seen"):
        schemas.Table.read("example", {"description": "A table.", "columns": COLUMNS, "seen": ""})


def test_other_tables_are_returned_as_they_are() -> None:
    made = pa.table({"a": [1]})
    assert shown(made) is made
    seek = queries.result_table("disk_seek", [(1, 2.5)])
    assert not declared("disk_seek").columns
    assert shown(seek) is seek


def test_all_declarations_can_be_read() -> None:
    names = (*queries.results(), *schemas.names(), *queries.names(), *queries.views())
    assert {"curve", "call_times", "parallel"} < {name for name in names if declared(name).columns}


def test_numbers_are_written_by_their_units() -> None:
    written = {
        "bytes": "1 KB",
        "ns": "1.02 µs",
        "ms": "1.02 s",
        "percent": "1,024 %",
        "change": "+1024.0 %",
        "times": "1,024x",
        "requests": "1,024",
        "identifier": "1024",
    }
    assert {unit: units.written(1024, unit) for unit in written} == written
    assert units.written(0.25, "part of one") == "25 %"
    assert units.written(0.123456, "ratio") == "0.1235"
    assert units.written(-0.0001, "error") == "+0.0 %"
    assert [units.times(ratio) for ratio in (0, 1e-300, 0.05, 1.25, 1e300)] == [
        "0x",
        "under 0.0001x",
        "0.05x",
        "1.25x",
        "over 1,000,000x",
    ]


def test_ratios_of_more_than_a_float_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    large = ("lru", 9007199254741001, 3 * 9007199254741001, 0, None, "reads", None)
    made = table("misses = misses / requests as percent", [large], monkeypatch)
    assert made.column(0).to_pylist() == pytest.approx([1 / 3])


def test_all_tables_of_pages_declare_what_is_shown() -> None:
    raw = tomllib.loads(files("iotrace.reports.pages").joinpath("tables.toml").read_text("utf-8"))
    assert [name for name, entry in raw.items() if "shown" not in entry] == []
