#!/usr/bin/env bash
# Reads sources, and with them the headers, by clang-tidy-19 and .clang-tidy. A warning is a failure.
#   cmake/tidy.sh             all public headers, and the sources of lib/: a quarter of an hour of
#                             processor time
#   cmake/tidy.sh --headers   all public headers, as one source: half a minute
#   cmake/tidy.sh PATH...     these sources; a folder stands for its sources
# Nothing is built: build/tidy only has the commands of a build by clang++-19.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}" "${argosy_clang_packages[@]}" clang-tidy-19
command -v clang-tidy-19 >/dev/null || { echo "tidy.sh: clang-tidy-19 is not installed" >&2; exit 1; }
mkdir -p build/tidy

# A warning in a header comes with each source that includes it; print_once prints the first.
print_once() { awk '/^[^ ].*: (warning|error): /{ this = !seen[$0]++ } this'; }

read_headers() {
  local flags
  find include -name '*.hpp' -not -path '*/detail/*' | sort |
    sed 's|^include/\(.*\)|#include <\1>|' >build/tidy/headers.cpp
  # Headers of MPI are the system's: their warnings are not argosy's.
  read -ra flags <<<"$(mpicxx -showme:compile 2>/dev/null | sed 's/-I/-isystem /g')"
  clang-tidy-19 --quiet build/tidy/headers.cpp -- -std=c++20 -Iinclude "${flags[@]}" 2>/dev/null
}

read_sources() {
  local sources
  cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DARGOSY_BUILD_TESTS=OFF -DARGOSY_BUILD_EXAMPLES=OFF \
    -DARGOSY_BUILD_BENCHMARKS=OFF >/dev/null
  mapfile -t sources < <(for path in "$@"; do find "$path" -name '*.cpp'; done | sort)
  printf '%s\0' "${sources[@]}" |
    xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 1 clang-tidy-19 -p build/tidy --quiet 2>/dev/null
}

failed=0
case ${1-} in
  "") { bad=0; read_headers || bad=1; read_sources lib || bad=1; ((!bad)); } | print_once || failed=1 ;;
  --headers) read_headers | print_once || failed=1 ;;
  *) read_sources "$@" | print_once || failed=1 ;;
esac
((!failed)) || { echo "-- clang-tidy-19 refuses these lines (.clang-tidy)" >&2; exit 1; }
