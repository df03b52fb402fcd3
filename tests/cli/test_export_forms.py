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
