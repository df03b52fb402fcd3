"""The options of ``iotrace curve`` that estimate its curves from a sample of the blocks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.groups import Group, declared
from iotrace.option.rules import Caches, Kind

if TYPE_CHECKING:
    from iotrace.analysis.curves.requests import Requests
    from iotrace.analysis.curves.sampling import Sampling

AUTO = "auto"
_MEMORY, _TIME = "1G", "30s"


@dataclass(frozen=True, kw_only=True)
class SampleOptions(Group):
    """Whether the curve is estimated, and from which sample."""

    sample: str | None = declared(
        None,
        "Estimate from a sample: a rate (0.01, 1%), '8192 blocks', or auto.",
        conflicts={
            **dict.fromkeys(["--split", "--fetch", "--coalesce", "--state", "--resume"], ""),
            "--policy linux": "read-ahead needs all blocks of a file",
        },
        metavar="RATE|BLOCKS|auto",
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
    )
    sample_memory: str | None = declared(
        None,
        "The most memory added.",
        needs=["--sample auto"],
        metavar="SIZE",
        show_default=_MEMORY,
        rare=True,
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
    )
    sample_time: str | None = declared(
        None,
        "The most time.",
        needs=["--sample auto"],
        metavar="TIME",
        show_default=_TIME,
        rare=True,
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
    )
    sample_seed: int = declared(
        1,
        "Another seed is another sample.",
        needs=["--sample"],
        min=0,
        rare=True,
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
    )
    sample_head: str | None = declared(
        None,
        "Exact up to this size; 0: none.",
        needs=["--sample"],
        metavar="SIZE",
        show_default="64 samples",
        rare=True,
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
    )

    @property
    def is_used(self) -> bool:
        """Whether the curve is estimated."""
        return self.sample is not None

    @property
    def _is_auto(self) -> bool:
        return self.sample is not None and self.sample.strip().lower() == AUTO

    def check(self) -> None:
        """Raise UsageError for a sample that is not valid, before a trace is read."""
        from iotrace.analysis.curves.sampling import parsed

        units.size_bytes(self.sample_memory or _MEMORY)
        units.time_ns(self.sample_time or _TIME)
        if not self._is_auto and self.sample is not None:
            parsed(self.sample)
        if self.sample_head is not None:
            units.size_bytes(self.sample_head)

    def sampling(self, requests: "Requests", block_bytes: int) -> "Sampling":
        """Return which sample of the requests to take; raises UsageError if the options are not valid."""
        from iotrace.analysis.curves.sampling import chosen, parsed
        from iotrace.analysis.memory_needed import READING_BYTES
        from iotrace.files.memory import left_bytes

        if self._is_auto:
            memory = units.size_bytes(self.sample_memory or _MEMORY)
            if (left := left_bytes()) is not None:
                memory = max(0, min(memory, left - READING_BYTES))
            time = units.time_ns(self.sample_time or _TIME)
            references = requests.store.manifest["tables"]["reference"]
            settings = chosen(references, memory, time, self.sample_seed, requests.most_blocks(block_bytes))
        else:
            settings = parsed(self.sample or "", self.sample_seed)
        if self.sample_head is None:
            return settings
        return replace(settings, head_blocks=units.size_bytes(self.sample_head) // block_bytes)
