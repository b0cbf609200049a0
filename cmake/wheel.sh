#!/usr/bin/env bash
# Makes a wheel for pip of the drop-in that cmake/families.sh --portable has linked, the command
# argosy that runs programs on it, the headers of argosy::headers, and the module argosy, if
# cmake/python.sh was run before --portable: build/wheel/argosy-VERSION-PYTHON-manylinux_2_N_x86_64.whl. PYTHON is
# py3-none without the module, otherwise the version that it was compiled for. The N is that of the
# newest function of glibc that the libraries need. Prints the checksum, and tries the wheel.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lib=build/families/portable
for part in openmpi mpich standard; do
  [[ -f $lib/argosy-mpiio/$part.so ]] || { echo "There is no part $part: run cmake/families.sh, and again with --portable"; exit 1; }
done
rm -rf build/wheel
mkdir -p build/wheel
module=$(compgen -G "$lib/_argosy.*.so" || true)
python3 cmake/wheel.py "$lib" build/wheel ${module:+"$module"}
sha256sum build/wheel/*.whl

# In an environment of its own the wheel must tell where its files are, and a project must find them.
python3 -m venv --clear build/wheel/env
build/wheel/env/bin/pip install --quiet --no-deps build/wheel/*.whl
build/wheel/env/bin/argosy --preload | xargs ls >/dev/null
cmake -S test/consumer -B build/wheel/consumer -DHEADERS_ONLY=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
  -Dargosy_DIR="$(build/wheel/env/bin/argosy --cmake-dir)" >build/wheel/consumer.log
cmake --build build/wheel/consumer >>build/wheel/consumer.log
build/wheel/consumer/consumer
echo "-- the wheel can be installed, and its headers are found"
