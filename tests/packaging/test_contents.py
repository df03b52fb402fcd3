"""Every package and every data file is installed: pyproject.toml lists them, and setuptools finds none by itself."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
ROOTS = {name: ROOT / folder for name, folder in SETUPTOOLS["package-dir"].items()}
DATA = (".toml", ".csv", ".sql", ".html", ".css", ".js")


def files(folder: Path) -> Iterator[Path]:
    """Return the files of a package's folder, without those of the Rust crates."""
    for path in folder.iterdir():
        if path.is_file():
            yield path
        elif path != ROOT / "iotrace/engine":
            yield from files(path)


def folder_of(package: str) -> Path:
    root = max((name for name in ROOTS if f"{package}.".startswith(f"{name}.")), key=len)
    return ROOTS[root].joinpath(*package.removeprefix(root).split(".")[1:])


def test_every_folder_of_modules_is_a_listed_package() -> None:
    listed = {folder_of(name) for name in SETUPTOOLS["packages"]} - {ROOT / "iotrace/engine"}
    found = {path.parent for root in ROOTS.values() for path in files(root) if path.suffix == ".py"}
    assert found - listed == set(), "add these to packages in pyproject.toml"
    assert all((folder / "__init__.py").is_file() for folder in listed & found)


def test_every_data_file_is_listed() -> None:
    listed = {
        path
        for name, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in folder_of(name).glob(pattern)
    }
    found = {path for root in ROOTS.values() for path in files(root) if path.suffix in DATA}
    assert found - listed == set(), "add these to package-data in pyproject.toml"
