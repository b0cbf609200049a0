#!/usr/bin/env bash
# Checks .xdmf files by VTK's reader, which ParaView uses. Installs VTK from PyPI (300 MB) into
# build/vtk, once. Then runs the test xdmf of build/release, which finds it there and compares
# values.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without a reader the test only prints that, but here it is an error.
has_reader() { build/vtk/bin/python3 -c 'import vtkmodules.vtkIOXdmf2' 2>/dev/null; }
if ! has_reader; then
  python3 -m venv --clear build/vtk
  build/vtk/bin/pip install --quiet vtk
  has_reader || { echo "vtk.sh: the VTK of PyPI has no reader of XDMF" >&2; exit 1; }
fi
cmake --preset release >/dev/null
cmake --build --preset release --target test_xdmf
exec build/release/bin/test_xdmf
