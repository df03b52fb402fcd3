"""Put into pages what their commands print now, cut as the output shown so far.

python -P tests/docs/refresh.py [PAGE...]      refreshes some, or all, of them

A block of text that holds only ``@@`` takes all output, ``@@ 12`` its first 12 lines, ``@@ 12 w100`` at most 100
columns of them.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pages import DOCS, Page, pages
from shown import DEMO, Reader, Shown, agrees, lines_of, run, runs, shown


def refreshed(old: str, printed: str) -> str:
    """Return output cut as the old one is: its lines at the beginning and at the end, and its columns."""
    lines, shown_lines = lines_of(printed), lines_of(old)
    if shown_lines[0].startswith("@@"):
        head = re.search(r"@@ (\d+)", old)
        width = re.search(r"w(\d+)", old)
        first, last = (int(head[1]) if head else len(lines)), 0
        columns = int(width[1]) if width else None
    else:
        gaps = [number for number, line in enumerate(shown_lines) if line.strip() == "…"]
        first = gaps[0] if gaps else len(lines)
        last = len(shown_lines) - gaps[-1] - 1 if gaps else 0
        cut = [len(line) for line in shown_lines if line.endswith(" …")]
        columns = max(cut) - 2 if cut else None
    kept = lines if first + last >= len(lines) else [*lines[:first], "…", *(lines[-last:] if last else [])]
    return "\n".join(_cut(line, columns) for line in kept)


def _cut(line: str, columns: int | None) -> str:
    """Return a line of at most this number of columns, and an ellipsis; no word or number is cut."""
    if columns is None or len(line) <= columns:
        return line
    whole = re.match(rf".*\S(?=\s.{{{len(line) - columns - 1},}})", line)
    return (whole[0] if whole else line[:columns]) + " …"


def refresh(page: Page, reader: Reader, folder: Path) -> str:
    """Return the text of a page with the output of its commands as it is now."""
    text = page.text
    for command in shown(page):
        if runs(command.block):
            try:
                printed = run(reader, command.block, folder)
            except AssertionError as error:
                print(error, file=sys.stderr)
                continue
            if command.output is not None and not agrees(command.output, printed):
                text = _with_output(text, command, refreshed(command.output, printed))
    return text


def _with_output(text: str, command: Shown, output: str) -> str:
    start = text.index(f"```{command.block.language}\n{command.block.text}\n```")
    old = f"```text\n{command.output}\n```"
    place = text.index(old, start)
    return f"{text[:place]}```text\n{output}\n```{text[place + len(old) :]}"


def main(names: list[str]) -> None:
    """Refresh some pages, or all."""
    with tempfile.TemporaryDirectory() as place:
        reader = Reader(Path(place) / "cache")
        for name in names or pages():
            folder = Path(place) / name.replace("/", "-")
            folder.mkdir()
            shutil.copy(DEMO, folder)
            text = refresh(pages()[name], reader, folder)
            if text != pages()[name].text:
                (DOCS / name).write_text(text, "utf-8")
                print(f"docs/{name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
