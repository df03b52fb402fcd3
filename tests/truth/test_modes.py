"""What is made of a private trace is as private, from its first byte; what is made of several, as the most private."""

import os
import shlex
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from outputs_of_commands import INPUTS, READING, WORDS, Written
from program import LOG, Run
from recorders import SUFFIXES, on_both_backends

from iotrace.files.modes import mask_of, mode_of, of_folder
from iotrace.simulate.disk import drives
from iotrace.store import writer

LIBRARY = Path(drives.__file__).with_name("drives")
USUAL = 0o022


@pytest.fixture(autouse=True)
def _usual_mask() -> Iterator[None]:
    before = os.umask(USUAL)
    yield
    os.umask(before)


def set_modes(path: Path, mode: int) -> None:
    for member in [*(path.iterdir() if path.is_dir() else ()), path]:
        member.chmod(of_folder(mode) if member.is_dir() else mode)


def modes(folder: Path) -> dict[str, str]:
    """Return the modes of what is in a folder, in octal digits."""
    return {
        str(path.relative_to(folder)): f"{stat.S_IMODE(path.stat().st_mode):o}" for path in folder.rglob("*")
    }


def expected(made: dict[str, str], folder: Path, mode: int) -> dict[str, str]:
    return {name: f"{of_folder(mode) if (folder / name).is_dir() else mode:o}" for name in made}


@pytest.mark.parametrize("mode", [0o600, 0o640])
@pytest.mark.parametrize("written", READING, ids=lambda written: f"{written.command} {written.option}")
def test_an_output_has_the_mode_of_what_it_is_made_of(
    run: Run, tmp_path: Path, places: dict[str, Path], written: Written, mode: int
) -> None:
    given = [places[word] for word in shlex.split(WORDS[written.command]) if word in INPUTS]
    set_modes(given[0], mode)  # of several the others can be read by all
    (tmp_path / "out").mkdir()
    done = run(*written.words(tmp_path / "out" / f"made{written.ending}", places), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    made = modes(tmp_path / "out")
    assert made and made == expected(made, tmp_path / "out", mode)


@pytest.mark.parametrize(
    "words",
    [
        "export STORE --to parquet -o OUT/tables",
        "export STORE --to ultrix -o OUT/text",
        "curve STORE --state --deletes ignore --syncs ignore -o OUT/a.state",
        "characterize STORE --all -f parquet -o OUT/statistics",
        "report STORE",
        "ingest INPUT -o OUT/a.iotrace",
        "disk show DISK -o OUT/a.csv",
    ],
)
def test_so_have_folders_states_and_what_has_no_name(
    run: Run, tmp_path: Path, places: dict[str, Path], words: str
) -> None:
    (tmp_path / "out").mkdir()
    described = Path(shutil.copyfile(LIBRARY / "ra82.toml", places["STORE"].with_name("drive.toml")))
    for place in (places["STORE"], places["INPUT"], described):
        set_modes(place, 0o600)
    given = {**{word: str(place) for word, place in places.items()}, "DISK": str(described)}
    asked = [given.get(word, word).replace("OUT", str(tmp_path / "out")) for word in words.split()]
    done = run(*asked, folder=tmp_path / "out")
    assert done.returncode == 0, done.stderr
    made = modes(tmp_path / "out")
    assert made and made == expected(made, tmp_path / "out", 0o600)


def test_what_is_replaced_has_the_mode_of_the_trace(
    run: Run, tmp_path: Path, places: dict[str, Path]
) -> None:
    output = tmp_path / "made.csv"
    for old, mode in ((0o644, 0o600), (0o600, 0o644)):
        output.write_text("old")
        output.chmod(old)
        set_modes(places["INPUT"], mode)
        assert run("info", places["INPUT"], "-o", output, "--force").returncode == 0
        assert f"{stat.S_IMODE(output.stat().st_mode):o}" == f"{mode:o}"


def test_of_standard_input_the_mask_decides(run: Run, tmp_path: Path) -> None:
    for name, mask in (("usual", 0o022), ("private", 0o077)):
        os.umask(mask)
        line = f'umask {mask:o}; "$IOTRACE" ingest - -o {name}.iotrace <{LOG}'
        assert run.shell(line, tmp_path).returncode == 0
        folder = tmp_path / f"{name}.iotrace"
        made = modes(folder)
        assert made == expected(made, folder, 0o666 & ~mask)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~mask


@on_both_backends
def test_a_recording_and_its_store_are_private_and_its_command_has_the_usual_mask(
    run: Run, tmp_path: Path, backend: str
) -> None:
    (tmp_path / "out").mkdir()
    words = ("--backend", backend, "-o", "a.iotrace", "--", "sh", "-c", "touch ../usual")
    done = run("record", *words, folder=tmp_path / "out")
    assert done.returncode == 0, done.stderr
    made = modes(tmp_path / "out")
    assert made[f"a{SUFFIXES[backend]}"] == "600" and made["a.iotrace"] == "700"
    assert made == expected(made, tmp_path / "out", 0o600)
    assert modes(tmp_path)["usual"] == "644"


def test_a_store_is_private_until_it_is_whole(tmp_path: Path) -> None:
    with writer.writing(tmp_path / "a.iotrace") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "manifest.json").touch()
    assert modes(tmp_path) == {"a.iotrace": "755", "a.iotrace/manifest.json": "644"}


@pytest.mark.parametrize(
    ("given", "mode", "mask"),
    [
        ([0o644, 0o640], 0o640, 0o027),
        ([0o604, 0o640], 0o600, 0o077),
        ([0o444], 0o644, 0o022),
        ([0o666], 0o666, 0o000),
        ([0o622], 0o600, 0o077),
        ([0o000], 0o600, 0o077),
        ([], 0o666, 0o000),
    ],
)
def test_the_narrowest_mode_counts(tmp_path: Path, given: list[int], mode: int, mask: int) -> None:
    for number, one in enumerate(given):
        (tmp_path / str(number)).touch()
        (tmp_path / str(number)).chmod(one)
    found = mode_of(tmp_path / str(number) for number in range(len(given)))
    assert (found, mask_of(found)) == (mode, mask)
    tmp_path.chmod(0o755)
    assert mode_of([tmp_path]) == mode
    tmp_path.chmod(0o700)
    assert mode_of([tmp_path]) == 0o600
