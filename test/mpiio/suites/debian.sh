# Programs from Debian's packages, as they were compiled there: LAMMPS, with all that its package
# MPIIO writes and reads, and PnetCDF's tools. They must write the same bytes as with the MPI
# library's own I/O.
# SPDX-License-Identifier: BSD-3-Clause
title="Debian's binaries"

get() {
  is_debian_openmpi "LAMMPS and pnetcdf-bin" || return
  install_packages lammps pnetcdf-bin
}

potential() { printf '%s\n' "pair_style lj/cut 2.5" "pair_coeff 1 1 1.0 1.0 2.5" "fix 1 all nve"; }

# Atoms of a melt: dumps, a restart file, and a second and a third calculation that begin with it.
melt() {
  printf '%s\n' "units lj" "atom_style atomic" "lattice fcc 0.8442" "region box block 0 6 0 6 0 6" "create_box 1 box" \
    "create_atoms 1 box" "mass 1 1.0" "velocity all create 3.0 87287 loop geom"
  potential
  printf '%s\n' "dump a all atom/mpiio 50 atom.mpiio" "dump b all custom/mpiio 50 custom.mpiio id type x y z vx vy vz" \
    "dump c all xyz/mpiio 50 xyz.mpiio" "dump d all cfg/mpiio 50 *.cfg.mpiio mass type xs ys zs" \
    "restart 40 *.restart.mpiio" "run 100" "write_restart restart.mpiio" "write_restart plain.restart"
  for restart in restart.mpiio plain.restart; do
    printf '%s\n' clear "read_restart $restart"
    potential
    printf '%s\n' "run 0" "write_dump all custom of_$restart.dump id type x y z vx vy vz modify sort id"
  done
}

netcdf_text() {
  echo "netcdf data { dimensions: t = UNLIMITED ; y = 30 ; x = 40 ; variables: float a(y, x) ; a:units = \"m\" ; int r(t, x) ; double s ; data: s = 2.5 ; a ="
  seq -s , 1200
  echo "; r ="
  seq -s , 400
  echo "; }"
}

build() {
  melt >"$here/melt"
  netcdf_text >"$here/data.cdl"
  rm -f "$here"/*.sums
}

# The checksums of the first kind of I/O are stored, for comparison with the others.
judge() {
  local sums=$here/$test.sums
  if (($1 != 0)); then echo 0 1; return; fi
  case $test in
    melt*) cmp of_restart.mpiio.dump of_plain.restart.dump >>"$2" || { echo 0 1; return; } ;;
    ncmpigen*) ncvalidator -q data.nc >>"$2" 2>&1 && cp data.nc "$here" || { echo 0 1; return; } ;;
    *) cp "$2" printed.txt ;;
  esac
  sha1sum ./*mpiio ./*.nc ./*.txt 2>/dev/null >sums
  if [[ $column == "${columns[0]}" ]]; then cp sums "$sums"; fi
  if cmp sums "$sums" >>"$2" 2>&1; then echo 1 1; else echo 0 1; fi
}

run() {
  local test ranks form
  for ranks in 1 2 4; do
    test="melt on $ranks"
    try "LAMMPS on $ranks" "$ranks" /usr/bin/lmp -in ../melt -log none
  done
  for form in 1 2 5; do
    test="ncmpigen $form"
    try "ncmpigen CDF-$form" 1 ncmpigen -b -v "$form" -o data.nc ../data.cdl
    test="ncmpidump $form"
    try "ncmpidump CDF-$form" 1 ncmpidump ../data.nc
  done
  test=ncmpidiff
  try ncmpidiff 4 ncmpidiff -b ../data.nc ../data.nc
}
