"""Out-of-core loop nests as data: parameters, arrays that are files, and nests that read and write sections of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from iotrace.errors import IotraceError, UsageError
from iotrace.generate.loops.affine import Affine

MOST_BYTES = 1 << 50
"""The largest array: 1 PB, so that offsets stay whole numbers of 64 bits."""
MOST_TILE = 1 << 48
"""The most steps of a tile of one loop."""
MOST_COMPUTE_PS = 10**9
"""The longest computation of a step: 1 ms."""


class Order(Enum):
    """How an array lies in its file: which subscript runs fastest."""

    COLUMN = "column"
    ROW = "row"


class Distribution(Enum):
    """How a loop is given to processes."""

    BLOCK = "block"
    """Each has an equal part of its steps, one after the other, and tiles that."""
    CYCLIC = "cyclic"
    """Process p of n has tiles p, p + n, p + 2n, ..."""


@dataclass(frozen=True)
class Parameter:
    """A number that the nests use, what it is, and where it is from: a source, or the word assumed."""

    name: str
    value: int
    description: str
    source: str


@dataclass(frozen=True)
class Array:
    """An array in a separate file; subscripts start at 1, as in Fortran."""

    name: str
    extents: tuple[int, ...]
    element_bytes: int
    order: Order
    whole: bool
    """Whether only whole columns (rows, where those are the order) are read and written."""
    source: str

    @property
    def bytes(self) -> int:
        """The file's size."""
        size = self.element_bytes
        for extent in self.extents:
            size *= extent
        return size

    @property
    def strides_bytes(self) -> tuple[int, ...]:
        """From one element to the next, for each subscript."""
        dimensions = range(len(self.extents))
        strides = [0] * len(self.extents)
        step = self.element_bytes
        for dimension in dimensions if self.order is Order.COLUMN else reversed(dimensions):
            strides[dimension] = step
            step *= self.extents[dimension]
        return tuple(strides)

    @property
    def fastest_first(self) -> tuple[int, ...]:
        """The subscripts' numbers in the order of the file."""
        dimensions = tuple(range(len(self.extents)))
        return dimensions if self.order is Order.COLUMN else dimensions[::-1]


@dataclass(frozen=True)
class Loop:
    """A loop over ``first``..``last`` (inclusive) in steps of 1, grouped into tiles."""

    index: str
    first: Affine
    last: Affine
    tile: int
    """Steps of a tile; the last tile may have fewer."""
    distribution: Distribution | None
    """How it is given to processes; null if each process runs all of it."""
    reverse: bool
    """From the last tile to the first."""
    written: tuple[Affine, Affine]
    """The bounds as they are written, with the parameters' names."""

    @property
    def tiled(self) -> bool:
        """Whether it is not held in memory as a whole."""
        return self.tile < MOST_TILE


@dataclass(frozen=True)
class Conditional:
    """A condition of a nest, which holds for some of its tiles."""

    name: str
    percent: int
    """How often it holds: what a profile of the program says."""
    source: str


@dataclass(frozen=True)
class When:
    """The branch in which something is done."""

    conditional: int
    """The conditional's number in its nest."""
    holds: bool
    """Whether it is done where that holds, or where it does not."""


@dataclass(frozen=True)
class Reference:
    """References to one array, all reads or all writes, whose sections are joined to one for each tile."""

    array: int
    at: tuple[tuple[Affine, ...], ...]
    """Each reference's subscripts."""
    write: bool
    when: When | None = None
    """None where it is done for every tile."""


@dataclass(frozen=True)
class Nest:
    """A loop nest, loops outermost first.

    For each tile it reads a section of each array that it reads, computes, and writes a section of each that it
    writes. A section is the smallest box of subscripts that holds what the tile's steps refer to.
    """

    name: str
    loops: tuple[Loop, ...]
    references: tuple[Reference, ...]
    """Reads first."""
    compute_ps: int
    """Picoseconds of computation for each step of the innermost loop."""
    source: str
    conditionals: tuple[Conditional, ...] = ()

    def percent(self, reference: Reference, profile: bool) -> int:
        """Return for how many of 100 tiles a compiler takes a reference to be made.

        Without a profile both branches of a conditional are equally likely (section 4).
        """
        if reference.when is None:
            return 100
        percent = self.conditionals[reference.when.conditional].percent if profile else 50
        return percent if reference.when.holds else 100 - percent

    @property
    def distributed(self) -> bool:
        """Whether the processes share it; else the first one runs it alone."""
        return any(loop.distribution for loop in self.loops)


@dataclass(frozen=True)
class Nests:
    """A program of loop nests, run one after another, the whole of them ``iterations`` times."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[Array, ...]
    nests: tuple[Nest, ...]

    def value(self, name: str) -> int:
        """Return a parameter's value; raises KeyError for a name that is none."""
        return {parameter.name: parameter.value for parameter in self.parameters}[name]

    @property
    def file_bytes(self) -> tuple[int, ...]:
        """The size of each file, by its number."""
        return tuple(array.bytes for array in self.arrays)


def with_values(parameters: tuple[Parameter, ...], values: Mapping[str, int]) -> tuple[Parameter, ...]:
    """Return parameters with some given; raises UsageError for a name that is none of them."""
    names = {parameter.name for parameter in parameters}
    for name in values:
        if name not in names:
            raise UsageError(f"--set: {name!r} is not one of {', '.join(sorted(names))}")
    return tuple(
        replace(parameter, value=values[parameter.name], source="set by the user")
        if parameter.name in values
        else parameter
        for parameter in parameters
    )


def checked(nests: Nests) -> Nests:
    """Return nests that are within bounds; raises IotraceError for others."""
    for array in nests.arrays:
        if min(array.extents) < 1 or array.element_bytes < 1:
            raise IotraceError(f"array {array.name}: extents and element bytes are at least 1")
        if array.bytes > MOST_BYTES:
            raise IotraceError(
                f"array {array.name} has {array.bytes:,} bytes: too many, at most {MOST_BYTES:,}"
            )
    return nests
