"""Results that tables of the pages on papers state, made anew by the commands.

python -P tests/docs/paper_numbers.py [NAME...]     writes those of some reproductions, or of all, into the pages
"""

import csv
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))
from pages import DOCS, PROJECT
from shown import DEMO, Reader

from iotrace.papers.biswas.agreement import MET_PERCENT
from iotrace.papers.biswas.labels import labels
from iotrace.papers.biswas.printed import goals
from iotrace.papers.findings.tally import by_kind
from iotrace.papers.vilayannur.cells import REQUIRED

Row = dict[str, str]

BISWAS = DOCS / "papers" / "biswas.md"
CLUSTER = DOCS / "papers" / "vilayannur.md"
FINDINGS = DOCS / "papers" / "findings.md"
PRESETS = PROJECT / "iotrace" / "generate" / "vms" / "presets" / "README.md"
DISKS = {"off-day": "Off-Day", "air-rsv": "Air-Rsv", "sci-off": "Sci-Off"}


@dataclass(frozen=True)
class Stated:
    """A cell of a table: in the table whose first heading this is, the row that begins so, and the column."""

    page: Path
    table: str
    row: tuple[str, ...]
    column: str
    text: str
    part: int | None = None
    """Which of the numbers of a cell it is, where the cell has several between slashes."""


def read(stated: Stated) -> str:
    """Return what the page has. Raises AssertionError unless exactly one cell fits."""
    cell = _find(stated)[2]
    return cell if stated.part is None else cell.split(" / ")[stated.part]


def write(stated: Stated) -> None:
    """Put the text into the page."""
    number, place, cell = _find(stated)
    parts = cell.split(" / ")
    new = stated.text
    if stated.part is not None:
        new = " / ".join([*parts[: stated.part], stated.text, *parts[stated.part + 1 :]])
    lines = stated.page.read_text("utf-8").splitlines()
    cells = _cells(lines[number])
    cells[place] = new
    lines[number] = f"| {' | '.join(cells)} |"
    stated.page.write_text("\n".join(lines) + "\n", "utf-8")


def _find(stated: Stated) -> tuple[int, int, str]:
    """Return the line and the place of a cell, and its text."""
    heads: list[str] = []
    found = []
    for number, line in enumerate(stated.page.read_text("utf-8").splitlines()):
        cells = _cells(line) if line.startswith("|") else []
        heads = [] if not cells else heads or cells
        if (
            heads
            and heads[0] == stated.table
            and stated.column in heads
            and tuple(cells[: len(stated.row)]) == stated.row
        ):
            found.append((number, heads.index(stated.column)))
    assert len(found) == 1, f"{stated.page}: {len(found)} rows {stated.row} of {stated.table}"
    ((number, place),) = found
    return number, place, _cells(stated.page.read_text("utf-8").splitlines()[number])[place]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def claims(folder: Path, row: tuple[str, ...]) -> Iterator[Stated]:
    """Return how many claims hold, fail and cannot be judged: what is evidence, and what is apart by its mark."""
    lines = [
        (line["kind"], f"{line['holds']}, {line['fails']}, {line['cannot_be_judged']}")
        for line in by_kind(_rows(folder / "findings.csv")).to_pylist()
    ]
    apart = [
        f"{kind.removeprefix('apart: ')}: {counts}" for kind, counts in lines if kind.startswith("apart")
    ]
    yield Stated(FINDINGS, "paper", row, "evidence", dict(lines)["all of these"])
    yield Stated(FINDINGS, "paper", row, "apart", "; ".join(apart))


CELLS = {
    ("4.2", "80/40, W_wc %"): ("WC-HILIM 80 %, WC-LOLIM 40 %", "w_wc"),
    ("4.2", "95/40, W_wc %"): ("WC-HILIM 95 %, WC-LOLIM 40 %", "w_wc"),
    ("4.2", "95/40, I/O stalls %"): ("WC-HILIM 95 %, WC-LOLIM 40 %", "io_stall"),
    ("4.3", "track, W_wc %"): ("track", "w_wc"),
    ("4.3", "cylinder, W_wc %"): ("cylinder", "w_wc"),
    ("4.4 ‡", "no write cache, read queue ms"): ("no_write_cache", "read_queue_ms"),
    ("A3", "purge, R_wc %"): ("purge_2_thresholds", "r_wc"),
}
"""The cells of the page: their setting or policy, and their metric."""
OF_PRESETS = {
    "W_wc %": "w_wc",
    "R_wc %": "r_wc",
    "I/O stalls %": "io_stall",
    "piggyback success %": "piggyback_success",
    "KB per purge": "kbytes_per_purge",
    "read service ms": "read_service_ms",
    "write service ms": "write_service_ms",
    "read queue ms": "read_queue_ms",
    "behind writes ms": "read_queue_behind_writes_ms",
    "I/Os to disk": "total_ios",
}


def biswas(name: str, reader: Reader, folder: Path) -> Iterator[Stated]:
    """Return what the pages say of the trace that is made like a disk."""
    disk = DISKS[name]
    _done(reader, folder, "generate", "vms", "--like", name, "-o", "made.csv")
    _done(reader, folder, "paper", "biswas", "made.csv", "--as", name, "-o", "page")
    rows = [row for row in _rows(folder / "page" / "agreement.csv") if row["table"] == "all"]
    of = {(row["metric"], row["cells"]): row for row in rows}
    for quantity, metric in (("W_wc, held out", "w_wc"), ("R_wc, held out", "r_wc")):
        error = float(of[metric, "held out"]["median_error"])
        said = f"{error:.1f}, {'reached' if error < goals()[metric] else 'not reached'}"
        yield Stated(BISWAS, "quantity", (quantity,), disk, said)
    fitted = [row for row in rows if row["cells"] == "fitted"]
    met, count = (sum(int(row[column]) for row in fitted) for column in ("met", "count"))
    yield Stated(BISWAS, "quantity", ("fitted cells met",), disk, f"{met} of {count}")
    missed = [
        f"{labels()[row['metric']]} (to {float(row['largest_error']):.0f} %)"
        for row in fitted
        if float(row["largest_error"]) > MET_PERCENT
    ]
    yield Stated(BISWAS, "quantity", ("fitted cells not met",), disk, ", ".join(missed) or "none")
    for (table, quantity), (of_row, metric) in CELLS.items():
        path = folder / "page" / f"table_{table.removesuffix(' ‡').replace('.', '_')}.csv"
        (cell,) = (
            row
            for row in _rows(path)
            if (row["disk"], row["metric"]) == (disk, metric) and of_row in (row["policy"], row["setting"])
        )
        both = f"{float(cell['printed']):.2f} / {float(cell['simulated']):.2f}"
        yield Stated(BISWAS, "table", (table, quantity), disk, both)
    for (metric, kind), row in of.items():
        quantity = next(words for words, known in OF_PRESETS.items() if known == metric)
        yield Stated(PRESETS, "quantity", (quantity, kind), disk, f"{float(row['median_error']):.0f}", 1)
    for row in _rows(folder / "page" / "conservation.csv"):
        if row["trace"]:
            volume = f"{float(row['reaches_disk']):.0f} %"
            yield Stated(BISWAS, "unit", (f"{row['unit']}, made",), disk, volume)
            both = f"{float(row['printed_least']):.0f} to {float(row['printed_most']):.0f} %"
            yield Stated(BISWAS, "unit", (f"{row['unit']}, printed",), disk, both)
    yield from claims(folder / "page", ("Biswas", f"generated, `{name}`"))


def alone(paper: str, row: tuple[str, ...], reader: Reader, folder: Path, *traces: Path) -> Iterator[Stated]:
    """Return what the page on findings says of a paper's claims."""
    _done(reader, folder, "paper", paper, *traces, "--findings", "--format", "csv", "-o", "findings.csv")
    yield from claims(folder, row)


def vilayannur(reader: Reader, folder: Path) -> Iterator[Stated]:
    """Return what the pages say of the cost model's errors, and of the claims."""
    _done(reader, folder, "paper", "vilayannur", "--format", "csv", "-o", "cells.csv")
    errors: dict[str, list[float]] = {"all": []}
    for cell in _rows(folder / "cells.csv"):
        label = cell["row"].partition(", ")[2]
        if not label.endswith(REQUIRED):
            error = abs(float(cell["error"]))
            errors["all"].append(error)
            errors.setdefault(f"{'reads' if cell['table'] == '1' else 'writes'}: {label}", []).append(error)
    for row, own in errors.items():
        near = sum(error <= 0.1 for error in own)
        yield Stated(CLUSTER, "row", (row,), "cells within 10 %", f"{near} of {len(own)}")
        yield Stated(CLUSTER, "row", (row,), "median error", f"{100 * median(own):.1f} %")
        yield Stated(CLUSTER, "row", (row,), "largest", f"{100 * max(own):.1f} %")
    yield from alone("vilayannur", ("Vilayannur", "its simulation, no traces"), reader, folder)


REPRODUCTIONS: dict[str, Callable[[Reader, Path], Iterator[Stated]]] = {
    **{f"biswas-{name}": partial(biswas, name) for name in DISKS},
    "kotz": partial(alone, "kotz", ("Kotz", "its simulation")),
    "vilayannur": vilayannur,
    "richardson": lambda reader, folder: alone(
        "richardson", ("Richardson", "the demo, no class of workloads"), reader, folder, DEMO
    ),
}
"""What is made anew, by name."""


def _done(reader: Reader, folder: Path, *words: object) -> None:
    done = reader(*words, folder=folder)
    assert done.returncode == 0, done.stderr.decode()


def _rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def main(names: list[str]) -> None:
    """Write the results of some reproductions, or of all, into the pages."""
    with tempfile.TemporaryDirectory() as place:
        reader = Reader(Path(place) / "cache")
        for name in names or REPRODUCTIONS:
            folder = Path(place) / name
            folder.mkdir()
            for stated in REPRODUCTIONS[name](reader, folder):
                if read(stated) != stated.text:
                    print(
                        f"{stated.page.name}: {stated.row}, {stated.column}: {read(stated)} -> {stated.text}"
                    )
                    write(stated)


if __name__ == "__main__":
    main(sys.argv[1:])
