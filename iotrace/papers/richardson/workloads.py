"""The dissertation's workloads, of some of which alone it says something, and which of them a trace is like."""

from dataclasses import dataclass
from functools import cache

from iotrace.errors import UsageError
from iotrace.papers import data
from iotrace.papers.findings.claim import Basis, Claim
from iotrace.store.store import Store


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """Return the workloads by their names in options, each with the classes of which it is one."""
    return {name: tuple(of) for name, of in data.described("richardson", "workloads")["workload"].items()}


def workload(name: str) -> str | None:
    """Return a workload of the dissertation, None for ``none``; raises UsageError for another name."""
    if name == "none":
        return None
    if name not in classes():
        raise UsageError(f"--as: {name!r} is not one of {', '.join(classes())}, none")
    return name


@dataclass(frozen=True)
class Subject:
    """A trace as claims are judged on it: traced or made, and like which workload of the dissertation."""

    basis: Basis = Basis.TRACE
    like: str | None = None

    @classmethod
    def of(cls, store: Store, like: str | None = None) -> "Subject":
        """Look at what a store says of itself."""
        return cls(Basis.MADE_TRACE if store.manifest.get("generated") else Basis.TRACE, like)

    def why_not(self, claim: Claim) -> str | None:
        """Say why a claim can't be judged on the trace; None where it can."""
        names = () if self.like is None else (self.like, *classes()[self.like])
        if claim.of_class(*names):
            return None
        said_of = " or ".join(claim.likes)
        return f"the dissertation says it of {said_of} only; say by --as which workload a trace is like"
