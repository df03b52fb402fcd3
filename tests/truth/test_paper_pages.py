"""The pages of the four papers as a reader meets them: the cells first, nothing unexplained, and no table cut off."""

import html
import re
import sys
from pathlib import Path

import pytest
from program import Run

sys.path.append(str(Path(__file__).parents[1] / "reports"))

from browser import POLICY, browse, needs_chromium
from figure_data import figure_data

CUT = """
document.querySelectorAll('details').forEach(one => one.open = true);
document.documentElement.dataset.noted = [...document.querySelectorAll('.scroll')]
  .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.closest('figure').id).join(' ');
"""
DEMO = Path(__file__).parents[2] / "iotrace" / "demo" / "demo.strace.zst"
PAPERS = ("biswas", "kotz", "richardson", "vilayannur")


@pytest.fixture(scope="module")
def pages(run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages: Biswas's of short traces of the three disks, Richardson's of the demo's trace."""
    folder = tmp_path_factory.mktemp("pages")
    disks = ("off-day", "air-rsv", "sci-off")
    for name in disks:
        run("generate", "vms", "--like", name, "--scale", "0.01", "-o", f"{name}.csv", folder=folder)
    given = {"biswas": [f"{name}.csv" for name in disks], "richardson": [DEMO]}
    made = {}
    for paper in PAPERS:
        done = run("paper", paper, *given.get(paper, ()), "-o", f"{paper}.html", folder=folder)
        assert done.returncode == 0, done.stderr
        made[paper] = (folder / f"{paper}.html").read_text("utf-8")
    return made


def head(page: str) -> list[str]:
    """Return the paragraphs before the first section."""
    verdict = page[page.index('id="verdict"') : page.index("<nav")]
    return [
        re.sub("<[^>]+>", "", html.unescape(text)) for text in re.findall(r"<p>(.*?)</p>", verdict, re.DOTALL)
    ]


@pytest.mark.parametrize("paper", PAPERS)
def test_no_row_of_bare_numbers_is_in_the_head(pages: dict[str, str], paper: str) -> None:
    said = " ".join(head(pages[paper]))
    assert " hold" in said and not re.search(r"\d+, \d+, \d+", said)
    assert "What this workload is" not in pages[paper]


@pytest.mark.parametrize(
    ("paper", "first"),
    [
        ("biswas", r"off-day\.csv: \d+ of \d+ printed cells that were held out of the fit are within 10 %"),
        ("kotz", r"One preset of overheads reproduces \d+ of the \d+ printed times within 10 %"),
        ("vilayannur", r"The components meet \d+ of 196 times of tables 1 and 2 within 10 %"),
    ],
)
def test_a_page_leads_with_the_cells(pages: dict[str, str], paper: str, first: str) -> None:
    assert re.match(first, head(pages[paper])[0])


def test_empty_tables_name_the_command_that_fills_them(pages: dict[str, str]) -> None:
    said = html.unescape(pages["biswas"])
    made = "iotrace generate vms --like NAME -o NAME.csv makes one, with "
    assert said.count(f"{made}off-day-four for NAME") == 1  # once for table 4.6 and its figure
    systems = "off-day-system, off-day-application, air-rsv-system, air-rsv-database, sci-off-system, sci-off-database"
    assert said.count(f"{made}{systems} for NAME") == 2  # tables A1 and A2
    # once for figures 12 and 13, of both caches
    assert pages["vilayannur"].count("iotrace generate imitation NAME -o NAME.asc") == 1


def test_the_legend_says_which_mark_is_a_bound(pages: dict[str, str]) -> None:
    drawn = [its["plot"]["traces"] for its in figure_data(pages["richardson"]).values() if its["plot"]]
    names = {trace.get("name") for traces in drawn for trace in traces}
    assert names >= {f"the dissertation, {words}" for words in ("at least", "at most", "between")}


def test_the_numbers_under_a_figure_have_the_unit_of_its_axis(pages: dict[str, str]) -> None:
    """Figure 3.1 says that 91 % of the objects are inodes and datafiles."""
    page = pages["richardson"]
    figure = page[page.index('id="figure-3-1"') : page.index('id="figure-3-2"')]
    assert re.search(r"<td>91\.?0? %<", figure)
    orders = figure_data(page)["figure-3-1"]["orders"]
    assert any(0.91 in order for order in orders if order is not None)


@needs_chromium
@pytest.mark.parametrize("paper", PAPERS)
def test_no_table_is_cut_at_1300_pixels(pages: dict[str, str], paper: str, tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    script = f"<script>{CUT}</script></body>"
    place.write_text(POLICY.sub("", pages[paper]).replace("</body>", script), "utf-8")
    seen = browse(place, tmp_path / "profile", 1300)
    assert re.findall(r'<html[^>]*data-noted="([^"]*)"', seen.document) == [""]
