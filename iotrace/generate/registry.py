"""The kinds of traces that can be made, one entry each; all else about a kind is in its folder.

Function ``generated`` of ``iotrace.generate.FOLDER.generated`` makes it of its subject, settings and command.
"""

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iotrace.generate.micro.settings import Micro
from iotrace.generate.patterns.settings import Settings as Pattern
from iotrace.generate.settings import Amount, NamedValues, Seed, Size, Timing

if TYPE_CHECKING:
    from iotrace.generate.generated import GeneratedTrace

PROGRAMS = """
UMD text (.asc) and stores (.iotrace) have no nodes and no phases; the table of the program (.parquet) has both.
Processes do not wait for each other; a process's clock is the time that it has computed.
"""
"""Notes on generated programs."""


@dataclass(frozen=True)
class Subject:
    """The subject of a generated trace: its name on the command line, and the choices."""

    metavar: str
    help: str


@dataclass(frozen=True)
class Generator:
    """A kind of trace that can be made."""

    name: str
    folder: str
    description: str
    examples: str
    """The examples below the help of its command."""
    settings: tuple[type, ...]
    subject: Subject | None = None
    is_program: bool = False
    """Whether it has rows of table program."""
    has_tables: bool = True
    """Whether there are tables of what was matched, assumed or invented."""
    without: tuple[str, ...] = ()
    """Fields of settings that are not options of its command."""

    def generated(self, *arguments: Any, command: str) -> "GeneratedTrace":
        """Make one from the subject, if it has one, and its settings; raises UsageError for invalid values."""
        module = importlib.import_module(f"iotrace.generate.{self.folder}.generated")
        trace: GeneratedTrace = module.generated(*arguments, command=command)
        return trace


GENERATORS = (
    Generator(
        "vms",
        "vms",
        "Make a trace with the published counts, sizes and duration of a real one. Lists what is assumed.",
        """
[b]Examples[/b]

 iotrace generate vms --like off-day -o off-day.csv               150,194 requests in 10 hours, as vms-io text
 iotrace generate vms --like sci-off --seed 7 -o sci-off.iotrace  the same kind of trace as a store
 iotrace generate vms --like air-rsv --scale 0.1 -o small.csv     a tenth of the requests, in a tenth of the time
 iotrace generate vms --like off-day --set rewrite_share=0.9 --set burst_gap_ms=5 -o mine.csv

[b]Next[/b]

 iotrace write-cache off-day.csv --disk ra81 --write-cache 1M --read-cache 2M

What is invented, and can be --set, is listed with what it means whenever a trace is made.
""",
        (Amount, Seed, NamedValues),
    ),
    Generator(
        "parallel",
        "patterns",
        "Make a parallel access pattern of Kotz and Ellis (1991, section 3.2), or a timed trace of it.",
        """
[b]Examples[/b]

 iotrace generate parallel gw -o gw.csv                           the paper's base case: 4,000 self-scheduled records
 iotrace generate parallel seg --operation write --record 1/4 -o seg.csv
 iotrace generate parallel lrp --processes 64 --record 1.5 --per-process 300 --seed 7 -o lrp.csv
 iotrace generate parallel gw --compute exponential:30ms --timed -o gw.asc
 iotrace generate parallel gfp --timed -o gfp.iotrace             a store; then: iotrace patterns gfp.iotrace

[b]Patterns[/b]

 lw   every process the whole file        gw   all together the whole file, self-scheduled
 lfp  portions of one length for each     gfp  portions of one length, self-scheduled
 lrp  portions of random length           grp  portions of random length, self-scheduled
 seg  a segment for each process          rnd  random records
 lw1  process 0 alone writes the whole file

Pattern text holds no times, and * for records that any free process takes. With --timed, processes
have taken them, as on a file system on which each access takes --access; the text is UMD's.
""",
        (Pattern, Timing),
        Subject("PATTERN", "lw, lfp, lrp, seg, gw, gfp, grp, rnd or lw1."),
        has_tables=False,
        without=("burst",),
    ),
    Generator(
        "micro",
        "micro",
        "Make the micro-benchmark of Vilayannur et al. (section 3.3): reads and writes at random places.",
        f"""
[b]Examples[/b]

 iotrace generate micro --largest 2 --offset 600 -o micro.asc              figure 3 (b) of Vilayannur et al.
 iotrace generate micro --largest 2 --offset 25000 --nodes 2 -o micro.parquet
{PROGRAMS}""",
        (Micro, Seed),
        is_program=True,
    ),
    Generator(
        "nests",
        "loops",
        "Make out-of-core loop nests: array codes that read and write sections of files.",
        f"""
[b]Examples[/b]

 iotrace generate nests tomcatv --size 1500 -o tomcatv.parquet
 iotrace generate nests vpenta --size 500 --set nodes=2 --set tile_columns=8 -o vpenta.iotrace
 iotrace generate nests mine.toml -o mine.asc                              your own loop nests

tomcatv and vpenta resemble the codes of these names; each run lists what is assumed.
{PROGRAMS}""",
        (Size, NamedValues),
        Subject("NAME", "tomcatv, vpenta, lu, or a TOML file."),
        is_program=True,
    ),
    Generator(
        "imitation",
        "imitations",
        "Make an imitation of one of six applications; it is not a trace of it.",
        f"""
[b]Examples[/b]

 iotrace generate imitation lu -o lu.asc
 iotrace generate imitation db2 --set operations=1000 --seed 7 -o db2.parquet

Each imitation has the structure that Vilayannur et al. describe in one sentence for an application whose traces they
used: lu, cholesky, titan, mining, pgrep or db2. All numbers are assumed, and listed.
{PROGRAMS}""",
        (NamedValues, Seed),
        Subject("NAME", "lu, cholesky, titan, mining, pgrep or db2."),
        is_program=True,
    ),
)
