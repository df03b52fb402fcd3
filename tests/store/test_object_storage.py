"""Stores and traces on object storage, on a local server that speaks S3: read as files are, and written whole."""

import gzip
import json
import os
import pickle
import random
import re
import shutil
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow.fs import S3FileSystem
from typer.testing import CliRunner

from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError
from iotrace.files import transfers
from iotrace.files.remote import Address, _filesystem, check_writable, located
from iotrace.ingest import opening, pipeline
from iotrace.store import store as store_module
from iotrace.store.store_ref import StoreRef

moto = pytest.importorskip("moto.server")
from moto import settings  # noqa: E402
from moto.core.responses import ActionAuthenticatorMixin  # noqa: E402


def upload(folder: Path, bucket: str) -> None:
    """Copy a store to a bucket."""
    import boto3

    there = boto3.client("s3", region_name="us-east-1")
    there.create_bucket(Bucket=bucket)
    for file in folder.iterdir():
        there.upload_file(str(file), bucket, f"{folder.name}/{file.name}")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store of 1,000 requests to two disks, which is also in bucket `traces`."""
    draw, folder = random.Random(3), tmp_path_factory.mktemp("traces")
    lines = (
        f"{128166372003061629 + 10_000 * place},host,{draw.choice('01')},{draw.choice(('Read', 'Write'))},"
        f"{draw.randrange(400) * 4096},{draw.randrange(1, 9) * 4096},1000\n"
        for place in range(1000)
    )
    trace = folder / "disk.csv"
    trace.write_text("".join(lines))
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }.items():
            environment.setenv(name, value)
        pipeline.ingest([trace], folder / "disk.iotrace")
        upload(folder / "disk.iotrace", "traces")
        yield folder / "disk.iotrace"
    server.stop()


@pytest.mark.parametrize(
    "words",
    [
        "curve {} --format csv",
        "curve {} --format csv --workers 3",
        "curve {} --format csv --where file=1",
        "curve {} --format csv --since 0.2s",
        "characterize {} --all --format json",
        "write-cache {} --format csv",
        "info {} --format json",
        "sql {} --format csv|select count(*),sum(length),min(path) from reference join file using (file)",
        "time {}",
    ],
)
def test_commands_print_the_same(store: Path, words: str) -> None:
    def printed(trace: str) -> str:
        command, _, sql = words.partition("|")
        done = CliRunner().invoke(application(), [*command.format(trace).split(), *([sql] if sql else [])])
        return f"{done.exit_code} {done.exception} {done.output}".replace(trace, "TRACE")

    assert printed("s3://traces/disk.iotrace") == printed(str(store))


@pytest.mark.usefixtures("store")
def test_row_groups_are_read_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curve copies no table."""
    monkeypatch.setattr(store_module, "local_copy", None)
    opened = opening.open("s3://traces/disk.iotrace")
    assert (
        sum(batch.num_rows for batch in opened.batches("reference", ["length"], records=range(10, 600)))
        == 590
    )


def test_what_is_wrong_is_a_sentence(store: Path, tmp_path: Path) -> None:
    with pytest.raises(IotraceError, match=r"^s3://traces/none\.iotrace: there is no such object"):
        opening.open("s3://traces/none.iotrace")
    with pytest.raises(IotraceError, match=r"^s3://nobody/disk\.iotrace: there is no bucket nobody at http"):
        opening.open("s3://nobody/disk.iotrace")
    with pytest.raises(
        UsageError, match=r"^s3://traces/disk\.iotrace: a store on object storage is read alone"
    ):
        opening.open(["s3://traces/disk.iotrace", str(store)])
    damaged = tmp_path / "damaged.iotrace"
    shutil.copytree(store, damaged)
    manifest = json.loads((damaged / "manifest.json").read_text())
    manifest["tables"]["reference"] += 1
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    (damaged / "use.parquet").unlink()
    upload(damaged, "traces")
    with pytest.raises(IotraceError, match=r"^s3://traces/damaged\.iotrace: "):
        opening.open("s3://traces/damaged.iotrace")


@pytest.mark.usefixtures("store")
def test_workers_open_it_by_its_address() -> None:
    sent = pickle.loads(pickle.dumps(StoreRef.of(opening.open("s3://traces/disk.iotrace"))))
    assert sent.path == "s3://traces/disk.iotrace"
    assert sent.open().manifest["tables"]["reference"] == 1000


def files_below(address: str) -> dict[str, bytes]:
    """Return what is beneath an address, by the rest of the key, without markers of folders, which are empty."""
    top = located(address)
    assert isinstance(top, Address)
    below = top.below(is_recursive=True) if top.is_dir() else []
    return {file.key.removeprefix(f"{top.key}/"): file.read_bytes() for file in below if not _is_marker(file)}


def _is_marker(file: Address) -> bool:
    return bool(file.info().size == 0 and not file.suffix)


def done(*words: object) -> Any:
    return CliRunner().invoke(application(), [str(word) for word in words])


@pytest.mark.parametrize(
    "content", [b"", b"x", b"12" * 10_000_000], ids=["empty", "one byte", "several parts"]
)
@pytest.mark.usefixtures("store")
def test_a_file_is_written_there_as_it_is(tmp_path: Path, content: bytes) -> None:
    """Neither is one whose name ends in .gz compressed."""
    file, target, back = tmp_path / "x.gz", located("s3://traces/copies/x.gz"), tmp_path / "back"
    assert isinstance(target, Address)
    file.write_bytes(content)
    progress: list[tuple[str, int, int]] = []
    with transfers.told(lambda *step: progress.append(step)):
        transfers.upload(file, target)
        transfers.download(target, back)
    assert back.read_bytes() == content
    assert progress[1] == (f"Writing {target}", len(content), len(content))
    assert not content or progress[-1] == (f"Fetching {target}", len(content), len(content))


def test_a_store_that_is_written_there_is_that_which_is_written_here(store: Path, tmp_path: Path) -> None:
    trace, address = store.with_name("disk.csv"), "s3://traces/out/disk.iotrace"
    result = done("ingest", trace, "-o", address)
    assert result.exit_code == 0 and result.output.startswith(f"{address}: 1,000 lines")
    there = files_below(address)
    assert there.keys() == {file.name for file in store.iterdir()}
    for name, content in there.items():
        if name.endswith(".parquet"):
            assert content == (store / name).read_bytes(), name
    assert json.loads(there["manifest.json"]) == json.loads((store / "manifest.json").read_text())
    assert f"'{address}/disk_io.parquet'" in there["views.sql"].decode()
    refused = done("ingest", trace, "-o", address)
    assert str(refused.exception).startswith(f"{address}: exists; give --force")
    assert files_below(address) == there


def test_force_leaves_nothing_of_the_store_before(store: Path, tmp_path: Path) -> None:
    trace, address = store.with_name("disk.csv"), "s3://traces/forced.iotrace"
    halves = [tmp_path / name for name in "ab"]
    lines = trace.read_text().splitlines(keepends=True)
    halves[0].write_text("".join(lines[:500]))
    halves[1].write_text("".join(lines[500:]))
    assert done("ingest", *halves, "-o", address, "--workers", "2").exit_code == 0
    assert "disk_io.1.parquet" in files_below(address)
    assert done("ingest", trace, "-o", address, "--force").exit_code == 0
    assert files_below(address).keys() == {file.name for file in store.iterdir()}
    assert opening.open(address).manifest["tables"]["reference"] == 1000
    (located(address) / "notes.txt").filesystem.open_output_stream("traces/forced.iotrace/notes.txt").close()
    kept = done("ingest", trace, "-o", address, "--force")
    assert "holds notes.txt, which is not a file of a store" in str(kept.exception)


class Failing(S3FileSystem):
    """A file system that fails after some requests that change something, once or for ever."""

    left, for_ever = 1 << 30, False

    def _count(self) -> None:
        Failing.left -= 1
        if Failing.left == -1 or (Failing.left < 0 and Failing.for_ever):
            raise OSError("AWS Error NETWORK_CONNECTION during PutObject operation: Timeout was reached")

    def open_output_stream(self, *words: Any, **options: Any) -> Any:
        self._count()
        return super().open_output_stream(*words, **options)

    def delete_file(self, path: str) -> None:
        self._count()
        super().delete_file(path)


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever, as where it is killed"])
@pytest.mark.parametrize("replaces", [False, True], ids=["new", "replaced"])
def test_an_interrupted_upload_leaves_no_store(
    store: Path, monkeypatch: pytest.MonkeyPatch, replaces: bool, for_ever: bool
) -> None:
    trace = store.with_name("disk.csv")
    place = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")
    failing = Failing(scheme="http", endpoint_override=place, allow_delayed_open=True)
    monkeypatch.setattr(Failing, "for_ever", for_ever)
    monkeypatch.setattr(Address, "filesystem", failing)
    failures = 0
    for after in range(30):
        address = located(f"s3://traces/cut/{replaces}-{for_ever}-{after}.iotrace")
        if replaces:
            pipeline.ingest([trace], address)
        monkeypatch.setattr(Failing, "left", after)
        check_writable.cache_clear()
        try:
            pipeline.ingest([trace], address, replace=replaces)
        except IotraceError as error:
            failures += 1
            assert "object storage cannot be reached" in str(error)
            monkeypatch.setattr(Failing, "left", 1 << 30)
            try:
                opened = opening.open(str(address))
            except IotraceError:
                continue
            assert replaces and after < 3, "only before the old manifest is removed"
            assert opened.manifest["tables"]["reference"] == 1000
        else:
            is_done = Failing.left >= 0
            monkeypatch.setattr(Failing, "left", 1 << 30)
            assert opening.open(str(address)).manifest["tables"]["reference"] == 1000
            if is_done:
                break
    assert failures > 5


@pytest.mark.parametrize("words", ["curve {} --sizes 64K", "characterize {} totals", "info {}"])
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_tables_are_written_there(store: Path, tmp_path: Path, words: str, ending: str) -> None:
    if words.startswith("info") and ending == "parquet":
        pytest.skip("of text and numbers")
    command = words.format(store).split()
    there, here = f"s3://traces/tables/{command[0]}.{ending}", tmp_path / f"x.{ending}"
    assert done(*command, "-o", there).exit_code == done(*command, "-o", here).exit_code == 0
    assert located(there).read_bytes() == here.read_bytes()
    again = done(*command, "-o", there)
    assert again.exit_code == 1 and str(again.exception).startswith(f"{there}: exists; give --force")
    assert done(*command, "-o", there, "--force").exit_code == 0


def test_pages_and_folders_of_tables_are_written_there(store: Path, tmp_path: Path) -> None:
    page = "s3://traces/pages/report.html"
    assert done("report", store, "-o", page).exit_code == 0
    assert done("report", store, "-o", tmp_path / "report.html").exit_code == 0
    assert located(page).read_bytes() == (tmp_path / "report.html").read_bytes()
    assert done("report", store, "-o", page).exit_code == 0  # a page replaces a page
    tables = ["characterize", store, "totals", "operations", "-f", "parquet", "-o"]
    assert done(*tables, "s3://traces/folder").exit_code == 0
    assert files_below("s3://traces/folder").keys() == {"totals.parquet", "operations.parquet"}
    assert "exists; give --force" in str(done(*tables, "s3://traces/folder").exception)
    assert done(*tables, "s3://traces/folder", "--force").exit_code == 0


def put(address: str, content: bytes) -> str:
    path = located(address)
    with path.filesystem.open_output_stream(path.key, compression=None) as out:
        out.write(content)
    return address


@pytest.mark.parametrize("form", ["plain", "gz", "many parts"])
def test_a_raw_trace_is_read_where_it_is(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    trace = store.with_name("disk.csv")
    if form == "many parts":
        monkeypatch.setattr(transfers, "PART_BYTES", 1000)
    content = gzip.compress(trace.read_bytes()) if form == "gz" else trace.read_bytes()
    address = put(f"s3://traces/raw/{form.replace(' ', '-')}/disk.csv", content)
    pipeline.ingest([located(address)], tmp_path / "there.iotrace")
    pipeline.ingest([trace], tmp_path / "here.iotrace")
    for table in (tmp_path / "here.iotrace").glob("*.parquet"):
        assert (tmp_path / "there.iotrace" / table.name).read_bytes() == table.read_bytes()
    manifests = [
        json.loads((tmp_path / f"{name}.iotrace" / "manifest.json").read_text()) for name in ("here", "there")
    ]
    assert [manifest.pop("sources") for manifest in manifests] == [[str(trace)], [address]]
    assert manifests[0] == manifests[1]
    first, again = done("curve", address, "--sizes", "64K"), done("curve", address, "--sizes", "64K")
    assert "kept as" in first.stderr and again.stderr == "" and again.stdout == first.stdout
    put(address, content[: len(content) // 2] if form != "gz" else gzip.compress(trace.read_bytes()[:20_000]))
    changed = done("curve", address, "--sizes", "64K")
    assert "kept as" in changed.stderr and changed.stdout != first.stdout


def test_messages_call_a_raw_trace_by_its_address(store: Path, tmp_path: Path) -> None:
    lines = store.with_name("disk.csv").read_bytes()
    cut = put("s3://traces/raw/cut.csv.gz", gzip.compress(lines)[:-200])
    result = done("ingest", cut, "-o", tmp_path / "cut.iotrace")
    assert cut in result.stderr and "iotrace-temporary" not in result.stderr + result.output
    assert "iotrace-temporary" not in (tmp_path / "cut.iotrace" / "manifest.json").read_text()
    empty = put("s3://traces/raw/empty.csv", b"")
    result = done("ingest", empty, "-o", tmp_path / "empty.iotrace")
    assert str(result.exception).startswith(f"{empty}: is empty")


def test_a_folder_of_logs_there(tmp_path: Path, store: Path) -> None:
    for thread in (1, 2):
        line = f'170000000{thread}.000001 openat(AT_FDCWD, "/a{thread}", O_RDONLY) = 3 <0.000010>\n'
        put(f"s3://traces/logs/log.{thread}", line.encode())
    result = done("ingest", "s3://traces/logs", "-o", tmp_path / "logs.iotrace")
    assert result.exit_code == 0, result.exception
    assert "2 calls" in result.output


def test_what_is_not_there_denied_or_unreachable(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = store.with_name("disk.csv")
    ways = {
        "read": lambda address: done("curve", f"{address}/x.csv"),
        "write": lambda address: done("ingest", trace, "-o", f"{address}/x.iotrace"),
        "table": lambda address: done("curve", store, "-o", f"{address}/x.csv"),
        "list": lambda address: done("catalogue", f"{address}/x"),
    }
    for name, way in ways.items():
        assert re.match(
            r"s3://nobody/x\S*: there is no bucket nobody at http", str(way("s3://nobody").exception)
        ), name
        if name in ("read", "list"):
            assert "/x" in str(missing := way("s3://traces").exception) and "there is no such object" in str(
                missing
            )

    def sentences() -> dict[str, str]:
        _filesystem.cache_clear()
        check_writable.cache_clear()
        began = time.monotonic()
        said = {name: str(way("s3://traces").exception) for name, way in ways.items()}
        assert time.monotonic() - began < 20
        assert not any("secret-of-tests" in text or "\n" in text for text in said.values())
        return said

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-tests")
    with monkeypatch.context() as denied:
        denied.setattr(settings, "INITIAL_NO_AUTH_ACTION_COUNT", 0)
        denied.setattr(ActionAuthenticatorMixin, "request_count", 0)
        for text in sentences().values():
            assert re.match(r"s3://traces/x\S*: access is denied", text) and "check the credentials" in text
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://user:secret-of-tests@127.0.0.1:9")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    for text in sentences().values():
        assert re.match(
            r"s3://traces/x\S*: object storage cannot be reached at http://127.0.0.1:9: .*connect", text
        )
    monkeypatch.undo()
    _filesystem.cache_clear()


def test_addresses_that_name_nothing(store: Path) -> None:
    trace = store.with_name("disk.csv")
    for address, why in {
        "s3://AKIA:secret@traces/x.iotrace": r"^s3://\*\*\*@traces: an address has no credentials",
        "s3://": "names no bucket",
        "http://host/x.iotrace": "is an address that nothing can be written to",
        "s3://traces/disk.iotrace/x.csv": "lies in the store s3://traces/disk.iotrace",
    }.items():
        result = done("ingest", trace, "-o", address)
        assert result.exit_code != 0 and re.search(why, str(result.exception)), result.exception
    assert "an address has no credentials" in str(done("info", "s3://AKIA:secret@traces/x.iotrace").exception)
    same = done(
        "ingest", put("s3://traces/raw/same.csv", trace.read_bytes()), "-o", "s3://traces/raw/same.csv"
    )
    assert "is an input of this command" in str(same.exception)


def test_a_catalogue_of_what_is_there(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    trace = store.with_name("disk.csv")
    for name in ("a.iotrace", "b/c.iotrace"):
        pipeline.ingest([trace], located(f"s3://traces/fleet/{name}"))
        pipeline.ingest([trace], tmp_path / "fleet" / name)
    there, here = (
        json.loads(done("catalogue", place, "-f", "json").stdout)
        for place in ("s3://traces/fleet", tmp_path / "fleet")
    )
    assert [row["store"] for row in there] == ["a.iotrace", "b/c.iotrace"]
    for one, other in zip(there, here, strict=True):
        for row in (one, other):
            row.pop("stored_bytes")  # views.sql is no table, and tables are the same
        assert one == other
    put("s3://traces/fleet/d.iotrace/manifest.json", b"{")
    rows = json.loads(done("catalogue", "s3://traces/fleet", "-f", "json").stdout)
    assert [row["status"] for row in rows] == ["whole", "whole", "refused"]


def test_nothing_is_appended_there(store: Path) -> None:
    result = done("ingest", store.with_name("disk.csv"), "--append", "s3://traces/days.iotrace")
    assert str(result.exception) == (
        "s3://traces/days.iotrace: --append names a file or folder of this machine, and this is an address"
    )


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("ingest {trace} --known-files {address}", "--known-files"),
        ("sql {trace} --file {address}", "--file"),
        ("curve {trace} --resume {address}", "--resume"),
        ("merge-curves {address}", "STATES"),
        ("report {trace} --figures {address}", "--figures"),
        ("export {trace} --to csv -o {address}", "-o"),
        ("record -o {address} true", "-o"),
        ("top --record -o {address}", "-o"),
        ("disk validate {address} --disk hp97560", "TRACE"),
    ],
)
def test_what_takes_files_of_this_machine_alone_says_so(store: Path, words: str, option: str) -> None:
    address = "s3://traces/elsewhere"
    result = done(*words.format(trace=store, address=address).split())
    assert str(result.exception) == (
        f"{address}: {option} names a file or folder of this machine, and this is an address"
    )


def test_jobs_of_files_there_are_not_split(store: Path) -> None:
    result = done("ingest", "s3://traces/logs.tar", "--split-jobs")
    assert str(result.exception) == (
        "s3://traces/logs.tar: --split-jobs takes files of this machine; copy it here first"
    )


def test_objects_there_are_taken_for_blocks(store: Path, tmp_path: Path) -> None:
    """The format is known by the first bytes of the object; `curve --block` asks for it before the trace is read."""
    draw = random.Random(5)
    records = b"".join(struct.pack("<IQIq", place, draw.randrange(100) * 8, 4096, -1) for place in range(500))
    (tmp_path / "x.oracleGeneral").write_bytes(records)
    address = put("s3://traces/raw/x.oracleGeneral", records)
    here, there = (
        done("curve", trace, "--block", "4K", "--format", "csv")
        for trace in (tmp_path / "x.oracleGeneral", address)
    )
    assert here.exit_code == there.exit_code == 0 and there.stdout == here.stdout


def test_a_day_is_appended_from_there(store: Path, tmp_path: Path) -> None:
    trace = store.with_name("disk.csv")
    lines = trace.read_text().splitlines(keepends=True)
    later = put("s3://traces/raw/later.csv", "".join(lines[500:]).encode())
    (tmp_path / "first.csv").write_text("".join(lines[:500]))
    days = tmp_path / "days.iotrace"
    assert done("ingest", tmp_path / "first.csv", "-o", days).exit_code == 0
    result = done("ingest", "--append", days, later)
    assert result.exit_code == 0, result.exception
    assert opening.open(days).manifest["tables"]["reference"] == 1000
