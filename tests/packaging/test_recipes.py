"""The recipes for other package managers require what pyproject.toml does."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
CARGO = tomllib.loads((ROOT / "iotrace/engine/Cargo.toml").read_text())["workspace"]["package"]
REQUIRED = dict(re.match(r"([\w-]+)>=([\d.]+)", line).groups() for line in PROJECT["dependencies"])  # type: ignore[union-attr]


def test_one_version() -> None:
    assert CARGO["version"] == PROJECT["version"]


def test_conda_forge() -> None:
    text = (ROOT / "packaging/conda-forge/recipe.yaml").read_text()
    assert f'version: "{PROJECT["version"]}"' in text
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    required = dict(re.findall(r"- ([\w-]+) >=([\d.]+)", run))
    assert required.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    required["duckdb"] = required.pop("python-duckdb")  # conda-forge's name of the Python module
    assert required == REQUIRED


def test_conda_forge_names_the_c_library() -> None:
    recipe = (ROOT / "packaging/conda-forge/recipe.yaml").read_text()
    variants = (ROOT / "packaging/conda-forge/variants.yaml").read_text()
    wheels = PYPROJECT["tool"]["cibuildwheel"]
    glibc = wheels["manylinux-x86_64-image"].removeprefix("manylinux_").replace("_", ".")
    macos = wheels["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"]
    assert 'stdlib("c")' in recipe
    assert re.findall(r'then: "([\d.]+)"', variants) == [glibc, macos]


def test_spack_repository() -> None:
    # Spack reads a repository of its package API 2 only from a folder spack_repo/<namespace>
    (repository,) = (ROOT / "packaging/spack").rglob("repo.yaml")
    assert repository.parent.parent == ROOT / "packaging/spack/spack_repo"
    assert f"namespace: {repository.parent.name}\n" in repository.read_text()
    recipe = repository.parent / "packages/py_iotrace_toolkit/package.py"
    assert f"spack repo add {repository.parent.relative_to(ROOT)}\n" in recipe.read_text()


def test_spack() -> None:
    text = (ROOT / "packaging/spack/spack_repo/iotrace/packages/py_iotrace_toolkit/package.py").read_text()
    required = dict(re.findall(r'"py-([\w-]+)@([\d.]+):"\)', text.partition('type="run"')[2]))
    assert {name: version.removesuffix(".0") for name, version in REQUIRED.items()} == required
    assert f"rust@{CARGO['rust-version']}:" in text
