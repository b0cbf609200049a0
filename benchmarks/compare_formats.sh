#!/usr/bin/env bash
# Compares Debian's HDF5 and PnetCDF on both I/O components of Open MPI and with the drop-in
# preloaded, in turn. Each writes and reads a 3-D array collectively.
#   benchmarks/compare_formats.sh [--ranks "2 4"] [--dirs "/tmp /dev/shm"] [--edge 160]
#                                 [--rounds 5] [--mpiio LIBRARY]
# Prints a table for each number of ranks and each directory. It has medians of the slowest rank's
# time, with open and close, and how many times as long the better component takes, with the least
# and the largest of five rounds.
#   benchmarks/compare_formats.sh --compressed 64 [option...]
# Compares arrays of that many MiB with gzip of level 1, or of several sizes ("64 512"): those of
# argosy, of HDF5, and of zarr-python, which is installed from PyPI into build/zarr. Prints a row
# for each case. It has medians of the slowest rank's time, with the sync. For other libraries it
# has how many times as long they take as argosy with the same format, with the least and the
# largest of five turns.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/cmake/setup.sh"

ranks="2 4"
directories="${TMPDIR:-/tmp} /dev/shm"
edge=160
rounds=5
compressed=
mpiio=$root/build/release/lib/mpiio/libargosy-mpiio.so
while (($#)); do
  case $1 in
    --ranks) ranks=$2 ;;
    --dirs) directories=$2 ;;
    --edge) edge=$2 ;;
    --rounds) rounds=$2 ;;
    --compressed) compressed=$2 ;;
    --mpiio) mpiio=$(realpath "$2") ;;
    *)
      sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      [[ $1 == --help ]]
      exit
      ;;
  esac
  shift 2
done
for target in "$mpiio" ${compressed:+"$root/build/release/bin/bench_zarr"}; do
  [[ -f $target ]] || { echo "$target is missing: cmake --build --preset release" >&2; exit 1; }
done
install_packages libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libpnetcdf-dev
out=$root/build/release/compare_formats
mkdir -p "$out"
places=$(mpicc.openmpi -print-multiarch)
# compile NAME LIBRARY...
compile() {
  mpicc.openmpi -O2 -I/usr/include/hdf5/openmpi "-L/usr/lib/$places/hdf5/openmpi" \
    "$root/benchmarks/formats/$1.c" -o "$out/$1" "${@:2}"
}

# As many ranks as asked for, on any number of cores.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# on WHO PROGRAM ARGUMENT...: runs it on n ranks, on that component of Open MPI, or on the drop-in.
on() {
  if [[ $1 == argosy ]]; then
    mpiexec.openmpi -n "$n" env LD_PRELOAD="$mpiio" "${@:2}"
  else
    OMPI_MCA_io=$1 mpiexec.openmpi -n "$n" "${@:2}"
  fi
}

# Functions of awk.
statistics='
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
  }'

# Makes a table of lines "turn contestant kind operation seconds".
table() {
  awk "$statistics"'
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

# Makes a row of lines "turn contestant format seconds".
row() {
  awk -v name="$1" "$statistics"'
    function compared(who, row, k, low, high, ratio) {
      low = 1e9
      for (k = 1; k <= turns; ++k) {
        ratio = of(k, who, row) / of(k, "argosy", row)
        if (ratio < low) low = ratio
        if (ratio > high) high = ratio
      }
      return sprintf("%6.2f %5.2f (%.2f - %.2f)", whole(who, row), whole(who, row) / whole("argosy", row), low, high)
    }
    { seconds[$1, $2, $3, ++count[$1, $2, $3]] = $4; turns = $1 }
    END {
      printf "%-38s %6.2f %6.2f", name, whole("argosy", "zarr"), whole("argosy", "hdf5")
      for (k = split("hdf5:ompio hdf5:romio321 hdf5:drop-in zarr:python", others); i < k; ) {
        split(others[++i], one, ":")
        printf " %-26s", compared(one[2], one[1])
      }
      print ""
    }'
}

compare_compressed() {
  local mib directory n parts turn
  local python=$root/build/zarr/bin/python3
  has_python() { $python -c 'import zarr, mpi4py' 2>/dev/null; }
  if ! has_python; then
    [[ -x $python ]] || python3 -m venv "$root/build/zarr"
    MPICC=mpicc.openmpi "$python" -m pip install --quiet --no-binary mpi4py zarr mpi4py
    has_python || { echo "zarr or mpi4py cannot be imported" >&2; exit 1; }
  fi
  compile compressed -lhdf5 -lm
  printf '%-38s %6s %6s %-26s %-26s %-26s %s\n' 'seconds; times as long as argosy' Zarr HDF5 'HDF5, ompio' 'HDF5, romio' 'HDF5, drop-in' zarr-python
  for mib in $compressed; do
    for directory in $directories; do
      for n in $ranks; do
        for parts in rows columns; do
          for turn in 1 2 3 4 5; do
            [[ -t 2 ]] && printf '\r-- turn %d of 5' "$turn" >&2
            mpiexec.openmpi -n "$n" "$root/build/release/bin/bench_zarr" --lines --codec gzip --dir "$directory" --mib "$mib" --parts $parts --rounds "$rounds" | sed "s/^/$turn argosy /"
            for who in ompio romio321; do
              on $who "$out/compressed" "$directory" "$mib" $parts "$rounds" | sed "s/^/$turn $who /"
            done
            on argosy "$out/compressed" "$directory" "$mib" $parts "$rounds" | sed "s/^/$turn drop-in /"
            mpiexec.openmpi -n "$n" "$python" "$root/benchmarks/formats/zarr_python.py" "$directory" "$mib" "$rounds" | sed "s/^/$turn python /"
          done >"$out/lines"
          [[ -t 2 ]] && printf '\r%20s\r' '' >&2
          row "$mib MiB, $n ranks, $directory, $parts" <"$out/lines"
        done
      done
    done
  done
}

if [[ $compressed ]]; then
  compare_compressed
  exit
fi
compile volumes -lhdf5 -lpnetcdf -lm
for directory in $directories; do
  for n in $ranks; do
    echo
    echo "== $directory, $n ranks, $edge^3 doubles =="
    for turn in 1 2 3 4 5; do
      for who in ompio romio321 argosy; do
        [[ -t 2 ]] && printf '\r-- turn %d of 5: %-8s' "$turn" "$who" >&2
        on $who "$out/volumes" "$directory" "$edge" "$rounds" | sed "s/^/$turn $who /"
      done
    done >"$out/lines"
    [[ -t 2 ]] && printf '\r%40s\r' '' >&2
    table <"$out/lines"
  done
done
