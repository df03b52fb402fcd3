"""Descriptions of small drives, whose times can be computed by hand."""


def toy_drive(name: str, *, surfaces: int, rpm: int, sectors_per_track: int) -> str:
    """Return a drive file: 20 cylinders, a seek of 1 ms for each cylinder, no time to switch heads."""
    return f"""\
name = "{name}"
surfaces = {surfaces}
rpm = {rpm}
head_switch_ms = 0

[seek]
table_ms = [[1, 1.0], [19, 19.0]]

[[zones]]
first_cylinder = 0
last_cylinder = 19
sectors_per_track = {sectors_per_track}
"""
