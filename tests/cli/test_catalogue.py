"""``iotrace catalogue`` has a row for each store beneath a folder, whatever the stores and the folder are like."""

import json
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import LOG, Run, refused, remarks

DISK = "0.000001 R 0 8\n0.5 W 16 8\n1.000001 R 0 8\n"
COLUMNS = "csv:time=1,op=2,offset=3:512,length=4:512,separator=space"


@pytest.fixture(scope="module")
def stores(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stores in different folders, not to be changed."""
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "b").mkdir()
    (folder / "disk.txt").write_text(DISK)
    assert run("ingest", LOG, "-o", folder / "a.iotrace").returncode == 0
    words = ("ingest", folder / "disk.txt", "--trace-format", COLUMNS, "-o", folder / "b" / "disk.iotrace")
    assert run(*words).returncode == 0
    return folder


@pytest.fixture
def fleet(stores: Path, tmp_path: Path) -> Path:
    """A copy of them, to be changed."""
    return Path(shutil.copytree(stores, tmp_path / "fleet"))


def rows(run: Run, *words: object) -> list[dict[str, object]]:
    done = run("catalogue", *words, "-f", "json")
    assert done.returncode == 0, done.stderr
    listed: list[dict[str, object]] = json.loads(done.stdout)
    return listed


def test_each_store_has_a_row(run: Run, stores: Path) -> None:
    calls, disk = rows(run, stores)
    assert (calls["store"], calls["family"], calls["format"]) == ("a.iotrace", "syscall", "strace")
    assert (disk["store"], disk["family"], disk["status"]) == ("b/disk.iotrace", "disk_io", "whole")
    assert (disk["bytes"], disk["knee_bytes"]) == (3 * 4096, 2 * 4096)
    assert disk["started_at"] is None and disk["seconds"] == pytest.approx(1.0)
    screen = json.loads(run("report", stores / "a.iotrace", "-f", "json").stdout)
    assert calls["headline"] == screen["headline"]["sentence"]
    (alone,) = rows(run, stores / "a.iotrace")
    assert alone == calls


def test_rows_are_in_the_units_of_their_statistics(run: Run, stores: Path, tmp_path: Path) -> None:
    asked = run("sql", stores / "a.iotrace", "select sum(bytes_read + bytes_written)::bigint as b from bytes_by_origin"
                " where origin = 'calls'", "-f", "csv")  # fmt: skip
    assert int(asked.stdout.split()[1]) == rows(run, stores)[0]["bytes"]
    assert run("catalogue", stores, "-o", tmp_path / "c.parquet").returncode == 0
    schema = pq.read_schema(tmp_path / "c.parquet")
    assert str(schema.field("started_at").type) == "timestamp[us]" and schema.field("bytes").type == "int64"


def test_sql_over_the_catalogue(run: Run, stores: Path) -> None:
    query = "select family, sum(bytes) as bytes from catalogue group by family order by family"
    assert [row["family"] for row in rows(run, stores, "--sql", query)] == ["disk_io", "syscall"]
    for query, why in (
        ("from catalog", "most like it: catalogue"),
        ("selec 1", "syntax error"),
        ("copy catalogue to 'x.csv'", "COPY statements are refused"),
        (f"from read_csv('{LOG}')", "file system operations are disabled"),
    ):
        done = run("catalogue", stores, "--sql", query)
        assert done.returncode in (1, 2) and why.lower() in done.stderr.decode().lower(), done.stderr


def test_what_cannot_be_read_has_a_row_that_says_why(run: Run, fleet: Path) -> None:
    manifest = fleet / "b" / "disk.iotrace" / "manifest.json"
    said = json.loads(manifest.read_text()) | {"store_version": 99}
    manifest.write_text(json.dumps(said))
    (fleet / "a.iotrace" / "file.parquet").write_bytes(b"PAR1")
    (fleet / "empty.iotrace").mkdir()
    (fleet / ".new.iotrace").mkdir()
    (fleet / "again").symlink_to(fleet)
    (fleet / "web").mkdir()
    (fleet / "web" / "manifest.json").write_text('{"version": 3}')
    done = run("catalogue", fleet, "-f", "json")
    assert done.returncode == 0
    assert [(row["store"], row["status"]) for row in json.loads(done.stdout)] == [
        ("a.iotrace", "refused"), ("b/disk.iotrace", "refused"), ("empty.iotrace", "refused"),
    ]  # fmt: skip
    (warning,) = remarks(done)
    assert "3 of 3 stores cannot be read; the first: " in warning and "file.parquet is damaged" in warning


def test_tables_whose_pages_are_damaged_are_said_to_be(run: Run, fleet: Path) -> None:
    place = fleet / "a.iotrace" / "call_file.parquet"
    content = bytearray(place.read_bytes())
    last = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[4:last] = b"\x0f" * (last - 4)
    place.write_bytes(content)
    done = run("catalogue", fleet, "-f", "json")
    damaged, whole = json.loads(done.stdout)
    assert (damaged["status"], whole["status"]) == ("refused", "whole")
    assert damaged["problem"].endswith("; ingest the trace again")
    for command in (fleet / "a.iotrace",), ("report", fleet / "a.iotrace", "-o", fleet / "page.html"):
        assert "is damaged (" in refused(run(*command))
    assert not (fleet / "page.html").exists()


def test_a_store_that_changed_is_read_again(run: Run, fleet: Path) -> None:
    before = rows(run, fleet)
    assert rows(run, fleet) == before
    assert run("ingest", fleet / "disk.txt", "--trace-format", COLUMNS, "-o", fleet / "a.iotrace", "--force")
    after = rows(run, fleet)
    assert [row["family"] for row in after] == ["disk_io", "disk_io"] and after[1] == before[1]
    kept = list((run.cache / "iotrace" / "catalogues").glob("*.json"))
    assert kept
    for place in kept:
        place.write_text('{"a.iotrace": 1}')
    assert rows(run, fleet) == after


def test_a_quick_one_computes_nothing(run: Run, fleet: Path) -> None:
    (fleet / "b" / "disk.iotrace").rename(fleet / "unseen.iotrace")
    quick = rows(run, fleet, "--quick")
    assert [(row["store"], row["headline"], row["bytes"]) for row in quick] == [
        ("a.iotrace", None, None),
        ("unseen.iotrace", None, None),
    ]
    whole = rows(run, fleet)
    assert all(row["headline"] for row in whole) and rows(run, fleet, "--quick") == whole


def test_folders_that_hold_no_stores(run: Run, tmp_path: Path) -> None:
    assert "no store (NAME.iotrace) is in it" in refused(run("catalogue", tmp_path))
    assert "no such folder" in refused(run("catalogue", tmp_path / "x"), code=2)
    assert "is not a folder" in refused(run("catalogue", LOG), code=2)


def test_names_that_are_no_text(run: Run, fleet: Path) -> None:
    (fleet / "a.iotrace").rename(fleet / os.fsdecode(b"\xff\x1b.iotrace"))
    assert "\\xff\x1b.iotrace" in {row["store"] for row in rows(run, fleet)}
    assert b"\x1b" not in run("catalogue", fleet).stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_folders_that_cannot_be_read_are_counted(run: Run, fleet: Path) -> None:
    (fleet / "b").chmod(0)
    done = run("catalogue", fleet, "-f", "json")
    (fleet / "b").chmod(0o700)
    assert len(json.loads(done.stdout)) == 1
    assert "1 folder cannot be read; the first: " in done.stderr.decode()
