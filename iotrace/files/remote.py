"""Addresses on object storage: ``s3://BUCKET/KEY``, reached through pyarrow's file systems.

Credentials, region and endpoint are those of the environment (``AWS_ACCESS_KEY_ID``, ``AWS_REGION``,
``AWS_ENDPOINT_URL``), the user's configuration or the machine's role, as for other programs; no message has them.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files.addresses import SCHEME, has_scheme

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


@dataclass(frozen=True)
class Address:
    """The address of an object, or of what lies below a prefix. Names and parents are those of a path."""

    key: str
    """Its name in the file system: the bucket and the rest."""

    @property
    def bucket(self) -> str:
        """The first part of the key; empty of an address that names none."""
        return self.key.partition("/")[0]

    @property
    def name(self) -> str:
        """The last part of the key."""
        return PurePosixPath(self.key).name

    @property
    def suffix(self) -> str:
        """How the name ends, from its last dot on."""
        return PurePosixPath(self.key).suffix

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the key."""
        return PurePosixPath(self.key).parts

    @property
    def parent(self) -> Address:
        """The prefix that it lies below."""
        return self._with(PurePosixPath(self.key).parent)

    def __truediv__(self, name: str) -> Address:
        """Return an address below it."""
        return self._with(PurePosixPath(self.key) / name)

    def with_name(self, name: str) -> Address:
        """Return the address of another name beside it."""
        return self.parent / name

    def is_below(self, other: Address) -> bool:
        """Return whether it is another address, or lies below it."""
        return PurePosixPath(self.key).is_relative_to(other.key)

    def _with(self, key: PurePosixPath) -> Address:
        return Address("/".join(key.parts))

    def __str__(self) -> str:
        """Return it as it is typed."""
        return f"{SCHEME}://{self.key}"

    @property
    def filesystem(self) -> FileSystem:
        """The file system that has it; raises IotraceError where it cannot be used."""
        if not self.bucket:
            raise UsageError(f"{self}: names no bucket")
        with self.failures():
            return _filesystem(self.bucket)

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

    def below(self, is_recursive: bool = False) -> list[Address]:
        """Return the objects below it in the order of their names, and prefixes unless ``is_recursive``."""
        from pyarrow import fs

        with self.failures():
            found = self.filesystem.get_file_info(fs.FileSelector(self.key, recursive=is_recursive))
        names = sorted(one.path for one in found if one.is_file or not is_recursive)
        return [Address(name) for name in names]

    def exists(self) -> bool:
        """Return whether there is an object, or anything below it."""
        return bool(self.info().type.name != "NotFound")

    def is_file(self) -> bool:
        """Return whether there is an object."""
        return bool(self.info().is_file)

    def is_dir(self) -> bool:
        """Return whether there is anything below it."""
        return bool(self.info().type.name == "Directory")

    def iterdir(self) -> Iterator[Address]:
        """Yield what is directly below it."""
        yield from self.below()

    def mkdir(self, *, parents: bool = False, exist_ok: bool = False) -> None:
        """Do nothing: a key has no folder."""

    def first_bytes(self, count: int) -> bytes:
        """Return the beginning of an object."""
        with self.failures(), self.filesystem.open_input_file(self.key) as file:
            return bytes(file.read(count))

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


Place = Path | Address
"""Where a file or folder is: on this machine, or on object storage."""


def resolved(place: Place) -> Place:
    """Return where a file or folder is without links and relative parts; an address is as it is."""
    return place if isinstance(place, Address) else place.resolve()


def paths_of(places: Iterable[Place]) -> list[Path]:
    """Return those of places that are on this machine."""
    return [place for place in places if isinstance(place, Path)]


def here(place: Place, called: str) -> Path:
    """Return a path; raises UsageError for an address where something that is `called` so takes none."""
    if isinstance(place, Address):
        raise UsageError(f"{place}: {called} names a file or folder of this machine, and this is an address")
    return place


def located(name: str | Place) -> Place:
    """Return the place that a name stands for; raises UsageError for credentials in an address.

    An address is never a file here, whatever is in the folder: ``$PWD/s3:`` is one. A path may be an address that was
    taken for one.
    """
    if isinstance(name, Address):
        return name
    path = Path(name)
    if not has_scheme(path):
        return path
    address = Address("/".join(path.parts[1:]))
    if "@" in address.bucket:
        bucket = address.bucket.rpartition("@")[2]
        raise UsageError(
            f"{SCHEME}://***@{bucket}: an address has no credentials: set AWS_ACCESS_KEY_ID and"
            " AWS_SECRET_ACCESS_KEY, or name a profile in AWS_PROFILE"
        )
    return address


@cache
def _filesystem(bucket: str) -> FileSystem:
    from pyarrow import fs

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
def check_writable(target: Address) -> None:
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


def _sentence(path: Address, error: Exception) -> str:
    """Return what object storage refused, and what helps; nothing of it is secret."""
    text = str(error)
    cause = CAUSE.search(text)
    why = UNSAID.sub("", cause["why"] if cause else reason(error)).strip()
    for secret in filter(None, map(os.environ.get, SECRETS)):
        why = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", why)
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
