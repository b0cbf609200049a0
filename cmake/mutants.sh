#!/usr/bin/env bash
# Breaks the code in small ways, one at a time, and runs the tests, to find slips that no test
# notices (docs/develop/lab/mutants.md).
#   cmake/mutants.sh [--count N] [--seed S] [--room R] [--hand]    --help lists the rest
# Everything is below build/mutants/. Results are stored there, so a run that was stopped continues.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}" python3 python3-clang-19
# The packaged bindings belong to the packaged Python.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
PYTHONDONTWRITEBYTECODE=1 exec "$python" test/lab/mutants/mutants.py "$@"
