"""Pages can be read by all: axe finds no violation by day and by night, and the keyboard reaches everything."""

import json
import re
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from browser import in_browser, needs_chromium
from first_screens import ANSWERS, written
from iotrace.reports.report import page

from iotrace.formats import columns
from iotrace.ingest.pipeline import ingest

pytestmark = needs_chromium
FORMATS = {"keys": columns.PREFIX + "time=time,key=key,size=size,op=op"}
NIGHT = '<style id="dark" media="screen">'
WHEN_DRAWN = """
const waiting = setInterval(async () => {
  if (!document.documentElement.dataset.drawn) return;
  clearInterval(waiting);
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const note = (value) => { document.documentElement.dataset.noted = encodeURIComponent(JSON.stringify(value)); };
  %s
}, 50);
"""
VIOLATIONS = """
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  note(violations.map(({ id, nodes }) => [id, nodes.length, nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]));
"""
UNREACHED = """
  const can = "a[href], button, input, summary, [tabindex]";
  const acts = [...document.querySelectorAll(can)].filter((one) => one.checkVisibility());
  const out = acts.filter((one) => { one.focus(); return document.activeElement !== one || one.tabIndex < 0; });
  const scrolling = [...document.querySelectorAll("main *")].filter((one) =>
    ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1
    && one.tabIndex < 0 && !one.querySelector(can));
  const unnamed = [...document.querySelectorAll("main svg, .plot")].filter((one) =>
    one.checkVisibility() && !one.closest('[role][aria-label]:not([aria-label=""])'));
  note({ acts: acts.length, out: out.map((one) => one.outerHTML.slice(0, 200)),
         scrolling: scrolling.map((one) => one.outerHTML.slice(0, 200)),
         unnamed: unnamed.map((one) => one.outerHTML.slice(0, 200)) });
"""


def html_of(name: str, folder: Path) -> str:
    return page.report(ingest([written(name, folder)], folder / f"{name}.iotrace", format=FORMATS.get(name)))


def noted(html: str, script: str, place: Path) -> Any:
    return json.loads(unquote(unescape(in_browser(html, WHEN_DRAWN % script, place))))


@pytest.mark.parametrize("is_night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("name", ["syncs", "disks", "keys", "ranks", "job"])
def test_axe_finds_no_violation(name: str, is_night: bool, tmp_path: Path) -> None:
    pytest.importorskip("axe_core_python", reason="axe-core-python, which has axe, is not installed")
    axe = (files("axe_core_python") / "axe.min.js").read_text("utf-8")
    html = html_of(name, tmp_path)
    if is_night:
        html, count = re.subn('<style id="dark"[^>]*>', NIGHT, html)
        assert count == 1
    assert (
        noted(html.replace("</body>", f"<script>{axe}</script></body>"), VIOLATIONS, tmp_path / "page.html")
        == []
    )


@pytest.mark.parametrize("name", ANSWERS)
def test_the_keyboard_reaches_everything_and_pictures_have_names(name: str, tmp_path: Path) -> None:
    found = noted(html_of(name, tmp_path), UNREACHED, tmp_path / "page.html")
    assert found["acts"] > 20
    assert (found["out"], found["scrolling"], found["unnamed"]) == ([], [], [])
