#!/usr/bin/env bash
# Reads sources, and with them the headers, by clang-tidy-19 and .clang-tidy. A warning is a failure.
#   cmake/tidy.sh             all public headers, and the sources of lib/, those of a room as one:
#                             all checks but the static analyzer's
#   cmake/tidy.sh --analyzer  the sources of lib/ one by one, by the static analyzer alone, which
#                             reads no function of an included file: a quarter of an hour
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

# Writes the commands of all sources. The sources of a room are one, which takes a third of the time.
write_commands() {
  cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD="$1" -DARGOSY_BUILD_TESTS=OFF \
    -DARGOSY_BUILD_EXAMPLES=OFF -DARGOSY_BUILD_BENCHMARKS=OFF >/dev/null
}

# read_files CHECKS FILE...: reads them, several at a time. CHECKS changes those of .clang-tidy.
read_files() {
  printf '%s\0' "${@:2}" | xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 1 \
    clang-tidy-19 -p build/tidy --quiet --checks="$1" 2>/dev/null
}

read_library() {
  local sources
  write_commands ON
  mapfile -t sources < <(sed -n 's/^  "file": "\(.*[.]c[px][px]\)",*$/\1/p' build/tidy/compile_commands.json | sort)
  ((${#sources[@]})) || { echo "tidy.sh: no sources in build/tidy/compile_commands.json"; return 1; }
  echo "-- clang-tidy-19 reads ${#sources[@]} sources of lib/" >&2
  read_files '-bugprone-suspicious-include,-clang-analyzer-*' "${sources[@]}"
}

# read_paths CHECKS PATH...
read_paths() {
  local sources
  write_commands OFF
  mapfile -t sources < <(for path in "${@:2}"; do find "$path" -name '*.cpp' -not -path '*/python/*' -not -path '*/fortran/*'; done | sort)
  read_files "$1" "${sources[@]}"
}

failed=0
case ${1-} in
  "") { bad=0; read_headers || bad=1; read_library || bad=1; ((!bad)); } | print_once || failed=1 ;;
  --headers) read_headers | print_once || failed=1 ;;
  --analyzer) read_paths '-bugprone-*,-misc-*,-modernize-*,-performance-*,-readability-*' lib | print_once || failed=1 ;;
  *) read_paths '' "$@" | print_once || failed=1 ;;
esac
((!failed)) || { echo "-- clang-tidy-19 refuses these lines (.clang-tidy)" >&2; exit 1; }
