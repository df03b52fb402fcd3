"""What can be exported is what the registry of forms, and tables, say."""

from pathlib import Path

from program import Run

from iotrace.cli.options.export import Target
from iotrace.export import FORMS, profiles, tables


def test_the_command_offers_every_form() -> None:
    assert [target.value for target in Target] == [
        *(form.name for form in FORMS),
        *profiles.NAMES,
        *tables.FORMS,
    ]


def test_a_text_has_no_tables(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("7 1700000002.000000 close(3) = 0 <0.000010>\n")
    done = run("export", tmp_path / "log", "--to", "ultrix", "--table", "file", "-o", tmp_path / "text")
    assert done.returncode == 2
    assert b"--table needs --to csv or json or parquet" in done.stderr and not (tmp_path / "text").exists()
    done = run("export", tmp_path / "log", "--to", "csv", "--table", "nope", "-o", tmp_path / "folder")
    assert done.returncode == 1
    assert f"{tmp_path / 'log'}: has no table nope".encode() in done.stderr


def test_a_profile_goes_to_a_file_and_to_standard_output(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_text('7 1700000002.000000 stat("/a/b", {st_size=1}) = 0 <0.000010>\n')
    done = run("export", tmp_path / "log", "--to", "folded", "-o", tmp_path / "folded")
    assert done.returncode == 0
    assert (tmp_path / "folded").read_bytes() == b"(before the trace);/a;b;stat 10000\n"
    done = run("export", tmp_path / "log", "--to", "folded", "--by", "calls", "-o", "-")
    assert done.stdout == b"(before the trace);/a;b;stat 1\n"
    done = run("export", tmp_path / "log", "--to", "folded", "-o", tmp_path / "folded")
    assert done.returncode == 2 and b"exists; give --force" in done.stderr
    done = run("export", tmp_path / "log", "--to", "perfetto", "-o", tmp_path / "trace", "--redact", "b")
    assert done.returncode == 0 and b"redacted-1" in (tmp_path / "trace").read_bytes()


def test_weights_and_stacks_are_for_profiles(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("7 1700000002.000000 close(3) = 0 <0.000010>\n")
    for form in ("strace", "perfetto", "csv"):
        for option in (("--by", "bytes"), ("--stacks",)):
            done = run("export", tmp_path / "log", "--to", form, *option, "-o", tmp_path / "out")
            assert done.returncode == 2
            assert f"{option[0]} needs --to speedscope or folded".encode() in done.stderr
    done = run("export", tmp_path / "log", "--to", "folded", "--stacks", "-o", tmp_path / "out")
    assert done.returncode == 1 and b"the trace has no stacks" in done.stderr
    assert not (tmp_path / "out").exists()
