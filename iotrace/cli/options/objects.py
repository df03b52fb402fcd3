"""The options of ``iotrace curve`` for traces of keys: caches of objects, and of the blocks of prompts."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.groups import Group, declared
from iotrace.errors import UsageError
from iotrace.option.rules import Caches, Kind

if TYPE_CHECKING:
    from iotrace.analysis.curves.prefixes import Tier


class Unit(StrEnum):
    """The unit of the sizes of object caches."""

    OBJECTS = "objects"
    BYTES = "bytes"
    PREFIXES = "prefixes"


class Ttl(StrEnum):
    """The treatment of objects whose time to live is over."""

    IGNORE = "ignore"
    EAGER = "eager"
    LAZY = "lazy"


class Least(StrEnum):
    """The quantity that the best parts of a cache minimize."""

    REQUESTS = "requests"
    BYTES = "bytes"


class Question(Enum):
    """Options of caches of objects."""

    CURVE = auto()
    POLICIES = auto()
    PARTITION = auto()
    WRITES = auto()
    FLASH = auto()
    TIERS = auto()


TENANT = "tenant"
"""Columns by which caches of objects can be counted."""
UNITS = {
    Question.FLASH: Unit.BYTES,
    Question.TIERS: Unit.PREFIXES,
}
"""The units of questions that have one only; the others' default is objects."""
COMPUTED = "computed"
"""The level of memory of blocks that none has."""
NOT_PREFIXES = f"--unit {Unit.PREFIXES.value}"
NOT_OBJECTS = f"--unit {Unit.OBJECTS.value}"
NOT_BYTES = f"--unit {Unit.BYTES.value}"


@dataclass(frozen=True)
class ObjectOptions(Group):
    """Which caches of objects are simulated."""

    unit: Unit | None = declared(
        None,
        "Unit of sizes.",
        kind=Kind.UNIT,
        conflicts={"--block": "it makes blocks of the objects"},
        show_default="objects",
        only_for=Caches.OBJECTS,
    )
    ttl: Ttl | None = declared(
        None,
        "Remove objects whose time to live is over: never, at once, or at their next look-up.",
        kind=Kind.SETTING,
        conflicts=["--write-back", "--tiers", NOT_PREFIXES],
        exempt=[Ttl.IGNORE],
        show_default="ignore",
        rare=True,
        only_for=Caches.OBJECTS,
    )
    partition: Least | None = declared(
        None,
        "Misses of tenants that share a cache, have equal parts, or the parts that miss the fewest.",
        needs=["--by tenant", "--sizes"],
        conflicts=["--policy", "--split", NOT_PREFIXES],
        kind=Kind.QUESTION,
        only_for=Caches.OBJECTS,
        rare=True,
    )
    write_back: bool = declared(
        False,
        "Writes that caches absorb, and what is dirty at the end.",
        conflicts=["--policy", "--partition", "--by", "--split", NOT_PREFIXES],
        kind=Kind.QUESTION,
        only_for=Caches.OBJECTS,
        rare=True,
    )
    flash_log: str | None = declared(
        None,
        "Keys in flash, as a log of segments of SIZE.",
        metavar="SIZE",
        needs=["--sizes"],
        conflicts=["--policy", "--partition", "--write-back", "--by", "--split", NOT_OBJECTS, NOT_PREFIXES],
        kind=Kind.QUESTION,
        only_for=Caches.OBJECTS,
        rare=True,
    )
    reinsert: bool | None = declared(
        None,
        "Keep objects requested again.",
        "--reinsert/--no-reinsert",
        needs=["--flash-log"],
        show_default="reinsert",
        kind=Kind.QUESTION,
        only_for=Caches.OBJECTS,
        rare=True,
    )
    tiers: str | None = declared(
        None,
        "Blocks of prompts in levels NAME=BLOCKS:TIME, fastest first; computed=TIME: time to compute a block"
        " that no level holds.",
        metavar="LEVEL,...",
        conflicts=[
            "--policy",
            "--partition",
            "--write-back",
            "--flash-log",
            "--by",
            "--split",
            "--sizes",
            NOT_OBJECTS,
            NOT_BYTES,
        ],
        kind=Kind.QUESTION,
        only_for=Caches.OBJECTS,
        rare=True,
    )

    def question(self, policy: str | None) -> Question:
        """Return what is asked."""
        given = {
            Question.POLICIES: policy,
            Question.PARTITION: self.partition,
            Question.WRITES: self.write_back,
            Question.FLASH: self.flash_log,
            Question.TIERS: self.tiers,
        }
        return next((question for question, value in given.items() if value), Question.CURVE)

    def segment_bytes(self, sizes_bytes: Sequence[int]) -> int:
        """Return the size of a segment of --flash-log; raises UsageError for one that cannot be."""
        try:
            segment = units.size_bytes(self.flash_log or "")
        except UsageError as error:
            raise UsageError(f"--flash-log: {error}") from None
        if not 0 < segment <= min(sizes_bytes, default=segment * 2) // 2:
            raise UsageError(
                f"--flash-log {self.flash_log}: a segment is at least 1 byte, and at most half of each of --sizes"
            )
        return segment

    def levels(self) -> tuple[list["Tier"], float]:
        """Return the levels of memory, and the seconds to compute a block; raises UsageError for a bad text."""
        from iotrace.analysis.curves.prefixes import Tier

        levels, computed_s = [], None
        for part in (self.tiers or "").split(","):
            name, _, value = part.strip().partition("=")
            size, _, time = value.rpartition(":")
            if not name or not time or (name == COMPUTED) == bool(size):
                raise UsageError(
                    f"--tiers: {part.strip()!r} is neither NAME=BLOCKS:TIME, as in HBM=5000:10us, nor computed=TIME"
                )
            if name == COMPUTED:
                computed_s = units.time_ns(time) / 1e9
            else:
                levels.append(Tier(name, units.size_bytes(size), units.time_ns(time) / 1e9))
        if computed_s is None:
            raise UsageError("--tiers needs the time of a block that no level has: computed=5ms")
        return levels, computed_s
