#!/usr/bin/env bash
# Breaks the code in small ways, one at a time, and runs the tests: which slips would nobody notice? (docs/develop/lab/mutants.md)
#   cmake/mutants.sh [--count N] [--seed S] [--room R] [--hand]    --help says the rest
# Everything is below build/mutants/; what is found is kept there, so a run that was stopped goes on.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}" python3 python3-clang-19
# The packaged Python is the one that has the packaged bindings.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
PYTHONDONTWRITEBYTECODE=1 exec "$python" test/lab/mutants/mutants.py "$@"
