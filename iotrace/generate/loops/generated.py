"""Generated loop nests: the program that they are, and what is said about their arrays and loops."""

from collections.abc import Iterator

from iotrace import queries, units
from iotrace.errors import IotraceError, UsageError
from iotrace.generate import loops, program
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.loops.symbolic import symbolic_counts
from iotrace.generate.program_trace import Program
from iotrace.generate.program_trace import generated as generated_program
from iotrace.generate.settings import NamedValues, Size
from iotrace.units import integer

UNKNOWN = frozenset({"n", "iterations"})
"""Parameters that a compiler does not know, by the names that the library's nests have."""
MOST_ROWS = 1 << 26
ROW_BYTES = 50
"""Of a row of table program in memory, all of whose rows a simulation holds."""


def generated(name: str, size: Size, given: NamedValues, *, command: str) -> GeneratedTrace:
    """Return loop nests of the library, or of a file, as a program; raises as `loops.read` and `written` do."""
    values = {key: _whole(key, text) for key, text in given.texts.items()} | (
        {} if size.n is None else {"n": size.n}
    )
    return written(loops.read(name, values), command)


def _whole(name: str, text: str) -> int:
    try:
        return integer(text)
    except UsageError as error:
        raise UsageError(f"--set {name}: {error}") from None


def written(nests: loops.Nests, described: str) -> GeneratedTrace:
    """Return loop nests as a program; raises IotraceError for one without rows, or of more than `MOST_ROWS`."""
    try:
        rows, is_all = loops.row_count(nests)
    except IotraceError as error:
        raise IotraceError(f"{nests.name}: {error}") from None
    if not rows:
        raise IotraceError(f"{nests.name}: reads and writes nothing: no loop around a reference takes a step")
    if rows > MOST_ROWS:
        raise IotraceError(
            f"{nests.name}: {'' if is_all else 'at least '}{units.count(rows)} rows,"
            f" {units.size(rows * ROW_BYTES)} in memory; {units.count(MOST_ROWS)} are the most:"
            " make it smaller, with fewer iterations, or with larger requests"
        )
    return generated_program(
        Program(
            tuple(f"{nests.name}/{array.name}" for array in nests.arrays),
            lambda: (program.batch(rows) for rows in loops.rows(nests)),
        ),
        described,
        queries.result_table(
            "program_parameters",
            [
                (parameter.name, float(parameter.value), parameter.description, parameter.source)
                for parameter in nests.parameters
            ],
        ),
        queries.result_table("program_parts", [*_arrays(nests), *_nests(nests)]),
    )


def _arrays(nests: loops.Nests) -> Iterator[tuple[str, str, str, str]]:
    counts = loops.reference_counts(nests).tolist()
    symbolic = symbolic_counts(nests, UNKNOWN & {parameter.name for parameter in nests.parameters})
    for array, count, formula in zip(nests.arrays, counts, symbolic, strict=True):
        extents = " x ".join(str(extent) for extent in array.extents)
        unit = f" in whole {array.order.value}s" if array.whole else ""
        form = f"{extents} elements of {array.element_bytes} bytes, by {array.order.value}{unit}; {count:,} references"
        form += f" ({formula})" if formula.terms.keys() - {()} else ""
        yield "array", array.name, form, array.source


def _nests(nests: loops.Nests) -> Iterator[tuple[str, str, str, str]]:
    for nest in nests.nests:
        loops = ", ".join(
            f"{loop.index}"
            + (f" in tiles of {loop.tile}" if loop.tiled else " whole")
            + (f", {loop.distribution.value}s to processes" if loop.distribution else "")
            + (" (reversed)" if loop.reverse else "")
            for loop in nest.loops
        )
        names = [
            [nests.arrays[reference.array].name for reference in nest.references if reference.write is write]
            for write in (False, True)
        ]
        moves = "; ".join(
            f"{operation} {', '.join(dict.fromkeys(some))}"
            for operation, some in zip(("reads", "writes"), names, strict=True)
            if some
        )
        yield (
            "nest",
            nest.name,
            f"{loops}; {moves}; {nest.compute_ps / 1000:g} ns of computation a step",
            nest.source,
        )
