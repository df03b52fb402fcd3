"""``iotrace paper vilayannur`` as a user runs it: the cells, the page and its files, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest
from program import Run, refused

COLUMNS = ["table", "row", "column", "printed", "model", "error"]


def test_cells_are_json(run: Run) -> None:
    done = run("paper", "vilayannur", "--format", "json")
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)
    assert len(cells) == 224 and all(list(cell) == COLUMNS for cell in cells)
    required = [cell for cell in cells if cell["row"].endswith("Required HR")]
    assert len(required) == 28 and all(cell["printed"] == cell["model"] for cell in required)


def test_components_of_ones_own_change_the_cells(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    names = ["local_look_up", "read_hit", "message"]
    each = ["copy", "copy_beyond_cache", "scatter", "network", "stream_daemon", "stream_disk", "list"]
    lines = [*(f"{name}_ms = 1" for name in names), *(f"{name}_ms_per_kb = 0" for name in each)]
    mine.write_text("[components]\n" + "\n".join(lines))
    done = run("paper", "vilayannur", "--costs", mine, "-f", "csv")
    assert done.returncode == 0, done.stderr
    assert b'1,"1 IOD, Local Hit",4K,0.67,2' in done.stdout


@pytest.fixture(scope="module")
def imitation(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short generated trace, as UMD's text."""
    place = tmp_path_factory.mktemp("umd") / "mine.asc"
    done = run("generate", "imitation", "pgrep", "--seed", "3", "-o", place)
    assert done.returncode == 0, done.stderr
    return place


def test_a_page_and_a_file_for_each_table(run: Run, imitation: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    done = run("paper", "vilayannur", imitation, "-o", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().strip() == str(folder / "index.html")
    names = {path.stem for path in folder.glob("*.csv")}
    figures = {f"figure_{name}" for name in ("9a", "9b", "9a-lu", "9b-lu", *map(str, range(2, 14)))} - {
        "figure_9"
    }
    assert names == {"table_1", "table_2", "findings", *figures}
    html = (folder / "index.html").read_text()
    assert "Generated in imitation of an application, not traced: mine.asc." in html
    with (folder / "figure_12.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["panel"], row["metric"], row["imitation"]) for row in rows] == [
        ("mine.asc", "normalised", "True")
    ] * 2
    assert rows[0]["value"] == "1.0" and {row["global_cache"] for row in rows} == {"total"}
    with (folder / "findings.csv").open() as file:
        judged = {row["finding"]: row for row in csv.DictReader(file)}
    assert {judged[name]["verdict"] for name in ("V18a", "V20a", "V20b", "V20c", "V21a", "V21b")} == {
        "can't be judged"
    }
    assert judged["V20a"]["reason"].startswith("mine.asc: generated in imitation")
    assert all(
        row["verdict"] in ("holds", "fails")
        for name, row in judged.items()
        if name < "V20" and name != "V18a"
    )
    # what the run-time scheme is said to do
    assert judged["V22a"]["verdict"] == judged["V22b"]["verdict"] == "holds"


def test_what_is_refused(run: Run, tmp_path: Path) -> None:
    def result(*words: object, code: int = 2) -> str:
        return refused(run("paper", *words), code)

    assert "programs are not taken here" in result("vilayannur", "db2.parquet", "-f", "csv")
    assert "'vax' is not one of vilayannur, nor a file" in result("vilayannur", "--costs", "vax", "-f", "csv")
    bad = tmp_path / "bad.toml"
    bad.write_text("[components]\ncall_ms = -3")
    assert result("vilayannur", "--costs", bad, "-f", "csv", code=1).startswith(f"{bad}: components.")
    assert result("vilayannur", "--disk", "ra82") == "--disk is for iotrace paper biswas"
    assert result("vilayannur", "--regions", "bounds") == "--regions is for iotrace paper richardson"
    assert result("biswas", "x", "--costs", "vilayannur") == "--costs is for iotrace paper vilayannur"
    assert result("biswas", "x", "--readings") == "--readings is for iotrace paper kotz and vilayannur"
    assert result("biswas") == "iotrace paper biswas needs a trace, or several"
    (tmp_path / "disk.csv").write_text(
        "128166372003061629,hm,0,Read,8192,4096,153\n128166372016382155,hm,0,Write,4096,4096,217\n"
    )
    assert run("ingest", tmp_path / "disk.csv", "-o", tmp_path / "disk.iotrace").returncode == 0
    block_trace = result("vilayannur", tmp_path / "disk.iotrace", "-f", "json", code=1)
    assert block_trace == "disk: is made of requests to disks; the paper is about the files of programs"
    assert "no such file or folder" in result("vilayannur", tmp_path / "none.umd", "-f", "json", code=1)
