"""A byte that MPI-IO moves through POSIX is counted once by view lowest_layer_call."""

from pathlib import Path

from program import Run


def test_each_byte_is_counted_once(run: Run, tmp_path: Path) -> None:
    rows = ["# darshan log version: 3.21", "# start_time: 1000"]
    for file in range(3):
        rows += [f"# DXT, file_id: {file + 1}, file_name: /out/{file}", "# DXT, rank: 0, hostname: n"]
        rows.append(f" X_MPIIO 0 write 0 0 {100 << file} 0.1 0.4")
        if file < 2:  # file 2 was traced in MPI-IO alone
            rows += [f" X_POSIX 0 write {n} {n * (50 << file)} {50 << file} 0.1 0.2" for n in range(2)]
    log = tmp_path / "t.dxt.txt"
    log.write_text("\n".join(rows) + "\n")
    bytes_of = {}
    for view in ("lowest_layer_call", "reference", "parallel_io"):
        query = f"select sum(length) as bytes from {view} where operation = 'write'"
        done = run("sql", log, query, "-f", "csv")
        bytes_of[view] = int(done.stdout.split()[1])
    assert bytes_of == {"lowest_layer_call": 700, "reference": 700, "parallel_io": 1000}
    described = run("schema", "parallel_io").stdout.decode()
    assert "lowest_layer_call" in described
    assert b"once" in run("schema", "lowest_layer_call").stdout
