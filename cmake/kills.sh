#!/usr/bin/env bash
# Kills ranks of ten programs at random moments, and reports lost data and leftovers:
#   cmake/kills.sh [--count N] [--seed S] [--look COMMAND] [NAME...]
#                                     default: 334 kills of each; NAME is saves, writes, resizes,
#                                     zarr_saves, zarr_writes, zarr_grows, hdf5_saves, hdf5_writes,
#                                     hdf5_grows or vtkhdf_steps
# COMMAND is run after each kill, with NAME, the directory and the last round. To look at Zarr
# arrays by zarr-python, which cmake/zarr.sh installs:
#   cmake/kills.sh --count 167 --look "build/zarr/bin/python3 test/kills/zarr_look.py" \
#     zarr_saves zarr_writes zarr_grows
# Works on the build of the preset release. Ends with a table, and "N passed, M failed".
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

case " $* " in
  *" --help "* | *" -h "*)
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/kills.sh
    exit 2
    ;;
  *" --count "*) count=() ;;
  *) count=(--count 334) ;;
esac
install_packages "${argosy_packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target test_kills
exec build/release/bin/test_kills "${count[@]}" "$@"
