"""The third answer of the first screen on traces of system calls: how much memory."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from iotrace.analysis.answers import ask, memory
from iotrace.analysis.answers.memory import PageReads, of_memory
from iotrace.analysis.characterize import prepared
from iotrace.analysis.memory import prediction as predictions
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

MEGABYTE = 1 << 20


def store_of(lines: Iterable[str], folder: Path) -> Store:
    log = folder / "calls.strace"
    log.write_text("".join(f"7 {place / 100:.6f} {line}\n" for place, line in enumerate(lines)))
    return ingest([log], folder / "calls.iotrace")


def scans(megabytes: int, times: int) -> list[str]:
    size = megabytes * MEGABYTE
    calls = [
        'openat(AT_FDCWD, "/data", O_RDONLY) = 3',
        f"fstat(3, {{st_mode=S_IFREG|0644, st_size={size}, ...}}) = 0",
    ]
    for _ in range(times):
        calls += [
            f'pread64(3, ""..., {MEGABYTE}, {place * MEGABYTE}) = {MEGABYTE}' for place in range(megabytes)
        ]
    return calls


def test_a_loop_fits_or_does_not(tmp_path: Path) -> None:
    """Three scans of 8 MB read them once where they fit, and each time where they do not."""
    screen = ask.first_screen(store_of(scans(8, 3), tmp_path))
    assert screen.cache is not None and screen.cache.is_of_memory
    assert screen.cache.sentence.startswith(
        "With 8 MB or more of memory Linux reads 8 MB from the device; with 4 MB 24 MB, with 2 MB "
    )
    assert [amount.value for amount in screen.cache.amounts[:2]] == [8 * MEGABYTE, 24 * MEGABYTE]
    assert max(share for _, share in screen.cache.points) == 100
    assert screen.commands[1].startswith("iotrace memory ") or screen.change is not None


def test_half_and_twice_are_of_the_recordings_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(scans(8, 3), tmp_path)
    measured = predictions.Measured(5 * MEGABYTE, "cgroup", MEGABYTE, True, 2, True, False, False, 1e5, None)
    monkeypatch.setattr(predictions, "_measured", lambda connection, has_waits: measured)
    reads = PageReads(store)
    assert reads.prediction is not None and reads.why_not == ""
    answer = of_memory(reads.prediction, "iotrace memory it")
    assert [amount.name for amount in answer.amounts] == ["5 MB", "10 MB", "2.5 MB"]
    assert answer.sentence.startswith("With 5 MB of memory Linux reads 24 MB and waits ")


def test_too_many_pages_are_left_to_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_PAGES", 1000)
    answer = ask.cache(store_of(scans(8, 1), tmp_path))
    assert answer is not None and not answer.is_of_memory
    assert answer.why_not_memory == "requests touch more than 1,000 pages, which takes long"


def test_mapped_files_without_their_faults_are_no_answer(tmp_path: Path) -> None:
    lines = [
        'openat(AT_FDCWD, "/data", O_RDONLY) = 3',
        "fstat(3, {st_mode=S_IFREG|0644, st_size=8388608, ...}) = 0",
        "mmap(NULL, 8388608, PROT_READ|PROT_EXEC, MAP_PRIVATE, 3, 0) = 0x7f0000000000",
    ]
    answer = ask.cache(store_of(lines, tmp_path))
    assert answer is not None and not answer.is_of_memory
    assert answer.why_not_memory == predictions.WHY_MAPPED


@pytest.mark.parametrize("mapped", [False, True])
def test_pages_are_counted_before_the_simulation_as_in_it(mapped: bool, tmp_path: Path) -> None:
    mapping = ["mmap(NULL, 10000, PROT_READ|PROT_EXEC, MAP_PRIVATE, 3, 0) = 0x7f0000000000"] if mapped else []
    store = store_of([*scans(2, 2), *mapping, 'pread64(3, ""..., 100, 4090) = 100'], tmp_path)
    tally = predictions.memory(store).tally
    with store.queried() as connection, prepared(connection, ["page_cache_request"], {}):
        touched = predictions._touched(connection, "true", has_ranges=True)
    assert (touched.pages, touched.mapped_pages) == (tally["pages"], tally["mapped_pages"])
    assert bool(touched.mapped_pages) == mapped


def test_nothing_read_is_said(tmp_path: Path) -> None:
    lines = ['openat(AT_FDCWD, "/new", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3', 'write(3, ""..., 8192) = 8192']
    answer = ask.cache(store_of(lines, tmp_path))
    assert answer is not None
    assert answer.sentence == "Any amount of memory will do: Linux reads nothing from the device."


def test_unknown_offsets_are_said(tmp_path: Path) -> None:
    """A descriptor from before the trace stands at an unknown place."""
    answer = ask.cache(store_of([f'read(3, ""..., {MEGABYTE}) = {MEGABYTE}'] * 4, tmp_path))
    assert answer is not None
    assert answer.sentence.startswith("If unknown offsets begin at 0: ")
