"""Reads loop nests from TOML; its form is documented in library/README.md."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, UsageError
from iotrace.files.library import Library, read_toml
from iotrace.generate.loops.affine import Affine, affine
from iotrace.generate.loops.description import (
    MOST_COMPUTE_PS,
    MOST_TILE,
    Array,
    Distribution,
    Loop,
    Nest,
    Nests,
    Order,
    Parameter,
    Reference,
    checked,
    with_values,
)

LIBRARY = Library("iotrace.generate.loops", "library", "NAME: {name!r} is neither a file nor one of {known}")
library = LIBRARY.names
REQUIRED = ("nodes", "processes_per_node", "iterations", "largest_request_bytes")
"""Parameters that the generator itself uses."""
BOUNDS = {
    "nodes": (1, 1 << 16),
    "processes_per_node": (1, 1 << 10),
    "iterations": (1, 1 << 20),
    "largest_request_bytes": (1, 1 << 40),
}


def read(name: str, values: Mapping[str, int] | None = None) -> Nests:
    """Read nests of the library by name, or a TOML file by path, with some parameters given.

    Raises UsageError for a name that is neither and for unknown parameters, IotraceError for what cannot be understood.
    """

    def nests(table: Mapping[str, Any]) -> Nests:
        return _nests(Path(name).stem, table, values or {})

    path = Path(name)
    return read_toml(path, nests) if path.is_file() and name not in library() else LIBRARY.read(name, nests)


def _nests(name: str, told: Mapping[str, Any], values: Mapping[str, int]) -> Nests:
    _known(told, {"sentence", "parameter", "array", "nest"}, "the nests")
    parameters = with_values(tuple(_parameter(one) for one in _tables(told, "parameter")), values)
    numbers = {one.name: one.value for one in parameters}
    for needed in REQUIRED:
        if needed not in numbers:
            raise IotraceError(f"there is no parameter {needed}")
        least, most = BOUNDS[needed]
        if not least <= numbers[needed] <= most:
            raise UsageError(f"parameter {needed} is {numbers[needed]}, not from {least} to {most}")
    arrays = tuple(_array(one, numbers) for one in _tables(told, "array"))
    places = {one.name: place for place, one in enumerate(arrays)}
    if len(places) < len(arrays):
        raise IotraceError("two arrays have the same name")
    nests = tuple(_nest(one, numbers, places, arrays) for one in _tables(told, "nest"))
    return checked(Nests(name, _text(told, "sentence", "the nests"), parameters, arrays, nests))


def _parameter(told: Mapping[str, Any]) -> Parameter:
    name = _text(told, "name", "a parameter")
    where = f"parameter {name}"
    _known(told, {"name", "value", "sentence", "source"}, where)
    value = told.get("value")
    if not isinstance(value, int) or isinstance(value, bool):
        raise IotraceError(f"{where}: value is a whole number")
    return Parameter(name, value, _text(told, "sentence", where), _text(told, "source", where))


def _array(told: Mapping[str, Any], numbers: Mapping[str, int]) -> Array:
    name = _text(told, "name", "an array")
    where = f"array {name}"
    _known(told, {"name", "extents", "element_bytes", "order", "whole", "source"}, where)
    extents = told.get("extents")
    if not isinstance(extents, list) or not extents:
        raise IotraceError(f"{where}: extents is a list of expressions")
    return Array(
        name,
        tuple(_number(one, numbers, where) for one in extents),
        _number(told.get("element_bytes"), numbers, where),
        _word(Order, told.get("order", "column"), where),
        _flag(told, "whole", where),
        _text(told, "source", where),
    )


def _nest(
    told: Mapping[str, Any], numbers: Mapping[str, int], places: Mapping[str, int], arrays: tuple[Array, ...]
) -> Nest:
    name = _text(told, "name", "a nest")
    where = f"nest {name}"
    _known(told, {"name", "loop", "reference", "compute_ps", "source"}, where)
    loops: list[Loop] = []
    for one in _tables(told, "loop", where):
        loops.append(_loop(one, numbers, loops, where))
    if sum(loop.distribution is not None for loop in loops) > 1:
        raise IotraceError(f"{where}: two loops are distributed")
    indices = {loop.index for loop in loops}
    if len(indices) < len(loops) or indices & numbers.keys():
        raise IotraceError(f"{where}: each loop's index has a name of its own")
    references = [
        _reference(one, numbers, places, arrays, indices, where) for one in _tables(told, "reference", where)
    ]
    compute_ps = _number(told.get("compute_ps", 0), numbers, where)
    if not 0 <= compute_ps <= MOST_COMPUTE_PS:
        raise IotraceError(f"{where}: compute_ps is from 0 to {MOST_COMPUTE_PS:,} picoseconds")
    ordered = sorted(references, key=lambda reference: reference.write)
    return Nest(name, tuple(loops), tuple(ordered), compute_ps, _text(told, "source", where))


def _loop(told: Mapping[str, Any], numbers: Mapping[str, int], outer: list[Loop], where: str) -> Loop:
    index = _text(told, "index", where)
    where = f"{where}, loop {index}"
    _known(told, {"index", "from", "to", "tile", "distribute", "reverse"}, where)
    single = {loop.index for loop in outer if loop.tile == 1}
    first, last = (_expression(told.get(end), numbers, single, where) for end in ("from", "to"))
    tile = told.get("tile", "all")
    steps = MOST_TILE if tile == "all" else _number(tile, numbers, where)
    if not 1 <= steps <= MOST_TILE:
        raise IotraceError(f"{where}: tile is at least 1, or all")
    distribute = told.get("distribute")
    distribution = None if distribute is None else _word(Distribution, distribute, where)
    return Loop(index, first, last, steps, distribution, _flag(told, "reverse", where))


def _reference(
    told: Mapping[str, Any],
    numbers: Mapping[str, int],
    places: Mapping[str, int],
    arrays: tuple[Array, ...],
    indices: set[str],
    where: str,
) -> Reference:
    name = _text(told, "array", where)
    where = f"{where}, reference to {name}"
    _known(told, {"array", "at", "operation"}, where)
    if name not in places:
        raise IotraceError(f"{where}: there is no such array")
    at = told.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(one, str) for one in at):
        raise IotraceError(f"{where}: at is a list of texts, each with a reference's subscripts")
    subscripts = tuple(
        tuple(_expression(part, numbers, indices, where) for part in one.split(",")) for one in at
    )
    if any(len(one) != len(arrays[places[name]].extents) for one in subscripts):
        raise IotraceError(f"{where}: the array has {len(arrays[places[name]].extents)} subscripts")
    operation = told.get("operation")
    if operation not in ("read", "write"):
        raise IotraceError(f"{where}: operation is read or write")
    return Reference(places[name], subscripts, operation == "write")


def _expression(told: object, numbers: Mapping[str, int], names: set[str], where: str) -> Affine:
    try:
        found = affine(told).with_values(numbers)
    except IotraceError as error:
        raise IotraceError(f"{where}: {error}") from None
    for name in found.coefficients:
        if name not in names:
            raise IotraceError(
                f"{where}: {name!r} in {told!r:.40} is no parameter and no index that may stand there"
            )
    return found


def _number(told: object, numbers: Mapping[str, int], where: str) -> int:
    return _expression(told, numbers, set(), where).constant


def _text(told: Mapping[str, Any], key: str, where: str) -> str:
    value = told.get(key)
    if not isinstance(value, str) or not value:
        raise IotraceError(f"{where}: {key} is missing, or no text")
    return value


def _flag(told: Mapping[str, Any], key: str, where: str) -> bool:
    value = told.get(key, False)
    if not isinstance(value, bool):
        raise IotraceError(f"{where}: {key} is true or false")
    return value


def _tables(told: Mapping[str, Any], key: str, where: str = "") -> list[Mapping[str, Any]]:
    value = told.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise IotraceError(f"{where}{': ' if where else ''}there is no {key}")
    return value


def _known(told: Mapping[str, Any], keys: set[str], where: str) -> None:
    for key in told:
        if key not in keys:
            raise IotraceError(f"{where}: {key!r} is not one of {', '.join(sorted(keys))}")


def _word(words: Any, told: object, where: str) -> Any:
    try:
        return words(told)
    except ValueError:
        raise IotraceError(
            f"{where}: {told!r:.40} is not one of {', '.join(one.value for one in words)}"
        ) from None
