"""Each file in cases/ is a small trace, a query, and the table that must come out; of all references by default."""

import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from tiny_store import connect, rows_from_text

from iotrace import queries
from iotrace.analysis.characterize import characterize

CASES = sorted((Path(__file__).parent / "cases").glob("*.toml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = tomllib.loads(path.read_text("utf-8"))
    tables = {name: rows_from_text(case[name]) for name in queries.TABLES if name in case}
    name = case["query"]
    connection = connect(**tables)
    for kind in case.get("recorded", ()):
        connection.execute(f"create macro {kind}_recorded() as true")
    if "sampled" in case:
        connection.execute(f"create macro sampled_files_share() as {case['sampled']}::double")
    parameters = {"population": "all", **case.get("parameters", {})}
    result = characterize(connection, [name], parameters)[name]
    assert result.schema.equals(queries.query(name).schema, check_metadata=True)
    result.validate(full=True)
    if name in queries.views():  # base views promise no order
        result = result.sort_by([(column, "ascending") for column in case["order"]])
    assert rows_as_written(result, case["expected"]) == [
        line.split() for line in case["expected"].strip().splitlines()
    ]


def test_every_statistic_has_a_case() -> None:
    assert {tomllib.loads(path.read_text("utf-8"))["query"] for path in CASES} >= set(queries.names())


def rows_as_written(table: pa.Table, expected: str) -> list[list[str]]:
    """Write the result's rows as the expected text does: its columns, and numbers to as many digits."""
    header, *lines = (line.split() for line in expected.strip().splitlines())
    rows = table.select(header).to_pylist()
    samples = lines + [lines[-1] if lines else header] * (len(rows) - len(lines))
    written = [
        [as_written(value, sample) for value, sample in zip(row.values(), line, strict=True)]
        for row, line in zip(rows, samples, strict=False)
    ]
    return [header, *written]


def as_written(value: object, sample: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{len(sample.partition('.')[2])}f}"
    return str(value).replace(" ", "_")
