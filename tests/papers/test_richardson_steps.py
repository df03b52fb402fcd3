"""How far a reproduction of the dissertation says it is."""

from pathlib import Path

import pytest
from small_store import Row, small_store

from iotrace.papers.by_trace import Abandoned
from iotrace.papers.richardson.chapters import ModelPair
from iotrace.papers.richardson.reproduction import all_tables
from iotrace.papers.richardson.steps import Steps


def test_the_parts_grow_to_what_follows_the_last_reading(tmp_path: Path) -> None:
    rows: list[Row] = [("inode", "read", place % 40, 0, 128, 128) for place in range(400)]
    pair = ModelPair(small_store(tmp_path / "one", rows), small_store(tmp_path / "two", rows[:200]))
    said: list[tuple[str, float | None]] = []
    all_tables(
        {"t": pair}, progress=lambda words, part=None, /: said.append((words, part)), chapters=["4", "5"]
    )
    parts = [part for _, part in said if part is not None]
    assert parts == sorted(parts) and parts[0] == 0
    # both models are read once for each of two chapters
    assert parts[-1] == pytest.approx(1 / 1.1)
    assert {words for words, _ in said} == {"t: chapter 4", "t: chapter 5", "best partitions"}


def test_passes_that_read_again_are_added() -> None:
    said: list[float | None] = []
    steps = Steps(lambda words, part=None, /: said.append(part), 100)
    of_passes = steps.of_passes("reading")
    for done in (10, 50, 10, 50):
        of_passes(done, 50)
    assert [round(110 * (part or 0)) for part in said] == [10, 50, 60, 100]
    Steps(lambda words, part=None, /: said.append(part), 0).at("nothing")
    assert said[-1] == 0


def test_threads_have_separate_words_and_one_count() -> None:
    said: list[tuple[str, float | None]] = []
    steps = Steps(lambda words, part=None, /: said.append((words, part)), 100)
    one, two = steps.apart(lambda: None), steps.apart(lambda: None)
    one.at("one")
    two.at("two")
    one.read(11)
    two.read(22)
    assert [words for words, _ in said] == ["one", "two", "one", "two"]
    assert [round(110 * (part or 0)) for _, part in said] == [0, 0, 11, 33]


def test_a_step_ends_what_is_not_needed_any_more() -> None:
    def check() -> None:
        raise Abandoned

    with pytest.raises(Abandoned):
        Steps(lambda words, part=None, /: None, 1).apart(check).read(1)
