#!/usr/bin/env bash
# Installs what is missing, then configures, builds and tests
#   release         g++, everything
#   asan            g++ with sanitizers, all tests but those of the package
#   release-clang   clang++-19, the library and the tests without MPI
# or the presets given as arguments. Ends with one line per preset.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

presets=("$@")
((${#presets[@]})) || presets=(release asan release-clang)

install_packages "${argosy_packages[@]}"
if [[ " ${presets[*]} " == *clang* ]]; then install_packages clang-19; fi
if [[ " ${presets[*]} " == *" fuzz "* ]]; then install_packages "${argosy_fuzz_packages[@]}"; fi

summary=()
failed=0
for preset in "${presets[@]}"; do
  echo
  echo "==== $preset ===="
  mkdir -p "build/$preset"
  log=build/$preset/workflow.log
  SECONDS=0
  if cmake --workflow --preset "$preset" 2>&1 | tee "$log"; then verdict=passed; else verdict=FAILED failed=1; fi
  counts=$(grep -h '% tests passed' "$log" || echo "no test was run")
  summary+=("$(printf '%-14s %s in %3d s: %s' "$preset" "$verdict" "$SECONDS" "$counts")")
done

echo
echo "==== summary ===="
printf '%s\n' "${summary[@]}"
exit "$failed"
