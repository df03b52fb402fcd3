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
    Conditional,
    Distribution,
    Loop,
    Nest,
    Nests,
    Order,
    Parameter,
    Reference,
    When,
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


def _nests(name: str, raw: Mapping[str, Any], values: Mapping[str, int]) -> Nests:
    _known(raw, {"description", "parameter", "array", "nest"}, "the nests")
    parameters = with_values(tuple(_parameter(table) for table in _tables(raw, "parameter")), values)
    numbers = {parameter.name: parameter.value for parameter in parameters}
    for needed in REQUIRED:
        if needed not in numbers:
            raise IotraceError(f"there is no parameter {needed}")
        least, most = BOUNDS[needed]
        if not least <= numbers[needed] <= most:
            raise UsageError(f"parameter {needed} is {numbers[needed]}, not from {least} to {most}")
    arrays = tuple(_array(table, numbers) for table in _tables(raw, "array"))
    places = {array.name: index for index, array in enumerate(arrays)}
    if len(places) < len(arrays):
        raise IotraceError("two arrays have the same name")
    nests = tuple(_nest(table, numbers, places, arrays) for table in _tables(raw, "nest"))
    return checked(Nests(name, _text(raw, "description", "the nests"), parameters, arrays, nests))


def _parameter(table: Mapping[str, Any]) -> Parameter:
    name = _text(table, "name", "a parameter")
    where = f"parameter {name}"
    _known(table, {"name", "value", "description", "source"}, where)
    value = table.get("value")
    if not isinstance(value, int) or isinstance(value, bool):
        raise IotraceError(f"{where}: value is a whole number")
    return Parameter(name, value, _text(table, "description", where), _text(table, "source", where))


def _array(table: Mapping[str, Any], numbers: Mapping[str, int]) -> Array:
    name = _text(table, "name", "an array")
    where = f"array {name}"
    _known(table, {"name", "extents", "element_bytes", "order", "whole", "source"}, where)
    extents = table.get("extents")
    if not isinstance(extents, list) or not extents:
        raise IotraceError(f"{where}: extents is a list of expressions")
    return Array(
        name,
        tuple(_number(extent, numbers, where) for extent in extents),
        _number(table.get("element_bytes"), numbers, where),
        _word(Order, table.get("order", "column"), where),
        _flag(table, "whole", where),
        _text(table, "source", where),
    )


def _nest(
    raw: Mapping[str, Any], numbers: Mapping[str, int], places: Mapping[str, int], arrays: tuple[Array, ...]
) -> Nest:
    name = _text(raw, "name", "a nest")
    where = f"nest {name}"
    _known(raw, {"name", "loop", "reference", "compute_ps", "source", "conditional"}, where)
    loops: list[Loop] = []
    for table in _tables(raw, "loop", where):
        loops.append(_loop(table, numbers, loops, where))
    if sum(loop.distribution is not None for loop in loops) > 1:
        raise IotraceError(f"{where}: two loops are distributed")
    indices = {loop.index for loop in loops}
    if len(indices) < len(loops) or indices & numbers.keys():
        raise IotraceError(f"{where}: the loops' indices need different names")
    tables = _tables(raw, "conditional", where) if "conditional" in raw else []
    conditionals = tuple(_conditional(table, numbers, where) for table in tables)
    branches = _branches(conditionals, where)
    references = [
        _reference(table, numbers, places, arrays, indices, branches, where)
        for table in _tables(raw, "reference", where)
    ]
    compute_ps = _number(raw.get("compute_ps", 0), numbers, where)
    if not 0 <= compute_ps <= MOST_COMPUTE_PS:
        raise IotraceError(f"{where}: compute_ps is from 0 to {MOST_COMPUTE_PS:,} picoseconds")
    ordered = sorted(references, key=lambda reference: reference.write)
    source = _text(raw, "source", where)
    return Nest(name, tuple(loops), tuple(ordered), compute_ps, source, conditionals)


def _conditional(table: Mapping[str, Any], numbers: Mapping[str, int], where: str) -> Conditional:
    name = _text(table, "name", where)
    where = f"{where}, conditional {name}"
    _known(table, {"name", "percent", "source"}, where)
    percent = _number(table.get("percent"), numbers, where)
    if not 0 <= percent <= 100:
        raise IotraceError(f"{where}: percent is from 0 to 100, not {percent}")
    return Conditional(name, percent, _text(table, "source", where))


def _branches(conditionals: tuple[Conditional, ...], where: str) -> dict[str, When]:
    """Return what `when` of a reference may say: the name of a conditional, or not and the name."""
    branches = {
        prefix + conditional.name: When(index, holds)
        for index, conditional in enumerate(conditionals)
        for prefix, holds in (("", True), ("not ", False))
    }
    if len(branches) < 2 * len(conditionals):
        raise IotraceError(f"{where}: two conditionals have the same name")
    return branches


def _loop(table: Mapping[str, Any], numbers: Mapping[str, int], outer: list[Loop], where: str) -> Loop:
    index = _text(table, "index", where)
    where = f"{where}, loop {index}"
    _known(table, {"index", "from", "to", "tile", "distribute", "reverse"}, where)
    single = {loop.index for loop in outer if loop.tile == 1}
    first, last = (_expression(table.get(end), numbers, single, where) for end in ("from", "to"))
    written = affine(table.get("from")), affine(table.get("to"))
    tile = table.get("tile", "all")
    steps = MOST_TILE if tile == "all" else _number(tile, numbers, where)
    if not 1 <= steps <= MOST_TILE:
        raise IotraceError(f"{where}: tile is at least 1, or all")
    distribute = table.get("distribute")
    distribution = None if distribute is None else _word(Distribution, distribute, where)
    return Loop(index, first, last, steps, distribution, _flag(table, "reverse", where), written)


def _reference(
    table: Mapping[str, Any],
    numbers: Mapping[str, int],
    places: Mapping[str, int],
    arrays: tuple[Array, ...],
    indices: set[str],
    branches: Mapping[str, When],
    where: str,
) -> Reference:
    name = _text(table, "array", where)
    where = f"{where}, reference to {name}"
    _known(table, {"array", "at", "operation", "when"}, where)
    if name not in places:
        raise IotraceError(f"{where}: there is no such array")
    at = table.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(text, str) for text in at):
        raise IotraceError(f"{where}: at is a list of texts, each with a reference's subscripts")
    subscripts = tuple(
        tuple(_expression(part, numbers, indices, where) for part in text.split(",")) for text in at
    )
    if any(len(subscript) != len(arrays[places[name]].extents) for subscript in subscripts):
        raise IotraceError(f"{where}: the array has {len(arrays[places[name]].extents)} subscripts")
    operation = table.get("operation")
    if operation not in ("read", "write"):
        raise IotraceError(f"{where}: operation is read or write")
    when = table.get("when")
    if when is not None and when not in branches:
        raise IotraceError(f"{where}: when is {', '.join(branches) or 'not possible without a conditional'}")
    return Reference(places[name], subscripts, operation == "write", None if when is None else branches[when])


def _expression(text: object, numbers: Mapping[str, int], names: set[str], where: str) -> Affine:
    try:
        expression = affine(text).with_values(numbers)
    except IotraceError as error:
        raise IotraceError(f"{where}: {error}") from None
    for name in expression.coefficients:
        if name not in names:
            raise IotraceError(
                f"{where}: {name!r} in {text!r:.40} is neither a parameter nor an index defined at that place"
            )
    return expression


def _number(text: object, numbers: Mapping[str, int], where: str) -> int:
    return _expression(text, numbers, set(), where).constant


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise IotraceError(f"{where}: {key} is missing, or no text")
    return value


def _flag(table: Mapping[str, Any], key: str, where: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise IotraceError(f"{where}: {key} is true or false")
    return value


def _tables(raw: Mapping[str, Any], key: str, where: str = "") -> list[Mapping[str, Any]]:
    value = raw.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(table, dict) for table in value):
        raise IotraceError(f"{where}{': ' if where else ''}there is no {key}")
    return value


def _known(table: Mapping[str, Any], keys: set[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise IotraceError(f"{where}: {key!r} is not one of {', '.join(sorted(keys))}")


def _word(words: Any, value: object, where: str) -> Any:
    try:
        return words(value)
    except ValueError:
        raise IotraceError(
            f"{where}: {value!r:.40} is not one of {', '.join(word.value for word in words)}"
        ) from None
