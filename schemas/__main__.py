"""Print the documentation of all tables: ``python -m iotrace.schemas > schemas/README.md``."""

from iotrace.schemas import documentation

print(documentation(), end="")
