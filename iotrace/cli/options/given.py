"""Whether an option was typed, or has its default."""

import typer


def was_given(context: typer.Context, name: str) -> bool:
    """Return whether a parameter of the command was typed, by its name in the program."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
