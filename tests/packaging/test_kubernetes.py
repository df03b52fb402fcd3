"""The example for Kubernetes: its objects fit the schemas of Kubernetes, and iotrace takes its command."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
EXAMPLE = Path(__file__).parents[2] / "packaging" / "kubernetes" / "curve.yaml"
VERSION = "1.32"


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(EXAMPLE.read_text("utf-8")))


def test_every_object_fits_its_schema(objects: list[dict[str, Any]]) -> None:
    validate = pytest.importorskip("kubernetes_validate")
    assert [each["kind"] for each in objects] == ["Service", "Deployment", "Deployment", "Job"]
    for each in objects:
        validate.validate(each, VERSION, strict=True)


def test_names_that_belong_together_are_the_same(objects: list[dict[str, Any]]) -> None:
    service, scheduler, worker, job = objects
    name, port = service["metadata"]["name"], service["spec"]["ports"][0]["port"]
    assert service["spec"]["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
    of_worker, of_job = (each["spec"]["template"]["spec"]["containers"][0]["args"] for each in (worker, job))
    assert f"tcp://{name}:{port}" in of_worker
    assert f"--workers=tcp://{name}:{port}" in of_job
    assert f"--wait-for-workers={worker['spec']['replicas']}" in of_job


def test_the_command_takes_its_options(objects: list[dict[str, Any]]) -> None:
    """It ends only where the folder of the claim is not there."""
    program, *words = objects[-1]["spec"]["template"]["spec"]["containers"][0]["args"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", program, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "/traces" in done.stderr
