"""``iotrace generate micro|nests|imitation``: programs of parallel processes for the caches of a cluster."""

from __future__ import annotations

from typing import Annotated

import typer

from iotrace import units
from iotrace.cli.options.generated import (
    FormOption,
    ProgramOutputOption,
    SeedOption,
    SetOption,
    command_line,
    hand_out,
    named_values,
    refuse,
)
from iotrace.cli.output import ForceOption, Format
from iotrace.errors import UsageError

ABOUT = """
UMD's text (.asc) and stores (.iotrace) know no nodes and no phases; the table of the program (.parquet) has both.
Processes wait for nobody; a process's clock is what it has computed.
"""
MICRO_SETTINGS = {
    "epilog": f"""
[b]Examples[/b]

 iotrace generate micro --largest 2 --offset 600 -o micro.asc              figure 3 (b) of Vilayannur et al.
 iotrace generate micro --largest 2 --offset 25000 --nodes 2 -o micro.parquet
{ABOUT}"""
}
NESTS_SETTINGS = {
    "epilog": f"""
[b]Examples[/b]

 iotrace generate nests tomcatv --size 1500 -o tomcatv.parquet
 iotrace generate nests vpenta --size 500 --set nodes=2 --set tile_columns=8 -o vpenta.iotrace
 iotrace generate nests mine.toml -o mine.asc                              nests of your own

tomcatv and vpenta are like those codes, not the codes: what is assumed is listed whenever a program is made.
{ABOUT}"""
}
IMITATION_SETTINGS = {
    "epilog": f"""
[b]Examples[/b]

 iotrace generate imitation lu -o lu.asc
 iotrace generate imitation db2 --set operations=1000 --seed 7 -o db2.parquet

Imitations have the structure that one sentence of Vilayannur et al. names of each application whose traces they used,
lu, cholesky, titan, mining, pgrep and db2; all numbers are assumed, and listed. They are no traces of it.
{ABOUT}"""
}


def micro(
    output: ProgramOutputOption,
    largest: Annotated[int, typer.Option("--largest", help="s: the most blocks of an operation.")] = 2,
    offset: Annotated[
        int, typer.Option("--offset", help="o: the last block at which one starts; 10, 600, 25000.")
    ] = 600,
    operations: Annotated[int, typer.Option("--operations", help="Operations of each process.")] = 20_000,
    nodes: Annotated[int, typer.Option("--nodes", help="Nodes; all share the file.")] = 1,
    each: Annotated[int, typer.Option("--processes-per-node", help="Processes on each node.")] = 1,
    block: Annotated[str, typer.Option("--block", "-b", help="The block's size.")] = "4K",
    think: Annotated[str, typer.Option("--compute", help="After each operation.")] = "0ms",
    seed: SeedOption = 1,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make the micro-benchmark of Vilayannur et al. (section 3.3): reads and writes at random places."""
    refuse(output, force, form)
    from iotrace.generate.micro import Micro
    from iotrace.generate.program_trace import of_described

    values = Micro(
        largest,
        offset,
        operations,
        nodes,
        each,
        block_bytes=units.size_bytes(block),
        compute_ns=units.time_ns(think),
    )
    hand_out(of_described("micro", values, seed, command_line()), output, force, form)


def nests(
    name: Annotated[str, typer.Argument(metavar="NAME", help="tomcatv, vpenta, or a TOML file.")],
    output: ProgramOutputOption,
    size: Annotated[
        int | None, typer.Option("--size", help="n, the rows and columns of arrays.", show_default=False)
    ] = None,
    settings: SetOption = None,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make out-of-core loop nests: array codes that read and write sections of files."""
    refuse(output, force, form)
    from iotrace.generate import loops
    from iotrace.generate.loops.generated import generated
    from iotrace.generate.parameters import whole

    values = {key: whole(key, text) for key, text in named_values(settings).items()}
    if size is not None:
        values["n"] = size
    found = loops.read(name, values)
    hand_out(generated(found, command_line()), output, force, form)


def imitation(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lu, cholesky, titan, mining, pgrep or db2.")],
    output: ProgramOutputOption,
    settings: SetOption = None,
    seed: SeedOption = 1,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make an imitation of one of six applications; it is not a trace of it."""
    refuse(output, force, form)
    from iotrace.generate.imitations import IMITATIONS
    from iotrace.generate.parameters import with_texts
    from iotrace.generate.program_trace import of_described

    if name not in IMITATIONS:
        raise UsageError(f"NAME: {name!r} is not one of {', '.join(IMITATIONS)}")
    values = with_texts(IMITATIONS[name](), named_values(settings))
    hand_out(of_described(f"imitation-of-{name}", values, seed, command_line()), output, force, form)
