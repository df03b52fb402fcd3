"""What a reader can do with a page: save figures, sort tables, choose measures, and zoom in on a time."""

import re
from pathlib import Path

import pytest
from browser import in_browser, needs_chromium
from figure_data import figure_data
from iotrace.reports.report import data, figures, page

from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

LOG = "".join(
    f"{pid} {1700000000 + at / 10:.6f} {call} <{taken:.6f}>\n"
    for at, (pid, call, taken) in enumerate(
        [
            (7, 'execve("/bin/db", ["db"], 0x7ffd /* 1 var */) = 0', 0.0005),
            (7, 'openat(AT_FDCWD, "/data/a", O_RDWR) = 3', 0.0001),
            *[(7, 'read(3, "x"..., 4096) = 4096', 0.001 * step) for step in (3, 1, 2)] * 5,
            *[(7, 'write(3, "x"..., 512) = 512', 0.002)] * 9,
            *[(7, "fsync(3) = 0", 0.05)] * 9,
            (7, 'openat(AT_FDCWD, "/data/sub/b", O_RDONLY) = 4', 0.0001),
            (7, 'read(4, "x"..., 100) = 100', 0.07),
            (7, "exit_group(0) = ?", 0.0),
        ]
    )
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("timed")
    (folder / "db.strace").write_text(LOG.replace(" = ? <0.000000>", " = ?"), "utf-8")
    return ingest([folder / "db.strace"], folder / "db.iotrace", format="strace")


@pytest.fixture(scope="module")
def evidence(store: Store) -> data.Evidence:
    return data.collect(store, figures.figures(figures.families_of(store)))


@pytest.fixture(scope="module")
def html(store: Store, evidence: data.Evidence) -> str:
    return page.render(store, evidence)


def test_each_figure_has_all_its_numbers_as_csv(html: str, evidence: data.Evidence) -> None:
    shown = {name: table for name, table in evidence.tables.items() if f'<figure id="{name}"' in html}
    left_out = html.partition('id="left-out"')[2].partition("</p>")[0]
    titles = {figure.id: figure.title for figure in figures.figures(("syscall",))}
    for name in {name for name, table in evidence.tables.items() if table.num_rows} - shown.keys():
        assert titles[name] in left_out, name
    data = figure_data(html)
    for name, table in shown.items():
        there = name in data
        (figure,) = re.findall(rf'<figure id="{name}".*?</figure>', html, re.S)
        assert there == ('class="empty"' not in figure), name
        if there:
            assert [column for column, _ in data[name]["columns"]] == table.column_names
            cells = [
                cells.split(",") if isinstance(cells, str) else cells for _, cells in data[name]["columns"]
            ]
            assert {len(column) for column in cells} == {table.num_rows}


@needs_chromium
def test_each_figure_has_its_buttons(html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const forms = (figure) => [...figure.querySelectorAll("footer [data-save]")].map((one) => one.textContent);
      document.documentElement.dataset.noted = [...document.querySelectorAll("figure")]
        .map((figure) => `${figure.id}:${forms(figure)}`).join(" ");
    }, 20);
    """
    noted = in_browser(html, script, tmp_path / "buttons.html")
    wanted = {name: "CSV,PNG,SVG" if its["plot"] else "CSV" for name, its in figure_data(html).items()}
    assert dict(one.split(":") for one in noted.split()) == wanted


def test_numbers_are_sorted_by_their_values(html: str, evidence: data.Evidence) -> None:
    table = evidence.tables["time_by_call"]
    numbers = [
        name for name in table.column_names if name not in ("call", "class") and not name.endswith("_ns")
    ]
    orders = [order for order in figure_data(html)["time_by_call"]["orders"] if order is not None]
    columns = [table[name].to_pylist() for name in numbers]
    assert orders == [pytest.approx(column) for column in columns if any(column)]


def test_the_timeline_has_the_phases_by_what_changes(html: str, evidence: data.Evidence) -> None:
    phases = evidence.tables["phases"].to_pylist()
    first = [row["kind"] for row in phases].index("read")
    assert [row["kind"] for row in phases][first : first + 3] == ["read", "write", "sync"]
    assert [row["title"] for row in phases][first + 1 : first + 3] == ["writes", "syncs"]
    drawn = figure_data(html)["timeline"]["plot"]
    bars = [trace for trace in drawn["traces"] if trace["type"] == "bar"]
    assert len(bars) == len(phases)
    ends = [bar["base"][0] + bar["x"][0] for bar in bars]
    assert [bar["base"][0] for bar in bars[1:]] == pytest.approx(ends[:-1])
    assert "fsync" not in html[: html.index("<h2")]


def test_the_icicle_has_a_part_for_each_file_by_each_measure(html: str) -> None:
    drawn = figure_data(html)["storage_by_place"]["plot"]
    (trace,) = drawn["traces"]
    assert [choice["label"] for choice in drawn["choices"]] == ["by time", "by bytes", "by calls"]
    assert trace["values"] == drawn["choices"][0]["update"]["values"][0]
    sizes = dict(zip(trace["labels"], drawn["choices"][1]["update"]["values"][0], strict=True))
    assert (sizes["/data/a"], sizes["/data/sub/b"]) == (15 * 4096 + 9 * 512, 100)
    for choice in drawn["choices"]:
        assert len(choice["update"]["values"][0]) == len(trace["ids"])


def test_the_slowest_calls_are_twenty_with_path_process_and_moment(evidence: data.Evidence) -> None:
    rows = evidence.tables["slowest_calls"].to_pylist()
    assert len(rows) == 20
    assert rows[0]["file"] == "/data/sub/b" and rows[0]["process"] == "7 /bin/db" and rows[0]["time_ns"] > 0


def test_the_order_is_that_of_a_readers_needs(html: str) -> None:
    ids = re.findall(r'<section id="(\w+)"', html)
    wanted = ["first", "spent", "advice", "cache", "what", "time", "trust"]
    assert [name for name in ids if name in wanted] == wanted
    assert "unseen" not in ids, "nothing is mapped, so there is nothing to say"


@needs_chromium
def test_a_head_sorts_its_table_and_turns_it(html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const table = document.querySelector("#time_by_call table");
      const heads = [...table.tHead.rows[0].cells];
      const read = (place) => [...table.tBodies[0].rows].map((row) => row.cells[place].textContent.trim());
      heads[0].firstChild.click();
      const names = read(0), first = heads[0].getAttribute("aria-sort");
      heads[0].firstChild.click();
      const turned = read(0);
      heads[1].firstChild.click();
      const counts = read(1).map(Number);
      document.documentElement.dataset.noted = [
        first, String(names) === String([...names].sort()), String(turned) === String(names.reverse()),
        counts.every((one, i) => !i || counts[i - 1] >= one), heads[0].hasAttribute("aria-sort"),
        heads[0].firstChild.tagName,
      ].join(" ");
    }, 20);
    """
    assert in_browser(html, script, tmp_path / "sorted.html") == "ascending true true true false BUTTON"


@needs_chromium
def test_zooming_one_figure_over_time_zooms_the_others(html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(async () => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const plot = (id) => document.getElementById(`plot-${id}`);
      const range = (id) => plot(id)._fullLayout.xaxis.range.map((end) => end.toFixed(2)).join("-");
      await Plotly.relayout("plot-timeline", { "xaxis.range[0]": 1, "xaxis.range[1]": 2 });
      setTimeout(() => {
        document.documentElement.dataset.noted = [range("latency_over_time"), range("bytes_over_time")].join(" ");
      }, 1000);
    }, 20);
    """
    assert in_browser(html, script, tmp_path / "zoomed.html") == "1.00-2.00 1.00-2.00"


@needs_chromium
def test_buttons_save_the_numbers_and_the_picture(html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const saved = [];
      HTMLAnchorElement.prototype.click = function () { saved.push(`${this.download} ${this.href.slice(0, 14)}`); };
      const press = (what) => document.querySelector(`#timeline [data-save=${what}]`).click();
      press("csv");
      press("png");
      setTimeout(() => { document.documentElement.dataset.noted = saved.join(", "); }, 3000);
    }, 20);
    """
    noted = in_browser(html, script, tmp_path / "saved.html")
    assert re.fullmatch(r"db.strace-timeline.csv blob:\S+, db.strace-timeline.png data:image/png", noted), (
        noted
    )


@needs_chromium
def test_the_icicle_changes_its_measure(html: str, tmp_path: Path) -> None:
    script = """
    const waiting = setInterval(() => {
      if (!document.documentElement.dataset.drawn) return;
      clearInterval(waiting);
      const buttons = [...document.querySelectorAll("#storage_by_place .choices button")];
      const plot = document.getElementById("plot-storage_by_place");
      const sum = () => Math.round(plot.data[0].values.reduce((whole, one) => whole + one, 0));
      buttons[2].click();
      setTimeout(() => {
        const pressed = buttons.map((button) => button.getAttribute("aria-pressed"));
        document.documentElement.dataset.noted = `${sum()} ${pressed}`;
      }, 1000);
    }, 20);
    """
    assert re.fullmatch(r"3\d false,false,true", in_browser(html, script, tmp_path / "chosen.html"))
