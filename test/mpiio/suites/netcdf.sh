# netCDF-4's tests in parallel, on Debian's library: the calls of run_par_test.sh with their numbers
# of ranks, but at most eight.
# SPDX-License-Identifier: BSD-3-Clause
title="netCDF-4 tst_parallel"

get() {
  is_debian_openmpi "netCDF-4 in parallel" || return
  install_packages libnetcdf-mpi-dev
  debian_source netcdf
}

# program ranks
calls() {
  sed -n 's|^@MPIEXEC@ -n \([0-9]*\) \./\(tst_[a-z0-9_]*\)$|\2 \1|p' "$sources/netcdf/nc_test4/run_par_test.sh.in" | awk '{ print $1, ($2 < 8 ? $2 : 8) }' | sort -u
  echo "tst_h_par 4"
}

build() {
  local test from at
  at=$(dirname "$(dpkg -L libnetcdf-mpi-dev | grep /netcdf_par.h)")
  # the results that configure would have
  {
    echo '#include <stdint.h>'
    printf '#define %s\n' 'TEMP_LARGE "."' "CHUNK_CACHE_SIZE 16777216" "CHUNK_CACHE_NELEMS 4133" "CHUNK_CACHE_PREEMPTION 0.75"
    printf '#define %s 1\n' USE_PARALLEL USE_PARALLEL4 USE_NETCDF4 USE_HDF5 HDF5_PARALLEL HAVE_UNISTD_H NC_HAS_PARALLEL HDF5_SUPPORTS_PAR_FILTERS
  } >"$here/config.h"
  while read -r test _; do
    [[ -x $here/$test ]] && continue
    from=$sources/netcdf/nc_test4/$test.c
    [[ -f $from ]] || from=$sources/netcdf/h5_test/$test.c
    # shellcheck disable=SC2046 # words
    "$mpicc" -w -O1 -DTOPSRCDIR="\"$sources/netcdf\"" "-I$here" "-I$at" "-I$sources/netcdf/include" -o "$here/$test" "$from" \
      $(pkg-config --cflags --libs netcdf-mpi) -lhdf5_hl -lhdf5 -lm >"$here/$test.log" 2>&1 || echo "-- $test does not build on $title_of_library"
  done < <(calls | awk '!seen[$1]++')
}

judge() { if (($1 == 0)) && ! grep -qE "Sorry|FAIL" "$2"; then echo 1 1; else echo 0 1; fi; }

run() {
  local test ranks
  while read -r test ranks; do
    [[ ! -x $here/$test ]] || try "$test on $ranks" "$ranks" "$here/$test"
  done < <(calls)
}
