"""What ``iotrace sql`` writes of answers whose columns have one name, are nested, intervals, empty or null."""

import json
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from program import Run, refused


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


def test_sums_are_whole_numbers_of_64_bits(run: Run, shared_store: Path, tmp_path: Path) -> None:
    query = "select sum(bytes) as bytes from call_wide"
    assert run("sql", shared_store, query, "-o", tmp_path / "a.parquet").returncode == 0
    assert pq.read_schema(tmp_path / "a.parquet").field("bytes").type == "int64"
    most = 2**63 - 1
    largest = run(
        "sql", shared_store, f"select sum(n) as s from (values ({most - 1}), (1)) as t(n)", "-f", "csv"
    )
    assert largest.stdout.split() == [b"s", str(most).encode()]
    beyond = run("sql", shared_store, f"select sum(n) as s from (values ({most}), (1)) as t(n)", "-f", "csv")
    assert f"{2**63} does not fit in 64 bits: cast the sum" in refused(beyond)
    for_people = run(
        "sql", shared_store, f"select sum(n)::varchar as s from (values ({most}), (1)) as t(n)", "-f", "csv"
    )
    assert for_people.stdout.split() == [b"s", str(2**63).encode()]


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("100.4999", "100.4999"),
        ("12345678901234567890123.45::decimal(30, 2)", "12345678901234567890123.45"),
        ("0::decimal(20, 12)", "0.000000000000"),
        ("340282366920938463463374607431768211455::uhugeint", str(2**128 - 1)),
        ("timestamp_ns '2026-01-01 00:00:00.123456789'", "2026-01-01 00:00:00.123456789"),
        ("timestamp '2026-01-01 10:00:00'", "2026-01-01 10:00:00"),
        ("timestamp 'infinity'", "infinity"),
        ("timestamp '-infinity'", "-infinity"),
        ("date '0044-03-15 (BC)'", "-0043-03-15"),
        ("date 'infinity'", "infinity"),
        ("date '9999-12-31'", "9999-12-31"),
        ("bitstring '0101'", "0101"),
    ],
)
def test_values_are_exact(run: Run, shared_store: Path, query: str, value: str) -> None:
    assert (
        run("sql", shared_store, f"select {query} as v", "-f", "csv").stdout.split(b"\n")[1] == value.encode()
    )
    (row,) = json.loads(
        run("sql", shared_store, f"select {query} as v", "-f", "json").stdout, parse_float=str
    )
    assert row == {"v": value}


def test_a_query_that_has_no_end_is_refused(run: Run, shared_store: Path) -> None:
    assert "longer than 16 MB" in refused(run("sql", shared_store, "--file", "/dev/zero"), 2)


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


def test_all_answers_of_several_statements_are_shown(run: Run, shared_store: Path, tmp_path: Path) -> None:
    query = "select 1 as a; create table t as select 2 as b; from t; select 3 as c"
    shown = json.loads(run("sql", shared_store, query, "-f", "json").stdout)
    assert shown == {"result_1": [{"a": 1}], "result_2": [{"b": 2}], "result_3": [{"c": 3}]}
    lines = run("sql", shared_store, query, "-f", "jsonl").stdout.decode().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"table": "result_1", "a": 1},
        {"table": "result_2", "b": 2},
        {"table": "result_3", "c": 3},
    ]
    assert run("sql", shared_store, query, "-f", "parquet", "-o", tmp_path / "all").returncode == 0
    assert pq.read_table(tmp_path / "all" / "result_2.parquet").to_pylist() == [{"b": 2}]


@pytest.mark.parametrize(
    ("words", "row"),
    [
        (["--param", "a=3", "--param", "b=x=y"], {"a": 3, "b": "x=y"}),
        (["--param", "a=-1.5e3", "--param", "b='7'"], {"a": -1500.0, "b": "7"}),
        (["--param", "a=true", "--param", "b=null"], {"a": True, "b": None}),
        (["--param", "a=it's", "--param", "b="], {"a": "it's", "b": ""}),
        (["--param", "a=1.2.3", "--param", "b='it''s'"], {"a": "1.2.3", "b": "it's"}),
    ],
)
def test_parameters(run: Run, shared_store: Path, words: list[str], row: dict[str, object]) -> None:
    done = run("sql", shared_store, "select $a as a, $b as b", *words, "-f", "jsonl")
    assert json.loads(done.stdout) == row, done.stderr


@pytest.mark.parametrize(
    ("query", "words", "sentence"),
    [
        ("select $a", [], "give --param a=VALUE"),
        ("select 1", ["--param", "a=1"], "has no $a"),
        ("select $a", ["--param", "a"], "is not NAME=VALUE"),
        ("select $a", ["--param", "a=1", "--param", "a=2"], "given twice"),
    ],
)
def test_parameters_that_do_not_fit(
    run: Run, shared_store: Path, query: str, words: list[str], sentence: str
) -> None:
    assert sentence in refused(run("sql", shared_store, query, *words), 2)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("select 1 form file", "SQL: column 15: "),
        (
            "select 1;\nselect *\nfrom toals",
            "SQL: line 3, column 6: there is no table or view toals; most like it: totals",
        ),
        ("select pathh from file", "column 8: there is no column pathh; most like it: path"),
        ("select at, path from call_wide", 'at is a word of SQL: as a column it needs double quotes: "at"'),
        ("select references from use", "is a word of SQL"),
    ],
)
def test_a_refusal_names_the_place_and_what_is_nearest(
    run: Run, shared_store: Path, query: str, sentence: str
) -> None:
    assert sentence in refused(run("sql", shared_store, query), 1)


def test_a_plan_is_text(run: Run, shared_store: Path) -> None:
    lines = run("sql", shared_store, "explain select 1").stdout.decode().splitlines()
    assert len(lines) > 3 and "explain_value" not in lines[0] and "\\n" not in lines[0]


def test_null_has_the_text_that_is_given(run: Run, shared_store: Path) -> None:
    words = ["select null as a, 'NULL' as b, '' as c, null::int as d", "--null", "NULL"]
    assert run("sql", shared_store, *words, "-f", "csv").stdout == b'a,b,c,d\nNULL,"NULL","",NULL\n'
    assert (
        run("sql", shared_store, *words, "-f", "markdown").stdout.splitlines()[2]
        == b"| NULL | NULL |  | NULL |"
    )
    assert b"NULL" in run("sql", shared_store, *words).stdout


def test_markdown_holds_what_would_break_its_tables(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store, "select 'a|b' as \"x|y\", chr(10) as n, 1.5 as d", "-f", "markdown")
    assert done.stdout.decode() == "| x\\|y | n | d |\n|---|---|--:|\n| a\\|b | \\\\n | 1.5 |\n"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("top = 0", "top must be a whole number from 1"),
        ("windows = -5", "windows must be a whole number from 1"),
        ("runs = 'both'", "runs must be one of same_direction, mixed"),
    ],
)
def test_a_parameter_beyond_its_range_is_refused(
    run: Run, shared_store: Path, setting: str, words: str
) -> None:
    asked = {"top": "time_by_call", "windows": "requests_over_time", "runs": "access_patterns"}
    name = setting.partition(" ")[0]
    error = refused(run("sql", shared_store, f"set variable {setting}; from {asked[name]}"), 1)
    assert words in error


@pytest.mark.parametrize("form", ["csv", "jsonl", "markdown"])
def test_an_output_that_nobody_reads_ends_as_tools_do(run: Run, shared_store: Path, form: str) -> None:
    """As after `| head -1`: with the status of SIGPIPE, and nothing on standard error."""
    query = "select range as a_long_number from range(1000000)"
    with run.start("sql", shared_store, query, "-f", form) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141
