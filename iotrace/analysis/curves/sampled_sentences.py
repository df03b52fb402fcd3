"""Notes on curves that are estimated from a sample."""

from iotrace import units
from iotrace.analysis.curves.bands import FEWEST_BLOCKS
from iotrace.analysis.curves.sampled import SampledCurves


def described(curves: SampledCurves) -> str:
    """Say of what the curve is an estimate."""
    whole = curves.counts["requests"] and sum(demand[1] + demand[3] for demand in curves.demands)
    of = f"{units.count(curves.sampled_references)} references of {units.count(whole)}"
    why = f" ({curves.sampling.reason})" if curves.sampling.reason else ""
    if curves.rate == 1:
        return f"all blocks are in the sample ({of}): exact{why}"
    exact = (
        f"; exact up to {units.size(curves.head_blocks * curves.cache.block_bytes)}"
        if curves.head_blocks
        else ""
    )
    return (
        f"estimated from {shown_rate(curves.rate)} of the blocks ({of}), 95 % bands by jackknife over"
        f" {curves.sampling.groups} groups{exact}{why}"
    )


def shown_rate(rate: float) -> str:
    """Write a rate as a percentage, of two digits or more."""
    return f"{100 * rate:.2g} %" if 100 * rate < 1 else f"{100 * rate:.1f} %"


def too_small(curves: SampledCurves) -> list[str]:
    """Say where the sample is too small for a band."""
    if curves.rate == 1 or curves.sampled_blocks >= FEWEST_BLOCKS:
        return []
    return [
        f"the sample has {units.plural(curves.sampled_blocks, 'block', 'blocks')}, too few for a band: beyond the"
        " exact sizes it spans all that is possible; choose a larger --sample"
    ]
