#!/usr/bin/env bash
# Checks MPI's I/O sentence by sentence (test/conformance/) on each MPI library: on its own I/O, and
# with the drop-in for all MPI libraries preloaded. Makes a table and a page.
#   cmake/conformance.sh                       all MPI libraries
#   cmake/conformance.sh NAME...               only these: openmpi, mpich, openmpi5, mpich5,
#                                              mpich5_standard, impi
#   cmake/conformance.sh --only NUMBER ...     only checks whose number begins so, as 14.2.1; the
#                                              rest is of an earlier run
#   cmake/conformance.sh --own ...             without the drop-in
#   cmake/conformance.sh --preloaded ...       with the drop-in only
#   cmake/conformance.sh --table               runs nothing; the table and the page of earlier runs
#   cmake/conformance.sh --write ...           also renews, in the table of docs/use/conformance.md, the
#                                              rows whose results are here
# The drop-in is that of cmake/families.sh, which is built if it is not there, or the one in
# ARGOSY_FAMILIES_LIB. Results are in build/conformance/: a .json and a .txt for each column, and
# index.html. Fails if a check fails with the drop-in, and test/conformance/known.txt does not name
# the part of the MPI library that fails.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
source cmake/mpi_libraries.sh

all=(openmpi mpich openmpi5 mpich5 mpich5_standard impi)
root=$repository/build/conformance
lib=$(realpath -m "${ARGOSY_FAMILIES_LIB:-$repository/build/families/lib}")
kinds=(own romio argosy) names=() options=() write="" runs=yes
while (($#)); do
  case $1 in
    --only) options+=(--only "$2"); shift ;;
    --own) kinds=(own romio) ;;
    --preloaded) kinds=(argosy) ;;
    --table) runs="" ;;
    --write) write=yes ;;
    *)
      [[ " ${all[*]} " == *" $1 "* ]] || {
        sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/conformance.sh
        exit 2
      }
      names+=("$1")
      ;;
  esac
  shift
done
((${#names[@]})) || names=("${all[@]}")
mkdir -p "$root"

# Runs the checks of one column. Sets failed if one fails with the drop-in.
run_column() {
  local kind=$1 title=$title_of_library launch=$mpiexec preload=() variables=() variable
  case $kind in
    own) [[ -z $romio ]] || title+=", OMPIO" ;;
    romio) title+=", ROMIO" launch+=" --mca io $romio" ;;
    argosy) title+=", drop-in" preload=(--preload "$lib/libargosy-mpiio.so") ;;
  esac
  [[ -z $yielding ]] || preload+=(--preload "$yielding")
  for variable in "${run_with[@]}"; do variables+=(--env "$variable"); done
  python3 test/conformance/run.py --mpicc "$mpicc" --mpiexec "$launch" --title "$title" "${preload[@]}" "${variables[@]}" "${options[@]}" \
    --known test/conformance/known.txt --known-for "$name.$kind" --json "$root/$name.$kind.json" >"$root/$name.$kind.txt" ||
    { [[ $kind != argosy ]] || failed=1; }
  tail -n 1 "$root/$name.$kind.txt"
}

failed=0
if [[ $runs ]]; then
  [[ " ${kinds[*]} " != *" argosy "* || -f $lib/libargosy-mpiio.so ]] || cmake/families.sh
  for name in "${names[@]}"; do
    use_for_tests "$name" || { echo "-- There is no MPI library $name here: going on without"; continue; }
    for kind in "${kinds[@]}"; do
      if [[ $kind != romio || $romio ]]; then run_column "$kind"; fi
    done
  done
fi

results=()
for name in "${all[@]}"; do
  for kind in own romio argosy; do
    if [[ -f $root/$name.$kind.json ]]; then results+=("$root/$name.$kind.json"); fi
  done
done
if [[ ! ${results[*]} ]]; then exit 1; fi
page=(--html "$root/index.html")
if [[ $write ]]; then page+=(--markdown docs/use/conformance.md); fi
echo
python3 test/conformance/page.py "${page[@]}" "${results[@]}"
echo "-- $root/index.html"
exit $failed
