"""The page in a browser: it draws every figure, complains of nothing, and runs nothing that came from a trace."""

import re
from pathlib import Path

import pytest
from browser import POLICY, Seen, browse, in_browser, needs_chromium
from iotrace.reports.report import page
from traces import RUN

pytestmark = needs_chromium

RAN = re.compile(r"<html[^>]*data-ran=")


@pytest.fixture(scope="module", params=[1280, 400])
def seen(
    hostile_page: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Seen:
    return browse(hostile_page, tmp_path_factory.mktemp("profile"), request.param)


def test_the_console_says_nothing(seen: Seen) -> None:
    assert seen.console == ()


def test_every_figure_is_drawn(seen: Seen) -> None:
    plots = re.findall(r'<div class="plot[^"]*" id="plot-(\w+)".*?(?=<footer>)', seen.document, re.S)
    bodies = re.findall(r'<div class="plot.*?(?=<footer>)', seen.document, re.S)
    assert len(plots) >= 5
    assert [name for name, body in zip(plots, bodies, strict=True) if 'class="main-svg"' not in body] == []
    assert f'data-drawn="{len(plots)}"' in seen.document


def test_nothing_from_the_trace_runs(seen: Seen) -> None:
    assert not RAN.search(seen.document)


def test_nothing_from_the_trace_runs_even_without_the_content_security_policy(
    hostile_html: str, tmp_path: Path
) -> None:
    page = tmp_path / "bare.html"
    bare, removed = POLICY.subn("", hostile_html)
    page.write_text(bare, "utf-8")
    assert removed == 1
    found = browse(page, tmp_path / "profile")
    assert not RAN.search(found.document)
    assert found.console == ()


@pytest.mark.parametrize(
    ("policy", "runs"), [(False, True), (True, False)], ids=["seen without a policy", "stopped by the policy"]
)
def test_a_script_that_gets_into_the_page(
    hostile_html: str, tmp_path: Path, policy: bool, runs: bool
) -> None:
    page = tmp_path / "broken.html"
    html = hostile_html if policy else POLICY.sub("", hostile_html)
    page.write_text(html.replace("<main>", f"<main><script>{RUN}</script>", 1), "utf-8")
    assert bool(RAN.search(browse(page, tmp_path / "profile").document)) is runs


def test_the_page_of_an_empty_trace_is_drawn(tmp_path: Path) -> None:
    from iotrace.ingest.pipeline import ingest

    raw = tmp_path / "empty.strace"
    raw.write_text("1 1700000000.000000 getpid() = 1\n1 1700000000.000100 +++ exited with 0 +++\n")
    written = tmp_path / "empty.html"
    written.write_text(page.report(ingest([raw], tmp_path / "empty.iotrace")), "utf-8")
    found = browse(written, tmp_path / "profile")
    assert found.console == ()
    assert 'data-drawn="' in found.document


def test_what_is_seen_is_drawn_first(hostile_html: str, tmp_path: Path) -> None:
    last = re.findall(r'id="plot-(\w+)"', hostile_html)[-1]
    look = f"""
    for (const place of document.querySelectorAll(".plot")) new MutationObserver(() => {{
      const {{ top, bottom }} = place.getBoundingClientRect();
      document.documentElement.dataset.noted ||= scrollY > 2 * innerHeight && top < innerHeight && bottom > 0;
    }}).observe(place, {{ childList: true }});
    document.documentElement.style.scrollBehavior = "auto";
    document.getElementById("plot-{last}").scrollIntoView();
    """
    assert in_browser(hostile_html, look, tmp_path / "page.html") == "true"


def test_the_button_turns_day_into_night(hostile_html: str, tmp_path: Path) -> None:
    press = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const shade = () => getComputedStyle(document.documentElement).backgroundColor;
      const colour = () => document.querySelector(".plot .ytick text").style.fill;
      const before = [shade(), colour()];
      document.querySelector(".theme").click();
      setTimeout(() => {
        const after = [shade(), colour()];
        document.documentElement.setAttribute("data-turned", String(before.every((one, i) => one !== after[i])));
      }, 3000);
    }, 50);
    """
    page = tmp_path / "pressed.html"
    page.write_text(
        POLICY.sub("", hostile_html).replace("</body>", f"<script>{press}</script></body>"), "utf-8"
    )
    assert re.search(r'<html[^>]*data-turned="true"', browse(page, tmp_path / "profile").document)


def test_printing_draws_every_figure_at_once(hostile_html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(() => {
      if (!window.Plotly) return;
      clearInterval(waiting);
      dispatchEvent(new Event("beforeprint"));
      const missing = [...document.querySelectorAll(".plot")].filter((plot) => !plot.querySelector(".main-svg"));
      document.documentElement.dataset.noted = `${missing.length} missing`;
    }, 1);
    """
    assert in_browser(hostile_html, script, tmp_path / "printed.html") == "0 missing"


def test_printing_before_figures_are_drawn_breaks_nothing(hostile_html: str, tmp_path: Path) -> None:
    script = """
    dispatchEvent(new Event("beforeprint"));
    dispatchEvent(new Event("afterprint"));
    document.documentElement.dataset.noted = "printed";
    """
    assert in_browser(hostile_html, script, tmp_path / "early.html") == "printed"


def test_no_legend_scrolls_on_a_narrow_page(hostile_html: str, tmp_path: Path) -> None:
    """Chromium's windows are at least 500 pixels wide: the page is made as narrow as a telephone's."""
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const legends = [...document.querySelectorAll(".plot")].map((plot) => plot._fullLayout.legend);
      const shown = legends.filter((legend) => legend?._height);
      const scrolling = shown.filter((legend) => legend._height > legend._effHeight);
      document.documentElement.dataset.noted = `${shown.length > 5} ${scrolling.length}`;
    }, 50);
    """
    narrow = hostile_html.replace("</head>", "<style>main { max-width: 368px !important }</style></head>")
    assert in_browser(narrow, script, tmp_path / "narrow.html") == "true 0"


def test_all_text_lies_within_its_figure_and_is_laid_out(hostile_html: str, tmp_path: Path) -> None:
    """Its width is measured by a canvas: margins that are too small would cut it off."""
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const beyond = [...document.querySelectorAll(".plot")].flatMap((plot) => {
        const whole = plot.getBoundingClientRect();
        return [...plot.querySelectorAll(".xtick text, .ytick text, .xtitle, .ytitle, .legendtext")].filter((text) => {
          const box = text.getBoundingClientRect();
          const isWithin = box.left >= whole.left - 1 && box.right <= whole.right + 1
            && box.top >= whole.top - 1 && box.bottom <= whole.bottom + 1;
          return !isWithin || !box.width;
        });
      });
      document.documentElement.dataset.noted = beyond.map((text) => text.textContent).join("; ") || "none";
    }, 50);
    """
    assert in_browser(hostile_html, script, tmp_path / "within.html") == "none"
