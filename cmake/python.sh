#!/usr/bin/env bash
# cmake/python.sh [SEED]: builds the module argosy for python3 in build/python-module/package, and
# runs its tests on 1, 2, 3 and 4 ranks. Installs nanobind, mpi4py and NumPy from PyPI into
# build/python-env, once. The module needs no MPI; the tests run on the MPI library of mpiexec.
#   cmake/python.sh --build   builds the module only
#   cmake/python.sh --wheel   builds only it, and the module for Python 3.9, and that for 3.12 and
#                             later. Their headers come from Debian 11 and 13
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh
env=build/python-env module=build/python-module

# nanobind 2 is the last for Python 3.9.
has_packages() { "$env/bin/python3" -c 'import nanobind, mpi4py, numpy; exit(nanobind.__version__[:2] != "2.")' 2>/dev/null; }
if ! has_packages; then
  install_packages python3-venv
  python3 -m venv --clear "$env"
  "$env/bin/pip" install --quiet "nanobind==2.*" mpi4py numpy
  has_packages || { echo "python.sh: nanobind, mpi4py or numpy cannot be imported" >&2; exit 1; }
fi

# get_headers SUFFIX RELEASE PACKAGE: gets the headers of a Python from a release of Debian into
# build/python-headers/SUFFIX. Extensions of this Python end in .SUFFIX.so.
get_headers() {
  local to=$PWD/build/python-headers/$1 mirror apt
  others+=("$1")
  [[ -d $to/usr ]] && return
  mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n '/^Debian /{s/^Debian //p;q}')
  mkdir -p "$to/lists/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$to/mirror.list"
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$to/mirror.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$to/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  (cd "$to" && "${apt[@]}" update && "${apt[@]}" download "$3" && dpkg-deb -x "$3"_*.deb .)
}

others=()
if [[ ${1-} == --wheel ]]; then
  get_headers "cpython-39-$(c++ -dumpmachine)" bullseye libpython3.9-dev
  get_headers abi3 trixie libpython3.13-dev
fi

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -G Ninja -S lib/python/module -B "$module" -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" \
  -DPython_EXECUTABLE="$PWD/$env/bin/python3" -DARGOSY_PYTHON_HEADERS="$PWD/build/python-headers" \
  -DARGOSY_OTHER_PYTHONS="$(IFS=";"; echo "${others[*]}")" >/dev/null
cmake --build "$module"
[[ ${1-} == --build || ${1-} == --wheel ]] && exit
export PYTHONPATH=$PWD/$module/package
seed=${1:-$(date +%s)}
for ranks in 1 2 3 4; do
  mpiexec -n $ranks "$env/bin/python3" test/python/module.py $((seed + ranks))
done
mpiexec -n 2 "$env/bin/python3" test/python/page.py
