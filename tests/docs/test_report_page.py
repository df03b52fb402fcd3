"""The page on reports has a section for each question that a report answers."""

from iotrace.reports.report.figures import sections
from pages import pages


def test_each_question_of_the_report_is_explained() -> None:
    headings = {line for _, line in pages()["report.md"].prose() if line.startswith("## ")}
    assert {f"## {section.question}" for section in sections()} <= headings
