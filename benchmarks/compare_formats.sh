#!/usr/bin/env bash
# Compares Debian's HDF5 and PnetCDF on both I/O components of Open MPI and with the drop-in
# preloaded, in turn. Each writes and reads a 3-D array collectively.
#   benchmarks/compare_formats.sh [--ranks "2 4"] [--dirs "/tmp /dev/shm"] [--edge 160]
#                                 [--rounds 5] [--mpiio LIBRARY]
# Prints a table for each number of ranks and each directory. It has medians of the slowest rank's
# time, with open and close, and how many times as long the better component takes, with the least
# and the largest of five rounds.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/cmake/setup.sh"

ranks="2 4"
directories="${TMPDIR:-/tmp} /dev/shm"
edge=160
rounds=5
mpiio=$root/build/release/lib/mpiio/libargosy-mpiio.so
while (($#)); do
  case $1 in
    --ranks) ranks=$2 ;;
    --dirs) directories=$2 ;;
    --edge) edge=$2 ;;
    --rounds) rounds=$2 ;;
    --mpiio) mpiio=$(realpath "$2") ;;
    *)
      sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      [[ $1 == --help ]]
      exit
      ;;
  esac
  shift 2
done
[[ -f $mpiio ]] || { echo "$mpiio is missing: cmake --build --preset release --target argosy_mpiio" >&2; exit 1; }
install_packages libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libpnetcdf-dev
out=$root/build/release/compare_formats
mkdir -p "$out"
places=$(mpicc.openmpi -print-multiarch)
mpicc.openmpi -O2 -I/usr/include/hdf5/openmpi "-L/usr/lib/$places/hdf5/openmpi" "$root/benchmarks/formats/volumes.c" -o "$out/volumes" -lhdf5 -lpnetcdf -lm

# As many ranks as asked for, on any number of cores.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# Makes a table of lines "turn contestant kind operation seconds".
table() {
  awk '
    function median(list, n, i, k, x) {
      for (i = 2; i <= n; ++i) { x = list[i]; for (k = i - 1; k > 0 && list[k] > x; --k) list[k + 1] = list[k]; list[k + 1] = x }
      return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    function of(turn, who, row, i, n, list) {
      for (i = 1; i <= count[turn, who, row]; ++i) list[++n] = seconds[turn, who, row, i]
      return median(list, n)
    }
    function whole(who, row, i, k, n, list) {
      for (k = 1; k <= turns; ++k) for (i = 1; i <= count[k, who, row]; ++i) list[++n] = seconds[k, who, row, i]
      return median(list, n)
    }
    function better(a, b) { return a < b ? a : b }
    { row = $3 " " $4; if (!(row in seen)) { seen[row]; rows[++n] = row } seconds[$1, $2, row, ++count[$1, $2, row]] = $5; turns = $1 }
    END {
      printf "%-24s %10s %10s %10s %22s\n", "", "ompio ms", "romio ms", "argosy ms", "better / argosy"
      for (r = 1; r <= n; ++r) {
        row = rows[r]; low = 1e9; high = 0
        for (k = 1; k <= turns; ++k) {
          ratio = better(of(k, "ompio", row), of(k, "romio321", row)) / of(k, "argosy", row)
          if (ratio < low) low = ratio
          if (ratio > high) high = ratio
        }
        o = whole("ompio", row); p = whole("romio321", row); a = whole("argosy", row)
        printf "%-24s %10.1f %10.1f %10.1f %6.2f (%.2f - %.2f)\n", row, o * 1e3, p * 1e3, a * 1e3, better(o, p) / a, low, high
        logs += log(better(o, p) / a)
      }
      printf "%-24s %10s %10s %10s %6.2f\n", "geometric mean", "", "", "", exp(logs / n)
    }'
}

for directory in $directories; do
  for n in $ranks; do
    echo
    echo "== $directory, $n ranks, $edge^3 doubles =="
    for turn in 1 2 3 4 5; do
      for who in ompio romio321 argosy; do
        [[ -t 2 ]] && printf '\r-- turn %d of 5: %-8s' "$turn" "$who" >&2
        if [[ $who == argosy ]]; then
          mpiexec.openmpi -n "$n" env LD_PRELOAD="$mpiio" "$out/volumes" "$directory" "$edge" "$rounds"
        else
          OMPI_MCA_io=$who mpiexec.openmpi -n "$n" "$out/volumes" "$directory" "$edge" "$rounds"
        fi | sed "s/^/$turn $who /"
      done
    done >"$out/lines"
    [[ -t 2 ]] && printf '\r%40s\r' '' >&2
    table <"$out/lines"
  done
done
