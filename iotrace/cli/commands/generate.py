"""``iotrace generate``: synthetic traces after published workloads."""

from pathlib import Path
from typing import Any

from iotrace.cli.help import Commands, HelpGroup
from iotrace.cli.options.generated import as_command, command_line, refuse, write_and_describe
from iotrace.cli.output import Format
from iotrace.errors import UsageError
from iotrace.generate.registry import GENERATORS, Generator

SETTINGS = {
    "help": "Make a synthetic trace. Requests to a VMS disk, a parallel access pattern, or programs for a cluster.",
    "no_args_is_help": True,
    "epilog": """
[b]Examples[/b]

 iotrace generate vms --like off-day -o off-day.csv                 150,194 requests in 10 hours, as vms-io text
 iotrace generate parallel gw --processes 20 --record 1/4 -o gw.csv     16,000 self-scheduled records, as pattern text
 iotrace generate nests tomcatv --size 1500 -o tomcatv.parquet      loop nests whose arrays are files, as a program
""",
}


class Kinds(HelpGroup):
    """The kinds of traces; one that there is not is refused in a line."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a kind."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            kinds = ", ".join(self.list_commands(ctx))
            raise UsageError(f"unknown generator {args[0]!r}; choose one of: {kinds}")
        return super().resolve_command(ctx, args)


generate = Commands(cls=Kinds)


def _register(generator: Generator) -> None:
    def command(arguments: list[Any], output: Path, force: bool, form: Format) -> None:
        refuse(output, force, form)
        from iotrace.simulate.write_cache.generated import with_busy

        trace = with_busy(generator.generated(*arguments, command=command_line()))
        write_and_describe(trace, output, force, form)

    registered = generate.command(generator.name, help=generator.description, epilog=generator.examples)
    registered(as_command(generator, command))


for kind in GENERATORS:
    _register(kind)
