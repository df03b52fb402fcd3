//! Traces of system calls, converted to tables.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use crate::given::to_python;
use crate::locks::locked;
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_pyarrow::{IntoPyArrow, PyArrowType};
use iotrace_core::input::{self, InputError};
use iotrace_core::reconstruct::file_table::{
    InheritedDescriptor, KnownDescriptor, KnownFile, KnownFiles, Model, Rebase,
};
use iotrace_core::reconstruct::intake::{self, EventSource, Intake, IntakeError, Report, Rows};
use iotrace_core::syscalls::{strace, ultrix};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A trace of system calls being read; see `native.pyi`.
#[pyclass]
pub struct SyscallRun {
    intake: Mutex<Intake>,
    paths: String,
    native: bool,
}

impl SyscallRun {
    fn intake(&self) -> MutexGuard<'_, Intake> {
        locked(&self.intake)
    }
}

/// Batches, each with the name of its table.
type NamedBatches<'py> = Vec<(&'static str, Bound<'py, PyAny>)>;
/// Of processes from before a trace their threads (thread, process) and descriptors (process, descriptor, position,
/// whether it appends).
type KnownProcesses = (Vec<(i32, i32)>, Vec<(i32, i32, Option<i64>, bool)>);
/// Path, size and interpreter of each file; the directory in which the trace starts; and processes from before it.
type Known = (Vec<(String, Option<i64>, Option<String>)>, Option<String>, KnownProcesses);

#[pymethods]
impl SyscallRun {
    #[new]
    #[pyo3(signature = (format, paths, model, order, known, most_unpacked_bytes=u64::MAX))]
    fn new(
        py: Python<'_>,
        format: &str,
        paths: Vec<PathBuf>,
        model: Vec<(String, String)>,
        order: &str,
        known: Known,
        most_unpacked_bytes: u64,
    ) -> PyResult<SyscallRun> {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        let names = names.join(", ");
        // the first bytes of a pipe may arrive late
        let (format, source) = py
            .detach(|| intake::open(format, &paths, order, most_unpacked_bytes))
            .map_err(|error| python_error(&names, error))?;
        let mut known = known_files(known);
        source.add_known(&mut known);
        let intake = Intake::new(format, source, model_of(&model)?, known, true);
        Ok(SyscallRun { intake: Mutex::new(intake), paths: names, native: true })
    }

    /// The tables derived from these rows of the query `entry`.
    #[staticmethod]
    fn of_entries(
        entries: PyArrowType<ArrowArrayStreamReader>,
        model: Vec<(String, String)>,
        known: Known,
        inherited: Vec<(i64, i32, String, bool)>,
    ) -> PyResult<Self> {
        let source =
            Box::new(Rows::new(Box::new(entries.0)).with_inherited(inherited_descriptors(inherited)));
        let intake = Intake::new("syscall", source, model_of(&model)?, known_files(known), false);
        Ok(SyscallRun { intake: Mutex::new(intake), paths: "table syscall".to_string(), native: false })
    }

    fn read_ahead(&self, _threads: usize) {
        self.intake().read_ahead();
    }

    fn tables(&self) -> Vec<&'static str> {
        let derived = ["reference", "file", "process", "use", "mapping", "call_file", "failed_path"];
        let native: &[&str] =
            if self.native { &["syscall", "disagreement", "inherited_descriptor"] } else { &[] };
        native.iter().copied().chain(derived).collect()
    }

    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<NamedBatches<'py>>> {
        let batches =
            py.detach(|| self.intake().next_batches()).map_err(|error| python_error(&self.paths, error))?;
        let Some(batches) = batches else {
            return Ok(None);
        };
        let batches = batches.into_iter();
        let handed = batches.map(|(name, batch)| Ok((name, batch.into_pyarrow(py)?)));
        handed.collect::<PyResult<Vec<_>>>().map(Some)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.intake().progress()
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report(py, &self.intake().report())
    }
}

fn inherited_descriptors(rows: Vec<(i64, i32, String, bool)>) -> Vec<InheritedDescriptor> {
    let rows = rows.into_iter();
    rows.map(|(call_seq, fd, path, deleted)| InheritedDescriptor {
        call_seq,
        fd,
        path: path.into_bytes().into_boxed_slice(),
        deleted,
    })
    .collect()
}

/// Write rows of the query `entry` as a log of strace; documented in native.pyi.
#[pyfunction]
pub fn write_strace(
    py: Python<'_>,
    entries: PyArrowType<ArrowArrayStreamReader>,
    inherited: Vec<(i64, i32, String, bool)>,
    zero_ns: Option<i64>,
    path: PathBuf,
) -> PyResult<u64> {
    let mut rows = Rows::new(Box::new(entries.0)).with_inherited(inherited_descriptors(inherited));
    let name = path.display().to_string();
    py.detach(|| {
        let file = std::fs::File::create(&path)?;
        let mut writer = strace::Writer::new(std::io::BufWriter::new(file), zero_ns);
        while rows.advance(&mut writer).map_err(|error| python_error(&name, error))? {}
        Ok(writer.finish()?)
    })
}

/// Write rows of the query `entry` as an ULTRIX call trace; returns the number of rows.
#[pyfunction]
pub fn write_ultrix(
    py: Python<'_>,
    entries: PyArrowType<ArrowArrayStreamReader>,
    path: PathBuf,
) -> PyResult<u64> {
    let mut rows = Rows::new(Box::new(entries.0));
    let name = path.display().to_string();
    py.detach(|| {
        let file = std::fs::File::create(&path)?;
        let mut writer = ultrix::Writer::new(std::io::BufWriter::new(file))?;
        while rows.advance(&mut writer).map_err(|error| python_error(&name, error))? {}
        writer.finish()?;
        Ok(rows.lines())
    })
}

/// Raise ValueError for switches that the model does not know.
#[pyfunction]
pub fn check_model(model: Vec<(String, String)>) -> PyResult<()> {
    model_of(&model).map(|_| ())
}

/// The first bytes of a file, decompressed.
#[pyfunction]
pub fn first_bytes(py: Python<'_>, path: PathBuf, count: usize) -> PyResult<Vec<u8>> {
    if path.is_dir() {
        return Ok(Vec::new());
    }
    let name = path.display().to_string();
    let head = py.detach(|| -> Result<Vec<u8>, InputError> {
        Ok(input::open(Path::new(&path))?.head(count).to_vec())
    });
    head.map_err(|error| python_error(&name, error.into()))
}

fn model_of(switches: &[(String, String)]) -> PyResult<Model> {
    let mut model = Model::LINUX;
    // the whole model first, then the deviations from it
    let (whole, single): (Vec<_>, Vec<_>) = switches.iter().partition(|(switch, _)| switch == "model");
    for (switch, value) in whole.into_iter().chain(single) {
        model.set(switch, value).map_err(PyValueError::new_err)?;
    }
    Ok(model)
}

fn known_files((rows, start_directory, (threads, descriptors)): Known) -> KnownFiles {
    let mut known = KnownFiles::default();
    if let Some(path) = start_directory {
        known.set_start_directory(path.as_bytes());
    }
    for (path, size_bytes, interpreter) in rows {
        let interpreter = interpreter.map(|path| path.into_bytes().into_boxed_slice());
        known.insert(path.as_bytes(), KnownFile { size_bytes, interpreter });
    }
    for (thread, process) in threads {
        known.set_group(thread, process);
    }
    for (process, fd, position, append) in descriptors {
        known.insert_descriptor(process, fd, KnownDescriptor { position, append });
    }
    known
}

fn python_error(paths: &str, error: IntakeError) -> PyErr {
    match error {
        IntakeError::Input(error) => PyOSError::new_err(error.to_string()),
        IntakeError::Usage(message) => PyValueError::new_err(message),
        of_a_file @ IntakeError::NoTraceOf { .. } => PyValueError::new_err(of_a_file.to_string()),
        other => PyValueError::new_err(format!("{paths}: {other}")),
    }
}

fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("counts", to_python(py, &report.counts)?)?;
    let skipped = PyDict::new(py);
    for (reason, lines) in &report.source.skipped {
        skipped.set_item(reason, to_python(py, lines)?)?;
    }
    described.set_item("skipped", skipped)?;
    if !report.source.skipped_by_file.is_empty() {
        let by_file = PyDict::new(py);
        for (file, counts) in &report.source.skipped_by_file {
            by_file.set_item(file, to_python(py, counts)?)?;
        }
        described.set_item("skipped_by_file", by_file)?;
    }
    let remarks = PyDict::new(py);
    for (kind, lines) in &report.source.remarks {
        remarks.set_item(kind, lines)?;
    }
    described.set_item("remarks", remarks)?;
    described.set_item("seen", seen(py, report)?)?;
    described.set_item("times", to_python(py, &report.source.times)?)?;
    described.set_item("path_agreement", agreement(py, report)?)?;
    described.set_item("warnings", PyList::new(py, &report.warnings)?)?;
    described.set_item("damage", PyList::new(py, &report.damage)?)?;
    let rebases = report.rebases.iter().map(|rebase| {
        let Rebase { file, start_bytes, source, target } = *rebase;
        (file, start_bytes, source, target)
    });
    described.set_item("rebases", PyList::new(py, rebases.collect::<Vec<_>>())?)?;
    let late_durations = PyList::new(py, &report.late_durations)?;
    described.set_item("late_durations", late_durations)?;
    Ok(described)
}

fn seen<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let described = to_python(py, &report.seen)?;
    described.call_method1("update", (to_python(py, &report.impossible)?,))?;
    described.set_item("lost_calls", report.source.half_calls)?;
    described.set_item("unlisted_disagreements", report.unlisted_disagreements)?;
    for (what, count) in &report.source.others {
        described.set_item(what, count)?;
    }
    Ok(described)
}

fn agreement<'py>(py: Python<'py>, report: &Report) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(verdict) = &report.agreement else {
        return Ok(None);
    };
    let described = PyDict::new(py);
    described.set_item("calls", verdict.calls)?;
    described.set_item("checked", verdict.checked)?;
    described.set_item("agreed", verdict.agreed)?;
    described.set_item("literally_equal", verdict.literal)?;
    for (name, causes) in [("disagreed", &verdict.disagreed), ("undecidable", &verdict.undecidable)] {
        let by_cause = PyDict::new(py);
        for (cause, calls) in causes {
            by_cause.set_item(cause, calls)?;
        }
        described.set_item(name, by_cause)?;
    }
    Ok(Some(described))
}
