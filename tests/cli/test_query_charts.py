"""Queries by name, and charts of their rows, on a terminal and as pictures."""

import re
from pathlib import Path

import pytest
from program import Run, refused

THREE = "select * from (values ('a', 4, 'x'), ('b', 2, 'x'), ('a', 1, 'y')) as t(name, n, part)"
LINE = "select i as x, i * i as y from range(100) t(i)"


def test_bars(run: Run, shared_store: Path) -> None:
    text = run("sql", shared_store, THREE, "--chart", "bar", "name,n,part").stdout.decode()
    lines = text.splitlines()
    assert lines[0] == "n by name"
    assert [line.split()[:3] for line in lines[1:]] == [["a", "x", "4"], ["a", "y", "1"], ["b", "x", "2"]]
    lengths = {line.split()[2]: line.count("█") for line in lines[1:]}
    assert lengths["4"] == pytest.approx(2 * lengths["2"], abs=1) and lengths["2"] > lengths["1"] > 0


def test_bars_whose_parts_have_spaces_are_by_what_is_across(run: Run, shared_store: Path) -> None:
    text = run("sql", shared_store, THREE.replace("'x'", "'x y'"), "--chart", "bar", "name,n,part").stdout
    assert [line.split()[0] for line in text.decode().splitlines()[1:]] == ["a", "a", "b"]


def test_a_line(run: Run, shared_store: Path) -> None:
    lines = run("sql", shared_store, LINE, "--chart", "line", "x,y").stdout.decode().splitlines()
    assert lines[0] == "y by x" and lines[1].startswith(" 9,801│") and lines[16].strip().startswith("0│")
    heights = [line.partition("│")[2] for line in lines[1:17]]
    last = [
        max((place for place, sign in enumerate(row) if sign != chr(0x2800)), default=-1) for row in heights
    ]
    assert last == sorted(last, reverse=True)  # it only grows
    assert re.fullmatch(r" +0 +99", lines[17])


def test_a_map_of_cells(run: Run, shared_store: Path) -> None:
    query = "select i % 3 as x, i // 3 as y, i as value from range(9) t(i)"
    lines = run("sql", shared_store, query, "--chart", "heat", "x,y,value").stdout.decode().splitlines()
    assert lines[0] == "value by x and y; █ is 8"
    assert [line[0] for line in lines[1:4]] == ["2", "1", "0"]
    assert lines[1].endswith("█" * 6) and set(lines[3][2:]) <= set(" ░▒")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize(
    ("chart", "query"),
    [
        (("line", "x,y"), LINE),
        (
            ("line", "x,y"),
            "select timestamp '2020-01-01' + interval (i) hour as x, i as y from range(3) t(i)",
        ),
        (("bar", "name,n,part"), THREE),
        (("heat", "x,y,v"), "select i % 3 as x, 'row' || i // 3 as y, nullif(i, 4) as v from range(9) t(i)"),
    ],
)
def test_pictures(
    run: Run, shared_store: Path, tmp_path: Path, chart: tuple[str, str], query: str, ending: str
) -> None:
    place = tmp_path / f"chart.{ending}"
    done = run("sql", shared_store, query, "--chart", *chart, "-o", place)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert place.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])
    assert "exists" in refused(run("sql", shared_store, query, "--chart", *chart, "-o", place), 2)


@pytest.mark.parametrize(
    ("query", "chart", "message"),
    [
        (THREE, ("pie", "name,n"), "pie is not a kind of chart"),
        (THREE, ("bar", "name"), "'name' is not X,Y or X,Y,BY"),
        (THREE, ("heat", "name,n"), "'name,n' is not X,Y,VALUE"),
        (THREE, ("bar", "name,no"), "the query has no column no; it has name, n, part"),
        (THREE, ("bar", "n,name"), "column name is not of numbers, as in 'a'"),
        ("select i as n from range(201) t(i)", ("bar", "n,n"), "at most 200 rows"),
        ("select i as n from range(10000000) t(i)", ("line", "n,n"), "at most 50,000 rows"),
        ("select i as n, i as m from range(9) t(i)", ("line", "n,n,m"), "column m has 9 values"),
        ("select 1 as x, -1 as y", ("bar", "x,y"), "some are below: draw a line"),
        ("select 1 as x, 1 as y from range(2)", ("heat", "x,y,y"), "two rows are of one cell"),
    ],
)
def test_what_cannot_be_drawn(
    run: Run, shared_store: Path, query: str, chart: tuple[str, str], message: str
) -> None:
    assert message in refused(run("sql", shared_store, query, "--chart", *chart), 2)


def test_a_chart_is_no_table(run: Run, shared_store: Path, tmp_path: Path) -> None:
    words = ("sql", shared_store, THREE)
    assert "give one of them" in refused(run(*words, "--chart", "bar", "name,n", "-f", "csv"), 2)
    assert "ends in .png" in refused(run(*words, "--chart", "bar", "name,n", "-o", tmp_path / "a.csv"), 2)
    assert "--chart draws pictures" in refused(run(*words, "-o", tmp_path / "a.png"), 2)
    assert run("sql", shared_store, f"{THREE} limit 0", "--chart", "bar", "name,n").stdout == b"no rows\n"


def test_queries_by_name(run: Run, shared_store: Path, tmp_path: Path) -> None:
    done = run("sql", shared_store, "@most-calls", "-f", "csv")
    assert done.stdout.startswith(b"call,calls\n")
    assert done.stderr == b"iotrace: @most-calls of the cookbook: Which system calls are made most often?\n"
    assert "most like it: most_calls" in refused(run("sql", shared_store, "@most_call"), 2)
    folder = tmp_path / "iotrace" / "queries"
    folder.mkdir(parents=True)
    (folder / "my-calls.sql").write_text("-- mine\nselect $n as n;\n")
    (folder / "most_calls.sql").write_text("select 'mine' as whose")
    (folder / "bad.sql").write_bytes(b"select '\xff'")

    def asked(words: str) -> tuple[bytes, str]:
        done = run.shell(f'XDG_CONFIG_HOME="$PWD" $IOTRACE sql {shared_store} {words} -f csv', tmp_path)
        return done.stdout, done.stderr.decode()

    assert asked("@my_calls --param n=7") == (b"n\n7\n", f"iotrace: @my_calls is {folder}/my-calls.sql\n")
    assert asked("@most-calls")[0] == b"whose\nmine\n"
    assert f"{folder}/bad.sql: is not UTF-8 text" in asked("@bad")[1]


def test_identifiers_have_no_thousands(run: Run, shared_store: Path) -> None:
    query = "select 19814 as pid, 1234567 as seq, 1234567 as calls, 2000.0 as file"
    row = run("sql", shared_store, query).stdout.decode().splitlines()[2]
    assert row.split() == ["19814", "1234567", "1,234,567", "2,000"]
