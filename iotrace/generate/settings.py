"""Options of generated traces beyond the parameters of their contents."""

from dataclasses import MISSING, dataclass

from iotrace.errors import UsageError
from iotrace.option import COUNT, FLAG, RATIO, TIME, WORD, check, check_rules, option, repeated

LARGEST_SCALE = 1000


@dataclass(frozen=True)
class Seed:
    """The start of the random numbers."""

    seed: int = option(1, "The same seed makes the same trace.", COUNT, least=0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class NamedValues:
    """Those that are not as they are assumed, as texts NAME=VALUE; raises UsageError for other texts."""

    given: tuple[str, ...] = option((), "A parameter (repeatable).", repeated("NAME=VALUE"), name="set")

    def __post_init__(self) -> None:
        for text in self.given:
            if "=" not in text:
                raise UsageError(f"--set takes NAME=VALUE, not {text!r}")

    @property
    def texts(self) -> dict[str, str]:
        """The values by their names."""
        pairs = (text.partition("=") for text in self.given)
        return {name.strip().replace("-", "_"): value for name, _, value in pairs}


@dataclass(frozen=True)
class Amount:
    """The load that the trace matches, and how much of it."""

    like: str = option(
        MISSING,
        "The load to match, of Biswas et al. 1993: off-day, air-rsv, sci-off (table 3.1), off-day-four (four disks), or"
        " a disk of table A1: off-day-system, off-day-application, air-rsv-system, air-rsv-database, sci-off-system,"
        " sci-off-database.",
        WORD,
    )
    requests: int | None = option(None, "Number of requests, at the published rate.", COUNT)
    scale: float | None = option(
        None,
        "This part of the requests, in this part of the time.",
        RATIO,
        conflicts={"--requests": "both set the number of requests"},
    )

    def __post_init__(self) -> None:
        check_rules([self])
        if self.scale is not None and not 0 < self.scale <= LARGEST_SCALE:
            raise UsageError(f"--scale is a number above 0, at most {LARGEST_SCALE}, not {self.scale:g}")


@dataclass(frozen=True)
class Timing:
    """Options of a timed pattern; see `schedule.Schedule`."""

    timed: bool = option(False, "Write times and processes, too, as a trace of the program would have.", FLAG)
    access_ns: int | None = option(
        None, "The time of an access; 30ms by default.", TIME, name="access", needs=["--timed"]
    )
    jitter: float | None = option(
        None, "The variation of that time, as a share; 0.5 by default.", RATIO, needs=["--timed"]
    )

    def __post_init__(self) -> None:
        check_rules([self])


@dataclass(frozen=True)
class Size:
    """Parameter n of loop nests."""

    n: int | None = option(None, "n, the rows and columns of arrays.", COUNT, name="size")
