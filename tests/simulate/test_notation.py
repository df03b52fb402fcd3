"""The notation of chapter 5: what it reads, and where it points when it cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.errors import UsageError
from iotrace.simulate.attribute.notation import Configuration, NotationError, Subcache, parse, parse_space

KB = 1024
PAPER = "64K/128 ID, x/4K Temporal, 64K/64K Sequential"

subcaches = st.tuples(st.integers(1, 2**40), st.integers(1, 2**30)).map(
    lambda pair: (max(pair), min(min(pair), 2**30))
)


def test_the_papers_example() -> None:
    assert parse(PAPER) == Configuration(
        (
            Subcache(64 * KB, 128, "ID"),
            Subcache(None, 4 * KB, "Temporal"),
            Subcache(64 * KB, 64 * KB, "Sequential"),
        )
    )
    assert str(parse(PAPER)) == PAPER
    assert str(parse(PAPER).sized(1024 * KB)) == "64K/128 ID, 896K/4K Temporal, 64K/64K Sequential"


@given(st.lists(subcaches, min_size=1, max_size=4), st.integers(-1, 3))
def test_what_is_written_is_read_back(sizes: list[tuple[int, int]], rest: int) -> None:
    parts = [
        Subcache(None if place == rest else size, block, f"c{place}")
        for place, (size, block) in enumerate(sizes)
    ]
    configuration = Configuration(tuple(parts))
    assert parse(str(configuration)) == configuration


@pytest.mark.parametrize(
    ("text", "size", "block"),
    [
        ("X/4k temp", None, 4 * KB),
        ("1.5M / 3000 temp", 1536 * KB, 3000),
        ("2GB/1KiB temp", 2**31, KB),
        ("  4096/100 temp ", 4096, 100),
    ],
)
def test_other_ways_to_write_it(text: str, size: int | None, block: int) -> None:
    assert parse(text).subcaches == (Subcache(size, block, "temp"),)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 1, "a size is missing"),
        ("64K/128", 8, "the name of a class"),
        ("64Q/128 ID", 3, "sizes are in bytes, K, M or G"),
        ("64K 128 ID", 5, "'/' is missing"),
        ("64K/128 ID x/4K Temp", 12, "a comma"),
        ("64K/128 ID,", 12, "a size is missing"),
        ("x/4K A, x/4K B", 9, "only one"),
        ("4K/4K A, 4K/4K a", 16, "has a subcache already"),
        ("0/4K A", 1, "leave a class out"),
        ("4K/0 A", 4, "more than 0"),
        ("4K/x A", 4, "a size is missing"),
        ("2K/4K A", 1, "less than one block"),
        ("0.3/1 A", 1, "whole number"),
        ("4G/2G A", 4, "at most 1G"),
        ("64K/128 ID; x/4K Temp", 11, "a comma"),
        ("99999999999G/1 A", 1, "2^63"),
    ],
)
def test_errors_point_at_the_character(text: str, place: int, words: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert f"character {place} (" in str(caught.value) and words in str(caught.value)


@given(st.text(alphabet="0123456789xKMG/, ?|IDa.\t", max_size=30))
def test_no_text_is_anything_but_read_or_refused(text: str) -> None:
    for read in (parse, parse_space):
        try:
            read(text)
        except NotationError as error:
            assert "character" in str(error)


def test_totals() -> None:
    with pytest.raises(UsageError, match="less than the fixed parts"):
        parse(PAPER).sized(127 * KB)
    with pytest.raises(UsageError, match="has no x"):
        parse("64K/128 ID").sized(65 * KB)
    assert str(parse(PAPER).sized(128 * KB)) == "64K/128 ID, 0/4K Temporal, 64K/64K Sequential"


def test_spaces() -> None:
    assert [str(one) for one in parse_space("?/128 ID, ?/4K|8K|4K General")] == [
        "?/128 ID",
        "?/4K|8K General",
    ]
    with pytest.raises(NotationError, match="the size is"):
        parse_space("4K/128 ID")
