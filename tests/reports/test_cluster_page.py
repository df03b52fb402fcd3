"""The page of the paper on discretionary caching, of made-up simulations."""

import re
from collections.abc import Callable, Sequence

from iotrace import queries
from iotrace.papers.reproduction import PaperResult
from iotrace.papers.vilayannur.cells import cells
from iotrace.papers.vilayannur.figures import Setting
from iotrace.papers.vilayannur.judging import judge
from iotrace.papers.vilayannur.memo import Mechanism, Metrics, PaperMemo
from iotrace.papers.vilayannur.readings import moving
from iotrace.papers.vilayannur.reproduction import whole
from iotrace.simulate.cluster import costs


def memo(traces: tuple[str, ...] = ()) -> PaperMemo:
    def simulate(settings: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        return [Metrics(1.0 + place, None, 50.0) for place, _ in enumerate(settings)]

    return PaperMemo(costs.components(), simulate, lambda: Mechanism(0, None), traces, imitations=traces[:1])


def made(of: PaperMemo) -> PaperResult:
    readings = [
        {"finding": "V18", "reading": name, "number": number, "verdict": "holds", "bounds": "at most 1"}
        for name, number in (("as in the figures", 0.5), ("aging off", None))
    ]
    return whole(of, cells(of.components), judge(of), queries.result_table("cluster_readings", readings))


def test_without_traces_their_figures_are_empty() -> None:
    shown = made(memo())
    html = shown.html
    (left_out,) = re.findall(r'<p id="left-out".*?</p>', html)
    assert left_out.count("No traces were given. iotrace generate imitation NAME -o NAME.asc makes one") == 1
    assert "figure_12" not in shown.tables and shown.tables["figure_2"].num_rows == 28
    assert "166 of 196" in html and "total over all files" in html


def test_names_of_traces_are_shown_as_they_are_and_act_on_nothing() -> None:
    of = memo(("<script>alert(1)</script>", "db2"))
    html = made(of).html
    assert "<script>alert(1)" not in html and "not traced: &lt;script&gt;" in html


def test_every_cell_that_is_far_off_is_listed() -> None:
    shown = made(memo())
    far = [
        row
        for table in ("table_1", "table_2")
        for row in shown.tables[table].to_pylist()
        if abs(row["error"]) > 0.1 and not row["row"].endswith("Required HR")
    ]
    assert len(far) == 196 - 166
    assert "printed time jumps against its neighbours" in shown.html
    for row in far:
        assert f"{100 * row['error']:+.1f} %" in shown.html


def test_what_moves_is_counted_over_readings() -> None:
    verdicts = {
        "V10a": ("holds", "fails", "holds"),
        "V13": ("fails", "fails", "fails"),
        "V18a": ("can't be judged", "fails", "can't be judged"),
    }
    rows = [
        {"finding": name, "reading": str(place), "number": None, "verdict": verdict, "bounds": "below 1"}
        for name, all_verdicts in verdicts.items()
        for place, verdict in enumerate(all_verdicts)
    ]
    shown = moving(queries.result_table("cluster_readings", rows))
    assert [list(row.values()) for row in shown.to_pylist()] == [
        ["V10a", "below 1", "holds", 2, 1, 0],
        ["V18a", "below 1", "can't be judged", 0, 1, 2],
    ]


def test_the_claims_that_fail_have_their_causes() -> None:
    html = made(memo()).html
    assert "Claims that fail, and why" in html and "Causes of those that do not hold: " in html
    assert html.index("Claims that fail, and why") < html.index("Which findings hold")
