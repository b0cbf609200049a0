#!/usr/bin/env bash
# Lets VTK's reader, which is ParaView's, look at .xdmf files: installs VTK from PyPI (300 MB) into build/vtk, once, and runs the test
# xdmf of build/release, which finds it there.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ! -x build/vtk/bin/python3 ]]; then
  python3 -m venv build/vtk
  build/vtk/bin/pip install --quiet vtk
fi
cmake --preset release >/dev/null
cmake --build --preset release --target test_xdmf
exec build/release/bin/test_xdmf
