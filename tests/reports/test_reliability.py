"""What the page says of how far a trace can be trusted."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from iotrace.reports.report import notes, reliability
from traces import log

from iotrace.cli.inputs import MODEL_SWITCHES
from iotrace.engine import native
from iotrace.ingest.pipeline import ingest

SWITCHES = tomllib.loads((files("iotrace.reports.report") / "model.toml").read_text("utf-8"))["switch"]


def rows(folder: Path, text: str, model: dict[str, str] | None = None) -> dict[str, tuple[str, str]]:
    raw = folder / "log.strace"
    raw.write_text(text)
    store = ingest([raw], folder / "log.iotrace", format="strace", model=model, replace=True)
    result = reliability.tables(store)["reliability"].to_pylist()
    return {row["what"]: (row["shown"], row["meaning"]) for row in result}


def test_calls_that_cannot_be_judged_are_told_beside_the_agreement(tmp_path: Path) -> None:
    result = rows(
        tmp_path,
        '7 openat(AT_FDCWD, "/a", O_RDONLY) = 3</a>\n7 read(3</a>, ""..., 9) = 9\n7 close(3</a>) = 0\n'
        '7 openat(AT_FDCWD, "/link", O_RDONLY) = 3</a>\n7 read(3</a>, ""..., 9) = 9\n',
    )
    assert result["Agreement with the kernel's own paths"][0] == "100 %"
    number, meaning = result["Calls whose agreement cannot be decided"]
    assert (number, meaning) == (
        "1",
        "They are left out of the share above. By cause: unrevealed symbolic link 1.",
    )


@pytest.mark.parametrize(
    ("model", "atime", "libraries"),
    [
        ({}, "relatime", "once"),
        ({"model": "1994"}, "strict", "none"),
        ({"atime": "strict"}, "strict", "once"),
        ({"model": "1994", "libraries": "once"}, "strict", "once"),
    ],
)
def test_the_switches_in_force_are_told_in_words(
    tmp_path: Path, model: dict[str, str], atime: str, libraries: str
) -> None:
    result = rows(tmp_path, log(["/a"]), model)
    assert (result["Model: atime"][0], result["Model: libraries"][0]) == (atime, libraries)
    assert ("--model atime=relatime" in result["Model: atime"][1]) == (atime == "strict")


def test_every_switch_and_value_of_the_model_has_its_words() -> None:
    for switch in SWITCHES:
        for value in switch["values"]:
            native.check_model([(switch["name"], value)])
        assert {switch["linux"], switch.get("1994", switch["linux"])} <= switch["values"].keys()
    helped = dict(re.findall(r"^ ([a-z-]+) +(\S+ \| .*)$", MODEL_SWITCHES, re.M))
    words = {switch["name"]: switch for switch in SWITCHES}
    for name in helped.keys() - {"model"}:
        assert helped[name].split(" | ")[0] == words[name]["linux"]
        assert set(helped[name].split(" | ")) == words[name]["values"].keys()


@pytest.mark.parametrize(
    ("model", "noted"), [({}, True), ({"atime": "none"}, True), ({"model": "1994"}, False)]
)
def test_findings_that_the_papers_model_does_not_judge_say_so(
    tmp_path: Path, model: dict[str, str], noted: bool
) -> None:
    raw = tmp_path / "log.strace"
    raw.write_text(log(["/a"]))
    store = ingest([raw], tmp_path / "log.iotrace", format="strace", model=model)
    assert ("--model 1994" in notes.notes(store, {}).get("findings", "")) == noted
