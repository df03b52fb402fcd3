"""The fuzzing driver: every format has a sample, defects are recognised as such, and a short campaign finds none."""

import json
import random
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from iotrace import formats  # noqa: E402
from iotrace.ingest import pipeline  # noqa: E402
from tests.fuzz import invariants  # noqa: E402
from tests.fuzz.child import Ended, Limits  # noqa: E402
from tests.fuzz.corpus import samples  # noqa: E402
from tests.fuzz.mutations import MUTATIONS, mutated  # noqa: E402
from tests.fuzz.outcomes import Outcome, judge  # noqa: E402

SMOKE_MUTANTS = 4
"""Of each format."""
SMOKE_SECONDS = 110
"""When the smoke campaign stops on a machine that is slow, or busy with something else."""
CORPUS = samples()


@pytest.mark.parametrize("form", [form.name for form in formats.FORMATS])
def test_each_registered_format_has_a_sample_that_is_read_as_it(form: str, tmp_path: Path) -> None:
    assert CORPUS[form]
    for number, sample in enumerate(CORPUS[form]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in sample.files.items():
            (folder / name).write_bytes(content)
        paths = [folder] if len(sample.files) > 1 else [folder / name for name in sample.files]
        named = sample.options[-1] if sample.options else None
        assert formats.source(paths, named).name.split(":")[0] == form


def ended(
    status: int = 0, stdout: bytes = b"", stderr: bytes = b"", late: bool = False, peak: int = 0
) -> Ended:
    return Ended(("info",), status, stdout, stderr, late, peak, 0.1)


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        (ended(), Outcome.OK),
        (ended(stderr=b"iotrace: warning: 1 line skipped\niotrace: kept as a.iotrace\n"), Outcome.WARNED),
        (ended(1, stderr=b"iotrace: warning: cut\niotrace: t: is not a trace\n"), Outcome.REFUSED),
        (ended(2, stderr=b"iotrace: give -o STORE\n"), Outcome.REFUSED),
        (
            ended(
                1,
                stderr=b"iotrace: a.iotrace: is written, but more records were skipped than --max-skipped 1\n",
            ),
            Outcome.WARNED,
        ),
        (ended(1), Outcome.DEFECT),
        (ended(1, stderr=b"iotrace: one\niotrace: two\n"), Outcome.DEFECT),
        (ended(1, stderr=b"Traceback (most recent call last):\nValueError\n"), Outcome.DEFECT),
        (ended(1, stderr=b"iotrace: internal error: KeyError: 'a'; please report it\n"), Outcome.DEFECT),
        (ended(1, stderr=b"iotrace: out of memory\n"), Outcome.DEFECT),
        (ended(0, stderr=b"polars: something odd\n"), Outcome.DEFECT),
        (ended(0, stdout=b"name \x1b]0;title\x07\n"), Outcome.DEFECT),
        (ended(0, stdout="name \N{SINGLE CHARACTER INTRODUCER}".encode()), Outcome.DEFECT),
        (ended(-signal.SIGSEGV), Outcome.DEFECT),
        (ended(127), Outcome.DEFECT),
        (ended(-signal.SIGXCPU, late=True), Outcome.DEFECT),
        (ended(peak=2 << 30), Outcome.DEFECT),
    ],
)
def test_the_end_of_a_command_is_judged(how: Ended, outcome: Outcome) -> None:
    assert judge(how, Limits()).outcome is outcome


def test_a_store_that_contradicts_itself_is_found_out(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "cli" / "copy.strace", tmp_path)
    store = pipeline.ingest([tmp_path / "copy.strace"], tmp_path / "a.iotrace").path
    assert list(invariants.violations(store)) == []

    manifest = json.loads((store / "manifest.json").read_text())
    for wrong in ({"lines": 21}, {"skipped_lines": 1}, {"references": -1}):
        changed = {**manifest, "counts": {**manifest["counts"], **wrong}}
        (store / "manifest.json").write_text(json.dumps(changed))
        assert list(invariants.violations(store)), wrong
    (store / "manifest.json").write_text(json.dumps({**manifest, "tables": {**manifest["tables"], "use": 1}}))
    assert any(found.startswith("use has") for found in invariants.violations(store))
    (store / "manifest.json").write_text(json.dumps(manifest))

    table = pq.read_table(store / "reference.parquet")
    for column, value in (("file", 99), ("length", -1), ("requested", -5)):
        place = table.schema.get_field_index(column)
        rows = table.to_pylist()
        rows[3][column] = value
        changed = table.from_pylist(rows, schema=table.schema)
        pq.write_table(changed, store / "reference.parquet")
        assert any(
            f"reference.{table.schema.field(place).name} is" in found
            for found in invariants.violations(store)
        )
    pq.write_table(table, store / "reference.parquet")
    (store / "left.tmp").write_text("")
    assert list(invariants.violations(store)) == ["the store holds left.tmp"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_mutation_takes_any_bytes_and_is_the_same_for_the_same_seed(mutation) -> None:  # type: ignore[no-untyped-def]
    for content in (b"", b"\n", b"a", b"1,2\n3,4\n", bytes(range(256))):
        made = [mutation(random.Random(seed), content) for seed in (1, 1, 2, 3, 4, 5)]
        assert made[0] == made[1] and all(isinstance(one, bytes) for one in made)
    assert mutated(random.Random(3), b"1 2\n", [b"x"]) == mutated(random.Random(3), b"1 2\n", [b"x"])


STARTED_BESIDE_THE_PACKAGE = """
import runpy, sys
sys.path.append(sys.argv.pop(1))  # last, so that the installed package is taken and not its source
runpy.run_module("tests.fuzz", run_name="__main__", alter_sys=True)
"""


def test_a_short_campaign_finds_no_defect(tmp_path: Path) -> None:
    words = ["--mutants", str(SMOKE_MUTANTS), "--seconds", str(SMOKE_SECONDS), "--seed", "1994"]
    words += ["--keep", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", STARTED_BESIDE_THE_PACKAGE, str(ROOT), *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "seed 1994" in done.stdout
    if "stopped before its end" in done.stdout:
        warnings.warn(done.stdout.splitlines()[-1], stacklevel=1)
