"""Numbers that a paper prints, and what is made of them: the TOML and CSV files in its folder ``data``."""

import csv
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Record = TypeVar("Record", bound=_Dataclass)


@cache
def described(paper: str, name: str) -> dict[str, Any]:
    """Return a paper's TOML file, parsed; it is shared, and not to be changed."""
    return tomllib.loads(_text(paper, f"{name}.toml"))


def entries(paper: str, name: str, kind: str, key: str = "id", text: str = "claim") -> list[dict[str, Any]]:
    """Return the entries of a table in a paper's TOML file, in order, each with its name there as `key`.

    An entry is a table, or a list of tables that count as one, perhaps with a sentence, its `text`.
    """
    return [{key: id} | _entry(raw, text) for id, raw in described(paper, name)[kind].items()]


def published(paper: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a paper's CSV file, without its comments."""
    lines = _text(paper, f"{name}.csv").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def records(raw: Iterable[Mapping[str, Any]], kind: type[Record]) -> tuple[Record, ...]:
    """Return tables of TOML as records of a dataclass, each value checked against its field's type.

    Raises ValueError for a key that is not a field, or a value that is none of its type.
    """
    rows = list(raw)
    if unknown := {key for row in rows for key in row} - {field.name for field in fields(kind)}:
        raise ValueError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return tuple(msgspec.convert(row, kind) for row in rows)


def _entry(raw: Mapping[str, Any] | list[Any], text: str) -> dict[str, Any]:
    if isinstance(raw, Mapping):
        return dict(raw)
    parts = [{text: part} if isinstance(part, str) else part for part in raw]
    return {name: value for part in parts for name, value in part.items()}


def _text(paper: str, name: str) -> str:
    return files(f"iotrace.papers.{paper}").joinpath("data", name).read_text("utf-8")
