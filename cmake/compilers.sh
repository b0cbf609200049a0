#!/usr/bin/env bash
# Reads all public headers, the laboratory's among them, as a program does that includes them, with
# the warnings of test/consumer, by each compiler that is installed.
#   cmake/compilers.sh                    g++ 12 to 14 and clang 14 to 19
#   cmake/compilers.sh g++-13 clang++-17  these
#   --install                             first installs those that the distribution has
#   --sources                             also reads lib/ and examples/, without
#                                         warnings: some minutes for each compiler
# Prints a line per compiler; a warning is a failure. Nothing is linked.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install='' sources=''
while [[ ${1-} == --* ]]; do
  case $1 in
    --install) install=yes ;;
    --sources) sources=yes ;;
    *) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/compilers.sh; exit 2 ;;
  esac
  shift
done
compilers=("$@")
((${#compilers[@]})) || compilers=(g++-{12..14} clang++-{14..19})

if [[ $install ]]; then
  packages=()
  for compiler in "${compilers[@]}"; do
    package=${compiler/clang++/clang}
    # a pipe to grep -q would end apt-cache by a signal
    if [[ $(apt-cache policy "$package" 2>/dev/null) =~ Candidate:\ [0-9] ]]; then
      packages+=("$package")
    fi
  done
  install_packages "${packages[@]}"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find include -name '*.hpp' -not -path '*/detail/*' | sort |
  sed 's|^include/\(.*\)|#include <\1>|' >"$work/headers.cpp"
echo "int main() {}" >>"$work/headers.cpp"
# Headers of MPI are the system's: their warnings are not argosy's.
read -ra mpi <<<"$(mpicxx -showme:compile 2>/dev/null | sed 's/-I/-isystem /g')"
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror)

failed=0
for compiler in "${compilers[@]}"; do
  if ! command -v "$compiler" >/dev/null; then
    printf '%-12s not installed\n' "$compiler"
    continue
  fi
  for how in "" -DARGOSY_LINKED; do
    verdict=passed
    "$compiler" -std=c++20 $how -fsyntax-only "${warnings[@]}" -Iinclude "${mpi[@]}" \
      "$work/headers.cpp" >"$work/out" 2>&1 || { verdict=FAILED; failed=1; }
    printf '%-12s %-7s %s\n' "$compiler" "$verdict" "${how:-without the library}"
    [[ $verdict == passed ]] || grep -E ': (error|warning|fatal error): ' "$work/out" | sort -u | head -n 20
  done
  [[ $sources ]] || continue
  verdict=passed
  # The modules for other languages need headers of these.
  find lib examples -name '*.cpp' -not -path 'lib/python/*' -not -path 'lib/fortran/*' -print0 |
    xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 1 "$compiler" -std=c++20 -DARGOSY_LINKED \
      -fsyntax-only -w -Iinclude -Ilib -Itest "${mpi[@]}" >"$work/out" 2>&1 || { verdict=FAILED; failed=1; }
  printf '%-12s %-7s %s\n' "$compiler" "$verdict" "sources"
  [[ $verdict == passed ]] || grep -E ': (error|fatal error): ' "$work/out" | sort -u | head -n 20
done
((!failed))
