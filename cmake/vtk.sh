#!/usr/bin/env bash
# Checks .xdmf and VTKHDF files by VTK's readers, which ParaView uses. Installs VTK from PyPI
# (300 MB) into build/vtk, once. Then runs the tests xdmf and vtkhdf_mpi of build/release, which find
# it there and compare values.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without a reader the test only prints that, but here it is an error.
has_reader() { build/vtk/bin/python3 -c 'import vtkmodules.vtkIOXdmf2, vtkmodules.vtkIOHDF' 2>/dev/null; }
if ! has_reader; then
  python3 -m venv --clear build/vtk
  build/vtk/bin/pip install --quiet vtk
  has_reader || { echo "vtk.sh: the VTK of PyPI has no readers of XDMF and VTKHDF" >&2; exit 1; }
fi
cmake --preset release >/dev/null
if [[ ${1:-} == --pictures ]]; then
  cmake --build --preset release --target snippets_vtkhdf
  mkdir -p build/vtk/pictures && cd build/vtk/pictures
  mpiexec -n 4 ../../release/bin/snippets_vtkhdf keep
  exec ../bin/python3 ../../../cmake/vtk_pictures.py snippets_vtkhdf/*.vtkhdf
fi
cmake --build --preset release --target test_xdmf test_vtkhdf_mpi
build/release/bin/test_xdmf
for ranks in 1 2 3 4; do mpiexec -n $ranks build/release/bin/test_vtkhdf_mpi; done
