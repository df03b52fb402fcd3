"""The options of the states of slices, which ``iotrace curve`` and ``iotrace merge-curves`` share or have alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.options.curve import CurveOptions
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.output import Format, Output
from iotrace.errors import UsageError

StateOption = Annotated[
    bool,
    typer.Option(
        "--state",
        help="Write the state of the caches to -o instead of the curve; states merge: iotrace merge-curves.",
    ),
]


def refuse_form(output: Output) -> None:
    """Raise UsageError where a state would go to standard output, or be another form."""
    if output.output is None or str(output.output) == "-":
        raise UsageError("--state needs -o FILE: a state is an Arrow file")
    if output.form is not Format.TABLE:
        raise UsageError(f"--state writes an Arrow file, not --format {output.form.value}")


@dataclass(frozen=True, kw_only=True)
class StateOptions(Group):
    """Whether a state is written or continued, and of which records."""

    state: StateOption = False
    records: str | None = declared(
        None, "With --state: only these records, counted from 0.", metavar="FIRST:END", rare=True
    )
    largest: str | None = declared(
        None,
        "With --state: for caches up to this size only, which bounds the state.",
        metavar="SIZE",
        rare=True,
    )
    resume: Path | None = declared(
        None,
        "Continue this state with the records that the trace has after it.",
        metavar="STATE",
        rare=True,
    )

    @property
    def is_used(self) -> bool:
        """Whether the command writes or continues a state."""
        return self.state or self.resume is not None

    def refuse_without_effect(self, options: CurveOptions, plot: Path | None, output: Output) -> None:
        """Raise UsageError for options that have no effect together."""
        if self.records is not None and (not self.state or self.resume is not None):
            raise UsageError("--records needs --state, and cannot be combined with --resume")
        if self.largest is not None and (not self.state or self.resume is not None):
            raise UsageError("--largest needs --state; a state that is resumed has its largest size")
        if not self.is_used:
            return
        if self.state:
            refuse_form(output)
        if options.part.is_used:
            raise UsageError(
                "a part of a trace cannot be combined with --state or --resume, whose states are of records (--records)"
            )
        others = {
            "--by": options.by,
            "--split": options.split,
            "--policy": options.policy,
            "--fetch": options.fetch,
            "--coalesce": options.is_coalesced,
            "--warm-up": options.warm_up,
            "--plot": plot,
            "--sizes": options.sizes if self.state else None,
        }
        if given := [name for name, value in others.items() if value]:
            raise UsageError(f"{given[0]} cannot be combined with {'--state' if self.state else '--resume'}")
