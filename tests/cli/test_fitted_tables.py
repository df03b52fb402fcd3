"""On a narrow terminal a table's lines are no longer than the terminal is wide, and what is missing is named."""

import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from program import PROGRAM, Run
from rich.cells import cell_len
from rich.console import Console

from iotrace.cli.tables.fit import Column, fitted
from iotrace.cli.tables.text import drawn, write_drawn

WORDS = st.text(st.sampled_from("ab_/ é語"), max_size=40)
COLUMNS = st.lists(
    st.builds(Column, WORDS, st.lists(WORDS, min_size=2, max_size=2), st.booleans()), min_size=1, max_size=8
)


@given(COLUMNS, st.integers(20, 200))
def test_columns_have_a_width_and_the_others_a_name(columns: list[Column], width: int) -> None:
    names = [column.name for column in columns]
    kept, left_out = fitted(columns, width)
    assert [column.name for column in kept] + left_out == names and kept
    if len(kept) > 1:
        assert sum(column.width + 3 for column in kept) + 1 <= width
    for column in kept:
        assert column.broken_name().replace("\n", "").replace(" ", "") == column.name.replace(" ", "")
        assert all(column.least_width <= column.width <= column.natural_width for column in kept)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=80), st.integers(12, 40))
def test_a_long_word_keeps_its_ends(word: str, width: int) -> None:
    column = Column("path", [word], is_text=True, width=width)
    short = column.shortened(word, "…")
    assert short == word if len(word) <= width else len(short) == width
    head, mark, tail = short.partition("…")
    assert not mark or (word.startswith(head) and word.endswith(tail) and tail)


def test_nothing_is_shortened_where_all_fits() -> None:
    table = pa.table({"a_long_name": [1, 2], "path": ["/x" * 20, "/y"]})
    shown = io.StringIO()
    Console(file=shown, width=80).print(drawn(table, width=80))
    assert "a_long_name" in shown.getvalue() and "/x" * 20 in shown.getvalue()


def test_a_curve_by_path_is_readable_at_80_columns(run: Run, shared_store: Path) -> None:
    here, there = pty.openpty()
    words = [PROGRAM, "curve", str(shared_store), "--by", "path"]
    environment = {**run.environment, "COLUMNS": "80"}
    subprocess.run(words, stdout=there, env=environment, check=True)
    os.close(there)
    lines = os.read(here, 1 << 16).decode().splitlines()
    os.close(here)
    table = lines[: next(place for place, line in enumerate(lines) if "columns that do not fit" in line) + 1]
    assert all(cell_len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= 80 for line in table)
    rows = [line for line in table if ".txt" in line]
    without = [row for row in rows if " none " in row]
    assert len(without) == 2 and len(rows) == 10 and all(" KB " in row for row in rows if row not in without)


def test_a_pipe_breaks_no_number_and_squeezes_no_column() -> None:
    """Forty numbers of ten digits do not fit 200 characters: the table is wider, and has all of them."""
    numbers = {f"a_long_name_{place}": [place * 10**9 + 1, 1] for place in range(40)}
    out = io.StringIO()
    write_drawn({"": pa.table({**numbers, "path": ["/a/b c", "word " * 60]})}, out)
    for place in range(40):
        assert f"{place * 10**9 + 1:,}" in out.getvalue() and f"a_long_name_{place} " in out.getvalue()
