#!/usr/bin/env bash
# Builds one drop-in for all MPI libraries: build/families/lib/libargosy-mpiio.so, its parts in the
# folder argosy-mpiio beside it, and libargosy-around.so for `argosy run --report`. Each part is compiled with the mpi.h of one family.
#   cmake/families.sh                  builds all parts
#   cmake/families.sh openmpi          only this one: openmpi, mpich or standard
#   cmake/families.sh --test           runs plain MPI programs with the drop-in preloaded, on each
#                                      MPI library that is here
#   cmake/families.sh --test NAME...   only on these: openmpi, mpich, openmpi5, mpich5, impi,
#                                      mpich5_standard, impi_standard
#   cmake/families.sh --cost           what forwarding costs: the time of a small call on Open MPI,
#                                      with the drop-in of one MPI library and with this one
#   cmake/families.sh --portable       links what is built again, for glibc 2.28 and later, into
#                                      build/families/portable/; needs zig, which it gets from PyPI.
#                                      Also the modules for Python that cmake/python.sh has built
# With ARGOSY_FAMILIES_LIB=FOLDER, --test and --cost use the drop-in in that folder.
# The mpi.h of openmpi and mpich are Debian's; that of the standard interface is in PyPI's mpich.
# The tests of a library fail if its part is not built. Their output is in build/families/logs/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
source cmake/mpi_libraries.sh

all_families=(openmpi mpich standard)
root=$repository/build/families
lib=$(realpath -m "${ARGOSY_FAMILIES_LIB:-$root/lib}")

# --- Building ---

# Sets mpicc and mpicxx for a family.
use_family() {
  case $1 in
    openmpi | mpich) use_library "$1" ;;
    standard) use_library mpich5 && mpicxx=${mpicxx}_abi && mpicc=${mpicc}_abi ;;
  esac
}

# Compiles by ccache if it is there: most sources are the same for all families.
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1

# Without the libraries of codecs, which a system may not have. The drop-in compresses nothing.
build_part() {
  local in=$root/$1
  cmake -G Ninja -B "$in" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON "${launcher[@]}" -DARGOSY_BUILD_LAB=OFF \
    -DARGOSY_BUILD_TOOLS=OFF -DARGOSY_LINK_BOOST_MPI=OFF -DARGOSY_ENABLE_INSTALL=OFF \
    -DARGOSY_ENABLE_GZIP=OFF -DARGOSY_ENABLE_ZSTD=OFF -DARGOSY_ENABLE_BLOSC=OFF \
    -DMPI_CXX_SKIP_MPICXX=ON -DARGOSY_MPIIO_FAMILY="$1" -DMPI_CXX_COMPILER="$mpicxx" &&
    cmake --build "$in" --target argosy_mpiio_front argosy_mpiio_part argosy_around
}

exported_by() { nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^argosy_mpiio_start$' | sort; }

build() {
  local family around built=$root/part
  for family in "$@"; do
    use_family "$family" || { echo "There is no mpi.h of the family $family here"; return 1; }
    mkdir -p "$root" "$root/lib/argosy-mpiio"
    build_part "$family" >"$root/$family.log" 2>&1 || { tail -n 20 "$root/$family.log"; return 1; }
    built=$root/$family/lib/mpiio/families
    if ! diff <(exported_by "$built/libargosy-mpiio.so") <(exported_by "$built/argosy-mpiio/$family.so"); then
      echo "The front (<) and the part $family (>) have different functions: lib/mpiio/families/functions.hpp"
      return 1
    fi
    around=$root/$family/lib/mpiio/around/libargosy-around.so
    check_needs "$built/libargosy-mpiio.so" "$built/argosy-mpiio/$family.so" "$around"
    # As new files, because a program may run on the old ones.
    install "$built/libargosy-mpiio.so" "$around" "$root/lib/"
    install "$built/argosy-mpiio/$family.so" "$root/lib/argosy-mpiio/"
    echo "-- $root/lib/argosy-mpiio/$family.so, with the mpi.h of $title_of_library"
  done
}

# check_needs FILE...: fails if a file needs a library or a function that a system may not have.
# Names of glibc have a version of it. A part may also need names of MPI, and the module for Python
# those of Python.
check_needs() {
  local missing
  if readelf -d "$@" | grep NEEDED | grep -E 'mpi|stdc|gcc'; then
    echo "The drop-in must need neither an MPI library nor a C++ runtime"
    return 1
  fi
  missing=$(nm -DA --undefined-only "$@" | awk '$(NF - 1) == "U" && $NF !~ /@GLIBC_/ {
    if ($1 ~ /\/argosy-mpiio\// && $NF ~ /^(P?MPI_|ompi_|OMPI_C_)/) next
    if ($1 ~ /\/_argosy\./ && $NF ~ /^_?Py/) next
    print "  " $1, $NF }')
  if [[ $missing ]]; then
    printf 'No library of every system has these names that the drop-in needs:\n%s\n' "$missing"
    return 1
  fi
}

# --- Linking for older systems ---

glibc=2.28

# objects_in FOLDER...: prints the objects in the order of their names. The order of a folder would
# differ from one file system to another, and so would the addresses of the code.
objects_in() { find "$@" -name '*.o' | LC_ALL=C sort; }

# link_portably EXPORTS FILE OBJECT...: links a library to the functions that this glibc has. The
# file EXPORTS names those that it exports.
link_portably() {
  local exports=$1
  shift
  "$root/zig-python/bin/python" -m ziglang cc -target "$(uname -m)-linux-gnu.$glibc" -shared -s -o "$@" \
    "$(c++ -print-file-name=libstdc++.a)" "$(c++ -print-file-name=libgcc_eh.a)" "$(c++ -print-file-name=libgcc.a)" \
    -lpthread -ldl -lrt -Wl,--version-script="$exports" -Wl,--undefined-version -Wl,--as-needed -Wl,-z,lazy
}

# check_order MAP: fails if the linker's map of a part has its code in another order than that in
# which small calls were measured: of MPI's functions, of argosy, of old_glibc.o.
check_order() {
  local order
  order=$(sed -n -E 's/^.*(argosy_mpiio_objects|libargosy\.a|old_glibc)\S*:\(\.text.*/\1/p' "$1" | uniq | paste -sd ' ')
  if [[ $order != "argosy_mpiio_objects libargosy.a old_glibc" ]]; then
    echo "The code in $1 has the order '$order', in which small calls were not measured"
    return 1
  fi
}

portable() {
  local family objects to=$root/portable front= newest
  install_packages python3-venv
  [[ -x $root/zig-python/bin/python ]] ||
    { python3 -m venv "$root/zig-python" && "$root/zig-python/bin/pip" install -q "ziglang==0.*"; }
  mkdir -p "$to/argosy-mpiio"
  rm -f "$to"/_argosy.* # of a run that failed
  # Without macros that replace functions by later ones.
  cc -O2 -fPIC -fvisibility=hidden -Wall -Wextra -c lib/mpiio/families/old_glibc.c -o "$root/old_glibc.o"
  for family in "${all_families[@]}"; do
    [[ -f $root/lib/argosy-mpiio/$family.so ]] || continue
    front=$root/$family/lib/mpiio/families/CMakeFiles/argosy_mpiio_front.dir
    mapfile -t objects < <(objects_in "$root/$family/lib/mpiio/CMakeFiles/argosy_mpiio_objects.dir")
    # The order matters: with old_glibc.o before libargosy.a, a write of 8 bytes took 45 ns more,
    # because the code of argosy lay at other addresses.
    link_portably lib/mpiio/exports.map "$to/argosy-mpiio/$family.so" "${objects[@]}" "$(find "$root/$family" -name libargosy.a)" "$root/old_glibc.o" \
      -Wl,--print-map >"$root/$family.map"
    check_order "$root/$family.map"
  done
  [[ $front ]] || { echo "Nothing is built: run cmake/families.sh first"; return 1; }
  mapfile -t objects < <(objects_in "$front")
  link_portably lib/mpiio/exports.map "$to/libargosy-mpiio.so" "${objects[@]}" -Wl,-soname,libargosy-mpiio.so
  mapfile -t objects < <(objects_in "${front%/families/*}/around")
  link_portably lib/mpiio/around/exports.map "$to/libargosy-around.so" "${objects[@]}" "$root/old_glibc.o"
  check_needs "$to"/*.so "$to"/argosy-mpiio/*.so
  newest=$(readelf -V "$to"/libargosy-*.so "$to"/argosy-mpiio/*.so | grep -o 'GLIBC_2[.0-9]*' | sort -V | tail -n 1)
  echo "-- $to/libargosy-mpiio.so, whose newest need is $newest"
  portable_modules
}

# Links the modules for Python for the same glibc, if cmake/python.sh has built them. They have zlib
# and libzstd inside.
portable_modules() {
  local built=$repository/build/python-module to=$root/portable module name objects
  for module in "$built"/package/argosy/_argosy.*.so; do
    [[ -f $module ]] || continue
    name=${module##*/}
    mapfile -t objects < <(objects_in "$built/CMakeFiles/${name%.so}.dir")
    ((${#objects[@]} > 1)) || { echo "No objects of $name: run cmake/python.sh --wheel again"; return 1; }
    link_portably lib/python/module/exports.map "$to/$name" "${objects[@]}" "$root/old_glibc.o" \
      "$built/libargosy_without_mpi.a" "$(c++ -print-file-name=libz.a)" "$(c++ -print-file-name=libzstd.a)"
    check_needs "$to/$name"
    echo "-- $to/$name"
  done
}

# --- Testing ---

# run_program NAME RANKS COMMAND...: prints a line, and returns whether it passed. The libraries in
# `above` and `behind` are preloaded, too.
above= behind=
run_program() {
  local log=$root/logs/$library_name/$1.np$2.log start=$SECONDS status=0
  rm -rf "$here/run"
  mkdir -p "${log%/*}" "$here/run"
  (cd "$here/run" && TMPDIR=$here/run timeout -k 10 "${ARGOSY_MPIIO_SECONDS:-300}" "$mpiexec" -n "$2" \
    env "${run_with[@]}" LD_PRELOAD="$above $lib/libargosy-mpiio.so $behind $yielding" "${@:3}") \
    </dev/null >"$log" 2>&1 || status=$?
  printf '  %-32s %-14s %2d ranks  %s (%d s)\n' "$title_of_library" "$1" "$2" \
    "$( ((status == 0)) && echo passed || echo "FAILED with $status: $log")" $((SECONDS - start))
  return $((status != 0))
}

# A process without MPI maps the front, and no part.
test_without_mpi() {
  local maps
  maps=$(LD_PRELOAD=$lib/libargosy-mpiio.so cat /proc/self/maps)
  if [[ $maps == *"$lib/libargosy-mpiio.so"* && $maps != *argosy-mpiio/* ]]; then
    echo "  a process without MPI is left alone: passed"
  else
    echo "  a process without MPI is left alone: FAILED"
    return 1
  fi
}

# Fortran's three bindings, where the MPI library has a compiler for them.
test_fortran() {
  local binding failed=0
  case $library_name in openmpi | mpich) ;; *) return 0 ;; esac
  # Debian 11 has Open MPI's mpifort without the data that it needs.
  (cd "$here" && echo end >nothing.f90 && "$mpifort" nothing.f90 -o nothing) >/dev/null 2>&1 ||
    { echo "  $title_of_library: without the tests in Fortran, because mpifort compiles nothing here"; return 0; }
  for binding in 77 90 8; do
    (cd "$here" && "$mpifort" -cpp -DBINDING=$binding -ffree-line-length-none "$repository/test/mpiio/fortran.F90" -o "fortran$binding")
    run_program "fortran$binding" 2 "$here/fortran$binding" || failed=1
  done
  return $failed
}

test_with() {
  local library_name failed=0
  test_without_mpi || failed=1
  for library_name in "$@"; do
    use_for_tests "$library_name" || { echo "-- There is no MPI library $library_name here: going on without"; continue; }
    here=$root/programs/$library_name
    mkdir -p "$here"
    local compile=("$mpicxx" -std=c++20 -O1 -I test/mpiio)
    "${compile[@]}" test/mpiio/contract.cpp test/mpiio/contract_{handlers,requests,views}.cpp -o "$here/contract" -ldl
    "${compile[@]}" test/mpiio/random_calls.cpp -o "$here/random_calls" -ldl
    "${compile[@]}" -shared -fPIC -Dmain=late_main test/mpiio/contract.cpp test/mpiio/contract_{handlers,requests,views}.cpp -o "$here/contract.so"
    c++ -std=c++20 test/mpiio/late.cpp -o "$here/late" -ldl
    for ranks in 1 2 3; do run_program contract $ranks "$here/contract" || failed=1; done
    for ranks in 1 3; do run_program random_calls $ranks "$here/random_calls" 1:100 || failed=1; done
    run_program late 2 "$here/late" "$here/contract.so" || failed=1
    "${compile[@]}" test/mpiio/profiled.cpp -o "$here/profiled" -ldl
    "${compile[@]}" -shared -fPIC -DPROFILER_GOES_ON=PROFILER_BY_LINK -DPROFILER_NAME=by_link test/mpiio/profiler.cpp -o "$here/tool.so" -ldl
    above=$here/tool.so run_program tool_above 2 "$here/profiled" by_link=all || failed=1
    behind=$here/tool.so run_program tool_behind 2 "$here/profiled" by_link=all || failed=1
    test_fortran || failed=1
    rm -rf "$here/run"
  done
  return $failed
}

# --- Measuring ---

cost() {
  local one=$repository/build/release/lib/mpiio/libargosy-mpiio.so turn drop_in
  use_library openmpi
  mkdir -p "$root/programs"
  "$mpicxx" -std=c++20 -O2 benchmarks/forwarding/forwarding.cpp -o "$root/programs/forwarding"
  [[ -f $one && -f $lib/libargosy-mpiio.so ]] || { echo "Build both: cmake --build --preset release, and cmake/families.sh"; return 1; }
  for turn in 1 2 3; do
    for drop_in in "$one" "$lib/libargosy-mpiio.so"; do
      printf '%d, %-44s ' $turn "${drop_in#"$repository/"}"
      "$mpiexec" -n 1 env LD_PRELOAD="$drop_in" "$root/programs/forwarding"
    done
  done
}

mode=build
case ${1-} in
  --test) mode=test; shift ;;
  --cost) cost; exit ;;
  --portable) portable; exit ;;
esac
if [[ $mode == build ]]; then
  (($#)) || set -- "${all_families[@]}"
  known=${all_families[*]}
else
  known="openmpi mpich openmpi5 mpich5 impi mpich5_standard impi_standard"
  # shellcheck disable=SC2086 # it is a list
  (($#)) || set -- $known
fi
for name in "$@"; do
  [[ " $known " == *" $name "* ]] || {
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/families.sh
    exit 2
  }
done
if [[ $mode == build ]]; then build "$@"; else test_with "$@"; fi
