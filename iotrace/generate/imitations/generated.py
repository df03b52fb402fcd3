"""A generated imitation of an application, with the numbers that are assumed of it."""

from iotrace.errors import UsageError
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.imitations import IMITATIONS
from iotrace.generate.program_trace import with_parameters
from iotrace.generate.settings import NamedValues, Seed
from iotrace.option import with_texts


def generated(name: str, given: NamedValues, seed: Seed, *, command: str) -> GeneratedTrace:
    """Return an imitation as a program; raises UsageError for a name that is none, and for other parameters."""
    if name not in IMITATIONS:
        raise UsageError(f"NAME: {name!r} is not one of {', '.join(IMITATIONS)}")
    imitation = with_texts(IMITATIONS[name](), given.texts, "--set")
    return with_parameters(f"imitation-of-{name}", imitation, imitation.program(seed.seed), command)
