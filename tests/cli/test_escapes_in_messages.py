"""Names with control characters, wherever a message takes them from, reach the terminal as escapes."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run

EVIL = "\x1b]0;owned\x07\x9b31m"
CSV = f"time,{EVIL},size\n1,2,3\n"


def header(folder: Path) -> list[str]:
    (folder / "x.csv").write_text(CSV, "utf-8")
    return ["info", str(folder / "x.csv"), "--trace-format", "csv"]


def header_and_columns(folder: Path) -> list[str]:
    return ["ingest", *header(folder)[1:], "--columns", f"offset={EVIL}x"]


def file_name(folder: Path) -> list[str]:
    (folder / f"{EVIL}.csv").write_text("a,b\n")
    return ["info", str(folder / f"{EVIL}.csv")]


def parquet_column(folder: Path) -> list[str]:
    pq.write_table(pa.table({EVIL: [1]}), folder / "0.parquet")
    return ["info", str(folder / "0.parquet"), "--trace-format", "recorder-parquet"]


def sql_column(folder: Path) -> list[str]:
    return ["sql", "STORE", f'select "{EVIL}" from file']


def where(folder: Path) -> list[str]:
    return ["curve", "STORE", "--where", f'"{EVIL}" = 1']


def by(folder: Path) -> list[str]:
    return ["curve", "STORE", "--by", f'"{EVIL}"']


def option(folder: Path) -> list[str]:
    return ["info", "STORE", f"--{EVIL}"]


def option_value(folder: Path) -> list[str]:
    return ["info", "STORE", "--format", EVIL]


def number(folder: Path) -> list[str]:
    return ["patterns", "STORE", "--least", EVIL]


def verb(folder: Path) -> list[str]:
    return [EVIL]


def extra_word(folder: Path) -> list[str]:
    return ["info", "STORE", EVIL]


def missing_file(folder: Path) -> list[str]:
    return ["sql", "STORE", "--file", str(folder / EVIL)]


def table_name(folder: Path) -> list[str]:
    return ["schema", EVIL]


CASES: list[Callable[[Path], list[str]]] = [
    header,
    header_and_columns,
    file_name,
    parquet_column,
    sql_column,
    where,
    by,
    option,
    option_value,
    number,
    verb,
    extra_word,
    missing_file,
    table_name,
]

SAY_NO_NAME = (header, parquet_column, number, option_value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_refusal_shows_escapes(
    run: Run, shared_store: Path, tmp_path: Path, case: Callable[[Path], list[str]]
) -> None:
    done = run(*(str(shared_store) if word == "STORE" else word for word in case(tmp_path)))
    shown = (done.stdout + done.stderr).decode()
    assert done.returncode in (1, 2), shown
    assert not any(word in shown for word in ("Traceback", "internal error", "a defect"))
    assert all(character.isprintable() or character == "\n" for character in shown), repr(shown)
    assert "owned" in shown or case in SAY_NO_NAME
