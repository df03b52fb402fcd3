"""Help answers at once and shows examples."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import Run
from typer.testing import CliRunner

from iotrace.cli import PANELS, application

VERBS = [verb for verbs in PANELS.values() for verb in verbs]
HEAVY = {"pyarrow", "duckdb", "polars", "plotly", "numpy", "jinja2"}
"""Not the engine, which loads in 2 ms: it lists the words of options."""


def test_every_verb_is_listed(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(verb in done.stdout.decode() for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_examples(run: Run, verb: str) -> None:
    done = run(verb, "--help")
    assert done.returncode == 0
    result = done.stdout.decode()
    assert "Examples" in result
    assert f"iotrace {verb}" in result.partition("Examples")[2]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from iotrace.cli import application\n"
        "sys.argv = ['iotrace', '--help']\n"
        "try: application()()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert "ingest" in done.stdout
    assert HEAVY.isdisjoint(done.stderr.split())


def test_help_loads_no_command_and_is_the_same() -> None:
    code = (
        "import sys\n"
        "from iotrace.cli import main\n"
        "sys.argv = ['iotrace', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in done.stderr.split() if name.startswith("iotrace.cli.commands.")]
    whole = CliRunner().invoke(application(), ["--help"], prog_name="iotrace", terminal_width=80)
    listed = CliRunner().invoke(application(()), ["--help"], prog_name="iotrace", terminal_width=80)
    assert whole.output == listed.output != ""


def test_without_words_help_is_shown(run: Run) -> None:
    done = run()
    assert done.returncode in (0, 2)
    assert "Usage" in (done.stdout + done.stderr).decode()


def test_the_version(run: Run) -> None:
    from iotrace import __version__

    assert run("--version").stdout.decode() == f"iotrace {__version__}\n"


@pytest.mark.parametrize(
    "words", [["nonsense"], ["info"], ["info", "--nonsense", "x"], ["sql", "x", "y", "-f", "xml"]]
)
def test_wrong_words_are_a_usage_error(run: Run, words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(b"iotrace: ") and done.stderr.count(b"\n") == 1
    assert b"; see iotrace " in done.stderr and b" --help" in done.stderr


COMMANDS = [
    *([verb] for verb in VERBS),
    *(["generate", kind] for kind in ("vms", "parallel", "micro", "nests", "imitation")),
    *(["disk", part] for part in ("list", "show", "validate")),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_is_a_page(words: list[str], run: Run) -> None:
    """At most 60 lines of 100 columns; `--help-all` has every option, and what the page has."""
    lines = run(*words, "--help").stdout.decode().splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    if words not in (["generate"], ["disk"]):
        everything = run(*words, "--help-all").stdout.decode()
        named = [re.split("  +", line)[1] for line in lines if line.startswith("  -")]
        assert named and all(f"  {names}" in everything for names in named)
        is_longer = "Rare options" in everything or "Other options" in everything
        assert is_longer == any("more options: " in line for line in lines)
        assert max(map(len, everything.splitlines())) <= 100


def test_examples_fit_a_terminal_of_80_columns(run: Run, tmp_path: Path) -> None:
    verbs = [verb for verb in VERBS if verb not in ("generate", "disk")]
    commands = "; ".join(f'"$IOTRACE" {verb} --help' for verb in verbs)
    lines = run.shell(f"export COLUMNS=80; {commands}", tmp_path).stdout.decode().splitlines()
    assert len(lines) > 20 * len(verbs) and max(map(len, lines)) <= 80


def test_all_options_of_a_curve_are_a_page_by_what_they_are_about(run: Run) -> None:
    lines = run("curve", "--help-all").stdout.decode().splitlines()
    assert len(lines) <= 80
    assert [line[:-1] for line in lines if line.endswith(":") and line[0] != " "] == [
        "Arguments",
        "Part of the trace",
        "Unit and sizes of the caches",
        "Population",
        "Question",
        "Settings",
        "Other options",
    ]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_whatever_takes_a_format_takes_columns(words: list[str], run: Run) -> None:
    everything = run(*words, "--help-all").stdout
    assert (b"--trace-format" in everything) == (b"--columns" in everything)


def test_each_policy_has_a_line(run: Run) -> None:
    from iotrace.cli.options.policies import VARIANTS

    lines = run("curve", "--policy", "help").stdout.decode().splitlines()
    for name in VARIANTS:
        assert any(line.startswith(f"{name}: ") for line in lines), name


def test_memory_limits_every_command_and_samples_have_limits_of_their_own(run: Run) -> None:
    page = " ".join(run("curve", "--help-all").stdout.decode().split())
    assert "--memory SIZE Memory limit (2G)" in page
    assert "--sample-memory SIZE With --sample auto" in page and "--sample-time TIME With" in page
