"""Addresses on object storage: written as they are typed, named as paths are, and never taken for files here."""

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.files.remote import Address, located


def test_an_address_is_shown_as_it_was_typed() -> None:
    for text in ("s3://bucket/a/b.iotrace", "s3://bucket"):
        assert isinstance(located(text), Address)
        assert str(located(text)) == text
    assert str(located("s3://bucket/a") / "b" / "c") == "s3://bucket/a/b/c"
    assert located("s3://bucket/a.iotrace").name == "a.iotrace"


def test_an_address_is_never_a_folder_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    assert isinstance(located("s3://bucket"), Address)
    assert not isinstance(located(tmp_path / "s3:" / "bucket"), Address)


PARTS = st.lists(st.sampled_from(["a", "b.csv", "c.tar.gz", ".d", "e f"]), min_size=1, max_size=4)


@given(PARTS, PARTS)
def test_names_and_parents_are_those_of_paths(parts: list[str], others: list[str]) -> None:
    address, path = located("s3://" + "/".join(parts)), PurePosixPath("/".join(parts))
    other, of_other = located("s3://" + "/".join(others)), PurePosixPath("/".join(others))
    assert isinstance(address, Address) and isinstance(other, Address)
    for name in ("name", "suffix", "parts"):
        assert getattr(address, name) == getattr(path, name), name
    for one, twin in (
        (address.parent, path.parent),
        (address / "x" / "y", path / "x" / "y"),
        (address.with_name("z"), path.with_name("z")),
    ):
        assert str(one) == f"s3://{'' if str(twin) == '.' else twin}"
    assert address.is_below(other) == path.is_relative_to(of_other)
    assert (address == other) == (parts == others) and located(Path(str(address))) == address


def test_an_address_is_no_path() -> None:
    """What knows files of this machine alone refuses it, rather than find one of its name."""
    for takes_paths in (os.fspath, os.stat, Path, open):
        with pytest.raises(TypeError):
            takes_paths(located("s3://bucket/x"))
