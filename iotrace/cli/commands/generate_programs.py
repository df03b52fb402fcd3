"""``iotrace generate micro|nests|imitation``: programs of parallel processes for the caches of a cluster."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace import units
from iotrace.cli.output import ForceOption, Format, refuse_to_overwrite
from iotrace.cli.terminal import print
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.generate.program_trace import Made

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
OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="UMD's text, - for stdout; the table if it ends in .parquet; a store if in .iotrace.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed makes the same program.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter (repeatable).", show_default=False),
]
FormOption = Annotated[
    Format, typer.Option("--format", "-f", help="How to tell the parameters and where they come from.")
]


def micro(
    output: OutputOption,
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
    from iotrace.generate.micro import Micro

    values = Micro(
        largest,
        offset,
        operations,
        nodes,
        each,
        block_bytes=units.size_bytes(block),
        compute_ns=units.time_ns(think),
    )
    _make(lambda of: of.of_described("micro", values, _seed(seed), _described()), output, form, force)


def nests(
    name: Annotated[str, typer.Argument(metavar="NAME", help="tomcatv, vpenta, or a TOML file.")],
    output: OutputOption,
    size: Annotated[
        int | None, typer.Option("--size", help="n, the rows and columns of arrays.", show_default=False)
    ] = None,
    settings: SetOption = None,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make out-of-core loop nests: array codes that read and write sections of files."""
    from iotrace.generate import loops as workload
    from iotrace.generate.parameters import whole

    values = {key: whole(key, text) for key, text in _named(settings).items()}
    if size is not None:
        values["n"] = size
    found = workload.read(name, values)
    _make(lambda of: of.of_nests(found, _described()), output, form, force)


def imitation(
    name: Annotated[str, typer.Argument(metavar="NAME", help="lu, cholesky, titan, mining, pgrep or db2.")],
    output: OutputOption,
    settings: SetOption = None,
    seed: SeedOption = 1,
    form: FormOption = Format.TABLE,
    force: ForceOption = False,
) -> None:
    """Make an imitation of one of six applications; it is not a trace of it."""
    from iotrace.generate.imitations import IMITATIONS
    from iotrace.generate.parameters import with_texts

    if name not in IMITATIONS:
        raise UsageError(f"NAME: {name!r} is not one of {', '.join(IMITATIONS)}")
    values = with_texts(IMITATIONS[name](), _named(settings))
    _make(
        lambda of: of.of_described(f"imitation-of-{name}", values, _seed(seed), _described()),
        output,
        form,
        force,
    )


def _make(make: Callable[..., Made], output: Path, form: Format, force: bool) -> None:
    if form is Format.PARQUET:
        raise UsageError("parameters and parts are two tables: --format table, csv or json")
    if output.exists() and output.suffix != ".iotrace" and not output.is_file():
        raise UsageError(f"{output}: is no file; -o wants one, or - for standard output")
    refuse_to_overwrite(output, force)

    from iotrace import units
    from iotrace.cli.output import emit_many
    from iotrace.generate import program_trace

    made = make(program_trace)
    count = program_trace.write(made, output, force)
    apart = contextlib.redirect_stdout(sys.stderr) if str(output) == "-" else contextlib.nullcontext()
    parts = {"parts": made.parts} if len(made.parts) else {}
    with apart:
        emit_many({"parameters": made.parameters, **parts}, form)
        if form is Format.TABLE:
            print(f"{units.count(count)} reads and writes")
            if str(output) != "-":
                print(output)


def _seed(seed: int) -> int:
    if seed < 0:
        raise UsageError(f"--seed is a whole number from 0, not {seed}")
    return seed


def _named(words: list[str] | None) -> dict[str, str]:
    named = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--set wants NAME=VALUE, not {word!r}")
        named[name.strip().replace("-", "_")] = value
    return named


def _described() -> str:
    """Return the command without its output."""
    words = iter(sys.argv[1:])
    kept = [word for word in words if not (word in ("-o", "--output") and next(words, "") is not None)]
    return shlex.join(
        ["iotrace", *(word for word in kept if not word.startswith(("-o", "--output=", "--force")))]
    )
