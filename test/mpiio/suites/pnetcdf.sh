# PnetCDF's tests, in C and Fortran. Those that its ptest runs on four ranks run on four, the others
# on one. Their files must pass PnetCDF's ncvalidator, too.
# SPDX-License-Identifier: BSD-3-Clause
title="PnetCDF test"

get() {
  install_packages gfortran autoconf automake libtool m4 make
  debian_source pnetcdf || return
  [[ -x $sources/pnetcdf/configure ]] || (cd "$sources/pnetcdf" && autoreconf -i) >"$root/pnetcdf.log" 2>&1
}

build() {
  local fortran=(MPIF77="$mpifort" MPIF90="$mpifort")
  if [[ ! -x $mpifort ]]; then
    fortran=(--disable-fortran)
    echo "-- $title_of_library has no mpifort here: without the tests in Fortran"
  fi
  [[ -f $here/built ]] && return
  (
    cd "$here"
    # not the examples and benchmarks
    "$sources/pnetcdf/configure" --disable-cxx --disable-shared MPICC="$mpicc" "${fortran[@]}" \
      CFLAGS="-O1 -w" FFLAGS="-O1 -w -fallow-argument-mismatch" FCFLAGS="-O1 -w -fallow-argument-mismatch" &&
      make -s -C src && make -s -C test tests && touch built
  ) >"$here.log" 2>&1 || { tail -n 5 "$here.log"; return 1; }
}

# Two tests open these files, and expect that they are no netCDF files.
furnish() { echo "no netCDF" | tee nf_test >test_get.F90; }

judge() {
  local written
  if (($1 != 0)); then echo 0 1; return; fi
  for written in *.nc *.nc[1-9] *.nc.*; do
    [[ $(head -c 3 "$written" 2>/dev/null) == CDF ]] || continue
    "$here/src/utils/ncvalidator/ncvalidator" -q "$written" >>"$2" 2>&1 || { echo 0 1; return; }
  done
  echo 1 1
}

run() {
  local in test ranks form
  for in in C cdf_format header testcases nonblocking F90 nc_test; do
    for test in $(printf 'tests_of_it:\n\t@echo $(check_PROGRAMS)\n' | make -s -C "$here/test/$in" -f Makefile -f - tests_of_it); do
      [[ -x $here/test/$in/$test ]] || continue
      ranks=4
      if [[ $in == nc_test || ($in == F90 && $test != *parallel* && $test != tst_io) ]]; then ranks=1; fi
      local call=("$here/test/$in/$test" "$test.nc")
      case $test in
        # nc_test is called below; the others need files of the sources
        nc_test | tst_open_cdf5 | tst_corrupt) continue ;;
        # reads files of the sources
        test_inq_format) call=("$here/test/$in/$test" "$sources/pnetcdf/test/$in") ;;
        tst_version) call=("$here/test/$in/$test") ;;
        tst_io) call=("$here/test/$in/$test" .) ranks=1 ;;
        pres_temp_4D_rd) # reads the file of pres_temp_4D_wr
          (cd "$here" && timeout 60 "$mpiexec" -n 4 "test/$in/pres_temp_4D_wr" pres_temp_4D.nc) </dev/null >/dev/null 2>&1 || continue
          call=("$here/test/$in/$test" "$here/pres_temp_4D.nc")
          ;;
      esac
      try "$in/$test" "$ranks" "${call[@]}"
    done
  done
  for test in nc_test nf_test nf90_test; do
    for form in 1 2 5; do
      # shellcheck disable=SC2046 # a word or none
      [[ ! -x $here/test/$test/$test ]] || try "$test CDF-$form" 1 "$here/test/$test/$test" $( ((form == 1)) || echo "-$form") -d .
    done
  done
}
