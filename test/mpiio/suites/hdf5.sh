# HDF5's tests in parallel, testpar, on four ranks, in the short forms of HDF5TestExpress. They use
# Debian's library if it has one for this MPI library, otherwise one that is built here.
# SPDX-License-Identifier: BSD-3-Clause
title="HDF5 testpar"
seconds=300

get() {
  install_packages make zlib1g-dev
  if [[ $library == openmpi || $library == mpich ]]; then install_packages "libhdf5-$library-dev"; fi
  debian_source hdf5
}

# The tests need headers that HDF5 does not install, so those of the same version's sources are
# used.
on_debians() {
  local from=$sources/hdf5 multiarch at test
  multiarch=$("$mpicc" -print-multiarch)
  at=(-I/usr/include/hdf5/"$library" -I"$from/src" -I"$from/test")
  printf 'static const char *config_srcdir = "%s";\n' "$from/test" >"$here/H5srcdir_str.h"
  # the sources of libh5test
  for test in h5test testframe cache_common genall5; do
    [[ -f $here/$test.o ]] || "$mpicc" -w -O1 "-I$here" "${at[@]}" -c -o "$here/$test.o" "$from/test/$test.c" || return
  done
  for test in $(programs); do
    [[ -x $here/$test ]] && continue
    # shellcheck disable=SC2046 # words
    "$mpicc" -w -O1 "-I$here" "${at[@]}" -o "$here/$test" $(sources_of "$test" | tr ' \t' '\n\n' | sed "/./!d; s|^|$from/testpar/|") "$here"/*.o "-L/usr/lib/$multiarch/hdf5/$library" \
      -lhdf5 -lm >"$here/$test.log" 2>&1 || echo "-- $test does not build on $title_of_library"
  done
}

on_our_own() {
  local tests
  [[ -f $here/built ]] && return
  mapfile -t tests < <(programs | tr ' ' '\n')
  (
    cd "$here"
    "$sources/hdf5/configure" --enable-parallel --disable-shared --disable-fortran --disable-tools --disable-hl \
      CC="$mpicc" CFLAGS="-O1 -w" RUNPARALLEL="$mpiexec -n 4" &&
      make -s -j2 -C src && make -s -j2 -C test libh5test.la && make -s -j2 -C testpar "${tests[@]}" &&
      for test in "${tests[@]}"; do ln -sf "testpar/$test" "$test" || exit; done && touch built
  ) >"$here.log" 2>&1 || { tail -n 5 "$here.log"; return 1; }
}

programs() { sed -n 's/^TEST_PROG_PARA=//p' "$sources/hdf5/testpar/Makefile.am"; }

# sources_of PROGRAM
sources_of() {
  sed -n -e ':joined' -e '/\\$/ { N; s/\\\n//; b joined' -e '}' -e "s/^$1_SOURCES *=//p" "$sources/hdf5/testpar/Makefile.am" | grep . || echo "$1.c"
}

build() {
  if [[ -d /usr/include/hdf5/$library ]]; then on_debians; else on_our_own; fi
}

# t_cache_image starts itself again, and t_prestart reads the file that t_pshutdown leaves.
furnish() {
  find "$here" -maxdepth 1 -name 't*' -perm -u+x ! -type d -exec ln -s {} . ';'
  [[ $name != t_prestart ]] || "$mpiexec" -n 4 ./t_pshutdown >/dev/null 2>&1 || true
}

judge() { if (($1 == 0)) && ! grep -q '\*FAILED\*' "$2"; then echo 1 1; else echo 0 1; fi; }

run() {
  local test
  export HDF5TestExpress=3
  for test in $(programs); do
    [[ ! -x $here/$test ]] || try "$test" 4 "$here/$test"
  done
}
