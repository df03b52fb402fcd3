"""What can be exported is what the registry of forms, and tables, say."""

from iotrace.cli.options.export import Target
from iotrace.export import FORMS, tables


def test_the_command_offers_every_form() -> None:
    assert [target.value for target in Target] == [*(form.name for form in FORMS), *tables.FORMS]
