"""What others script against: the keys of ``info``, and tables that equal their schemas."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run

import iotrace
from iotrace import queries, schemas

TABLES = ("syscall", "reference", "file", "process", "use", "mapping")


def test_info_tells_the_counts(run: Run, shared_store: Path) -> None:
    message = json.loads(run("info", shared_store, "--format", "json").stdout)
    assert {key: message[key] for key in ("lines", "parsed", "skipped", "calls")} == {
        "lines": 20,
        "parsed": 20,
        "skipped": {},
        "calls": 18,
    }
    assert message["duration_ns"] == 2_300_000
    assert message["path_agreement"]["checked"] == message["path_agreement"]["agreed"] == 6
    assert (message["files"], message["processes"]) == (8, 2)
    assert message["references"] == message["tables"]["reference"]
    for table, rows in message["tables"].items():
        assert rows == pq.read_metadata(shared_store / f"{table}.parquet").num_rows
    (totals,) = json.loads(run("characterize", shared_store, "totals", "--format", "json").stdout)
    for key in ("calls", "references", "files", "processes", "duration_ns"):
        assert message[key] == totals[key], key


def test_ingest_says_the_same_counts_as_info(run: Run, log: Path) -> None:
    text = run("ingest", log, "--force").stdout.decode()
    assert "20 lines, 18 calls" in text and "8 files, 2 processes" in text


def test_info_counts_skipped_lines_by_reason(run: Run, log: Path) -> None:
    with log.open("a") as more:
        more.write('what is this\n1000  1700000000.003000 read(3, "\n')
    message = json.loads(run("info", log, "--format", "json").stdout)
    assert message["lines"] == 22 and message["parsed"] == 20
    assert sum(reason["lines"] for reason in message["skipped"].values()) == 2
    assert message["skipped"]["not a call"] == {"lines": 1, "first_line": 21, "excerpt": "what is this"}
    assert message["skipped"]["cut short"]["first_line"] == 22


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_a_store_equal_their_schemas(shared_store: Path, name: str) -> None:
    schema = pq.read_schema(shared_store / f"{name}.parquet")
    assert schema.equals(schemas.schema(name), check_metadata=False)
    assert schema.metadata[b"table"] == name.encode()
    for field in schema:
        assert field.metadata[b"unit"] and field.metadata[b"description"]
    table = iotrace.open(shared_store).arrow(name)
    assert table.schema.equals(schemas.schema(name), check_metadata=True)
    table.validate(full=True)


@pytest.mark.parametrize("name", TABLES)
def test_exported_parquet_equals_its_schema(run: Run, shared_store: Path, tmp_path: Path, name: str) -> None:
    done = run("export", shared_store, "--to", "parquet", "--table", name, "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / f"{name}.parquet").schema.equals(
        schemas.schema(name), check_metadata=True
    )


@pytest.mark.parametrize("name", queries.names())
def test_statistics_as_parquet_equal_their_schemas(shared_store: Path, tmp_path: Path, name: str) -> None:
    from iotrace.analysis.characterize import characterize
    from iotrace.cli.output import Format, emit

    result = characterize(iotrace.open(shared_store).connect(views=[]), [name])[name]
    emit(result, Format.PARQUET, tmp_path / "out.parquet")
    written = pq.read_table(tmp_path / "out.parquet")
    assert written.schema.equals(queries.query(name).schema, check_metadata=True)


def test_a_curve_has_the_documented_columns(run: Run, shared_store: Path) -> None:
    done = run("curve", shared_store, "--block", "4K", "--format", "parquet")
    schema = pq.read_schema(pa.BufferReader(done.stdout))
    documented = schemas.schema("curve")
    assert schema.with_metadata(None).equals(documented.with_metadata(None), check_metadata=True)
    assert (documented.metadata or {}).items() <= (schema.metadata or {}).items()
    header = run("curve", shared_store, "--block", "4K", "--format", "csv").stdout.decode().splitlines()[0]
    assert header.split(",") == [column.name for column in schemas.table("curve").columns]


def test_chosen_sizes_are_rounded_down_to_blocks(run: Run, shared_store: Path) -> None:
    words = ("curve", shared_store, "--block", "4K", "--format", "json", "--sizes")
    rows = json.loads(run(*words, "4K,10000,1M").stdout)
    found = [(row["size_blocks"], row["size_bytes"]) for row in rows]
    assert found == [(0, 0), (1, 4096), (2, 8192), (256, 1 << 20)]
    assert run(*words, "4095").returncode == 2
