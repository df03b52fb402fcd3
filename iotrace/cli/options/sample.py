"""The options of ``iotrace curve`` that estimate its curves from a sample of the blocks."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.curve import CurveOptions
from iotrace.cli.options.groups import Group, declared
from iotrace.errors import UsageError

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
        "Estimate with 95 % bands from a sample of the blocks: a rate (0.01, 1%), a number of blocks ('8192 blocks'),"
        " or auto.",
        metavar="RATE|BLOCKS|auto",
    )
    sample_memory: str | None = declared(
        None, f"With --sample auto: the most memory. [default: {_MEMORY}]", metavar="SIZE", rare=True
    )
    sample_time: str | None = declared(
        None, f"With --sample auto: the most time. [default: {_TIME}]", metavar="TIME", rare=True
    )
    sample_seed: int = declared(1, "With --sample: another seed is another sample.", min=0, rare=True)
    sample_head: str | None = declared(
        None,
        "With --sample: caches up to this size are simulated exactly; 0 for none. [default: what holds 64 sampled"
        " blocks]",
        metavar="SIZE",
        rare=True,
    )

    @property
    def is_used(self) -> bool:
        """Whether the curve is estimated."""
        return self.sample is not None

    @property
    def _is_auto(self) -> bool:
        return self.sample is not None and self.sample.strip().lower() == AUTO

    def refuse_without_effect(self, options: CurveOptions, is_state: bool) -> None:
        """Raise UsageError for options that have no effect together."""
        limits = {"--sample-memory": self.sample_memory, "--sample-time": self.sample_time}
        given = [name for name, value in limits.items() if value is not None]
        if given and not self._is_auto:
            raise UsageError(f"{given[0]} needs --sample auto")
        if self.sample is None:
            if self.sample_head is not None or self.sample_seed != 1:
                raise UsageError("--sample-head and --sample-seed need --sample")
            return
        others = {
            "--split": options.split,
            "--fetch": options.fetch,
            "--coalesce": options.is_coalesced,
            "--state or --resume": is_state,
        }
        if found := [name for name, value in others.items() if value]:
            raise UsageError(f"--sample cannot be combined with {found[0]}")
        self._refuse_malformed()

    def _refuse_malformed(self) -> None:
        """Raise UsageError for a sample that makes no sense, before a trace is read."""
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

        if self._is_auto:
            memory = units.size_bytes(self.sample_memory or _MEMORY)
            time = units.time_ns(self.sample_time or _TIME)
            references = requests.store.manifest["tables"]["reference"]
            made = chosen(references, memory, time, self.sample_seed, requests.most_blocks(block_bytes))
        else:
            made = parsed(self.sample or "", self.sample_seed)
        if self.sample_head is None:
            return made
        return replace(made, head_blocks=units.size_bytes(self.sample_head) // block_bytes)
