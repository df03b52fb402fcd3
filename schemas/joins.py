"""Which columns of tables are keys of others: the map that ``iotrace schema --joins`` and the pages show."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Join:
    """A column whose values are those of a column of another table, where they are not null."""

    table: str
    column: str
    other: str
    other_column: str

    @property
    def condition(self) -> str:
        """The join as SQL has it after ``join``; ``use`` is a word of SQL."""
        table, other = ('"use"' if name == "use" else name for name in (self.table, self.other))
        column, key = ('"use"' if name == "use" else name for name in (self.column, self.other_column))
        return f"{other} on {other}.{key} = {table}.{column}"


_KEYS = {
    "file.file": """
        reference.file use.file mapping.file call_file.file failed_path.directory disk_io.file parallel_io.file
        mpi_file.file file.of_file darshan_record.file darshan_record.of_file darshan_counter.file
        block_wide.file access_wide.file""",
    "process.process": """
        syscall.process reference.process use.process mapping.process disk_io.process parallel_io.process
        process.parent off_cpu.process process_cgroup.process page_cache_event.process ring_request.process
        part_interval.process call_wide.process block_wide.process access_wide.process""",
    "use.use": "reference.use",
    "syscall.seq": "call_file.call_seq failed_path.call_seq opened_inode.call_seq reference.call_seq call_wide.seq",
    "disk_io.seq": "reference.call_seq disk_io_file.seq block_wide.seq",
    "parallel_io.seq": "reference.call_seq access_wide.seq",
    "key_io.seq": "reference.call_seq key_wide.seq",
    "file.device": "disk_io.device",
    "disk.device": "disk_io.device",
    "stack_frame.stack": "off_cpu.stack",
    "key_name.key": "key_io.key key_wide.key_number",
    "tenant_name.tenant": "key_io.tenant",
    "darshan_job.job": "darshan_mount.job darshan_record.job darshan_counter.job",
    "darshan_record.record": "darshan_counter.record",
}
"""The columns that lead to each key. A reference's call_seq is in the native table of the trace's family."""


def joins() -> list[Join]:
    """Return every column that leads to a key of another table, or of another row of its own."""
    return [
        Join(*column.split("."), *key.split("."))
        for key, columns in _KEYS.items()
        for column in columns.split()
    ]
