"""One job of many, as a store: the same rows as a store of its logs alone."""

import random
from pathlib import Path

import pytest
from darshan_logs import log, one_of_each
from program import Run

from iotrace.errors import IotraceError, UsageError
from iotrace.ingest.pipeline import ingest
from iotrace.store.part.job import job_of
from iotrace.store.store import Store

TABLES = ("darshan_job", "darshan_mount", "darshan_record", "darshan_counter", "file")


def store_of(folder: Path, name: str, logs: list[Path]) -> Store:
    return ingest(logs, folder / f"{name}.iotrace", format="darshan-jobs")


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Five logs: two of one job, whose processes follow each other, and two of jobs with one number."""
    folder = tmp_path / "logs"
    folder.mkdir()
    chance = random.Random(5)
    jobs = [
        (7, 4, 1_700_000_000),
        (8, 1, 1_700_000_000),
        (8, 1, 1_700_000_005),
        (9, 4, 1_700_000_000),
        (7, 4, 1_800_000_000),
    ]
    made = []
    for number, (job_id, ranks, start) in enumerate(jobs):
        path = folder / f"{number}.darshan"
        regions = one_of_each("<", chance)
        names = {1: b"/scratch/a", 2: f"/scratch/{number}".encode(), 3: b"/scratch/c"}
        path.write_bytes(log(regions, job_id=job_id, ranks=ranks, start=start, names=names))
        made.append(path)
    return made


@pytest.mark.parametrize(
    ("job", "chosen"), [("9", [3]), ("8", [1, 2]), ("0.darshan", [0]), ("4.darshan", [4])]
)
def test_it_is_the_store_of_its_logs(tmp_path: Path, logs: list[Path], job: str, chosen: list[int]) -> None:
    part = job_of(store_of(tmp_path, "all", logs), job).store
    alone = store_of(tmp_path, "alone", [logs[number] for number in chosen])
    for table in TABLES:
        assert rows(part, table) == rows(alone, table), table


def rows(store: Store, table: str) -> list[str]:
    """Return the rows of a table, with the names of files in place of their numbers."""
    names = [row["path"] for row in store.arrow("file").to_pylist()]
    found = store.arrow(table).to_pylist()
    for row in found:
        for column in {"file", "of_file"} & row.keys():
            row[column] = None if row[column] is None else names[row[column]]
    return sorted(map(repr, found))


def test_a_name_of_none_or_of_two_jobs_is_refused(tmp_path: Path, logs: list[Path]) -> None:
    store = store_of(tmp_path, "all", logs)
    with pytest.raises(UsageError, match="has no job 12; iotrace jobs lists them"):
        job_of(store, "12")
    with pytest.raises(UsageError, match="2 jobs are called 7; give the name of a log"):
        job_of(store, "7")


def test_a_store_with_accesses_has_no_jobs_to_choose(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "a.strace"
    place.write_text('1 1700000000.000001 read(3, "", 5) = 5 <0.000010>\n')
    with pytest.raises(IotraceError, match="--job is for logs of which the counters are read"):
        job_of(ingest([place], tmp_path / "a.iotrace"), "1")


def test_the_page_of_one_job_of_a_folder(run: Run, tmp_path: Path, logs: list[Path]) -> None:
    folder = logs[0].parent
    done = run("report", folder, "--job", "9", "-o", "page.html", folder=tmp_path)
    assert done.returncode in (0, 1), done.stderr  # 1: the logs are damaged
    page = (tmp_path / "page.html").read_text()
    assert "3.darshan" in page and "0.darshan" not in page
    done = run("report", folder, "--job", "12", folder=tmp_path)
    assert done.returncode == 2 and b"has no job 12; iotrace jobs lists them" in done.stderr
