"""How a folder is known to be a store, without what reads tables, which takes longer to load than a kept answer."""

from iotrace import schemas
from iotrace.files.inputs import MANIFEST, STORE_SUFFIX, marked_version
from iotrace.files.remote import Address, Place

STORE_VERSION = schemas.VERSION
"""Raised whenever a store's layout changes so that older programs cannot read it."""
SUFFIX = STORE_SUFFIX


def is_store(path: Place) -> bool:
    """Return whether a store is there: a folder whose manifest has a store version.

    A folder whose name ends as a store's needs a manifest only: whoever reads it says what is wrong with it.
    """
    if isinstance(path, Address) or path.suffix == SUFFIX:
        return (path / MANIFEST).is_file()
    return marked_version(path) is not None
