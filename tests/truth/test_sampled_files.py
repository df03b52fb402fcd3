"""Recordings of a sample of files: the calls on files whose device and inode have a small hash, and no others."""

import json
import math
import os
import random
import sys
from pathlib import Path

import pytest
from program import Run, refused
from recorders import needs_bpf

FILES = 2000
RATE = 0.1
MASK = (1 << 64) - 1
READ = """
import os, sys
for name in sorted(os.listdir("files")):
    path = f"files/{name}"
    os.stat(path); os.access(path, os.R_OK)
    one = os.open(path, os.O_RDONLY)
    os.fstat(one)
    two = os.dup2(one, 99)
    while os.read(one, 1500):
        pass
    os.lseek(two, 0, 0)
    os.pread(two, 10, 5)
    os.close(one); os.close(two)
"""
COPY = """
import os
names = sorted(os.listdir("files"))
for source, target in zip(names[::2], names[1::2]):
    one, other = os.open(f"files/{source}", os.O_RDONLY), os.open(f"files/{target}", os.O_WRONLY)
    os.copy_file_range(one, other, 400, 0, 0)
    # one descriptor for several files, the last of which is closed by the program's end
    os.dup2(other, 98)
    os.pwrite(98, b"x" * 50, 1000)
    os.close(one); os.close(other)
    if source[-2] == "4":
        os.unlink(f"files/{source}")
os.write(98, b"y" * 7)
"""

pytestmark = needs_bpf


def in_sample(path: Path, rate: float = RATE) -> bool:
    """Whether a file is in the sample: the hash as it is documented, by other code."""
    status = path.stat()
    number = (
        os.major(status.st_dev) << 20 | os.minor(status.st_dev)
    ) * 0x9E3779B97F4A7C15 + status.st_ino & MASK
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ number >> shift) * factor & MASK
    number ^= number >> 31
    return number >> 32 < (round(rate * 1_000_000) << 32) // 1_000_000


@pytest.fixture
def files(tmp_path: Path) -> dict[str, int]:
    """The sizes of the files, by path."""
    (tmp_path / "files").mkdir()
    draw, sizes = random.Random(1), {}
    for number in range(FILES):
        path = tmp_path / "files" / f"{number:04}"
        path.write_bytes(bytes(draw.randrange(100, 5000)))
        sizes[str(path)] = path.stat().st_size
    return sizes


def recorded(run: Run, folder: Path, program: str, *options: str) -> Path:
    """Record a program that works in a folder, and return the store."""
    store = folder / "run.iotrace"
    done = run("record", *options, "-o", store, "--", sys.executable, "-c", program, folder=folder)
    assert done.returncode == 0, done.stderr.decode()
    assert " none lost" in done.stderr.decode()
    return store


def rows(run: Run, store: Path, statement: str) -> list[dict[str, object]]:
    done = run("sql", store, statement, "-f", "json")
    assert done.returncode == 0, done.stderr.decode()
    return list(json.loads(done.stdout))


def references(run: Run, store: Path, folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """The references to each file of the folder."""
    found: dict[str, list[tuple[object, ...]]] = {}
    statement = (
        "select coalesce(path, '') as path, operation, type, \"offset\", length from reference"
        " left join file using (file) order by seq"
    )
    for row in rows(run, store, statement):
        assert row["type"] in ("datafile", "executable"), row
        if str(row["path"]).startswith(f"{folder}/files"):
            of_file = found.setdefault(str(row["path"]), [])
            of_file.append((row["operation"], row["offset"], row["length"]))
    return found


def reads(size: int) -> list[tuple[object, ...]]:
    """The reads of a file of this size by program READ."""
    whole = [("read", start, min(1500, size - start)) for start in range(0, size, 1500)]
    return [*whole, ("read", 5, 10)]


def test_a_sample_has_all_references_to_its_files_and_no_others(
    run: Run, tmp_path: Path, files: dict[str, int]
) -> None:
    store = recorded(run, tmp_path, READ, "--sample-files", "10%")
    chosen = {path: size for path, size in files.items() if in_sample(Path(path))}
    assert references(run, store, tmp_path) == {path: reads(size) for path, size in chosen.items()}
    inherited = "select count(*) as files from file where path like 'fd:%'"
    assert rows(run, store, inherited) == [{"files": 0}]


def test_totals_of_all_files_are_estimated(run: Run, tmp_path: Path, files: dict[str, int]) -> None:
    """Within five standard deviations of the truth, by the variance of sampling each file with one probability."""
    store = recorded(run, tmp_path, READ, "--sample-files", "0.1")
    others = "select count(*) as files, sum(length)::bigint as bytes from reference join file using (file)"
    (beside,) = rows(run, store, f"{others} where path not like '{tmp_path}/files/%'")
    done = run("characterize", store, "sampled_totals", "-f", "json")
    found = {row["quantity"]: row for row in json.loads(done.stdout)}
    moved = [size + 10 for size in files.values()]
    for quantity, amounts in (("bytes_read", moved), ("files", [1] * FILES)):
        own = int(found[quantity]["sampled"])  # with files of Python itself
        if quantity == "bytes_read":
            own -= int(str(beside["bytes"]))
        else:
            own = len([path for path in files if in_sample(Path(path))])
        deviation = math.sqrt((1 - RATE) / RATE * sum(amount**2 for amount in amounts))
        assert abs(own / RATE - sum(amounts)) <= 5 * deviation, quantity
        assert found[quantity]["estimated"] == pytest.approx(found[quantity]["sampled"] / RATE)
    assert 0.7 < found["files"]["standard_error"] / math.sqrt((1 - RATE) / RATE * FILES) < 1.5


def test_calls_on_two_files_show_that_of_the_sample_alone(
    run: Run, tmp_path: Path, files: dict[str, int]
) -> None:
    chosen = {path for path in files if in_sample(Path(path))}
    store = recorded(run, tmp_path, COPY, "--sample-files", "10%")
    found = references(run, store, tmp_path)
    expected: dict[str, list[tuple[object, ...]]] = {}
    names = sorted(files)
    for source, target in zip(names[::2], names[1::2], strict=True):
        moved = min(400, files[source])
        if source in chosen:
            expected[source] = [("read", 0, moved)]
            expected[source] += [("delete", None, None)] if source[-2] == "4" else []
        if target in chosen:
            expected[target] = [("write", 0, moved), ("write", 1000, 50)]
    if names[-1] in chosen:
        expected[names[-1]].append(("write", 0, 7))
    assert found == expected
    inherited = "select count(*) as files from file where path like 'fd:%'"
    assert rows(run, store, inherited) == [{"files": 0}]


def test_what_is_shown_says_that_it_is_a_sample(run: Run, tmp_path: Path, files: dict[str, int]) -> None:
    store = recorded(run, tmp_path, READ, "--sample-files", "10%")
    told = json.loads(run("info", store, "-f", "json").stdout)
    assert told["sampled_files_share"] == RATE
    assert any("10 % of the files" in warning for warning in told["warnings"])
    first = run(store).stdout.decode()
    assert "10 % of the files" in first
    split = run("time", store).stdout.decode()
    assert "sampled_totals" in split and "in calls on files outside the sample" in split
    lacking = recorded(run, tmp_path, READ, "--sample-files", "0.0001%", "--force")
    assert (
        "Nothing worth changing was found in the sample of files." in run("advice", lacking).stdout.decode()
    )


def test_shares_that_are_none_are_refused(run: Run, tmp_path: Path) -> None:
    for share in ("0", "101%", "2", "nan", "many", "1e-9"):
        done = run("record", "--sample-files", share, "-o", tmp_path / "a.iotrace", "--", "true")
        assert "--sample-files" in refused(done, 2)
    for options in (["--backend", "strace"], ["--block"], ["--kernel"]):
        done = run("record", "--sample-files", "1%", *options, "-o", tmp_path / "a.iotrace", "--", "true")
        assert "--sample-files" in refused(done, 2)
