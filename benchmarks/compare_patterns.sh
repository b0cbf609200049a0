#!/usr/bin/env bash
# The collective rows of bench_patterns against both I/O components of Open MPI in turn: the peer of a row is the better one.
#   benchmarks/compare_patterns.sh [--ranks "2 4"] [--dirs "/tmp /dev/shm"] [--out DIR] [--mpiio LIBRARY] [options of bench_patterns]
# Prints a table for each number of ranks and each directory; the CSV of all runs, and the merged ones, go to DIR.
# With --mpiio build/release/lib/mpiio/libargosy-mpiio.so also argosy beside the same calls of MPI on the drop-in.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bench=${BENCH_PATTERNS:-$root/build/release/bin/bench_patterns}

ranks="2 4"
directories="${TMPDIR:-/tmp} /dev/shm"
out=$root/build/release/compare_patterns
mpiio=
options=()
while (($#)); do
  case $1 in
    --ranks) ranks=$2; shift 2 ;;
    --dirs) directories=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --mpiio) mpiio=$(realpath "$2"); shift 2 ;;
    --help) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}"; exit ;;
    *) options+=("$1"); shift ;;
  esac
done
[[ -x $bench ]] || { echo "$bench is missing: cmake --build --preset release --target bench_patterns" >&2; exit 1; }
mkdir -p "$out"

# As many ranks as asked for, on however many cores there are.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

for directory in $directories; do
  for n in $ranks; do
    name=$out/${directory//\//_}.np$n
    runs=()
    for component in ompio romio321; do
      echo "-- $directory, $n ranks, $component" >&2
      OMPI_MCA_io=$component mpiexec -n "$n" "$bench" --group collective --dir "$directory" \
        --csv "$name.$component.csv" "${options[@]}" >"$name.$component.txt"
      runs+=(--merge "$component=$name.$component.csv")
    done
    echo
    echo "== $directory, $n ranks: the better of ompio and romio321 =="
    "$bench" "${runs[@]}" --csv "$name.csv"
    [[ -n $mpiio ]] || continue
    echo
    echo "== $directory, $n ranks: the drop-in, where the table says mpi =="
    mpiexec -n "$n" env LD_PRELOAD="$mpiio" "$bench" --group collective --dir "$directory" --csv "$name.mpiio.csv" "${options[@]}"
  done
done
