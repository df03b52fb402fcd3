"""The options of the papers' reproductions; the registry says which paper takes which."""

from dataclasses import dataclass, fields
from typing import Literal

from iotrace.option import FLAG, RATIO, SIZE, Kind, option

Chapter = Literal["3", "4", "5"]
Regions = Literal["printed", "bounds"]
NAMES = Kind("NAME,...", str.strip, str, is_number=False)
FIGURES = Kind("N,...", str.strip, str, is_number=False)


@dataclass(frozen=True)
class Options:
    """Options of the reproductions; each option's help names its paper."""

    chapter: Chapter | None = option(None, "richardson: only this chapter.")
    figure: str | None = option(None, "richardson: only these figures: 3.1,4.2,5.10.", FIGURES)
    regions: Regions = option(
        "printed", "richardson: regions of sizes as table 5.1 has them, or by 5.1.4.", rare=True
    )
    keep_uncached: bool = option(
        False,
        "richardson: keep 32 KB, at which the Unix baseline has blocks for inodes alone, in the means of regions.",
        FLAG,
        name="keep-uncached",
    )
    deletes: Literal["honour", "ignore"] = option(
        "ignore",
        "richardson: whether truncated and deleted blocks leave the caches; ignore is as in the paper.",
        rare=True,
    )
    file_size: Literal["first", "last", "largest"] = option(
        "largest",
        "richardson: which of the sizes that a file had is its static size.",
        name="file-size",
        rare=True,
    )
    runs: Literal["same_direction", "mixed"] = option(
        "same_direction",
        "richardson: whether a run's requests all go in one direction, or may mix.",
        rare=True,
    )
    page_bytes: int = option(
        4096, "richardson: the page's size in equation 4.2.", SIZE, name="page", rare=True
    )
    overhead_ms: float = option(
        18.8,
        "richardson: time of a disk access without its transfer in equation 4.2, in ms.",
        RATIO,
        name="overhead",
        rare=True,
    )
    transfer_ms_per_kb: float = option(
        0.5, "richardson: time to transfer 1 KB in equation 4.2, in ms.", RATIO, name="transfer", rare=True
    )
    like: str | None = option(
        None, "biswas: the disk, richardson: the workload, that each trace is like.", NAMES, name="as"
    )
    disk: str | None = option(
        None,
        "biswas: the drive, or a file NAME.toml; otherwise that of the disk that the trace is like (ra81, ra90, ra82),"
        " else ra82.",
    )
    fit: Literal["wrap", "scale", "reject"] = option(
        "wrap", "biswas: how to map blocks beyond the drive's end.", rare=True
    )
    replay: Literal["open", "closed"] = option(
        "open",
        "biswas: requests at the trace's times (open), or each after the last one has completed (closed).",
        rare=True,
    )
    time_scale: float = option(
        1.0, "biswas: multiply the times between requests.", RATIO, name="time-scale", rare=True
    )
    costs: str = option(
        "vilayannur", "vilayannur: the cost model of requests; or a file NAME.toml.", rare=True
    )
    global_per_file: bool = option(
        False,
        "vilayannur: each file has a global cache of the size given.",
        FLAG,
        name="global-per-file",
        rare=True,
    )
    readings: bool = option(
        False, "kotz, vilayannur: judge the claims by other readings of the paper, too.", FLAG
    )

    @property
    def changed(self) -> frozenset[str]:
        """The options that are not as they are unless given."""
        usual = Options()
        return frozenset(
            field.name for field in fields(self) if getattr(self, field.name) != getattr(usual, field.name)
        )
