"""Archives and compressed files that are damaged, hostile, or large."""

import errno
import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.members import Members, heads_of_archive
from iotrace.formats.reading import unpacked
from iotrace.ingest import pipeline

TEXT = b"some text\n"


def tar(path: Path, *members: tuple[str, bytes], form: int = tarfile.PAX_FORMAT) -> Path:
    with tarfile.open(path, "w", format=form) as archive:
        for name, content in members:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return path


def sparse_by_header(name: str, size_bytes: int) -> bytes:
    """Return GNU's header of a sparse file of one byte at its end."""
    header = tarfile.TarInfo(name)
    header.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"%011o\0%011o\0" % (size_bytes - 512, 512)
    block[483:495] = b"%011o\0" % size_bytes
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + bytes(1024)


def sparse_by_attributes(name: str) -> bytes:
    header = tarfile.TarInfo(name)
    header.pax_headers = {"GNU.sparse.size": str(1 << 40), "GNU.sparse.numblocks": "0"}
    return header.tobuf(tarfile.PAX_FORMAT) + bytes(1024)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where temporary files go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.mark.parametrize("form", ["recorder-text", "strace"])
@pytest.mark.parametrize("content", [sparse_by_header("log.1", 1 << 40), sparse_by_attributes("log.1")])
def test_sparse_files_are_refused_at_once(tmp_path: Path, temporary: Path, form: str, content: bytes) -> None:
    trace = tmp_path / "sparse.tar"
    trace.write_bytes(content)
    with pytest.raises(IotraceError, match=r"sparse\.tar.*log\.1 as a sparse file"):
        pipeline.ingest([trace], tmp_path / "o.iotrace", format=form)
    assert not (tmp_path / "o.iotrace").exists()
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("form", ["recorder-text", "strace"])
def test_temporary_space_is_bounded(tmp_path: Path, temporary: Path, form: str) -> None:
    trace = tar(tmp_path / "large.tar", ("log.1", bytes(1 << 20)), ("log.2", bytes(1 << 20)))
    with pytest.raises(IotraceError, match=r"--max-unpacked"):
        pipeline.ingest([trace], tmp_path / "o.iotrace", format=form, max_unpacked_bytes=3 << 19)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("form", ["recorder-text", "strace"])
def test_empty_files_take_space_too(tmp_path: Path, temporary: Path, form: str) -> None:
    header = tarfile.TarInfo("log.1").tobuf()
    trace = tmp_path / "empty.tar.gz"
    trace.write_bytes(gzip.compress(header * 300))
    with pytest.raises(IotraceError, match=r"--max-unpacked"):
        pipeline.ingest([trace], tmp_path / "o.iotrace", format=form, max_unpacked_bytes=1024)
    assert not list(temporary.iterdir())


def test_half_of_the_free_disk_is_the_usual_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 40, 60))  # type: ignore[attr-defined]
    assert unpacked.most_bytes() == 30


def test_a_compressed_file_that_is_copied_is_bounded_too(tmp_path: Path, temporary: Path) -> None:
    trace = tmp_path / "trace.gz"
    trace.write_bytes(gzip.compress(bytes(8 << 20)))
    with unpacked.limited(1 << 20):
        members = Members([trace])
    with pytest.raises(IotraceError, match=r"trace\.gz.*--max-unpacked"):
        members.on_disk(trace)


def test_a_disk_that_is_full_is_no_damage_of_the_archive(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    trace = tar(tmp_path / "a.tar", ("log.1", bytes(1 << 20)))
    opened = Path.open

    def on_full_disk(path: Path, mode: str = "r") -> io.BufferedWriter:
        return opened(full, "wb") if mode == "xb" else opened(path, mode)  # type: ignore[return-value]

    monkeypatch.setattr(Path, "open", on_full_disk)
    with pytest.raises(IotraceError, match="No space left on device"):
        Members([trace])


def test_a_disk_without_inodes_is_no_damage_of_the_archive(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tar(tmp_path / "a.tar", ("log.1", TEXT), ("log.2", TEXT))
    made = Path.mkdir

    def on_full_disk(path: Path) -> None:
        if path.name == "1":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        made(path)

    monkeypatch.setattr(Path, "mkdir", on_full_disk)
    with pytest.raises(IotraceError, match=r"a\.tar:log\.2: cannot be unpacked: .*No space left"):
        Members([trace])


def test_sizes_of_attributes_count(tmp_path: Path, temporary: Path) -> None:
    """A size beyond 8 GB is an attribute, and the header's own is then no number."""
    header = tarfile.TarInfo("log.1")
    header.size = len(TEXT)
    attributes = tarfile.TarInfo("attributes")
    attributes.type = tarfile.XHDTYPE
    record = b"11 size=%d\n" % len(TEXT)
    attributes.size = len(record)
    zero = tarfile.TarInfo("log.1")
    blocks = [attributes.tobuf(), record.ljust(512, b"\0"), zero.tobuf(), TEXT.ljust(512, b"\0"), bytes(1024)]
    trace = tmp_path / "a.tar"
    trace.write_bytes(b"".join(blocks))
    members = Members([trace])
    assert [path.read_bytes() for path in members.files] == [TEXT]
    assert next(iter(heads_of_archive(trace.read_bytes()))) == TEXT


def test_names_without_bounds_are_not_read(tmp_path: Path, temporary: Path) -> None:
    name = tarfile.TarInfo("x")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1 << 40
    trace = tmp_path / "a.tar"
    trace.write_bytes(name.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20))
    assert "longer than 1 MB" in Members([trace]).damage[0]


def attributes(kind: bytes, **values: str) -> bytes:
    """Return a header of attributes, for the file that follows or for all that follow."""
    header = tarfile.TarInfo("attributes")
    return header._create_pax_generic_header(values, kind, "utf-8")  # type: ignore[attr-defined, no-any-return]


def end_of_archive(path: Path) -> tuple[bytes, bytes]:
    """Return an archive without its end, and its end."""
    content = path.read_bytes().rstrip(b"\0")
    content += bytes(-len(content) % 512)
    return content, bytes(1024)


ENDLESS = {
    "for all": attributes(tarfile.XGLTYPE, comment="x") * 1500,
    "for one": attributes(tarfile.XHDTYPE, comment="x") * 1500,
    "many": b"".join(attributes(tarfile.XGLTYPE, **{f"key{number}": "x"}) for number in range(16)) + b"FILE",
    "long": attributes(tarfile.XGLTYPE, comment="x" * (1 << 19)) + b"FILE",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_attributes_without_end_are_damage(tmp_path: Path, temporary: Path, name: str) -> None:
    content, end = end_of_archive(tar(tmp_path / "a.tar", ("log.1", TEXT)))
    one = ENDLESS[name]
    if one.endswith(b"FILE"):
        repeated = [
            one.replace(b"key", b"k%02d" % number).replace(b"comment", b"c%06d" % number)
            for number in range(70)
        ]
        one = b"".join(part.replace(b"FILE", content) for part in repeated)
    (tmp_path / "a.tar").write_bytes(content + one + content + end)
    members = Members([tmp_path / "a.tar"])
    (warning,) = members.damage
    assert "the archive is damaged" in warning and "attributes" in warning
    assert members.files and {path.read_bytes() for path in members.files} == {TEXT}
    assert TEXT in heads_of_archive((tmp_path / "a.tar").read_bytes())


def test_the_beginnings_of_files_are_found_in_the_beginning_of_an_archive(tmp_path: Path) -> None:
    trace = tar(tmp_path / "a.tar", ("a", TEXT), ("long/" * 40 + "b", b"y" * 600), ("c", TEXT))
    found = list(heads_of_archive(trace.read_bytes()))
    assert found == [TEXT, b"y" * 600, TEXT]
    cut = trace.read_bytes()[: trace.read_bytes().index(b"yy") + 100]
    assert list(heads_of_archive(cut)) == [TEXT, b"y" * 100]


def test_a_line_without_end_is_one_skipped_record(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv.gz"
    row = b"128166372003061629,hm,1,Read,383496192,32768,413\n"
    with gzip.open(trace, "wb", compresslevel=1) as out:
        out.write(row)
        for _ in range(65):
            out.write(b"x" * (1 << 20))
        out.write(b"\n" + row)
    store = pipeline.ingest([trace], tmp_path / "o.iotrace", format="msr-cambridge")
    counts = store.manifest["counts"]
    assert (counts["lines"], counts["requests"], counts["skipped_lines"]) == (3, 2, 1)
    assert any("1 line is longer than 64 MB" in warning for warning in store.manifest["warnings"])
    (skipped,) = store.manifest["skipped"].values()
    assert skipped["first_line"] == 2
