#!/usr/bin/env bash
# Builds the preset coverage, runs its tests and 2000 programs of explore, and prints for each room
# how many of its lines and branches were run. The lines that never were are listed in
# build/coverage/never_run.txt. See docs/develop/coverage.md.
#   --skip-build    runs the programs that are built, and drops earlier counts
#   --report-only   prints the table of existing counts, also of runs by hand with
#                   LLVM_PROFILE_FILE=$PWD/build/coverage/profiles/%m%c.profraw
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

build=1
run=1
for option in "$@"; do
  case $option in
    --skip-build) build=0 ;;
    --report-only) build=0 run=0 ;;
    *) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/coverage.sh >&2 && exit 2 ;;
  esac
done

install_packages "${argosy_packages[@]}" clang-19 llvm-19 libclang-rt-19-dev python3-minimal
out=build/coverage
failed=0

if ((build)); then
  cmake --preset coverage
  cmake --build --preset coverage
fi
if ((run)); then
  rm -rf "$out/profiles"
  ctest --preset coverage || failed=1
  LLVM_PROFILE_FILE=$PWD/$out/profiles/%m%c.profraw "$out/bin/explore" --seeds 1:2000 || failed=1
fi

# The processes of a program share their counts in memory with a file (%c), so the counts of killed
# processes are not lost.
llvm-profdata-19 merge -sparse "$out"/profiles/*.profraw -o "$out/coverage.profdata"
# Exports each program separately. For all together, llvm-cov reports a function as never run if one
# program does not call it. Its warnings of "mismatched data" are about these functions.
rm -rf "$out/exported"
mkdir "$out/exported"
for program in "$out"/bin/* "$out"/lib/mpiio/libargosy-mpiio.so; do
  [[ -f $program && -x $program ]] || continue
  for format in lcov text; do
    llvm-cov-19 export -format="$format" -skip-expansions -instr-profile "$out/coverage.profdata" "$program" \
      "$PWD/include" "$PWD/lib" >"$out/exported/$(basename "$program").$format" 2>"$out/exported/errors" ||
      grep -q 'no coverage data found' "$out/exported/errors" || { cat "$out/exported/errors" >&2 && exit 1; }
  done
done
python3 cmake/coverage_table.py "$PWD" "$out/exported" "$out/never_run.txt"
if ((failed)); then echo "-- Not all tests passed, see above." >&2; fi
exit "$failed"
