"""Paths of stores on object storage: ``s3://BUCKET/STORE.iotrace``, read through pyarrow's filesystems.

Credentials, region and endpoint are those of the environment (``AWS_ACCESS_KEY_ID``, ``AWS_REGION``,
``AWS_ENDPOINT_URL``), the user's configuration or the machine's role, as for other programs.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.errors import IotraceError, reason
from iotrace.files.addresses import has_scheme
from iotrace.files.outputs import failures_named
from iotrace.files.temporary import folder_of_process

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_COPY_BYTES = 1 << 22


class RemotePath(type(Path())):  # type: ignore[misc]
    """A path on object storage. It is read with `filesystem` and `key`, and shown as it is typed."""

    @property
    def _scheme(self) -> str:
        return str(self.parts[0]).removesuffix(":")

    @property
    def key(self) -> str:
        """Its name in the filesystem: the bucket and the rest."""
        return "/".join(self.parts[1:])

    @property
    def filesystem(self) -> FileSystem:
        """The filesystem that has it; raises IotraceError where it cannot be used."""
        try:
            return _filesystem(self._scheme, self.parts[1] if len(self.parts) > 1 else "")
        except (OSError, ValueError) as error:
            raise IotraceError(f"{self}: {reason(error)}") from None

    def __str__(self) -> str:
        """Return the address."""
        return f"{self._scheme}://{self.key}"

    __fspath__ = __str__

    def _info(self) -> Any:
        return self.filesystem.get_file_info(self.key)

    def exists(self, **_: Any) -> bool:
        """Return whether there is a file, or anything below it."""
        return bool(self._info().type.name != "NotFound")

    def is_file(self, **_: Any) -> bool:
        """Return whether there is a file."""
        return bool(self._info().is_file)

    def is_dir(self, **_: Any) -> bool:
        """Return whether there is anything below it."""
        return bool(self._info().type.name == "Directory")

    def absolute(self) -> RemotePath:
        """Return it as it is."""
        return self

    def read_bytes(self) -> bytes:
        """Return a whole file; raises OSError where it cannot be read."""
        with self.filesystem.open_input_stream(self.key) as file:
            return bytes(file.read())

    def copied(self) -> Path:
        """Return a copy that is here until this process ends; raises IotraceError where it cannot be made."""
        return _copied(self)


def located(path: Path) -> Path:
    """Return a path, or the remote one that it names; what exists here is meant first."""
    if isinstance(path, RemotePath) or not has_scheme(path) or os.path.lexists(path):
        return path
    return RemotePath(path)


@cache
def _filesystem(scheme: str, bucket: str) -> FileSystem:
    from pyarrow import fs

    if scheme != "s3":
        return fs.FileSystem.from_uri(f"{scheme}://{bucket}/")[0]
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if not endpoint:
        return fs.S3FileSystem(region=region or fs.resolve_s3_region(bucket))
    scheme, slashes, host = endpoint.rstrip("/").partition("://")
    given = {"scheme": scheme, "endpoint_override": host} if slashes else {"endpoint_override": scheme}
    return fs.S3FileSystem(region=region, **given)


@cache
def _copied(path: RemotePath) -> Path:
    folder = folder_of_process() / "remote" / path.parent.key
    copy: Path = folder / path.name
    with failures_named(copy):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            source = path.filesystem.open_input_stream(path.key)
        except OSError as error:
            raise IotraceError(f"{path}: cannot be read: {reason(error)}") from None
        with source, copy.open("wb") as file:
            shutil.copyfileobj(source, file, _COPY_BYTES)
    return copy
