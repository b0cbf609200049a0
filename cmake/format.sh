#!/usr/bin/env bash
# Formats the C++ files by clang-format-19 and .clang-format.
#   cmake/format.sh [PATH...]           these files; without paths all that git tracks
#   cmake/format.sh --check [PATH...]   changes nothing; prints what differs, and fails if any file does
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

options=(-i)
if [[ ${1-} == --check ]]; then
  options=(--dry-run -Werror)
  shift
fi
install_packages clang-format-19
command -v clang-format-19 >/dev/null || { echo "format.sh: clang-format-19 is not installed" >&2; exit 1; }

if (($#)); then
  files=("$@")
else
  mapfile -t files < <(cpp_files)
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 50 clang-format-19 "${options[@]}" ||
  { echo "-- cmake/format.sh formats these files" >&2; exit 1; }
