# A recipe for Conan 2: `conan create cmake/packaging/conan`. cmake/packaging/check_conan.sh runs
# it. MPI, Boost and fmt are those of the system: Conan has no MPI, and Boost.MPI must be built with
# the MPI of the program.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Argosy(ConanFile):
    name = "argosy"
    license = "BSD-3-Clause"
    description = "Datatype-driven parallel I/O for C++20"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "lab": [True, False], "tools": [True, False]}
    default_options = {"shared": True, "lab": False, "tools": False}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "argosy", "version.hpp"))
        self.version = ".".join(re.findall(r"#define ARGOSY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "include/*", "lib/*", "cmake/*"):
            copy(self, part, self._root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BUILD_SHARED_LIBS"] = bool(self.options.shared)
        toolchain.cache_variables["ARGOSY_BUILD_LAB"] = bool(self.options.lab)
        toolchain.cache_variables["ARGOSY_BUILD_TOOLS"] = bool(self.options.tools)
        for part in ("ARGOSY_BUILD_TESTS", "ARGOSY_BUILD_EXAMPLES", "ARGOSY_BUILD_BENCHMARKS"):
            toolchain.cache_variables[part] = False
        toolchain.cache_variables["ARGOSY_ENABLE_PACKAGES"] = False
        toolchain.cache_variables["ARGOSY_WARNINGS_AS_ERRORS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package configuration that argosy installs: argosy::argosy, argosy::headers,
        # argosy::lab.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "argosy")]
        self.cpp_info.libs = ["argosy"]
