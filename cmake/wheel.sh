#!/usr/bin/env bash
# Makes a wheel for pip of the drop-in that cmake/families.sh --portable has linked, the command
# argosy that runs programs on it, the headers of argosy::headers, and the module argosy, if
# cmake/python.sh was run before --portable: build/wheel/argosy-VERSION-py3-none-manylinux_2_N_x86_64.whl.
# The N is that of the newest function of glibc that the libraries need. Every Python 3.9 and later
# has the drop-in; the module is for the Pythons that it was compiled for (cmake/python.sh --wheel).
# Prints the checksum, and tries the wheel.
#   cmake/wheel.sh                  makes it
#   cmake/wheel.sh --test           installs the wheel that is in build/wheel into an environment of
#                                   its own, and runs programs on it, on each MPI library
#   cmake/wheel.sh --test NAME...   only on these, which are named as in cmake/families.sh --test
# A row of the table of --test says of an MPI library whether these passed:
#   program    examples/hello_mpiio.cpp, compiled without argosy, by argosy run --report: the report
#              is there, and the file as it must be
#   mpi4py     a Python program with mpi4py of PyPI, the same way
#   module     test/python/installed.py, on the module argosy of the wheel, with mpi4py
#   families   what cmake/families.sh --test runs
# The output is in build/wheel/logs/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

make_wheel() {
  local lib=build/families/portable part modules
  for part in openmpi mpich standard; do
    [[ -f $lib/argosy-mpiio/$part.so ]] || { echo "There is no part $part: run cmake/families.sh, and again with --portable"; exit 1; }
  done
  rm -rf build/wheel
  mkdir -p build/wheel
  mapfile -t modules < <(compgen -G "$lib/_argosy.*.so")
  python3 cmake/wheel.py "$lib" build/wheel "${modules[@]}"
  sha256sum build/wheel/*.whl

  # In an environment of its own the wheel must tell where its files are, and a project must find
  # them.
  python3 -m venv --clear build/wheel/env
  build/wheel/env/bin/pip install --quiet --no-deps build/wheel/*.whl
  build/wheel/env/bin/argosy --preload | xargs ls >/dev/null
  cmake -S test/consumer -B build/wheel/consumer -DHEADERS_ONLY=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
    -Dargosy_DIR="$(build/wheel/env/bin/argosy --cmake-dir)" >build/wheel/consumer.log
  cmake --build build/wheel/consumer >>build/wheel/consumer.log
  build/wheel/consumer/consumer
  echo "-- the wheel can be installed, and its headers are found"

  # A Python without the compiled part says so, and has the command.
  rm -f build/wheel/env/lib/python3*/site-packages/argosy/_argosy.*
  ! build/wheel/env/bin/python3 -c "import argosy; argosy.open" 2>build/wheel/without.log || return 1
  grep "^ImportError: argosy.open needs the compiled part" build/wheel/without.log
  build/wheel/env/bin/argosy --preload | xargs ls >/dev/null
}

# --- Testing ---

# reported LOG FILE BYTES: true if there is a report of this file, and it has so many bytes
reported() { [[ $(stat -c %s "$2") == "$3" ]] && grep -q "^argosy.*${2##*/}" "$1"; }

# in_wheel NAME COMMAND...: runs a program of two ranks by argosy run --report in build/wheel/run.
in_wheel() {
  local log=$logs/$library_name.$1.log
  shift
  (cd build/wheel/run && TMPDIR=$PWD timeout -k 10 300 env "${run_with[@]}" LD_PRELOAD="$yielding" \
    "$env/bin/argosy" run --report "$mpiexec" -n 2 "$@") </dev/null >"$log" 2>&1
}

# Each of these prints passed, FAILED or a word that says why it was not run.
try_program() {
  local verdict=FAILED
  "$mpicxx" -O1 examples/hello_mpiio.cpp -o build/wheel/run/hello_mpiio
  in_wheel program ./hello_mpiio && reported "$logs/$library_name.program.log" build/wheel/run/hello_mpiio.dat 128000 && verdict=passed
  echo $verdict
}

try_mpi4py() {
  local verdict=FAILED mpi4py_with=()
  use_mpi4py "$PWD/build/wheel/run/lib" || { echo "its wheel has no module"; return; }
  run_with+=("${mpi4py_with[@]}")
  in_wheel mpi4py "$env/bin/python3" "$PWD/test/mpiio/with_mpi4py.py" && reported "$logs/$library_name.mpi4py.log" build/wheel/run/mpi4py.dat 8000 && verdict=passed
  echo $verdict
}

try_module() {
  local log=$logs/$library_name.module.log verdict=FAILED mpi4py_with=()
  use_mpi4py "$PWD/build/wheel/run/lib" || { echo "not run"; return; }
  (cd build/wheel/run && TMPDIR=$PWD timeout -k 10 300 "$mpiexec" -n 2 env "${run_with[@]}" "${mpi4py_with[@]}" LD_PRELOAD="$yielding" \
    "$env/bin/python3" ../../../test/python/installed.py) </dev/null >"$log" 2>&1 && grep -q "^module on Python" "$log" && verdict=passed
  echo $verdict
}

try_families() {
  local log=$logs/$library_name.families.log
  if ARGOSY_FAMILIES_LIB=$libraries cmake/families.sh --test "$library_name" >"$log" 2>&1 && grep -q passed "$log"; then
    echo "$(grep -c ' passed' "$log") passed"
  else
    echo "FAILED"
  fi
}

test_wheel() {
  local library_name program with_python module families begin=0 first row rows=() failed=0
  wheel=$(compgen -G 'build/wheel/argosy-*.whl') || { echo "There is no wheel: run cmake/wheel.sh"; exit 1; }
  sha256sum "$wheel"
  source cmake/setup.sh
  source cmake/mpi_libraries.sh
  install_packages g++ gfortran python3-venv
  env=$PWD/build/wheel/test-env logs=$PWD/build/wheel/logs
  mkdir -p "$logs"
  python3 -m venv --clear "$env"
  "$env/bin/pip" install --quiet "$wheel" numpy mpi4py
  libraries=$(dirname "$("$env/bin/argosy" --preload)")
  system=$(sed -n 's/^PRETTY_NAME="\([^(]*[^ (]\).*"/\1/p' /etc/os-release)
  mpi4py_version=$("$env/bin/pip" show mpi4py | sed -n 's/^Version: //p')
  for library_name in "$@"; do
    use_for_tests "$library_name" || { echo "-- There is no MPI library $library_name here: going on without"; continue; }
    rm -rf build/wheel/run
    mkdir -p build/wheel/run
    program=$(try_program) first=$((SECONDS - begin))
    with_python=$(try_mpi4py) module=$(try_module) families=$(try_families)
    row="| $title_of_library | $system | $program | $with_python | $module | $families |"
    [[ $row != *FAILED* ]] || failed=1
    rows+=("$row")
    echo "$row $first s to the report of the program, with what had to be installed"
    begin=$SECONDS
  done
  echo
  echo "| MPI library | system | program | mpi4py $mpi4py_version | module, $("$env/bin/python3" --version) | families |"
  echo "|---|---|---|---|---|---|"
  printf '%s\n' "${rows[@]}"
  return $failed
}

case ${1-} in
  "") make_wheel ;;
  --test)
    shift
    (($#)) || set -- openmpi mpich openmpi5 mpich5 mpich5_standard impi impi_standard
    test_wheel "$@"
    ;;
  *)
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/wheel.sh
    exit 2
    ;;
esac
