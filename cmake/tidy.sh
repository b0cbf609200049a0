#!/usr/bin/env bash
# Reads the sources of lib/, and with them the headers, by clang-tidy-19 and .clang-tidy.
#   cmake/tidy.sh [PATH...]   these sources; a folder stands for its sources; without paths all of lib/
# A warning is a failure. Nothing is built: build/tidy only has the commands of a build by clang++-19.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}" "${argosy_clang_packages[@]}" clang-tidy-19
command -v clang-tidy-19 >/dev/null || { echo "tidy.sh: clang-tidy-19 is not installed" >&2; exit 1; }

cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++-19 \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DARGOSY_BUILD_TESTS=OFF -DARGOSY_BUILD_EXAMPLES=OFF \
  -DARGOSY_BUILD_BENCHMARKS=OFF >/dev/null

(($#)) || set -- lib
mapfile -t sources < <(for path in "$@"; do find "$path" -name '*.cpp'; done | sort)
# A warning in a header comes once for each source that includes it; it is printed once.
printf '%s\0' "${sources[@]}" |
  xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 1 clang-tidy-19 -p build/tidy --quiet 2>/dev/null |
  awk '/^[^ ].*: (warning|error): /{ print_this = !seen[$0]++ } print_this' ||
  { echo "-- clang-tidy-19 refuses these lines (.clang-tidy)" >&2; exit 1; }
