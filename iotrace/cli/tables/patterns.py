"""The table of ``iotrace patterns`` as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Output

if TYPE_CHECKING:
    from iotrace.analysis.patterns.study import Subject


def emit_patterns(subjects: Sequence[Subject], is_locality: bool, output: Output) -> None:
    """Write the patterns (on a terminal, the columns that fit), or the curves of interprocess locality."""
    from iotrace.analysis.patterns import study

    output.emit(study.locality(subjects) if is_locality else study.patterns(subjects))
