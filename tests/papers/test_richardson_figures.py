"""Figures 3.1 to 3.10 for a trace, and the dissertation's numbers in all its figures."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_store import connect

from iotrace import queries
from iotrace.papers import data
from iotrace.papers.richardson import attribute_figures, cache_figures, characterization_figures, printed
from iotrace.papers.richardson.characterization import compare_with_paper, draw
from iotrace.papers.richardson.page import _means

TYPES = characterization_figures.TYPES
REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 2), st.sampled_from(["read", "write"]), st.integers(1, 2**23)
    ),
    min_size=1,
    max_size=12,
)


def references(made: list[tuple[int, int, str, int]]) -> list[dict[str, Any]]:
    """Return requests of the model's types; inodes and directories are requested whole, executables only read."""
    rows = []
    for kind, number, operation, length in made:
        whole = {"inode": 128, "directory": 512}.get(TYPES[kind], length)
        direction = "read" if TYPES[kind] == "executable" else operation
        shape = {"file": 3 * kind + number, "type": TYPES[kind], "operation": direction}
        rows.append({**shape, "offset": 0, "length": whole})
    return rows


def drawn(rows: list[dict[str, Any]], ids: list[str]) -> dict[tuple[str, str, Any], float]:
    """Return the values of figures by figure, line and place or size."""
    table = draw(connect(reference=rows), {}, ids)
    assert table.schema.equals(queries.table_schema("characterization_figures"), check_metadata=True)
    return {
        (row["figure"], row["line"], row["place"] or row["size_bytes"]): row["value"]
        for row in table.to_pylist()
    }


@given(REQUESTS)
def test_shares_of_types_are_those_of_the_requests(made: list[tuple[int, int, str, int]]) -> None:
    rows = references(made)
    points = drawn(rows, ["3.1", "3.2", "3.4", "3.6"])
    objects = {row["file"]: row["type"] for row in rows}
    operations = defaultdict(set)
    for row in rows:
        operations[row["file"]].add(row["operation"])
    classes = {"only read": {"read"}, "only written": {"write"}, "read and written": {"read", "write"}}
    moved = sum(row["length"] for row in rows)
    for kind in TYPES:
        own = [row for row in rows if row["type"] == kind]
        share = sum(one == kind for one in objects.values()) / len(objects)
        assert points["3.1", "objects", kind] == pytest.approx(share)
        assert points["3.2", "requests", kind] == pytest.approx(len(own) / len(rows))
        assert points["3.4", "bytes", kind] == pytest.approx(sum(row["length"] for row in own) / moved)
        for line, done in classes.items():
            of_class = sum(objects[file] == kind and operations[file] == done for file in objects)
            assert points["3.6", line, kind] == pytest.approx(of_class / len(objects))
    both = points["3.1", "objects", "inode"] + points["3.1", "objects", "directory"]
    assert points["3.1", "objects", "inodes and directories"] == pytest.approx(both)


@given(REQUESTS)
def test_sizes_are_summed_up_to_each(made: list[tuple[int, int, str, int]]) -> None:
    rows = references(made)
    points = drawn(rows, ["3.10"])
    for kind, line in (("datafile", "datafiles"), ("executable", "executables")):
        lengths = [row["length"] for row in rows if row["type"] == kind]
        mine = {size: value for (_, name, size), value in points.items() if name == line}
        assert bool(mine) == bool(lengths)
        for size, value in mine.items():
            assert value == pytest.approx(sum(length <= size for length in lengths) / len(lengths))
        assert not mine or (max(mine) >= 2**22 and mine[max(mine)] == pytest.approx(1))


def test_runs_are_summed_over_types_and_bytes() -> None:
    rows = [
        {"use": 0, "file": 0, "type": "datafile", "operation": "read", "offset": start, "length": 4096}
        for start in (0, 4096, 8192, 65536)
    ]
    rows.append({"file": 1, "type": "inode", "operation": "read", "offset": 0, "length": 128})
    points = drawn(rows, ["3.8", "3.9"])
    # runs of 12,288, 4,096 and 128 bytes
    sizes = (64, 128, 4096, 8192, 16384)
    assert [points["3.8", "all types", size] for size in sizes] == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1])
    assert [points["3.8", "datafiles", size] for size in sizes] == pytest.approx([0, 0, 1 / 3, 1 / 3, 2 / 3])
    whole = 4 * 4096 + 128
    assert points["3.9", "all types", 4096] == pytest.approx((4096 + 128) / whole)
    assert ("3.8", "executables", 128) not in points


def test_runs_that_mix_directions_are_longer() -> None:
    rows = [
        {"use": 0, "file": 0, "type": "datafile", "operation": operation, "offset": start, "length": 4096}
        for start, operation in ((0, "read"), (4096, "write"))
    ]
    table = draw(connect(reference=rows), {"runs": "mixed"}, ["3.8"])
    mixed = {row["size_bytes"]: row["value"] for row in table.to_pylist() if row["line"] == "all types"}
    assert (mixed[4096], mixed[8192]) == (0, 1) and drawn(rows, ["3.8"])["3.8", "all types", 4096] == 1


def test_figures_are_drawn_with_the_tables_where_that_is_asked_for() -> None:
    rows = references([(0, 0, "read", 1), (3, 0, "write", 5000)])
    connection = connect(reference=rows)
    alone = compare_with_paper(connection)
    both = compare_with_paper(connection, is_drawn=True)
    assert set(both) - set(alone) == {"paper_figures"}
    assert dict.fromkeys(both["paper_figures"]["figure"].to_pylist()).keys() == (
        characterization_figures.figures().keys()
    )
    assert draw(connect(), {}, ["3.1", "3.8"]).num_rows == 0


def test_the_mean_of_a_line_holds_a_traces_last_size() -> None:
    rows = [
        {"line": "a", "trace": trace, "size_bytes": size, "value": value}
        for trace, size, value in (("x", 1, 0.5), ("x", 2, 0.4), ("y", 2, 0.2), ("y", 4, 0.0))
    ]
    means = {row["size_bytes"]: row["value"] for row in _means(rows, "size_bytes")}
    assert means == {1: 0.5, 2: pytest.approx(0.3), 4: pytest.approx(0.2)}


def test_printed_numbers_are_in_figures_that_are_drawn() -> None:
    lines = {
        id_: {line.label for line in figure.lines}
        for figures in (
            characterization_figures.figures(),
            cache_figures.figures(),
            attribute_figures.figures(),
        )
        for id_, figure in figures.items()
    }
    stated = data.described("richardson", "printed_in_figures")["figure"]
    assert stated.keys() <= lines.keys()
    for id_ in stated:
        for mark in printed.marks(id_):
            assert mark.line is None or mark.line in lines[id_]
            assert mark.sentence and mark.section
            bounds = (mark.low_percent, mark.high_percent)
            assert (mark.about_percent is None) == any(bound is not None for bound in bounds)
            if id_.startswith("3."):
                figure = characterization_figures.figures()[id_]
                assert mark.place in (figure.places or (None,)) and (mark.place is None) == (
                    mark.from_bytes is not None
                )


def number(figure: str, **where: Any) -> list[tuple[float | None, ...]]:
    """Return the low, high and exact numbers of marks with these values."""
    return [
        (mark.low_percent, mark.high_percent, mark.about_percent)
        for mark in printed.marks(figure)
        if all(getattr(mark, name) == value for name, value in where.items())
    ]


def test_printed_numbers_are_the_dissertations() -> None:
    assert number("3.1", place="inode") == [(51.3, 86.7, None)]
    assert number("3.2", place="inode") == [(None, None, 62.7), (41, 73, None)]
    assert number("3.6", place="inode", line="only written") == [(None, None, 0)]
    assert number("3.8", from_bytes=16384) == [(99, None, None)]
    assert number("3.9", from_bytes=262144) == [(None, None, 75)]
    assert number("4.2", from_bytes=16 * 128) == [(75, None, None)]
    assert number("4.3", from_bytes=512) == number("4.3", to_bytes=1024) == [(5, 10, None)]
    assert number("4.6", from_bytes=None) == [(None, None, 50)]
    small, medium, large = printed.marks("5.17")
    assert [mark.about_percent for mark in (small, medium, large)] == [52, 72, 42]
    assert (medium.from_bytes or 0) > (small.to_bytes or 0) and (large.from_bytes or 0) > (
        medium.to_bytes or 0
    )
    assert number("5.4") == []
