"""What is noted of files after a run."""

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace import schemas
from iotrace.formats.known_files import (
    interpreter,
    look_at,
    name_bytes,
    read_known_files,
    shown_name,
    write_known_files,
)


@given(st.lists(st.sampled_from([b"\\", b"x", b"f", b"0", b"\xff", "é".encode()])).map(b"".join))
def test_shown_names_stand_for_their_bytes(name: bytes) -> None:
    text = shown_name(name)
    assert text.isprintable()
    assert name_bytes(text) == name


def test_sizes_kinds_and_interpreters(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_bytes(b"#! /bin/sh -e\necho\n")
    strange = os.fsencode(tmp_path) + b"/caf\xe9"
    with open(strange, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(b"12345")
    gone = str(tmp_path / "gone")
    paths = [str(tmp_path), shown_name(strange), gone, "/dev/null", "relative", str(script)]
    began_ns = time.time_ns() + 10**9  # all that is there was there before
    table = look_at(paths, [str(script)], began_ns)
    assert table.schema.equals(schemas.schema("known_file"), check_metadata=True)
    rows = {row["path"]: row for row in table.to_pylist()}
    assert rows[str(script)] == {
        "path": str(script),
        "size_bytes": 19,
        "kind": "regular",
        "interpreter": "/bin/sh",
    }
    assert rows[shown_name(strange)]["size_bytes"] == 5
    assert rows[str(tmp_path)]["kind"] == "directory"
    assert (rows["/dev/null"]["kind"], rows["/dev/null"]["size_bytes"]) == ("character_device", None)
    assert rows["/bin/sh"]["size_bytes"] == Path("/bin/sh").stat().st_size
    assert gone not in rows and "relative" not in rows
    processes = [(8, 7)], [(7, 3, 4096, False), (7, 4, None, True)]
    write_known_files(table, tmp_path, tmp_path / "known.parquet", processes)
    known, start, found = read_known_files(tmp_path / "known.parquet")
    assert found == processes
    assert start == str(tmp_path)
    assert (str(script), 19, "/bin/sh") in known


def test_files_that_the_run_changed_have_no_size(tmp_path: Path) -> None:
    before, during = tmp_path / "before", tmp_path / "during"
    before.write_bytes(b"12345")
    time.sleep(0.05)
    began_ns = time.time_ns()
    during.write_bytes(b"12345")
    os.utime(during, ns=(0, 0))  # as tar does
    table = look_at([str(before), str(during), str(tmp_path)], (), began_ns)
    rows = {row["path"]: row["size_bytes"] for row in table.to_pylist()}
    assert rows == {str(before): 5, str(during): None, str(tmp_path): tmp_path.stat().st_size}


def test_the_loader_of_a_dynamic_program() -> None:
    program = shutil.which("ls")
    if program is None:
        pytest.skip("there is no ls")
    loader = interpreter(os.fsencode(program))
    assert loader is not None and "ld" in Path(loader).name and Path(loader).is_file()


@pytest.mark.parametrize(
    "content",
    [b"", b"#!", b"#! \n", b"#!sh\n", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 300, b"#!/\xff\n", b"text"],
)
def test_programs_without_an_interpreter(tmp_path: Path, content: bytes) -> None:
    program = tmp_path / "program"
    program.write_bytes(content)
    assert interpreter(os.fsencode(program)) is None


@given(st.binary(max_size=400))
def test_any_header_is_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    program = tmp_path_factory.mktemp("any") / "program"
    for head in (b"", b"#!", b"\x7fELF\x01\x02", b"\x7fELF\x02\x01"):
        program.write_bytes(head + content)
        interpreter(os.fsencode(program))
