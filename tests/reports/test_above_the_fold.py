"""The first screen of a page in a browser: the answers stand above the fold, without a script."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser import in_browser, needs_chromium
from first_screens import TRACES, written
from iotrace.reports.report import opening, page

from iotrace.analysis.answers.screen import fitting, words
from iotrace.formats import columns
from iotrace.ingest.pipeline import ingest

FORMATS = {"keys": columns.PREFIX + "time=time,key=key,size=size,op=op"}
ABOVE = {
    "calls": {
        "headline": "9 s of 10 s (90 %) is outside recorded calls; storage takes 1 s",
        "time": "no recorded call 9 s (90 %) storage calls 1 s (10 %)",
        "change": "",
        "cache": "With 1 MB or more of memory Linux reads 4 KB from the device.",
    },
    "quiet": {
        "headline": "10 s of 10 s (over 99.9 %) is outside recorded calls; storage takes 40 µs",
        "time": "storage calls 40 µs (under 0.1 %)",
        "change": "nothing to gain here",
        "cache": "With 1 MB or more of memory Linux reads 4 KB from the device.",
    },
    "disks": {
        "headline": "No rule found anything to change.",
        "time": "reads 9 ms (90 %) writes 1 ms (10 %)",
        "change": "No rule found anything to change.",
        "cache": "8 KB misses 50 %",
    },
    "ranks": {
        "headline": "5.5 s of 2 ranks' 8 s (68.8 %) is outside I/O; I/O takes 2.5 s",
        "time": "not in I/O 5.5 s (68.8 %) writes 1.5 s (18.8 %) reads 1 s (12.5 %)",
        "change": "No rule found anything to change.",
        "cache": "8 KB misses 50 %",
    },
    "keys": {"headline": "no size misses less than 50 %", "cache": "320 bytes misses 50 %"},
}
"""By trace, what its answers say: counted by hand, see `first_screens`."""
READ = """
const said = {};
for (const part of document.querySelectorAll("[data-answer]")) {
  const { bottom, right } = part.getBoundingClientRect();
  said[part.dataset.answer] = { text: part.innerText.replace(/\\s+/g, " "), bottom, right };
}
const wide = document.documentElement.scrollWidth > innerWidth;
document.documentElement.dataset.noted = encodeURIComponent(JSON.stringify({ said, wide, height: innerHeight }));
"""


def html_of(name: str, folder: Path) -> str:
    store = ingest([written(name, folder)], folder / f"{name}.iotrace", format=FORMATS.get(name))
    return page.report(store)


def read(html: str, place: Path) -> Any:
    from urllib.parse import unquote

    return json.loads(unquote(unescape(in_browser(html, READ, place))))


@needs_chromium
@pytest.mark.parametrize("name", TRACES)
def test_the_answers_stand_above_the_fold(name: str, tmp_path: Path) -> None:
    html = html_of(name, tmp_path)
    found = read(html, tmp_path / "page.html")
    assert found["said"].keys() == ABOVE[name].keys()
    for answer, text in ABOVE[name].items():
        assert text in found["said"][answer]["text"]
        assert found["said"][answer]["bottom"] <= 800
    assert not found["wide"]
    narrow = html.replace(
        "</head>", "<style>body { max-width: 400px !important; margin: 0 !important }</style></head>"
    )
    stacked = read(narrow, tmp_path / "narrow.html")
    assert all(one["right"] <= 400 for one in stacked["said"].values())


@pytest.mark.parametrize("name", TRACES)
def test_prose_is_short_and_needs_no_script(name: str, tmp_path: Path) -> None:
    html = html_of(name, tmp_path)
    first = html.partition('<section id="first"')[2].partition('<details id="verdict"')[0]
    prose = " ".join(re.findall(r"<p\b[^>]*>(.*?)</p>", first, re.S))
    assert words(re.sub(r"<[^>]+>", "", prose)) <= 60
    assert "<script" not in first and "hidden" not in first
    leads = re.findall(r'<p class="lead">(.*?)</p>', html)
    assert leads and max(map(words, leads)) <= 25


def test_a_sentence_that_is_too_long_gives_way() -> None:
    assert fitting(["a b c", "a b"], 2) == "a b"
    assert fitting(["a b c d"], 3) == "a b …"


def test_what_is_asked_of_a_family_is_drawn_of_it_alone() -> None:
    assert opening.pictures({}) == []
