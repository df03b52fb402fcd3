"""Figures of a page: what stands in the place of one without data, and the numbers that are saved of one."""

from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pytest
from browser import in_browser, needs_chromium
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.figures import Figure, Note, Section
from iotrace.reports.pages.tables import csv_text


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (Note("Left out: two of nine disks."), "The trace holds nothing of this kind."),
        (Note("Too many blocks.", is_not_computed=True), "Too many blocks."),
    ],
)
def test_a_note_says_that_it_is_a_reason_by_no_words_of_its_text(note: Note, shown: str) -> None:
    figure = Figure("disks", "all", "Disks", "All of them.", "table", table="disks")
    section = Section("all", "What is there?", "", (figure,))
    tables = {"disks": pa.table({"disk": pa.array([], pa.string())})}
    html = compose([section], tables, brand="iotrace", title="", headline="", notes={"disks": note})
    assert "<figure" not in html and f"Left out: Disks ({shown[:-1]})." in html


@needs_chromium
def test_a_figures_csv_is_what_python_writes(tmp_path: Path) -> None:
    names = ["plain", "a,b", 'a "quoted" one', "two\nlines", "tab\t", " </script>", "\u2028", "", None]
    numbers = [2**60, -1, 0, None, 1, 2, 3, 4, 5]
    ratios = [1e-7, 0.1, 1 / 3, None, 1e300, 2.0, -0.0, 5.0, 6.0]
    table = pa.table({"a name": names, "n": numbers, "ratio": ratios, "is_so": [True, None, False] * 3})
    figure = Figure("odd", "all", "Odd", "All of them.", "table", table="odd")
    section = Section("all", "What is there?", "", (figure,))
    html = compose([section], {"odd": table}, brand="iotrace", title="", headline="")
    press = """
    URL.createObjectURL = (blob) => {
      blob.text().then((text) => { document.documentElement.dataset.noted = encodeURIComponent(text); });
      return "#";
    };
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      document.querySelector("[data-save=csv]").click();
    }, 20);
    """
    assert unquote(in_browser(html, press, tmp_path / "page.html")) == csv_text(table)
