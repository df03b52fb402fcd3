"""Recorder's own files give what recorder2text writes of the same run.

`recorder/` has runs of one small program of three ranks under Recorder 2.3.3 and 2.5.0, the last also with the
processes compressed together, each with the text that its recorder2text wrote.
"""

import shutil
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from calls_read import read_calls
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import formats
from iotrace.errors import IotraceError
from iotrace.formats import recorder

SAMPLES = sorted((Path(__file__).parent / "recorder").glob("*.tar.gz"))


def unpacked(sample: Path, folder: Path) -> Path:
    """Unpack a sample; return the folder of the run, without its text, which is moved beside it."""
    with tarfile.open(sample) as archive:
        archive.extractall(folder, filter="data")
    run = folder / sample.name.removesuffix(".tar.gz")
    shutil.move(run / "_text", folder / "text")
    return run


def with_first_times(run: Path) -> None:
    """Give each rank the times of rank 0.

    recorder2text 2.5.0 does so where processes were compressed together: it takes the times of the rank that the
    shared file of calls has.
    """
    if "merged" in run.name:
        for rank in (1, 2):
            shutil.copy(run / "0.ts", run / f"{rank}.ts")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_run_is_read_as_its_text(sample: Path, tmp_path: Path) -> None:
    run = unpacked(sample, tmp_path)
    assert formats.source([run]).name == formats.source([run / "recorder.mt"]).name == "recorder"
    rows, report = read_calls(run)
    assert len(rows) > 200 and report["damage"] == [] and report["skipped"] == {}
    with_first_times(run)
    rows, _ = read_calls(run)
    told, report_of_text = read_calls(tmp_path / "text")
    assert rows == told and report["remarks"] == report_of_text["remarks"]


def lines_of(run: Path) -> dict[int, bytes]:
    """Return the lines of each rank."""
    lines: dict[int, bytes] = {}
    for rank, block in recorder.RecorderFiles(run).blocks():
        lines[rank] = lines.get(rank, b"") + block
    return lines


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_run_gives_the_lines_of_its_text(sample: Path, tmp_path: Path) -> None:
    run = unpacked(sample, tmp_path)
    texts = {rank: (tmp_path / "text" / f"{rank}.txt").read_bytes() for rank in range(3)}
    right = lines_of(run)
    with_first_times(run)
    assert lines_of(run) == texts
    assert (right == texts) == ("merged" not in run.name)
    for rank, text in texts.items():
        calls, told = ([line.split(b" ", 2)[2:] for line in of.splitlines()] for of in (right[rank], text))
        assert calls == told


def test_what_is_missing_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    run = unpacked(SAMPLES[0], tmp_path)
    whole, _ = read_calls(run)
    (run / "1.cfg").unlink()
    rows, report = read_calls(run, "recorder")
    assert 0 < len(rows) < len(whole)
    assert "1.cfg: is missing: the calls of rank 1 are left out" in report["damage"][0]
    (run / "recorder.mt").write_bytes((run / "recorder.mt").read_bytes()[:20])
    with pytest.raises(IotraceError, match="is damaged"):
        read_calls(run, "recorder")


@pytest.mark.parametrize(
    ("text", "why"), [("3.0.1", "is of Recorder 3.0"), ("x", "is of Recorder no version")]
)
def test_another_version_is_refused_by_its_name(tmp_path: Path, text: str, why: str) -> None:
    run = unpacked(SAMPLES[0], tmp_path)
    (run / "VERSION").write_text(text)
    with pytest.raises(IotraceError, match=f"{why}.*recorder2text"):
        read_calls(run)


Rules = Mapping[int, list[tuple[int, int]]]


def grown(rules: Rules, rule: int) -> Iterator[int]:
    """Yield what a rule expands to, as its definition says."""
    for symbol, repeats in rules[rule]:
        for _ in range(repeats):
            yield from [symbol] if symbol >= 0 else grown(rules, symbol)


@st.composite
def grammars(draw: st.DrawFn) -> Rules:
    """Draw rules of which each names only later ones."""
    rules = {}
    count = draw(st.integers(1, 4))
    for number in range(-1, -1 - count, -1):
        calls, later = st.integers(0, 4), st.integers(-count, number - 1)
        symbols = st.one_of(calls, later) if number > -count else calls
        rules[number] = draw(st.lists(st.tuples(symbols, st.integers(1, 3)), min_size=1, max_size=4))
    return rules


@examples(200)
@given(grammars())
def test_a_grammar_expands_as_it_is_defined(rules: Rules) -> None:
    assert list(recorder._expanded(rules, 5)) == list(grown(rules, -1))


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_are_read_in_part_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    run = unpacked(data.draw(st.sampled_from(SAMPLES)), folder)
    name = data.draw(st.sampled_from(sorted(path.name for path in run.iterdir())))
    content = bytearray((run / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (run / name).write_bytes(content[: data.draw(st.sampled_from([len(content), len(content) // 2]))])
    try:
        read_calls(run, "recorder")
    except IotraceError as error:
        assert "\n" not in str(error)
