"""A trace written from the page on trace formats alone is read, and the program says the same of its lines."""

import csv
import io
import re
from pathlib import Path

from program import Run

PAGE = (Path(__file__).parents[2] / "docs" / "trace-formats.md").read_text("utf-8")
SECTION = PAGE.partition("### 1.2 ULTRIX text")[2].partition("\n### ")[0]


def test_the_example_of_the_page_is_read(run: Run, tmp_path: Path) -> None:
    (text,) = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)
    (tmp_path / "two.txt").write_text(text)
    done = run(
        "sql", tmp_path / "two.txt", "SELECT call, fd, result, size FROM syscall ORDER BY seq", "-f", "csv"
    )
    rows = [tuple(row.values()) for row in csv.DictReader(io.StringIO(done.stdout.decode()))]
    assert rows == [("open", "", "3", "812"), ("read", "3", "812", ""), ("process_exited", "", "0", "")]


def test_a_failed_call_and_a_name_with_a_blank_are_written_as_the_page_says(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(
        "# iotrace ultrix-calls 2\n0 0 1 C open a%20b O_RDONLY\n1 5 1 R open -1 ENOENT\n"
        "2 9 1 C lseek 3 0 SEEK_SET\n3 12 1 R lseek 0 -\n"
    )
    done = run(
        "sql", tmp_path / "t.txt", "SELECT path, error, duration_ns FROM syscall ORDER BY seq", "-f", "csv"
    )
    rows = [tuple(row.values()) for row in csv.DictReader(io.StringIO(done.stdout.decode()))]
    assert rows == [("a b", "ENOENT", "5"), ("", "", "3")]


def test_the_program_prints_the_parts_of_a_line_as_the_page_does(run: Run) -> None:
    screen = re.sub(r"\s+", " ", run("formats", "ultrix").stdout.decode())
    table = [line.strip("| ").split(" | ", 1) for line in SECTION.splitlines() if line.startswith("| ")]
    assert len(table) > 10
    for part, what in table:
        assert f"{part} {what}" in screen
