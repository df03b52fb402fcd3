"""What would grow unnoticed: the README, and modules that belong to no package."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= 7_400


def test_modules_have_packages() -> None:
    loose = sorted(path.name for path in (ROOT / "iotrace").glob("*.py"))
    assert loose and len(loose) <= 7, loose
