"""What ``iotrace sql`` writes of answers whose columns have one name, are nested, intervals, empty or null."""

import json
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from program import Run


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("select 1 as a, 2 as a, 3 as a, 4 as a_1", {"a": 1, "a_2": 2, "a_3": 3, "a_1": 4}),
        ('select 1 as "x""y", 2 as "x""y"', {'x"y': 1, 'x"y_1': 2}),
        ("select interval 90 minute as d, 1 as one", {"d": "01:30:00", "one": 1}),
    ],
)
def test_no_column_is_lost(
    run: Run, shared_store: Path, tmp_path: Path, query: str, row: dict[str, object]
) -> None:
    assert json.loads(run("sql", shared_store, query, "-f", "json").stdout) == [row]
    assert run("sql", shared_store, query, "-o", tmp_path / "a.parquet").returncode == 0
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == [row]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("select null as a, '' as b, 'x' as c", ["a,b,c", ',"",x']),
        ("from (values (null), (''), ('x')) as t(a)", ["a", "", '""', "x"]),
        ("""select 'a,b' as a, 'say "x"' as b, chr(10) as c""", ["a,b,c", '"a,b","say ""x""","', '"']),
        (
            "select [1, null] as l, {'a': 'x,y', 'b': ''} as s",
            ["l,s", '"[1, null]","{""a"": ""x,y"", ""b"": """"}"'],
        ),
        ("select map {'k': 1} as m, ['nan'::double] as n", ["m,n", '"[[""k"", 1]]",[null]']),
        ("select interval 90 minute as d, [interval 1 day] as e", ["d,e", "01:30:00,[1 day]"]),
        ("select 'a'::blob as d, 1.5 as e, true as f", ["d,e,f", "a,1.5,True"]),
    ],
)
def test_values_in_csv(run: Run, shared_store: Path, query: str, lines: list[str]) -> None:
    assert run("sql", shared_store, query, "-f", "csv").stdout.decode() == "\n".join(lines) + "\n"


def test_csv_is_read_back_as_it_was(run: Run, shared_store: Path, tmp_path: Path) -> None:
    query = "select * from (values (null, 1), ('', 2), ('a\"b', 3), ('c,d', null)) as t(text, number)"
    written = tmp_path / "answer.csv"
    assert run("sql", shared_store, query, "-o", written).returncode == 0
    assert (
        duckdb.sql(f"from read_csv('{written}', allow_quoted_nulls = false)").fetchall()
        == duckdb.sql(query).fetchall()
    )


def test_nested_values_in_tables(run: Run, shared_store: Path) -> None:
    shown = run("sql", shared_store, "select {'a': 'x', 'b': null} as s, ['p', 'q'] as l").stdout.decode()
    assert '{"a": "x", "b": null}   ["p", "q"]' in shown
