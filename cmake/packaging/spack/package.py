# A recipe for Spack 1.0 and later. Put it into packages/argosy/ of a repository of your own. Then,
# in a checkout of the sources, run `spack dev-build argosy@main +lab`. argosy has no release yet,
# so Spack has nothing to fetch. No Spack has run this recipe yet: ../README.md.
# SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Argosy(CMakePackage):
    """Datatype-driven parallel I/O for C++20: scattered data of many ranks, in one file."""

    license("BSD-3-Clause")

    version("main")

    variant("shared", default=True, description="Build shared libraries")
    variant("lab", default=False, description="The virtual cluster and the simulated GPFS")
    variant("tools", default=True, description="The command argosy")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi@3:")
    depends_on("boost@1.81: +mpi +serialization")
    depends_on("boost@1.81: +context", when="+lab")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("c-blosc")
    depends_on("fmt@9:", when="+lab")
    depends_on("fmt@9:", when="+tools")
    conflicts("%gcc@:11", msg="argosy needs C++20 as g++ 12 has it")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ARGOSY_BUILD_LAB", "lab"),
            self.define_from_variant("ARGOSY_BUILD_TOOLS", "tools"),
            self.define("ARGOSY_BUILD_TESTS", False),
            self.define("ARGOSY_BUILD_EXAMPLES", False),
            self.define("ARGOSY_BUILD_BENCHMARKS", False),
            self.define("ARGOSY_WARNINGS_AS_ERRORS", False),
        ]
