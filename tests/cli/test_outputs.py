"""Every command writes tables, CSV, JSON and Parquet, to standard output or to a file."""

import csv
import io
import json
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run, refused

ASKED = {
    "info": ["info", "STORE"],
    "characterize": ["characterize", "STORE", "totals"],
    "curve": ["curve", "STORE", "--block", "4K"],
    "sql": ["sql", "STORE", "from file order by file"],
    "formats": ["formats"],
    "schema": ["schema", "reference"],
    "schemas": ["schema"],
    "statistics": ["characterize", "--list"],
}


def words(asked: str, store: Path, form: str) -> list[str]:
    return [str(store) if word == "STORE" else word for word in ASKED[asked]] + ["--format", form]


def rows(asked: str, form: str, written: bytes) -> list[dict[str, object]]:
    if form == "parquet":
        return pq.read_table(pa.BufferReader(written)).to_pylist()
    if form == "csv":
        return list(csv.DictReader(io.StringIO(written.decode())))
    result = json.loads(written)
    return result if isinstance(result, list) else [result]


@pytest.mark.parametrize("asked", ASKED)
def test_the_forms_agree_on_what_there_is(run: Run, shared_store: Path, tmp_path: Path, asked: str) -> None:
    found = {}
    for form in ("csv", "json", "parquet"):
        done = run(*words(asked, shared_store, form))
        assert done.returncode == 0, done.stderr
        output = tmp_path / f"out.{form}"
        to_file = run(*words(asked, shared_store, form), "-o", output)
        assert to_file.returncode == 0 and to_file.stdout == b""
        assert output.read_bytes() == done.stdout
        found[form] = rows(asked, form, done.stdout)
    assert found["csv"] and found["parquet"]
    assert list(found["csv"][0]) == list(found["parquet"][0])
    assert len(found["csv"]) == len(found["parquet"])
    if asked != "info":  # whose JSON is nested
        assert [list(row) for row in found["json"]] == [list(row) for row in found["parquet"]]


def test_a_table_without_a_title_begins_with_its_headings(run: Run, shared_store: Path) -> None:
    lines = run("sql", shared_store, "select 1 as one").stdout.decode().splitlines()
    assert lines[0].split() == ["one"]


@pytest.mark.parametrize("asked", ASKED)
def test_a_table_for_the_eye(run: Run, shared_store: Path, tmp_path: Path, asked: str) -> None:
    done = run(*words(asked, shared_store, "table"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    output = tmp_path / "out.txt"
    assert run(*words(asked, shared_store, "table"), "--output", output).returncode == 0
    assert output.read_text().split()[-3:] == done.stdout.decode().split()[-3:]


def test_ingest_tells_what_info_tells(run: Run, log: Path, tmp_path: Path) -> None:
    store = tmp_path / "new.iotrace"
    result = run("ingest", log, "-o", store, "--format", "json").stdout
    assert result == run("info", store, "--format", "json").stdout
    assert json.loads(result)["calls"] == 18


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_export_writes_a_file_per_table(run: Run, shared_store: Path, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "tables"
    assert run("export", shared_store, "--to", form, "-o", folder).returncode == 0
    tables = json.loads((shared_store / "manifest.json").read_text())["tables"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.{form}" for name in tables)


def test_a_parquet_file_of_sql_keeps_columns_and_nulls(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store, "select null::bigint as nothing, 'a,\"b' as text", "-f", "parquet")
    assert pq.read_table(pa.BufferReader(done.stdout)).to_pylist() == [{"nothing": None, "text": 'a,"b'}]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_rows_are_written_as_they_come(run: Run, shared_store: Path, tmp_path: Path, form: str) -> None:
    """Two billion of them would take hours, and more memory than there is."""
    query = "select range as n, 'x' as word from range(2000000000)"
    done = run.shell(f"$IOTRACE sql {shared_store} {shlex.quote(query)} -f {form} | head -c 2000", tmp_path)
    assert done.returncode == 0 and len(done.stdout) == 2000, done.stderr
    assert done.stderr == b""


def test_json_has_no_nan(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store, "select 'nan'::double as a, 'inf'::double as b", "-f", "json")
    assert json.loads(done.stdout) == [{"a": None, "b": None}]


def test_a_query_from_standard_input_and_from_a_file(run: Run, shared_store: Path, tmp_path: Path) -> None:
    query = "select count(*) as files from file"
    (tmp_path / "mine.sql").write_text(query)
    given = run("sql", shared_store, "-", "-f", "csv", given=query.encode())
    assert given.stdout == run("sql", shared_store, "--file", tmp_path / "mine.sql", "-f", "csv").stdout
    assert given.stdout.startswith(b"files\n")


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_the_ending_of_the_output_says_the_form(
    run: Run, shared_store: Path, tmp_path: Path, form: str
) -> None:
    query = ["sql", str(shared_store), "select file from file order by file"]
    output = tmp_path / f"files.{form}"
    assert run(*query, "-o", output).returncode == 0
    assert output.read_bytes() == run(*query, "-f", form).stdout
    result = tmp_path / f"table.{form}"
    done = run(*query, "-o", result, "--format", "table")
    assert done.returncode == 0
    assert f"table.{form}: ends in .{form}, but is written as --format table".encode() in done.stderr
    assert result.read_text().split() == run(*query).stdout.decode().split()


@pytest.mark.parametrize("asked", ASKED)
def test_what_exists_is_overwritten_only_when_told(
    run: Run, shared_store: Path, tmp_path: Path, asked: str
) -> None:
    output = tmp_path / "kept.log"
    output.write_text("a trace")
    done = run(*words(asked, shared_store, "csv"), "-o", output)
    assert done.returncode == 2 and b"exists; give --force" in done.stderr
    assert output.read_text() == "a trace"
    assert run(*words(asked, shared_store, "csv"), "-o", output, "--force").returncode == 0
    assert output.read_text() != "a trace"


@pytest.mark.parametrize("verb", ["sql", "info", "export"])
def test_what_exists_is_refused_in_one_sentence(
    run: Run, shared_store: Path, tmp_path: Path, verb: str
) -> None:
    output = tmp_path / "kept.csv"
    output.write_text("a trace")
    words = {"sql": ["from file"], "export": ["--to", "ultrix"]}.get(verb, [])
    message = refused(run(verb, shared_store, *words, "-o", output), code=2)
    assert message.strip() == f"{output}: exists; give --force to replace it, or another -o"


def test_a_plot_does_not_overwrite_either(run: Run, shared_store: Path, tmp_path: Path) -> None:
    plot = tmp_path / "kept.html"
    plot.write_text("a trace")
    assert run("curve", shared_store, "--plot", plot).returncode == 2
    assert plot.read_text() == "a trace"


def test_a_store_that_was_made_on_the_way_is_named_once(run: Run, log: Path) -> None:
    first, second = run("info", log), run("info", log)
    place = first.stderr.decode().removeprefix("iotrace: kept as ").rstrip("\n")
    assert Path(place).is_relative_to(run.cache / "iotrace") and Path(place).name == f"{log.name}.iotrace"
    assert second.stderr == b"" and second.stdout == first.stdout and place in first.stdout.decode()
    assert json.loads(run("info", log, "-f", "json").stdout)["kept_as"] == place
    assert list(log.parent.iterdir()) == [log]


def test_a_device_is_written_to_and_not_replaced(run: Run, shared_store: Path, tmp_path: Path) -> None:
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    done = run("export", shared_store, "--to", "ultrix", "-o", device, "--force")
    assert done.returncode == 0, done.stderr
    assert device.is_symlink() and list(tmp_path.iterdir()) == [device]


def test_an_ending_that_no_form_has_is_refused(run: Run, shared_store: Path, tmp_path: Path) -> None:
    done = run("sql", shared_store, "from file", "-o", tmp_path / "out.xlsx")
    assert (done.returncode, done.stdout) == (2, b"") and not list(tmp_path.iterdir())
    assert b"out.xlsx: no form of a table ends in .xlsx; choose one with --format" in done.stderr


def test_of_several_queries_all_are_shown(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store, "select 1 as a; select 2 as b", "-f", "csv")
    assert done.stdout == b"# result_1\na\n1\n\n# result_2\nb\n2\n" and not done.stderr


def test_a_full_standard_output_is_named(run: Run, shared_store: Path, tmp_path: Path) -> None:
    done = run.shell(f'"$IOTRACE" sql "{shared_store}" "from file" -f csv >/dev/full', tmp_path)
    assert done.returncode == 1
    assert done.stderr == b"iotrace: standard output: cannot be written: No space left on device\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words", ["--version", "--help", "curve --help", "export STORE --to ultrix -o -", "report STORE -o -"]
)
def test_whatever_fills_standard_output_names_it(
    run: Run, shared_store: Path, tmp_path: Path, words: str, unbuffered: str
) -> None:
    line = words.replace("STORE", str(shared_store))
    done = run.shell(f'PYTHONUNBUFFERED={unbuffered} "$IOTRACE" {line} >/dev/full', tmp_path)
    assert done.returncode == 1
    assert done.stderr == b"iotrace: standard output: cannot be written: No space left on device\n"


@pytest.mark.parametrize("place", ["/dev/full", "kept.log"])
def test_tables_are_exported_into_a_folder_only(
    run: Run, shared_store: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "kept.log").touch()
    done = run("export", shared_store, "--to", "csv", "-o", place, "--force", folder=tmp_path)
    assert f"{place}: is not a folder, which the files would need" in refused(done, code=2)


def test_a_text_is_exported_to_a_device_as_other_output_is(
    run: Run, shared_store: Path, tmp_path: Path
) -> None:
    done = run("export", shared_store, "--to", "ultrix", "-o", "/dev/full")
    assert "/dev/full: cannot be written: No space left on device" in refused(done)


@pytest.mark.parametrize(
    "words",
    [
        "info STORE -o",
        "export STORE --to csv -o",
        "report STORE -o",
        "ingest STORE -o",
        "generate parallel lw -o",
        "curve STORE --plot",
        "paper kotz -o",
    ],
)
@pytest.mark.parametrize(
    ("place", "words_refusing"),
    [("", "the name of the output is empty"), (".csv", "is an ending without a name")],
)
def test_an_output_without_a_name_is_refused(
    run: Run, shared_store: Path, tmp_path: Path, words: str, place: str, words_refusing: str
) -> None:
    done = run(*words.replace("STORE", str(shared_store)).split(), place, folder=tmp_path)
    assert words_refusing in refused(done, code=2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["info STORE", "curve STORE", "formats", "disk list"])
def test_a_command_without_a_page_refuses_the_ending_of_one(
    run: Run, shared_store: Path, tmp_path: Path, words: str
) -> None:
    place = tmp_path / "page.html"
    asked = words.replace("STORE", str(shared_store)).split()
    assert "no form of a table ends in .html" in refused(run(*asked, "-o", place), code=2)
    done = run(*asked, "-o", place, "-f", "csv")
    assert done.returncode == 0 and b"ends in .html, but is written as --format csv" in done.stderr


def test_numbers_of_a_report_do_not_overwrite_what_exists(
    run: Run, shared_store: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("kept")
    assert "exists; give --force" in refused(run("report", shared_store, "-o", kept), code=2)
    assert kept.read_text() == "kept"


@pytest.mark.parametrize(
    "query", ["-- comment\nselect 1 as a", "--comment\nselect 1 as a", "--file\nselect 1 as a"]
)
def test_a_query_may_begin_with_a_comment(run: Run, shared_store: Path, query: str) -> None:
    done = run("sql", shared_store, query, "-f", "csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a\n1\n", b"")


def test_a_wrong_option_of_sql_is_no_comment(run: Run, shared_store: Path) -> None:
    done = run("sql", shared_store, "--nonsense", "select 1")
    assert done.returncode == 2 and b"No such option: --nonsense" in done.stderr


@pytest.mark.parametrize(
    "query", ["create table t as select 1", "create view v as from file", "drop view if exists v"]
)
def test_a_query_without_rows_says_so(run: Run, shared_store: Path, tmp_path: Path, query: str) -> None:
    done = run("sql", shared_store, query)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(
        b"iotrace: the query gives no rows; tables and views that it creates are not kept"
    )
    assert "no rows" in refused(run("sql", shared_store, query, "-o", tmp_path / "rows.csv"))
    assert run("sql", shared_store, f"{query}; select 1 as a", "-f", "csv").stdout == b"a\n1\n"


@pytest.mark.parametrize("words", ["curve STORE --plot", "patterns STORE --page", "demo -o"])
def test_a_page_does_not_end_as_a_table(run: Run, shared_store: Path, tmp_path: Path, words: str) -> None:
    done = run(*words.replace("STORE", str(shared_store)).split(), "page.csv", folder=tmp_path)
    assert "page.csv: is not a name for a page" in refused(done, code=2)
    assert not list(tmp_path.iterdir())


def test_calls_are_appended_where_standard_output_is(run: Run, shared_store: Path, tmp_path: Path) -> None:
    line = f'echo first >out; "$IOTRACE" export {shared_store} --to ultrix -o - >>out'
    assert run.shell(line, tmp_path).returncode == 0
    first, *calls = (tmp_path / "out").read_bytes().splitlines(keepends=True)
    assert first == b"first\n"
    assert b"".join(calls) == run("export", shared_store, "--to", "ultrix", "-o", "-").stdout


@pytest.mark.parametrize("query", ["", ";", "-- nothing\n", "/* nothing */"])
def test_a_query_without_a_statement_is_refused(run: Run, shared_store: Path, query: str) -> None:
    assert "the query is empty" in refused(run("sql", shared_store, "-", given=query.encode()), code=2)


def test_a_report_goes_where_its_ending_and_folder_make_sense(
    run: Run, shared_store: Path, tmp_path: Path
) -> None:
    assert "no form of a report ends in .txt" in refused(
        run("report", shared_store, "-o", tmp_path / "r.txt"), 2
    )
    assert "there is no folder" in refused(run("report", shared_store, "-o", tmp_path / "no" / "r.html"))
    assert run("report", shared_store, "-o", tmp_path / "r.json").returncode == 0
    assert json.loads((tmp_path / "r.json").read_text())
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
