"""Stores on object storage, on a local server that speaks S3: read as files are, in a row group or whole."""

import json
import pickle
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError
from iotrace.files.remote import RemotePath, located
from iotrace.ingest import opening, pipeline
from iotrace.store.store_ref import StoreRef

moto = pytest.importorskip("moto.server")


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


def test_an_address_is_shown_as_it_was_typed() -> None:
    for text in ("s3://bucket/a/b.iotrace", "gs://bucket"):
        assert isinstance(located(Path(text)), RemotePath)
        assert str(located(Path(text))) == text
    assert str(located(Path("s3://bucket/a")) / "b" / "c") == "s3://bucket/a/b/c"
    assert located(Path("s3://bucket/a.iotrace")).name == "a.iotrace"


def test_what_exists_here_is_meant_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    assert not isinstance(located(Path("s3:/bucket")), RemotePath)


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
    monkeypatch.setattr(RemotePath, "copied", None)
    opened = opening.open("s3://traces/disk.iotrace")
    assert (
        sum(batch.num_rows for batch in opened.batches("reference", ["length"], records=range(10, 600)))
        == 590
    )


def test_what_is_wrong_is_a_sentence(store: Path, tmp_path: Path) -> None:
    with pytest.raises(IotraceError, match=r"^s3://traces/none\.iotrace: is not a store"):
        opening.open("s3://traces/none.iotrace")
    with pytest.raises(IotraceError, match=r"^s3://nobody/disk\.iotrace: is not a store"):
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
