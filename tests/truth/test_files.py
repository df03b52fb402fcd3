"""People's files survive every command: folders and files that are not iotrace's, inputs, and a store's own files."""

import json
import shutil
import sqlite3
import stat
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from outputs_of_commands import INTO_FOLDERS, OUTPUTS, READING, WORDS, Written, commands
from program import LOG, Run, refused
from recorders import SUFFIXES, needs_strace, on_both_backends

from iotrace.cli import application


def test_every_command_that_writes_is_tried() -> None:
    assert {written.command for written in OUTPUTS} == set(WORDS)
    options = {
        (name, option)
        for name, command in commands(typer.main.get_command(application()))
        for parameter in command.params
        for option in parameter.opts
        if option in ("--output", "--plot")
    }
    assert options <= {(written.command, written.option) for written in OUTPUTS}


def _foreign(folder: Path) -> dict[str, Path]:
    """Make folders and files of other programs, by what they are."""

    def made(name: str, **contents: str | bytes) -> Path:
        for inside, content in contents.items():
            place = folder / name / inside.replace("__", "/").replace("_", ".")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / name

    places = {
        "web extension": made(
            "extension", manifest_json='{"manifest_version": 3}', src__main_js="1", _git__HEAD="ref: x"
        ),
        "web application": made("application", manifest_json='{"name": "x"}', index_html="<p>mine"),
        "manifest that is a list": made("listed", manifest_json="[1]"),
        "notes with a store's manifest": made(
            "notes.iotrace", manifest_json='{"store_version": 5, "tables": {}}', notes_txt="mine"
        ),
        "plain file": folder / "plain.csv",
        "other page": folder / "page.html",
        "link to a folder": folder / "link",
        "data set": made("dataset", _SUCCESS="", file_parquet="", part_csv="mine"),
        "database": folder / "data.sqlite",
        "dotfiles": made(".config", _keep=""),
    }
    pq.write_table(pa.table({"a": [1]}), places["data set"] / "file.parquet")
    (places["data set"] / "file.csv").write_text("mine")
    (places["data set"] / "totals.parquet").write_text("mine")
    places["plain file"].write_text("mine")
    places["other page"].write_text(
        '<!doctype html>\n<meta charset="utf-8">\n<!-- not <meta name="generator" content="iotrace report 0.1.0"> -->'
    )
    places["link to a folder"].symlink_to(made("linked", manifest_json="{}", index_html="mine", file_csv="x"))
    with sqlite3.connect(places["database"]) as connection:
        connection.execute("create table a (b)")
    for name in ("extension", "plain.csv", "page.html"):  # names like those of what killed runs leave
        (folder / f".{name}.partial-of-mine").write_text("mine")
        (folder / f".{name}.replaced-of-mine").write_text("mine")
    (folder / "notes.partial").touch()
    (folder / "notes.strace.zst").write_text("mine")
    return places


def _contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what is in a folder: the mode of each member, and a sum of its bytes."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            zlib.crc32(path.read_bytes()) if path.is_file() else 0,
        )
        for path in folder.rglob("*")
    }


def _changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    return {name for name, content in before.items() if after.get(name) != content}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("written", OUTPUTS, ids=lambda written: f"{written.command} {written.option}")
def test_what_is_not_ours_survives(
    run: Run, tmp_path: Path, places: dict[str, Path], written: Written, force: bool
) -> None:
    folder = tmp_path / "theirs"
    theirs = _foreign(folder)
    before = _contents(folder)
    for place in theirs.values():
        if force and place.is_file() and written.command not in INTO_FOLDERS:
            continue  # a file that the user names, and says to replace
        words = written.words(place, places)
        run(words[0], *(["--force"] if force and _takes_force(written) else []), *words[1:], folder=tmp_path)
    assert not _changed(before, _contents(folder))


def _takes_force(written: Written) -> bool:
    found = dict(commands(typer.main.get_command(application())))[written.command]
    return len(written.command.split()) == 1 and any(
        "--force" in parameter.opts for parameter in found.params
    )


@pytest.mark.parametrize("written", READING, ids=lambda written: f"{written.command} {written.option}")
def test_an_input_and_a_stores_own_file_are_refused(
    run: Run, tmp_path: Path, places: dict[str, Path], written: Written
) -> None:
    given = next(word for word in WORDS[written.command].split() if word in places)
    read = places[given].rename(places[given].with_name(f"read{written.ending}"))
    places = {**places, given: read}
    inside = tmp_path / "given" / "b.iotrace" / f"more{written.ending}"
    if given == "STORE":
        outputs = [read / f"more{written.ending}", read / "manifest.json"]
    else:
        (tmp_path / f"linked{written.ending}").hardlink_to(read)
        (tmp_path / f"symbolic{written.ending}").symlink_to(read)
        outputs = [
            read,
            tmp_path / f"linked{written.ending}",
            tmp_path / f"symbolic{written.ending}",
            inside,
            inside.with_name("manifest.json"),
        ]
    before = _contents(tmp_path)
    for output in outputs:
        words = written.words(output, places)
        forced = ["--force"] if _takes_force(written) else []
        done = run(*words, *forced, folder=tmp_path)
        message = refused(done, code=2)
        if output.suffix == written.ending:
            assert "an input of this command" in message or "lies in the store" in message
    assert _contents(tmp_path) == before


def test_a_store_with_another_file_is_not_replaced(run: Run, tmp_path: Path, places: dict[str, Path]) -> None:
    store = places["STORE"]
    (store / "notes.txt").write_text("mine")
    before = _contents(tmp_path)
    message = refused(run("ingest", LOG, "-o", store, "--force"), code=2)
    assert message == f"{store}: holds notes.txt, which is not a file of a store; choose another -o"
    assert _contents(tmp_path) == before
    (store / "notes.txt").unlink()
    assert run("ingest", LOG, "-o", store, "--force").returncode == 0


@needs_strace
def test_what_a_recorded_command_puts_into_the_old_store_stays(
    run: Run, tmp_path: Path, places: dict[str, Path]
) -> None:
    store = places["STORE"]
    done = run("record", "-o", store, "--force", "--", "sh", "-c", f"echo mine >{store}/notes.txt")
    assert b"holds notes.txt, which is not a file of a store" in done.stderr and done.returncode != 0
    assert (store / "notes.txt").read_text() == "mine\n"


@on_both_backends
def test_a_log_of_another_is_not_replaced_by_that_of_a_recording(
    run: Run, tmp_path: Path, backend: str
) -> None:
    log = tmp_path / f"a{SUFFIXES[backend]}"
    words = ("--backend", backend, "-o", tmp_path / "a.iotrace", "--force", "--", "true")
    log.write_text("mine")
    refused(run("record", *words), code=2)
    assert log.read_text() == "mine"
    log.unlink()
    for _ in range(2):
        assert run("record", *words).returncode == 0


def test_what_a_command_reads_is_in_no_store_that_it_replaces(
    run: Run, tmp_path: Path, places: dict[str, Path]
) -> None:
    store = places["STORE"]
    known = Path(shutil.copyfile(store / "file.parquet", store / "known_file.parquet"))
    before = _contents(tmp_path)
    done = run("ingest", LOG, "--known-files", known, "-o", store, "--force")
    assert "an input of this command" in refused(done, code=2)
    assert _contents(tmp_path) == before


def test_a_device_is_written_to(run: Run, tmp_path: Path, places: dict[str, Path]) -> None:
    assert run("info", places["STORE"], "-o", "/dev/null", "-f", "csv").returncode == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_manifest_of_other_programs_is_no_store(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copyfile(LOG, folder / "log.1")
    (folder / "manifest.json").write_text(json.dumps({"name": "x"}))
    done = run("info", folder, "-f", "json")
    assert done.returncode == 0 and json.loads(done.stdout)["lines"] > 0


@pytest.mark.parametrize("written", OUTPUTS, ids=lambda written: f"{written.command} {written.option}")
def test_an_output_on_object_storage_is_never_a_folder_here(
    run: Run, tmp_path: Path, places: dict[str, Path], written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "ENDPOINT_URL": "http://127.0.0.1:9",
        "ACCESS_KEY_ID": "x",
        "SECRET_ACCESS_KEY": "x",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    address = f"s3://bucket/more{'' if written.command in INTO_FOLDERS else written.ending}"
    # a Path has one slash of two
    words = [str(word).replace("s3:/", "s3://") for word in written.words(Path(address), places)]
    done = run(*words, folder=tmp_path)
    said = refused(done, code=done.returncode)
    assert done.returncode in (1, 2) and said.startswith(address)
    assert "object storage cannot be reached" in said or said.endswith("and this is an address")
    assert not (tmp_path / "s3:").exists()
