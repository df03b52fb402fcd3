"""What stands in the place of a figure of which there is nothing to draw."""

import pyarrow as pa
import pytest
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.figures import Figure, Note, Section


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
