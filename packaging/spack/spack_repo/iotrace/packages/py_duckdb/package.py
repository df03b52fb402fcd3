# Spack's own repository has DuckDB, and not its Python module.
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyDuckdb(PythonPackage):
    """DuckDB's Python module, with the database in it."""

    homepage = "https://duckdb.org"
    pypi = "duckdb/duckdb-1.5.6.tar.gz"

    license("MIT")

    version("1.5.6", sha256="166a91dbfacfc0c9f08cc76c0243cb6d3d4296bfab5bad72a3cfb63140a5b7c8")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.29:", type="build")
    depends_on("ninja@1.10:", type="build")
    depends_on("py-scikit-build-core@0.11.4:", type="build")
    depends_on("py-pybind11@2.6:", type="build")
    depends_on("py-setuptools-scm@8:", type="build")

    depends_on("python@3.10:", type=("build", "run"))
