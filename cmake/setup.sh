# Sourced by demo.sh and test.sh: what argosy needs, and how to get it on Debian.
# SPDX-License-Identifier: BSD-3-Clause

argosy_packages=(
  cmake ninja-build g++
  libopenmpi-dev openmpi-bin
  libboost1.81-dev libboost-mpi1.81-dev libboost-context1.81-dev libboost-system1.81-dev
  libfmt-dev
  catch2 libbenchmark-dev
  gfortran
  python3-numpy
)
# for the test package.debian
argosy_packages+=(dpkg-dev pkg-config)

# for the presets asan and fuzz
argosy_clang_packages=(clang-19 libclang-rt-19-dev)

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# install_packages name...: those that are missing; does nothing, quickly, the second time
install_packages() {
  local package missing=() sudo=()
  if ! command -v apt-get >/dev/null || ! grep -qs '^ID=debian' /etc/os-release; then
    echo "-- Not Debian: going on with what is installed. Needed are the equivalents of"
    echo "--   $*"
    return
  fi
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "-- Neither root nor sudo: going on with what is installed. Missing: ${missing[*]}"
      return
    fi
    sudo=(sudo)
  fi
  echo "-- Installing ${missing[*]}"
  # A third-party package list that cannot be fetched is no reason to stop.
  "${sudo[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update || true
  # --no-remove: rather fail than replace the Boost or MPI that somebody works with
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends --no-remove "${missing[@]}" >/dev/null ||
    echo "-- apt-get could not install all of: ${missing[*]}; going on with what is there"
}

# Jobs as many as cores, unless the caller says otherwise.
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$cores}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$cores}

# Containers often run as root, which Open MPI refuses by default.
if ((EUID == 0)); then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
