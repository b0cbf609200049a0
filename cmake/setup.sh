# Sourced by demo.sh and test.sh: the packages that argosy needs, and how to install them on Debian.
# SPDX-License-Identifier: BSD-3-Clause

# A package is NAME or NAME>=VERSION, or several of them separated by |. The first that the
# distribution has is installed. The default Boost is 1.74 in Debian 12, which also has 1.81, and
# 1.83 in Debian 13.
argosy_packages=(
  cmake ninja-build g++
  libopenmpi-dev openmpi-bin
  "libboost-dev>=1.81|libboost1.81-dev"
  "libboost-mpi-dev>=1.81|libboost-mpi1.81-dev"
  "libboost-context-dev>=1.81|libboost-context1.81-dev"
  "libboost-system-dev>=1.81|libboost-system1.81-dev"
  libfmt-dev
  zlib1g-dev libzstd-dev libblosc-dev
  catch2 libbenchmark-dev
  gfortran
  python3-numpy
)
# for the test package.debian
argosy_packages+=(dpkg-dev pkg-config)

# for the presets asan and fuzz
argosy_clang_packages=(clang-19 lld-19 libclang-rt-19-dev)

# is_installed PACKAGE: true if one of its alternatives is installed, and new enough.
is_installed() {
  local one version
  for one in ${1//|/ }; do
    version=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "${one%%>=*}" 2>/dev/null) || continue
    [[ $version == "installed "* ]] || continue
    [[ $one != *">="* ]] || dpkg --compare-versions "${version#installed }" ge "${one#*>=}" || continue
    return 0
  done
  return 1
}

# candidate_of PACKAGE: prints the name of the first alternative that is available, or that of the
# last.
candidate_of() {
  local one version
  for one in ${1//|/ }; do
    version=$(apt-cache policy "${one%%>=*}" 2>/dev/null | sed -n 's/^ *Candidate: //p')
    if [[ -z $version || $version == "(none)" ]]; then continue; fi
    [[ $one != *">="* ]] || dpkg --compare-versions "$version" ge "${one#*>=}" || continue
    break
  done
  echo "${one%%>=*}"
}

# install_packages PACKAGE...: installs the missing ones. Does nothing, quickly, if none is missing.
install_packages() {
  local package missing=() names=() sudo=()
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
  # A third-party package list that cannot be fetched does not stop the script.
  "${sudo[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update || true
  for package in "${missing[@]}"; do names+=("$(candidate_of "$package")"); done
  echo "-- Installing ${names[*]}"
  # --no-remove: fails instead of replacing a Boost or MPI that the user works with
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends --no-remove "${names[@]}" >/dev/null ||
    echo "-- apt-get could not install all of: ${names[*]}; going on with what is there"
}

# Prints the C++ files of the repository, one per line. A source archive has no git and no other
# files, apart from what is built.
cpp_files() {
  if [[ -e .git ]]; then
    git ls-files -- '*.cpp' '*.hpp' '*.h' '*.c'
  else
    find . -path ./build -prune -o -regex '.*\.\(cpp\|hpp\|h\|c\)' -print | sed 's|^\./||' | sort
  fi
}

# As many jobs as cores, unless the caller sets another number.
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$cores}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$cores}

# Containers often run as root, which Open MPI refuses by default. From version 5 on its launcher is
# PRRTE.
if ((EUID == 0)); then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# As many ranks as a program needs, on any number of cores. Waiting ranks yield.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_mpi_yield_when_idle=1
