"""Figures for papers: what stands in the SVG is what stands in the CSV beside it."""

import csv
import math
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from iotrace.reports.pages.charts import registry
from iotrace.reports.pages.charts.plot import Plot
from iotrace.reports.report import figure_files, figures
from iotrace.reports.report.data import Evidence, collect
from traces import log

from iotrace.cli.report_page import write_figures
from iotrace.errors import IotraceError, UsageError
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

draw = pytest.importorskip("iotrace.reports.pages.vector.draw")
matplotlib = pytest.importorskip("matplotlib", reason="the extra figures is not installed")
SVG = "{http://www.w3.org/2000/svg}"
Points = list[tuple[float, float]]


@pytest.fixture(scope="session")
def store(folder: Path) -> Store:
    raw = folder / "figures.log"
    raw.write_text(log([f"/data/file{number}" for number in range(6)]))
    return ingest([raw], folder / "figures.iotrace")


@pytest.fixture(scope="session")
def evidence(store: Store) -> Evidence:
    return collect(store, figures.figures())


@pytest.fixture(scope="session")
def written(evidence: Evidence, folder: Path) -> Path:
    place = folder / "figures"
    place.mkdir()
    files, failures = figure_files.write(figures.figures(), evidence, place)
    assert not failures
    assert sorted(files) == sorted(place.iterdir())
    return place


def plots(evidence: Evidence) -> dict[str, Plot]:
    """The drawings of all figures, as pages have them."""
    made: dict[str, Plot] = {}
    for figure in figures.figures():
        if figure.draw in figure_files.WRITTEN:
            continue
        labels = {"labels": [line.label for line in figure.lines]} if figure.lines else {}
        plot = registry.draw(figure.draw, evidence.tables[figure.id], {**figure.arguments, **labels})
        if plot is not None:
            made[figure.id] = plot
    return made


def paths(svg: Path) -> dict[str, list[Points]]:
    """The points of the paths of each group with an identifier, in the units of the SVG."""
    found: dict[str, list[Points]] = {}
    for group in ElementTree.parse(svg).getroot().iter(f"{SVG}g"):
        drawn = [path.get("d", "") for path in group.iter(f"{SVG}path")]
        if group.get("id"):
            found[group.get("id", "")] = [
                [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", path)] for path in drawn
            ]
    return found


def scaled(figure: Any, number: int, drawn: dict[str, list[Points]], points: Points) -> Points:
    """Points of the SVG as values of the axes, by where the ground of these axes lies."""
    axes = figure.axes[number]
    ground = drawn[f"patch_{number + 2}"][0]
    values = []
    for point in points:
        value = []
        for place, limits, scale in (
            (0, axes.get_xlim(), axes.get_xscale()),
            (1, axes.get_ylim(), axes.get_yscale()),
        ):
            first, last = (pick(corner[place] for corner in ground) for pick in (min, max))
            share = (point[place] - first) / (last - first)
            share = 1 - share if place else share
            low, high = (math.log10(limit) if scale == "log" else limit for limit in limits)
            at = low + share * (high - low)
            value.append(10**at if scale == "log" else at)
        values.append((value[0], value[1]))
    return values


def test_every_chart_is_drawn_with_its_numbers(evidence: Evidence, written: Path) -> None:
    made = plots(evidence)
    assert len(made) > 30
    for name, plot in made.items():
        assert all((written / f"{name}.{ending}").stat().st_size for ending in figure_files.ENDINGS)
        assert (written / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        marks = paths(written / f"{name}.svg")
        for number, trace in enumerate(plot.traces):
            drawn = [one for one in marks if re.fullmatch(rf"trace-{number}(-\d+)?", one)]
            expected = len(trace["x"]) if trace["type"] == "bar" else 1
            assert len(drawn) == expected, (name, number)


def test_lines_of_an_svg_are_the_numbers_of_the_csv(evidence: Evidence, written: Path) -> None:
    checked = 0
    for figure in figures.figures():
        if figure.draw != "curves" or not (written / f"{figure.id}.svg").exists():
            continue
        plot = plots(evidence)[figure.id]
        drawing, marks = draw.drawing(plot, figure.wide), paths(written / f"{figure.id}.svg")
        rows = list(csv.DictReader((written / f"{figure.id}.csv").open()))
        lines: dict[str, Points] = {}
        for row in rows:
            lines.setdefault(row["line"], []).append((float(row["size_bytes"]), float(row["value"])))
        lowest, highest = drawing.axes[0].get_ylim()
        apart = 0 if drawing.axes[0].get_yscale() == "log" else 1e-3 * (highest - lowest)
        for number, trace in enumerate(plot.traces):
            if trace["type"] != "scatter" or trace["name"] not in lines:
                continue
            found = scaled(drawing, 0, marks, marks[f"trace-{number}"][0])
            for size, value in lines[trace["name"]]:
                if not lowest <= value <= highest:
                    continue  # beyond the drawing
                assert any(
                    math.isclose(size, x, rel_tol=1e-3)
                    and math.isclose(value, y, rel_tol=1e-3, abs_tol=apart)
                    for x, y in found
                ), (figure.id, trace["name"], size, value)
                checked += 1
    assert checked > 50


def test_bars_of_an_svg_are_the_numbers_of_the_csv(evidence: Evidence, written: Path) -> None:
    plot = plots(evidence)["calls"]
    drawing, marks = draw.drawing(plot), paths(written / "calls.svg")
    numbers = [int(row["calls"]) for row in csv.DictReader((written / "calls.csv").open())]
    lengths = []
    for number in range(len(plot.traces[0]["x"])):
        corners = scaled(drawing, 0, marks, marks[f"trace-0-{number}"][0])
        across = [x for x, _ in corners]
        lengths.append(max(across) - min(across))
    assert sorted(lengths) == pytest.approx(sorted(numbers[: len(lengths)]), rel=1e-3)


def test_the_same_figures_are_the_same_files(evidence: Evidence, written: Path, tmp_path: Path) -> None:
    figure_files.write(figures.figures()[:12], evidence, tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (written / path.name).read_bytes(), path.name


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    plot = Plot(
        [{"type": "bar", "orientation": "h", "x": [1], "y": ["$a_b$ &lt;x&gt;"], "name": "n"}], {"yaxis": {}}
    )
    draw.write(plot, "title", tmp_path / "name")
    texts = [
        element.text for element in ElementTree.parse(tmp_path / "name.svg").getroot().iter(f"{SVG}text")
    ]
    assert "$a_b$ <x>" in texts


def test_without_matplotlib_one_sentence_says_how_to_get_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(draw, "find_spec", lambda name: None)
    with pytest.raises(IotraceError, match=r"--figures needs the package matplotlib: pip install"):
        write_figures([store.path], lambda trace: store, tmp_path / "figures", force=False)
    assert not (tmp_path / "figures").exists()


def test_figures_of_several_traces_and_taken_names_are_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--figures takes one trace"):
        write_figures([store.path, store.path], lambda trace: store, tmp_path, force=False)
    (tmp_path / "calls.svg").write_text("mine")
    with pytest.raises(
        UsageError, match=r"calls\.svg: exists; give --force to replace it, or another --figures"
    ):
        write_figures([store.path], lambda trace: store, tmp_path, force=False)
    assert (tmp_path / "calls.svg").read_text() == "mine"
