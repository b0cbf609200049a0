#!/usr/bin/env bash
# Measures how long a translation unit takes that includes one header, beyond the headers from
# elsewhere (standard library, Boost, ...) that this header needs. Parsing only, median of 5.
#   cmake/include_cost.sh [header...]                            default: argosy/*.hpp
#   CXX=clang++-19 CXXFLAGS="$(mpicxx -showme:compile)" \
#     cmake/include_cost.sh argosy/datatype/mpi.hpp
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
include=$(cd "$(dirname "${BASH_SOURCE[0]}")/../include" && pwd)
headers=("$@")
((${#headers[@]})) || mapfile -t headers < <(cd "$include" && ls argosy/*.hpp)

read -ra compile <<<"${CXX:-g++} -std=c++20 -I$include ${CXXFLAGS:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median_ms() { # median_ms source
  local start
  for _ in 1 2 3 4 5; do
    start=$(date +%s%N)
    "${compile[@]}" -fsyntax-only "$1"
    echo $((($(date +%s%N) - start) / 1000000))
  done | sort -n | sed -n 3p
}

printf '%-36s %10s %10s %10s\n' header 'with, ms' 'base, ms' 'cost, ms'
for header in "${headers[@]}"; do
  echo "#include <$header>" >"$work/with.cpp"
  # Lists the includes from elsewhere of all argosy's own files that this header reaches.
  "${compile[@]}" -M "$work/with.cpp" | tr -d '\\' | tr ' ' '\n' | grep "^$include/" | xargs sed -nE \
    's|^ *# *include *<([^>]*)>.*|\1|p' | grep -v '^argosy/' | sort -u >"$work/elsewhere" || true
  sed -E 's|(.*)|#if __has_include(<\1>)\n#include <\1>\n#endif|' "$work/elsewhere" >"$work/base.cpp"
  with=$(median_ms "$work/with.cpp")
  base=$(median_ms "$work/base.cpp")
  printf '%-36s %10d %10d %10d\n' "$header" "$with" "$base" $((with - base))
done
