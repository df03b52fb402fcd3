"""Links lead to files and headings that exist; paths of the project that pages name are there."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from pages import DOCS, PROJECT, Page, pages

ROOTS = ("iotrace/", "queries/", "schemas/", "reports/", "tests/", "examples/", "docs/")


@pytest.mark.parametrize("name", pages())
def test_links_lead_somewhere(name: str) -> None:
    page = pages()[name]
    broken = []
    for line, target in page.links():
        if re.match(r"https?://|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (DOCS / name).parent / path if path else DOCS / name
        if not found.is_file() or DOCS not in found.resolve().parents:
            broken.append(f"docs/{name}:{line}: {target}: no such file in docs/")
        elif anchor and anchor not in pages()[str(found.resolve().relative_to(DOCS))].anchors():
            broken.append(f"docs/{name}:{line}: {target}: no such heading")
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("path", sorted(PROJECT.glob("*.md")), ids=lambda path: path.name)
def test_links_of_the_pages_at_the_top_lead_somewhere(path: Path) -> None:
    broken = []
    for line, target in Page(path.name, path.read_text("utf-8")).links():
        file, _, anchor = target.partition("#")
        if re.match(r"https?://|mailto:", target) or not file:
            continue
        page = pages().get(file.removeprefix("docs/"))
        if not (PROJECT / file).exists() or (anchor and page and anchor not in page.anchors()):
            broken.append(f"{path.name}:{line}: {target}")
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("name", pages())
def test_headings_of_a_page_differ(name: str) -> None:
    headings = [line.lstrip("# ") for _, line in pages()[name].prose() if line.startswith("#")]
    assert len(headings) == len(set(headings))


@pytest.mark.parametrize("name", [name for name, page in pages().items() if not page.is_generated])
def test_paths_of_the_project_exist(name: str) -> None:
    missing = []
    for line, text in pages()[name].prose():
        for path in re.findall(r"`([\w./-]+)`", text):
            if path.startswith(ROOTS) and not (PROJECT / path).exists():
                missing.append(f"docs/{name}:{line}: {path}")
    assert not missing, "\n".join(missing)


def test_every_page_can_be_reached() -> None:
    reached, ahead = set(), ["index.md"]
    while ahead:
        name = ahead.pop()
        if name in reached:
            continue
        reached.add(name)
        for _, target in pages()[name].links():
            path = target.partition("#")[0]
            if path.endswith(".md") and "://" not in path:
                ahead.append(str((DOCS / PurePosixPath(name).parent / path).resolve().relative_to(DOCS)))
    assert reached == set(pages())


def cited(folder: str) -> Iterator[tuple[Path, str]]:
    """Return the files of code in a folder, with their text."""
    for path in sorted((PROJECT / folder).rglob("*")):
        if path.suffix in (".py", ".rs", ".toml", ".sql") and "target" not in path.parts:
            yield path, path.read_text("utf-8")


FOLDERS = ("iotrace", "queries", "reports", "schemas", "tests")


def test_comments_that_cite_a_page_find_it() -> None:
    """Comments cite pages as docs/design.md 3, or docs/historic.md section 1.3."""
    citation = re.compile(r"\bdocs/([\w/-]+\.md)(?:,? section)? ?(\d[\d.]*\d|\d)?")
    missing = []
    for path, text in (file for folder in FOLDERS for file in cited(folder)):
        for page, section in citation.findall(text):
            headings = [line for _, line in pages()[page].prose()] if page in pages() else []
            numbered = [line for line in headings if re.match(rf"#+ {re.escape(section)}\b", line)]
            if not headings or (section and not numbered):
                missing.append(f"{path.relative_to(PROJECT)}: docs/{page} {section}")
    assert not missing, "\n".join(missing)


def test_no_comment_cites_a_text_that_is_not_in_the_project() -> None:
    unknown = re.compile(r"\b(?:DESIGN|HISTORIC)(?:\.md|[ ,]+\d|\))|\bFORMATS\.md")
    files = (file for folder in FOLDERS for file in cited(folder) if file[0] != Path(__file__))
    assert not [str(path.relative_to(PROJECT)) for path, text in files if unknown.search(text)]
