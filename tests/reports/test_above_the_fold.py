"""The first screen of a page in a browser: the answers stand above the fold, without a script."""

import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pytest
from browser import POLICY, in_browser, needs_chromium
from first_screens import ANSWERS, written
from iotrace.reports.report import opening, page

from iotrace.analysis.answers.screen import fitting, words
from iotrace.families import FAMILIES
from iotrace.formats import columns
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

LIGHT = 1_200_000
"""Bytes of the page of a small trace: under that."""
DEMO = Path(__file__).parents[2] / "iotrace" / "demo" / "demo.strace.zst"
FORMATS = {"keys": columns.PREFIX + "time=time,key=key,size=size,op=op"}
READ = """
const said = {};
for (const part of document.querySelectorAll("[data-answer]")) {
  const { bottom, right } = part.getBoundingClientRect();
  said[part.dataset.answer] = { text: part.innerText.replace(/\\s+/g, " "), bottom, right };
}
const scrolls = document.documentElement.scrollWidth > innerWidth;
document.documentElement.dataset.noted = encodeURIComponent(JSON.stringify({ said, scrolls, width: innerWidth }));
"""
"""Notes what the answers say and where they end."""
OF_FRAME = """
const frame = document.querySelector("iframe");
frame.addEventListener("load", () => {
  document.documentElement.dataset.noted = frame.contentDocument.documentElement.dataset.noted;
});
"""
"""Notes what a page in a frame has noted."""


def store_of(name: str, folder: Path) -> Store:
    return ingest([written(name, folder)], folder / f"{name}.iotrace", format=FORMATS.get(name))


def html_of(name: str, folder: Path) -> str:
    return page.report(store_of(name, folder))


def read(html: str, script: str, place: Path) -> Any:
    return json.loads(unquote(unescape(in_browser(html, script, place))))


def narrow(html: str) -> str:
    """Return a page that has another in a frame as wide and as high as a telephone's screen."""
    framed = escape(POLICY.sub("", html).replace("</body>", f"<script>{READ}</script></body>"))
    return f'<!doctype html><html><body><iframe width="400" height="800" srcdoc="{framed}"></iframe></body></html>'


@needs_chromium
@pytest.mark.parametrize("name", ANSWERS)
def test_the_answers_stand_above_the_fold(name: str, tmp_path: Path) -> None:
    html = html_of(name, tmp_path)
    wide = read(html, READ, tmp_path / "page.html")
    small = read(narrow(html), OF_FRAME, tmp_path / "narrow.html")
    assert (wide["width"], small["width"]) == (1280, 400)
    for found in (wide, small):
        assert found["said"].keys() == ANSWERS[name].keys()
        for answer, text in ANSWERS[name].items():
            assert text in found["said"][answer]["text"]
            assert found["said"][answer]["bottom"] <= 800
            assert found["said"][answer]["right"] <= found["width"]
        assert not found["scrolls"]


def test_the_ten_traces_are_of_all_families(tmp_path: Path) -> None:
    stores = {name: store_of(name, tmp_path) for name in ANSWERS}
    families = {store.family.name for store in stores.values()}
    assert len(stores) == 10 and families == set(FAMILIES)
    assert stores["damaged"].manifest["damage"]
    assert stores["lost"].manifest["seen"]["lost_records"] == 2


@pytest.mark.parametrize("name", ANSWERS)
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


LONG = "/data/" + "/".join(["long" * 12] * 80)
ODD = "/data/\u05d0\u05d1\u05d2 \u202e e\u0301\u0301 \u4e2d\u6587" + "a" * 200


@needs_chromium
@pytest.mark.parametrize("path", [LONG, ODD], ids=["4,000 characters", "directions and combining marks"])
def test_no_name_widens_the_page(path: str, tmp_path: Path) -> None:
    octal = "".join(f"\\{byte:o}" if byte > 126 else chr(byte) for byte in path.encode())
    calls = [f'openat(AT_FDCWD, "{octal}", O_RDONLY) = 3', *['read(3, ""..., 1) = 1'] * 400, "close(3) = 0"]
    text = "".join(f"7 {1700000000 + place / 10:.6f} {call} <0.09>\n" for place, call in enumerate(calls))
    name = "\u05d0" * 60 + ".strace"
    (tmp_path / name).write_text(text)
    html = page.report(ingest([tmp_path / name], tmp_path / "odd.iotrace"))
    wide, small = read(html, READ, tmp_path / "p.html"), read(narrow(html), OF_FRAME, tmp_path / "n.html")
    for found in (wide, small):
        assert found["said"].keys() == {"headline", "time", "change", "cache"}
        assert not found["scrolls"]
        assert all(answer["right"] <= found["width"] for answer in found["said"].values())
    assert "\u202e" not in html


@needs_chromium
def test_each_answer_without_data_has_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "one.strace").write_text("7 getpid() = 7\n7 getpid() = 7\n")
    html = page.report(ingest([tmp_path / "one.strace"], tmp_path / "one.iotrace", format="strace"))
    said = {name: one["text"] for name, one in read(html, READ, tmp_path / "page.html")["said"].items()}
    assert said["time"].endswith("The log has no time stamps (strace -ttt -T records them).")
    assert said["change"].endswith("Nothing worth changing was found.")
    assert "The trace moves no data." in said["cache"]


@pytest.mark.parametrize("name", ANSWERS)
def test_the_page_of_a_small_trace_is_light(name: str, tmp_path: Path) -> None:
    assert len(html_of(name, tmp_path).encode()) < LIGHT


@pytest.mark.nightly
def test_the_page_of_3000_lines_is_light(tmp_path: Path) -> None:
    with pa.input_stream(DEMO, compression="zstd") as log:
        lines = log.read(2**20).splitlines(keepends=True)[:3000]
    assert len(lines) == 3000
    (tmp_path / "demo.strace").write_bytes(b"".join(lines))
    html = page.report(ingest([tmp_path / "demo.strace"], tmp_path / "demo.iotrace"))
    assert len(html.encode()) < LIGHT
