#!/usr/bin/env bash
# Compares the collective rows of bench_patterns with all installed MPI I/O: the peer of a row is
# the best of them.
#   benchmarks/compare_patterns.sh [--ranks "2 4"] [--dirs "/tmp /dev/shm"] [--out DIR]
#                                  [--mpiio LIBRARY] [options of bench_patterns]
#   benchmarks/compare_patterns.sh --hosts "1 2" [--dirs "$PWD/build"] [--fs "gluster moose"] ...
# Prints a table for each number of ranks and each directory. The CSV files of all runs, and the
# merged ones, go to DIR. Peers are both I/O components of Open MPI, and ROMIO of Open MPI 5 if
# cmake/other_mpi.sh openmpi5 has made a build with it. With --mpiio
# build/release/lib/mpiio/libargosy-mpiio.so, also compares argosy with the same calls of MPI on the
# drop-in.
# --hosts: on four hosts, namespaces of this machine, with that many ranks on each. Their
# directories are on a disk that all share, and, by --fs, on distributed file systems
# (test/hosts/hosts.sh). Needs root.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bench=${BENCH_PATTERNS:-$root/build/release/bin/bench_patterns}
hosts=$root/test/hosts/hosts.sh

ranks="2 4"
directories=
out=$root/build/release/compare_patterns
mpiio=
on_hosts=
systems=
options=()
while (($#)); do
  case $1 in
    --ranks) ranks=$2; shift 2 ;;
    --dirs) directories=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --mpiio) mpiio=$(realpath "$2"); shift 2 ;;
    --hosts) on_hosts=yes; ranks=$2; shift 2 ;;
    --fs) systems=$2; shift 2 ;;
    --help) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit ;;
    *) options+=("$1"); shift ;;
  esac
done
[[ -x $bench ]] || { echo "$bench is missing: cmake --build --preset release --target bench_patterns" >&2; exit 1; }
[[ -z $systems || -n $on_hosts ]] || { echo "compare_patterns.sh: --fs is for --hosts" >&2; exit 2; }
mkdir -p "$out"

# As many ranks as asked for, on any number of cores.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
peers=(ompio romio321)
newer=$root/build/openmpi5/bin/bench_patterns
if [[ -z $on_hosts && -x $newer ]]; then peers+=(openmpi5); fi

# run PEER RANKS COMMAND...: runs a peer that may fail or hang on some file systems
most_seconds=${ARGOSY_COMPARE_SECONDS:-1800}
run() {
  local peer=$1 n=$2
  shift 2
  if [[ -n $on_hosts ]]; then
    OMPI_MCA_io=$peer timeout -k 10 "$most_seconds" "$hosts" run "$n" "$@"
  elif [[ $peer == openmpi5 ]]; then
    OMPI_MCA_io=romio341 timeout -k 10 "$most_seconds" "$root/build/openmpi5-python/bin/mpiexec" -n "$n" "$newer" "${@:2}"
  else
    OMPI_MCA_io=$peer timeout -k 10 "$most_seconds" mpiexec -n "$n" "$@"
  fi
}

# Prints the table of a run, without the reports of single rows before it.
table_of() { sed -n '/^pattern  /,$p'; }

# compare TITLE NAME RANKS DIRECTORY: runs all peers in turn, and prints the table
compare() {
  local title=$1 name=$2 n=$3 directory=$4 peer runs=() worked=()
  for peer in "${peers[@]}"; do
    echo "-- $title, $peer" >&2
    if run "$peer" "$n" "$bench" --group collective --dir "$directory" --csv "$name.$peer.csv" "${options[@]}" >"$name.$peer.txt" 2>&1; then
      runs+=(--merge "$peer=$name.$peer.csv")
      worked+=("$peer")
    else
      echo "-- $title, $peer: failed, or did not end in $most_seconds s: $name.$peer.txt"
      grep -Em 1 '^bench_patterns:|ERROR OCCURRED' "$name.$peer.txt" || true
      # not a failure of a peer
      if grep -Eq '(bench_patterns|rank [0-9]+): argosy' "$name.$peer.txt"; then exit 1; fi
    fi
  done
  if ((${#runs[@]} == 0)); then
    echo "== $title: no peer works here =="
    run ompio "$n" "$bench" --group collective --impl argosy,limit --dir "$directory" --csv "$name.csv" "${options[@]}" | table_of
    return
  fi
  echo
  echo "== $title: the best of ${worked[*]} =="
  "$bench" "${runs[@]}" --csv "$name.csv"
  [[ -n $mpiio ]] || return 0
  echo
  echo "== $title: the drop-in, where the table says mpi =="
  run ompio "$n" env LD_PRELOAD="$mpiio" "$bench" --group collective --dir "$directory" --csv "$name.mpiio.csv" "${options[@]}" | table_of
}

if [[ -z $on_hosts ]]; then
  for directory in ${directories:-${TMPDIR:-/tmp} /dev/shm}; do
    for n in $ranks; do compare "$directory, $n ranks" "$out/${directory//\//_}.np$n" "$n" "$directory"; done
  done
  exit
fi

# /tmp and /dev/shm are each host's own. All hosts see the other directories of the machine.
ARGOSY_HOSTS=$("$hosts" up 4)
export ARGOSY_HOSTS
trap '"$hosts" down' EXIT
for directory in ${directories:-$out}; do
  for n in $ranks; do
    compare "four hosts, $directory, $n ranks on each" "$out/hosts.${directory//\//_}.np$n" "$n" "$directory"
  done
done
# hosts have caches of their own there, and every byte is checked from another host
options+=(--sync)
for system in $systems; do
  "$hosts" fs "$system" up 1024 >&2
  directory=$("$hosts" fs "$system" where)
  for n in $ranks; do
    compare "four hosts, $system, $n ranks on each" "$out/hosts.$system.np$n" "$n" "$directory"
  done
  "$hosts" fs "$system" down
done
