from iotrace import schemas


def test_every_column_has_a_unit_and_a_sentence() -> None:
    for name in schemas.names():
        for column in schemas.table(name).columns:
            assert column.unit, f"{name}.{column.name}"
            assert column.description.endswith("."), f"{name}.{column.name}"
