#!/usr/bin/env bash
# Reads each header alone by clang++-19, as a program does that includes only this one. Headers that
# include less where the library is linked are read in both ways.
#   cmake/headers_alone.sh            all headers
#   cmake/headers_alone.sh --public   those that programs include: all but the folders detail/
#   cmake/headers_alone.sh PATH...    these
# Prints the errors. The last line is `N headers, M failed`.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages "${argosy_packages[@]}" "${argosy_clang_packages[@]}"
compiler=clang++-19
command -v "$compiler" >/dev/null || { echo "headers_alone.sh: $compiler is not installed" >&2; exit 1; }

case ${1-} in
  --public) mapfile -t headers < <(find include -name '*.hpp' -not -path '*/detail/*' | sort) ;;
  -*) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/headers_alone.sh; exit 2 ;;
  "") mapfile -t headers < <(find include -name '*.hpp' | sort) ;;
  *) headers=("$@") ;;
esac
# Headers of MPI are the system's: their warnings are not argosy's.
flags=$(mpicxx -showme:compile 2>/dev/null | sed 's/-I/-isystem /g')
export compiler flags

# read_alone HEADER: with and without the library, if that makes a difference
read_alone() {
  local ways=(-DARGOSY_LINKED) way status=0
  if grep -q 'ifn\?def ARGOSY_LINKED' "$1"; then ways+=(-UARGOSY_LINKED); fi
  for way in "${ways[@]}"; do
    # shellcheck disable=SC2086 # several words
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Iinclude $flags "$way" -x c++ - \
      <<<"#include <${1#include/}>" || status=1
  done
  ((!status)) || echo "FAILED: $1"
}
export -f read_alone

failed=$(printf '%s\0' "${headers[@]}" |
  xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 1 bash -c 'read_alone "$0"')
[[ -z $failed ]] || echo "$failed"
wrong=$(grep -c '^FAILED' <<<"$failed" || true)
echo "${#headers[@]} headers, $wrong failed"
((wrong == 0))
