# ROMIO's own tests, in C and Fortran, called as in its runtests, and tests that runtests leaves
# out.
# SPDX-License-Identifier: BSD-3-Clause
title="ROMIO test"

get() {
  install_packages gfortran
  debian_source mpich '*/test/mpi/io/*' '*/test/mpi/util/*' '*/test/mpi/include/*' '*/romio/test/*'
}

romio_tests=$sources/mpich/src/mpi/romio/test

# program ranks arguments
calls() {
  sed -n 's|^[[:space:]]*$mpirun -np \([0-9]*\) \./\([a-z0-9_-]*\) \(.*\)|\2 \1 \3|p' "$romio_tests/runtests.in" |
    sed "s|\$FILENAME|file|; s|\$srcdir|$romio_tests|"
  echo "creat_excl 4 -fname file"
  echo "perf 4 -fname file"
  echo "fperf 4 -fname file"
  echo "external32 1"
  echo "big_extents 4 file"
}

# Some tests use MPI_LB and MPI_UB. Open MPI still has them, but does not declare them.
removed() {
  echo '#include <mpi.h>'
  echo '#ifdef OPEN_MPI'
  echo 'extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub;'
  echo '#undef MPI_LB'
  echo '#undef MPI_UB'
  echo '#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)'
  echo '#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)'
  echo '#endif'
}

build() {
  local test from
  removed >"$here/removed.h"
  [[ -x $mpifort ]] || echo "-- $title_of_library has no mpifort here: without the tests in Fortran"
  while read -r test _; do
    [[ -x $here/$test ]] && continue
    from=$romio_tests/$test
    if [[ -f $from.c.in ]]; then
      from=$here/$test
      sed 's/@LL@/lld/g' "$romio_tests/$test.c.in" >"$from.c"
    elif [[ -f $from.f.in ]]; then
      from=$here/$test
      sed 's/@F77MPIOINC@//; s/@FORTRAN_MPI_OFFSET@/integer(kind=MPI_OFFSET_KIND)/; s/@F77IARGC@/iargc()/
           s/@F77GETARG@/call getarg(i, str)/' "$romio_tests/$test.f.in" >"$from.f"
    fi
    if [[ -f $from.f && ! -x $mpifort ]]; then
      continue
    elif [[ -f $from.f ]]; then
      "$mpifort" -w -O1 -fallow-argument-mismatch -o "$here/$test" "$from.f"
    else
      "$mpicc" -w -O1 -include "$here/removed.h" -DMPIO_USES_MPI_REQUEST -o "$here/$test" "$from.c"
    fi >"$here/$test.log" 2>&1 || echo "-- $test does not build on $title_of_library"
  done < <(calls)
}

# Benchmarks print nothing but their times.
judge() {
  case $test in
    perf | coll_perf | fperf) says bandwidth "$@" ;;
    external32) says "external32 datarep is BIG" "$@" ;;
    *) says "No Errors" "$@" ;;
  esac
}

run() {
  local test ranks arguments
  while read -r test ranks arguments; do
    # shellcheck disable=SC2086 # words
    if [[ -x $here/$test ]]; then try "$test" "$ranks" "$here/$test" $arguments; fi
  done < <(calls)
}
