"""The page as a file: names are text, nothing is fetched, figures are complete, and files are not overwritten."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from figure_data import figure_data
from iotrace.reports.pages.charts import registry as drawings
from iotrace.reports.pages.compose import GENERATOR
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.schemas import shown, table_schema
from iotrace.reports.pages.write import is_report, refuse_to_overwrite, write_page
from iotrace.reports.report import figures as registry
from traces import HOSTILE
from typer.testing import CliRunner

from iotrace import queries
from iotrace.cli import application
from iotrace.errors import UsageError
from iotrace.store.store import Store


class Page(HTMLParser):
    """Collects the tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data


@pytest.fixture(scope="module")
def page(hostile_html: str) -> Page:
    return Page(hostile_html)


def test_it_is_under_six_megabytes(hostile_html: str) -> None:
    assert len(hostile_html.encode()) < 6 * 2**20


def test_it_refers_to_nothing_outside(page: Page) -> None:
    links = [
        value for _, found in page.tags for name, value in found.items() if name in ("src", "href", "action")
    ]
    assert [link for link in links if not (link or "").startswith("#")] == []
    assert "link" not in {tag for tag, _ in page.tags}


def test_no_tag_and_no_handler_comes_from_the_trace(page: Page) -> None:
    assert not {"img", "i"} & {tag for tag, _ in page.tags}
    assert {tuple(found) for tag, found in page.tags if tag == "svg"} == {("viewbox", "role", "aria-label")}
    assert [name for _, found in page.tags for name in found if name.startswith("on")] == []
    assert {found.get("type") for tag, found in page.tags if tag == "script"} == {
        None,
        "text/plain",
    }
    assert sum(1 for tag, found in page.tags if tag == "script" and "type" not in found) == 1


def test_names_are_shown_as_they_are(page: Page) -> None:
    for name in HOSTILE:
        assert printable(name).rpartition("/")[2] in page.text
    assert "\\u202e" in page.text and "\u202e" not in page.text


def test_each_figure_that_is_drawn_has_its_data(hostile_html: str) -> None:
    plots = {name for name, its in figure_data(hostile_html).items() if its["plot"] and its["plot"]["traces"]}
    assert plots == set(re.findall(r'data-figure="(\w+)"', hostile_html)) and len(plots) >= 5


def test_every_figure_says_what_it_is(page: Page) -> None:
    ids = {found.get("id") for _, found in page.tags}
    always = [section for section in registry.sections_of(("syscall",)) if not section.is_optional]
    for figure in (figure for section in always for figure in section.figures):
        assert figure.title in page.text  # that of one without data in the line on what is left out
        if figure.id not in ids:
            assert figure.title in page.text.partition("Left out: ")[2]
            continue
        assert figure.caption in page.text
        if figure.query:
            assert queries.query(figure.query).sql.strip() in page.text


def test_figures_are_declared_with_what_they_need() -> None:
    figures = registry.figures()
    assert len({figure.id for figure in figures}) == len(figures)
    for figure in figures:
        assert sum(map(bool, (figure.query, figure.table, figure.lines))) == 1, figure.id
        assert figure.draw in ("table", "facts", "capture") or figure.draw in drawings.DRAWINGS, figure.id
        assert figure.source or (figure.query and queries.query(figure.query).source), figure.id


def test_tables_show_columns_that_are_declared() -> None:
    figures = [figure for section in registry.sections() for figure in section.figures]
    for figure in (figure for figure in figures if figure.draw == "table"):
        named = {name for key in ("columns", "bars") for name in figure.arguments.get(key, ())}
        if figure.query:
            schema = queries.query(figure.query).schema
        elif figure.section == registry.Extra.PAPER:
            schema = queries.table_schema("findings")
        else:
            schema = table_schema(figure.id) if named else pa.schema([])
        assert named <= set(shown(schema.empty_table()).column_names), figure.id


def test_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = {found["id"] for _, found in page.tags if "id" in found}
    links = {(found["href"] or "")[1:] for tag, found in page.tags if tag == "a"}
    assert links <= ids


def test_lines_have_a_colour_each() -> None:
    for figure in registry.figures():
        if figure.draw == "curves":
            labels = figure.arguments.get("labels", figure.lines)
            assert len(figure.arguments["colors"]) == len(labels), figure.id
            assert len(figure.arguments.get("dashes", labels)) == len(labels), figure.id


def test_it_is_written_over_a_report_and_over_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    opening = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    html = f'{opening}<meta name="generator" content="{GENERATOR} 0">'
    refuse_to_overwrite(place)
    write_page(html, place)
    refuse_to_overwrite(place)
    place.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        refuse_to_overwrite(place)
    refuse_to_overwrite(place, force=True)
    with pytest.raises(UsageError, match="directory"):
        refuse_to_overwrite(tmp_path, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_the_verb_writes_the_page_and_says_where(
    hostile_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(application(), ["report", str(hostile_store.path)])
    assert (run.exit_code, run.stdout) == (0, "report.html\n")
    assert is_report(tmp_path / "report.html")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_the_verb_writes_to_standard_output(hostile_store: Store) -> None:
    run = CliRunner().invoke(application(), ["report", str(hostile_store.path), "-o", "-"])
    assert run.exit_code == 0
    assert run.stdout.startswith("<!doctype html>") and run.stdout.rstrip().endswith("</html>")


def test_the_verb_hands_out_the_numbers(hostile_store: Store) -> None:
    run = CliRunner().invoke(application(), ["report", str(hostile_store.path), "--format", "json"])
    answers = ["headline", "time", "change", "cache"]
    assert list(json.loads(run.stdout)) == [*answers, *(figure.id for figure in registry.figures()), "advice"]


def test_emphasis_marks_whole_numbers_with_their_units() -> None:
    from iotrace.reports.report.page import _emphasised

    marked = re.findall(
        "<b>(.*?)</b>", _emphasised("226 processes made 1,234 requests in 6.05 s, 3.69 % of 81.4 MB <x>.")
    )
    assert marked == ["226", "1,234", "6.05 s", "3.69 %", "81.4 MB"]
