#!/usr/bin/env bash
# Builds the library and its tests for other MPI libraries than Debian's Open MPI, without
# Boost.MPI, and runs the tests under mpiexec:
#   cmake/other_mpi.sh mpich       Debian's MPICH
#   cmake/other_mpi.sh openmpi5    from PyPI, as is mpich5
#   cmake/other_mpi.sh mpich5 --build bench_patterns bench_beffio    builds only these targets, and
#                                  runs no test
# Further words are passed to ctest, for example -R file_random. The build is in build/NAME.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
source cmake/mpi_libraries.sh

[[ " ${all_libraries[*]} " == *" ${1-} "* ]] || {
  sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/other_mpi.sh
  exit 2
}
install_packages "${argosy_packages[@]}"
use_library "$1" || { echo "There is no MPI library $1 here"; exit 1; }
shift
echo "==== $title_of_library ===="
in=build/$library
# Without examples and snippets of pages, because they use Boost.MPI, which Debian has for Open MPI
# 4.1.
cmake -G Ninja -B "$in" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$PWD/$in/bin" -DARGOSY_LINK_BOOST_MPI=OFF \
  -DARGOSY_BUILD_EXAMPLES=OFF -DMPI_C_COMPILER="$mpicc" -DMPI_CXX_COMPILER="$mpicxx" -DMPI_Fortran_COMPILER="$mpifort" -DMPIEXEC_EXECUTABLE="$mpiexec"
if [[ ${1-} == --build ]]; then
  shift
  exec cmake --build "$in" --target "$@"
fi
cmake --build "$in" --target argosy_tests_with_mpi argosy_tests_of_lab argosy_tests_of_programs bench_patterns snippets_benchmarks
if [[ $yielding ]]; then export LD_PRELOAD=$yielding; fi
ctest --test-dir "$in" --output-on-failure --label-regex '^mpi$' --no-label-summary "$@"
