"""What a paper prints, and what is made of it: the TOML and CSV files in its folder ``data``."""

from __future__ import annotations

import csv
import tomllib
from importlib.resources import files
from typing import Any


def described(paper: str, name: str) -> dict[str, Any]:
    """Return a paper's TOML file, parsed."""
    return tomllib.loads(_text(paper, f"{name}.toml"))


def published(paper: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a paper's CSV file, without its comments."""
    lines = _text(paper, f"{name}.csv").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def _text(paper: str, name: str) -> str:
    return files(f"iotrace.papers.{paper}").joinpath("data", name).read_text("utf-8")
