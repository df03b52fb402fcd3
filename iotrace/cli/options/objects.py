"""The options of ``iotrace curve`` for traces of keys: caches of objects, and of the blocks of prompts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.options.groups import Group, declared
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.analysis.curves.prefixes import Tier


class Unit(StrEnum):
    """What the sizes of caches of objects count."""

    OBJECTS = "objects"
    BYTES = "bytes"
    PREFIXES = "prefixes"


class Ttl(StrEnum):
    """What becomes of objects whose time to live is over."""

    IGNORE = "ignore"
    EAGER = "eager"
    LAZY = "lazy"


class Least(StrEnum):
    """What the best parts of a cache make least."""

    REQUESTS = "requests"
    BYTES = "bytes"


class Question(StrEnum):
    """What is asked of caches of objects, by the option that does."""

    CURVE = "--unit"
    POLICIES = "--policy"
    PARTITION = "--partition"
    WRITES = "--write-back"
    FLASH = "--flash-log"
    TIERS = "--tiers"


TENANT = "tenant"
"""What caches of objects can be counted by."""
SIZED = (Unit.OBJECTS, Unit.BYTES)
UNITS = {
    Question.CURVE: (*SIZED, Unit.PREFIXES),
    Question.POLICIES: SIZED,
    Question.PARTITION: SIZED,
    Question.WRITES: SIZED,
    Question.FLASH: (Unit.BYTES,),
    Question.TIERS: (Unit.PREFIXES,),
}
"""The units that each question is about; the first is the default."""
NEEDS_SIZES = (Question.PARTITION, Question.FLASH)
COMPUTED = "computed"
"""The level of memory of blocks that none has."""


@dataclass(frozen=True)
class ObjectOptions(Group):
    """Which caches of objects are simulated."""

    unit: Unit | None = declared(
        None,
        "For keys: sizes of caches in objects, in bytes, or in blocks of prompts.",
        show_default="objects",
    )
    ttl: Ttl | None = declared(
        None,
        "Of a trace of keys: objects whose time to live is over leave at once (eager), or when they are evicted or"
        " requested (lazy).",
        show_default="ignore",
        rare=True,
    )
    partition: Least | None = declared(
        None,
        "Of keys, with --by tenant: what tenants miss in a cache of --sizes that all share, in equal parts of it, and"
        " in the parts that miss the least requests or bytes.",
        rare=True,
    )
    write_back: bool = declared(
        False, "Of keys: the writes that LRU caches absorb, and what is dirty in them at the end.", rare=True
    )
    flash_log: str | None = declared(
        None,
        "Of keys: model caches of --sizes bytes in flash as a log of segments of this size; misses and bytes written.",
        metavar="SIZE",
        rare=True,
    )
    reinsert: bool | None = declared(
        None,
        "For --flash-log: whether objects requested since they were written stay when their segment is reclaimed.",
        "--reinsert/--no-reinsert",
        show_default="reinsert",
        rare=True,
    )
    tiers: str | None = declared(
        None,
        "Of prompts: blocks and requests that levels of memory serve, the fastest first: each its name, size in blocks"
        " and time for a block; computed=TIME is that of a block that none has.",
        metavar="NAME=BLOCKS:TIME,...",
        rare=True,
    )

    @property
    def hint(self) -> str:
        """What else there is where nobody asked for caches of objects."""
        return "" if any(self.given().values()) else "; --block SIZE makes blocks of them"

    def given(self) -> dict[str, Any]:
        """Return the options, by name, and whether each was given."""
        return {
            "--unit": self.unit,
            "--ttl": self.ttl,
            "--partition": self.partition,
            "--write-back": self.write_back,
            "--flash-log": self.flash_log,
            "--reinsert": self.reinsert is not None,
            "--tiers": self.tiers,
        }

    def question(self, others: Mapping[str, Any], has_sizes: bool) -> tuple[Question, Unit]:
        """Return what is asked, and of caches of which unit; raises UsageError for options that do not fit together.

        `others` are the other options of the command, by name, and whether each was given.
        """
        given = {**others, **self.given()}
        asked = [
            question for question in Question if question is not Question.CURVE and given[question.value]
        ]
        question = asked[0] if asked else Question.CURVE
        unit = self.unit or UNITS[question][0]
        if unit not in UNITS[question]:
            raise UsageError(f"{question.value} cannot be combined with --unit {unit.value}")
        fitting = {question.value, "--unit"}
        if unit is not Unit.PREFIXES and question is not Question.WRITES:
            fitting.add("--ttl")
        if question is Question.FLASH:
            fitting.add("--reinsert")
        if question in (Question.CURVE, Question.PARTITION) and unit is not Unit.PREFIXES:
            fitting |= {"--by", "--split"} if question is Question.CURVE else {"--by"}
        for name in (name for name, value in given.items() if value and name not in fitting):
            whose = "caches of objects" if question is Question.CURVE else question.value
            raise UsageError(f"{name} cannot be combined with {whose}{self.hint}")
        if question is Question.PARTITION and not given["--by"]:
            raise UsageError("--partition needs --by tenant")
        if question is Question.TIERS and has_sizes:
            raise UsageError("--tiers has the sizes of the levels: --sizes has no effect")
        if question in NEEDS_SIZES and not has_sizes:
            raise UsageError(f"{question.value} needs --sizes")
        return question, unit

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
