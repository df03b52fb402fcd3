from pathlib import Path

from iotrace import schemas

README = Path(__file__).parents[2] / "schemas" / "README.md"


def test_the_documentation_of_tables_is_what_the_schemas_generate() -> None:
    assert README.read_text("utf-8") == schemas.documentation()


def test_every_column_has_a_unit_and_a_sentence() -> None:
    for name in schemas.names():
        for column in schemas.table(name).columns:
            assert column.unit, f"{name}.{column.name}"
            assert column.sentence.endswith("."), f"{name}.{column.name}"
