"""Addresses on object storage: ``s3://BUCKET/KEY``, reached through pyarrow's file systems.

Credentials, region and endpoint are those of the environment (``AWS_ACCESS_KEY_ID``, ``AWS_REGION``,
``AWS_ENDPOINT_URL``), the user's configuration or the machine's role, as for other programs; no message has them.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files.addresses import has_scheme

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

CONNECT_SECONDS = 5.0
ATTEMPTS = 3
"""How often a request is sent that fails for a reason that can pass."""
SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID")
DENIED = re.compile(
    "ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|INVALID_CLIENT_TOKEN_ID|EXPIRED_TOKEN"
    "|UNRECOGNIZED_CLIENT|MISSING_AUTHENTICATION_TOKEN|HTTP status 40[13]"
)
UNREACHABLE = re.compile("NETWORK_CONNECTION|REQUEST_TIMEOUT|SERVICE_UNAVAILABLE|SLOW_DOWN|INTERNAL_FAILURE")
NO_BUCKET = re.compile("NO_SUCH_BUCKET|Bucket '[^']*' not found")
UNSAID = re.compile(r"\s*\(Request ?ID[^)]*\)|\s*No response body\.", re.IGNORECASE)
PROBE = ".iotrace-probe"
"""How the name of an object ends that is written and removed, to know whether that is allowed."""
CAUSE = re.compile(r"AWS Error (?P<code>\w+).*?operation: (?P<why>.*)", re.DOTALL)


class RemotePath(type(Path())):  # type: ignore[misc]
    """A path on object storage, shown as it is typed.

    What it does not define would reach a file here of the same name, and raises TypeError instead.
    """

    @property
    def scheme(self) -> str:
        """The kind of storage."""
        return str(self.parts[0]).removesuffix(":")

    @property
    def key(self) -> str:
        """Its name in the file system: the bucket and the rest."""
        return "/".join(self.parts[1:])

    @property
    def bucket(self) -> str:
        """The first part of it; empty of an address that names none."""
        return self.parts[1] if len(self.parts) > 1 else ""

    @property
    def filesystem(self) -> FileSystem:
        """The file system that has it; raises IotraceError where it cannot be used."""
        if not self.bucket:
            raise UsageError(f"{self}: names no bucket")
        with self.failures():
            return _filesystem(self.scheme, self.bucket)

    def __str__(self) -> str:
        """Return the address."""
        return f"{self.scheme}://{self.key}"

    def __fspath__(self) -> str:
        """Raise TypeError: the system has no such file."""
        raise TypeError(f"{self} is on object storage")

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Raise IotraceError, with the address and the reason, where object storage refuses what a block asks for."""
        try:
            yield
        except FileNotFoundError:
            raise self.missing() from None
        except (OSError, ValueError) as error:
            raise IotraceError(_sentence(self, error)) from None

    def missing(self) -> IotraceError:
        """Return what is said where nothing is there: no bucket, or no object in it."""
        if self.filesystem.get_file_info(self.bucket).type.name == "NotFound":
            return IotraceError(f"{self}: there is no bucket {self.bucket}{_at_endpoint()}")
        return IotraceError(f"{self}: there is no such object, and none beneath it, in bucket {self.bucket}")

    def info(self) -> FileInfo:
        """Return what is known of it; raises IotraceError where that cannot be asked."""
        with self.failures():
            return self.filesystem.get_file_info(self.key)

    def below(self, is_recursive: bool = False) -> list[RemotePath]:
        """Return the objects below it in the order of their names, and prefixes unless ``is_recursive``."""
        from pyarrow import fs

        with self.failures():
            found = self.filesystem.get_file_info(fs.FileSelector(self.key, recursive=is_recursive))
        names = sorted(one.path for one in found if one.is_file or not is_recursive)
        return [RemotePath(self.parts[0], name) for name in names]

    def exists(self, **_: Any) -> bool:
        """Return whether there is an object, or anything below it."""
        return bool(self.info().type.name != "NotFound")

    def is_file(self, **_: Any) -> bool:
        """Return whether there is an object."""
        return bool(self.info().is_file)

    def is_dir(self, **_: Any) -> bool:
        """Return whether there is anything below it."""
        return bool(self.info().type.name == "Directory")

    def _is_other(self) -> bool:
        return False

    is_symlink = is_char_device = is_block_device = is_fifo = is_socket = is_mount = _is_other

    def samefile(self, other_path: Any) -> bool:
        """Return whether another path is the same address."""
        return bool(self == other_path)

    def absolute(self) -> RemotePath:
        """Return it as it is."""
        return self

    def resolve(self, strict: bool = False) -> RemotePath:
        """Return it as it is."""
        return self

    def iterdir(self) -> Iterator[RemotePath]:
        """Yield what is directly below it."""
        yield from self.below()

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Do nothing: a key has no folder."""

    def open(self, mode: str = "r", *_: Any, **__: Any) -> IO[Any]:
        """Open an object to read bytes of it in any order."""
        if mode != "rb":
            raise TypeError(f"{self} is on object storage, and cannot be opened so: {mode}")
        with self.failures():
            opened: IO[Any] = self.filesystem.open_input_file(self.key)
            return opened

    def read_bytes(self) -> bytes:
        """Return a whole object."""
        with self.failures(), self.filesystem.open_input_stream(self.key, compression=None) as file:
            return bytes(file.read())

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove an object."""
        with self.failures():
            try:
                self.filesystem.delete_file(self.key)
            except FileNotFoundError:
                if not missing_ok:
                    raise


def located(path: Path) -> Path:
    """Return a path, or the address that it is; raises UsageError for credentials in an address.

    An address is never a file here, whatever is in the folder: ``$PWD/s3:`` is one.
    """
    if isinstance(path, RemotePath) or not has_scheme(path):
        return path
    address = RemotePath(path)
    if "@" in address.bucket:
        name = address.bucket.rpartition("@")[2]
        raise UsageError(
            f"{address.scheme}://***@{name}: an address has no credentials: set AWS_ACCESS_KEY_ID and"
            " AWS_SECRET_ACCESS_KEY, or name a profile in AWS_PROFILE"
        )
    return address


def refuse_remote(output: Path, option: str = "-o") -> None:
    """Raise UsageError for an address where something can be made on this machine only."""
    if isinstance(output, RemotePath):
        raise UsageError(
            f"{output}: {option} names a file or folder of this machine; copy it there afterwards"
        )


@cache
def _filesystem(scheme: str, bucket: str) -> FileSystem:
    from pyarrow import fs

    if scheme != "s3":
        return fs.FileSystem.from_uri(f"{scheme}://{bucket}/")[0]
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    endpoint = _endpoint()
    given: dict[str, Any] = {
        "connect_timeout": CONNECT_SECONDS,
        "retry_strategy": fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        "allow_delayed_open": True,  # a small object is one request
    }
    if not endpoint:
        return fs.S3FileSystem(region=region or fs.resolve_s3_region(bucket), **given)
    scheme, slashes, host = endpoint.rstrip("/").partition("://")
    given |= {"scheme": scheme, "endpoint_override": host} if slashes else {"endpoint_override": scheme}
    return fs.S3FileSystem(region=region, **given)


@cache
def check_writable(target: RemotePath) -> None:
    """Raise IotraceError where no object can be written: better now than after the work."""
    probe = target.with_name(f".{target.name}{PROBE}")
    with target.failures(), probe.filesystem.open_output_stream(probe.key, compression=None) as out:
        out.write(b"\n")
    with contextlib.suppress(IotraceError):  # who may not remove it may still write
        probe.unlink(missing_ok=True)


def _endpoint() -> str | None:
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or None


def _at_endpoint() -> str:
    """Return words that name the server, if the environment does; without a user's name and password in it."""
    endpoint = _endpoint()
    return f" at {re.sub('//[^/]*@', '//', endpoint)}" if endpoint else ""


def _sentence(path: RemotePath, error: Exception) -> str:
    """Return what object storage refused, and what helps; nothing of it is secret."""
    text = str(error)
    cause = CAUSE.search(text)
    why = UNSAID.sub("", cause["why"] if cause else reason(error)).strip()
    for secret in filter(None, map(os.environ.get, SECRETS)):
        why = why.replace(secret, "***")
    why = why.partition("\n")[0].rstrip(".")
    if NO_BUCKET.search(text):
        return f"{path}: there is no bucket {path.bucket}{_at_endpoint()}"
    if DENIED.search(text):
        details = f" ({why})" if why else ""
        return (
            f"{path}: access is denied{_at_endpoint()}{details}: check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE)"
            f" and their rights on bucket {path.bucket}"
        )
    if UNREACHABLE.search(text):
        why = why.rpartition("Details: ")[2]
        return f"{path}: object storage cannot be reached{_at_endpoint()}: {why or 'it does not answer'}"
    return f"{path}: object storage refuses: {why or 'it gives no reason'}"
