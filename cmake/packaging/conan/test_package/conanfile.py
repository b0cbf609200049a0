# Builds and runs test/consumer against the package, as the test package.consumer does against an
# installed package.
# SPDX-License-Identifier: BSD-3-Clause
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class ArgosyTest(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False # writes no file into the sources
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join("..", "..", "..", "..", "test", "consumer"))
        cmake.build()

    def test(self):
        if can_run(self):
            CMake(self).ctest(cli_args=["--output-on-failure", "--no-tests=error"], env="conanrun")
