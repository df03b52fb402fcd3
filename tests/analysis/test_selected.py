"""The references of several selections, read at once, against a filter that can be read in a minute."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_store import Row, small_store

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import simulate_each, simulate_streams
from iotrace.analysis.curves.references import Selection, selected
from iotrace.analysis.population import Population

TYPES = ("inode", "directory", "executable", "datafile")
OPERATIONS = ("read", "write", "update", "truncate", "delete")
ROWS = st.lists(
    st.tuples(
        st.sampled_from(TYPES),
        st.sampled_from(OPERATIONS),
        st.integers(0, 5),
        st.integers(0, 3).map(lambda block: 4096 * block),
        st.integers(1, 9000),
        st.none() | st.integers(1, 20000),
    ),
    min_size=1,
    max_size=20,
)
SELECTIONS = (
    Selection(),
    Selection(("inode", "directory")),
    Selection(("datafile",), file_bytes_from=8192),
    Selection(("executable", "datafile"), file_bytes_below=8192),
    Selection(population=Population.METADATA),
)


def chosen(selection: Selection, rows: list[Row], sizes: dict[int, int]) -> list[tuple[int, str]]:
    """Return which rows are of a selection, and in which direction."""
    taken = []
    for place, (kind, operation, file, _, _, _) in enumerate(rows):
        size = sizes.get(file, 0)
        fits = selection.file_bytes_from <= size < (selection.file_bytes_below or 2**63)
        looked_up = kind in ("inode", "directory") or selection.population is Population.ALL
        if operation in ("truncate", "delete") or (kind in selection.types and fits and looked_up):
            taken.append((place, "read" if operation == "read" else "write"))
    return taken


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, sizes=st.dictionaries(st.integers(0, 5), st.integers(1, 20000)))
def test_one_reading_selects_what_each_would(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], sizes: dict[int, int]
) -> None:
    store = small_store(tmp_path_factory.mktemp("of") / "one", rows, sizes)
    found: list[list[dict[str, Any]]] = [[] for _ in SELECTIONS]
    for of_each in selected(store, SELECTIONS):
        for own, batch in zip(found, of_each, strict=True):
            own += batch.to_pylist()
    for selection, own in zip(SELECTIONS, found, strict=True):
        wanted = chosen(selection, rows, sizes)
        assert [row["direction"] for row in own] == [direction for _, direction in wanted]
        names = ("type", "operation", "file", "offset", "length", "file_size")
        assert [tuple(row[name] for name in names) for row in own] == [rows[place] for place, _ in wanted]


def test_streams_side_by_side_count_as_each_alone(tmp_path: Path) -> None:
    rows: list[Row] = [
        (TYPES[place % 4], "read" if place % 3 else "write", place % 5, 4096 * (place % 7), 5000, 30000)
        for place in range(200)
    ]
    store = small_store(tmp_path / "one", rows)
    caches = [[Cache(4096), Cache(8192)], [Cache(512)], [Cache(4096, "no-allocate")], [], [Cache(128)]]
    together = simulate_streams(selected(store, SELECTIONS), caches, "direction")
    for place, selection in enumerate(SELECTIONS):
        alone = (batches[0] for batches in selected(store, [selection]))
        expected = simulate_each(alone, caches[place], "direction")
        assert [curves.table() for curves in together[place]] == [curves.table() for curves in expected]
