# MPICH's own tests of MPI-IO, test/mpi/io, on the numbers of ranks in its testlist.
# SPDX-License-Identifier: BSD-3-Clause
title="MPICH test/mpi/io"

get() { debian_source mpich '*/test/mpi/io/*' '*/test/mpi/util/*' '*/test/mpi/include/*' '*/romio/test/*'; }

# The results that configure would have on a present machine and MPI library.
configuration() {
  local has
  for has in STDLIB_H STRING_H STDARG_H UNISTD_H MEMORY_H SYS_TIME_H SYS_RESOURCE_H GETRUSAGE LONG_DOUBLE LONG_LONG LONG_LONG_INT \
    INTTYPES_H STDINT_H INT32_T INT64_T MPI_IN_PLACE PTHREAD_H PTHREAD_BARRIER_INIT; do echo "#define HAVE_$has 1"; done
  echo '#define STDC_HEADERS 1'
  echo '#define MTEST_HAVE_MIN_MPI_VERSION(a, b) ((MPI_VERSION == a && MPI_SUBVERSION >= b) || MPI_VERSION > a)'
  echo '#define THREAD_PACKAGE_INVALID 0'
  echo '#define THREAD_PACKAGE_POSIX 1'
  echo '#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX'
}

build() {
  local from=$sources/mpich/test/mpi test util=()
  configuration >"$here/mpitestconf.h"
  local compile=("$mpicc" -w -O1 "-I$here" "-I$from/include")
  for test in mtest mtest_common mtest_thread; do
    [[ -f $here/$test.o ]] || "${compile[@]}" -c -o "$here/$test.o" "$from/util/$test.c" || return
    util+=("$here/$test.o")
  done
  while read -r test _; do
    if [[ -n $test && ! -x $here/$test ]]; then
      "${compile[@]}" -o "$here/$test" "$from/io/$test.c" "${util[@]}" -pthread 2>"$here/$test.log" ||
        echo "-- $test does not build on $title_of_library"
    fi
  done <"$from/io/testlist.in"
}

judge() { says "No Errors" "$@"; }

run() {
  local test ranks options option arguments need free
  free=$(awk '/MemAvailable/ { print $2 / 1e6 }' /proc/meminfo)
  while read -r test ranks options; do
    [[ -x $here/$test ]] || continue
    arguments=()
    need=0
    for option in $options; do
      case $option in
        arg=*) arguments+=("${option#arg=}") ;;
        mem=*) need=${option#mem=} ;;
      esac
    done
    if awk "BEGIN { exit !($need > $free) }"; then echo "  $test needs $need GB of memory: left out"; continue; fi
    try "$test" "$ranks" "$here/$test" "${arguments[@]}"
  done <"$sources/mpich/test/mpi/io/testlist.in"
}
