"""What ``iotrace sql`` writes of answers whose columns have one name, or are intervals."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Run


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("select 1 as a, 2 as a, 3 as a, 4 as a_1", {"a": 1, "a_2": 2, "a_3": 3, "a_1": 4}),
        ('select 1 as "x""y", 2 as "x""y"', {'x"y': 1, 'x"y_1': 2}),
        ("select interval 90 minute as d, 1 as one", {"d": "01:30:00", "one": 1}),
    ],
)
def test_no_column_is_lost(
    run: Run, shared_store: Path, tmp_path: Path, query: str, row: dict[str, object]
) -> None:
    assert json.loads(run("sql", shared_store, query, "-f", "json").stdout) == [row]
    assert run("sql", shared_store, query, "-o", tmp_path / "a.parquet").returncode == 0
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == [row]
