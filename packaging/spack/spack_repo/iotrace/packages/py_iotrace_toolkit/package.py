# packaging/spack/spack_repo/iotrace is a repository of Spack's, with what its own lacks:
#   spack repo add packaging/spack/spack_repo/iotrace
#   spack dev-build --source-path . py-iotrace-toolkit@0.1.0
# from a clone; "spack install" once it is on PyPI.
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyIotraceToolkit(PythonPackage):
    """Characterizes I/O traces (system calls, disk blocks, parallel programs) and evaluates
    caches for them."""

    pypi = "iotrace-toolkit/iotrace_toolkit-0.1.0.tar.gz"

    license("Apache-2.0")

    version("0.1.0")  # not released yet; then with the sha256 of the source distribution on PyPI

    depends_on("c", type="build")  # zstd, xz and mimalloc, which Rust's packages carry along
    depends_on("rust@1.85:", type="build")
    depends_on("py-setuptools@77:", type="build")
    depends_on("py-setuptools-rust@1.10:", type="build")

    with default_args(type=("build", "run")):
        depends_on("python@3.11:")

    with default_args(type="run"):
        depends_on("py-pyarrow@17:")
        depends_on("py-duckdb@1.5:")
        depends_on("py-polars@1.8:")
        depends_on("py-numpy@1.26:")
        depends_on("py-typer@0.15:")
        depends_on("py-rich@13.7:")
        depends_on("py-plotly@6:")
        depends_on("py-jinja2@3.1:")
        depends_on("py-msgspec@0.19:")
        depends_on("strace", when="platform=linux")
