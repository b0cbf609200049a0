#!/usr/bin/env bash
# Builds and runs a few tests of the preset edit. cmake/test.sh calls it.
#   for PATH...     the tests that a file concerns:
#                     a source of lib/: those of its room, although every test links the library
#                     a header of include/ or lib/: those of the rooms whose sources include it, and
#                     programs of tests whose own sources do
#                     another file: the programs of tests that are made of it
#   quick [ROOM]    the tests that took less than a second in build/edit, and those never run there
# A header is looked up in the files that were compiled in build/edit. Sources of tests that include
# it only by their precompiled header do not count.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/edit

say() { echo "-- $*" >&2; }

# Prints a line for each program that a test runs: test and program.
programs_of_all_tests() {
  grep -rhs --include=CTestTestfile.cmake '^add_test(' "$build" | awk -v bin="$PWD/$build/" '{
    name = $1; gsub(/^add_test\(\[=*\[|\]=*\]$/, "", name)
    count = split($0, words, "\"")
    for (i = 2; i <= count; i += 2)
      if (index(words[i], bin "bin/") == 1) print name, substr(words[i], length(bin) + 1)
  }'
}

# Prints the names of the tests with a label that matches.
tests_labelled() {
  ctest --preset edit --no-tests=ignore -N -L "$1" | sed -n 's/^ *Test *#[0-9]*: //p'
}

# Prints the tests of a folder of lib/, or of the room that it is in.
tests_of_folder() {
  local folder=$1 labels="^$1/" found
  if [[ $folder == . ]]; then labels='^version$'; fi
  found=$(tests_labelled "$labels")
  if [[ -z $found && $folder == */* ]]; then
    tests_of_folder "${folder%/*}"
  elif [[ -z $found ]]; then
    tests_labelled "/$folder" # the room wire has its tests in test/world/
  else
    say "tests of ${folder/#./version}: $(wc -l <<<"$found")"
    echo "$found"
  fi
}

# Reads programs, and prints the tests that run them.
tests_of_programs() {
  awk 'NR == FNR { wanted[$1]; next } $2 in wanted { print $1 }' - <(programs_of_all_tests)
}

# Prints the objects in build/edit that were compiled with a file.
objects_with() {
  ninja -C "$build" -t deps | awk -v path="/$1" '
    /^[^ ]/ { object = $1; sub(/:$/, "", object) }
    /^ / && substr($1, length($1) - length(path) + 1) == path { print object }'
}

# Prints the programs that are made of these objects, and of libraries and precompiled headers made
# of them.
programs_made_of() {
  local files=("$@") seen=" "
  while ((${#files[@]})); do
    seen+="${files[*]} "
    mapfile -t files < <(ninja -C "$build" -t query "${files[@]}" | awk -v seen="$seen" '
      /^  outputs:/ { outputs = 1; next }
      !/^    / { outputs = 0 }
      outputs && /^    bin\/|\.(o|a|so|gch)$/ && !index(seen, " " $1 " ") {
        seen = seen $1 " "
        print $1
      }')
    printf '%s\n' "${files[@]}" | grep '^bin/' || true
  done
}

# Prints the tests that a header of the library concerns.
tests_of_header() {
  local objects folders folder
  objects=$(objects_with "$1")
  folders=$(sed -n 's|CMakeFiles/[^/]*/||; s|^lib/\(.*\)/[^/]*$|\1|p' <<<"$objects" | sort -u)
  for folder in $folders; do tests_of_folder "$folder"; done
  sed -n 's|.*CMakeFiles/\([^/]*\)\.dir/.*|bin/\1|p' <<<"$objects" | sort -u | tests_of_programs
}

# Prints the tests that a file concerns.
tests_for() {
  local path objects found
  path=$(realpath -m --relative-to=. -- "$1")
  [[ -f $path ]] || { say "there is no file $path"; return 1; }
  case $path in
    lib/*.cpp) found=$(tests_of_folder "$(dirname "${path#lib/}")") ;;
    include/* | lib/*) found=$(tests_of_header "$path") ;;
    *)
      found=$(tests_labelled "^$(sed 's|^test/||; s|\.[A-Za-z0-9]*$||' <<<"$path")\$")
      mapfile -t objects < <(objects_with "$path")
      if ((${#objects[@]})); then
        found+=$'\n'$(programs_made_of "${objects[@]}" | tests_of_programs)
      fi
      ;;
  esac
  say "tests for $path: $(grep . <<<"$found" | sort -u | wc -l)"
  grep . <<<"$found" || return 1
}

# Prints how many programs of tests are not built, so that their includes are unknown.
say_what_is_unknown() {
  local program missing=0
  for program in $(programs_of_all_tests | cut -d ' ' -f 2 | sort -u); do
    [[ -f $build/$program ]] || missing=$((missing + 1))
  done
  if ((missing)); then
    say "programs of tests that were never built here, so that it is not known what they include:" \
      "$missing (cmake --build --preset edit builds them)"
  fi
}

# Prints the tests, of a room or of all, that are not known to take a second or more.
quick_tests() {
  local costs=$build/Testing/Temporary/CTestCostData.txt all
  all=$(tests_labelled "${1:+^$1/}")
  if [[ ! -f $costs ]]; then costs=/dev/null; fi
  # A line has a test, how often it ran, and the mean of its seconds.
  awk '
    FILENAME != "-" { if ($2 > 0) cost[$1] = $3; next }
    !NF { next }
    !($1 in cost) { ++new }
    cost[$1] < 1 { print }
    END { if (new) print "-- tests that may be slow, as they never ran here: " new >"/dev/stderr" }
  ' "$costs" - <<<"$all"
}

# Builds the programs of the tests whose names are given, and runs the tests.
run_tests() {
  local programs names
  mapfile -t programs < <(programs_of_all_tests | awk -v wanted=" $* " '
    index(wanted, " " $1 " ") && !($2 in met) { met[$2]; print $2 }')
  if ((${#programs[@]})); then cmake --build --preset edit --target "${programs[@]}"; fi
  names=$(printf '%s\n' "$@" | sed 's/\./\\./g' | paste -sd '|')
  ctest --preset edit -R "^($names)\$"
}

cmake --preset edit >/dev/null
case ${1-} in
  for)
    # The includes of a source are known when it has been compiled.
    cmake --build --preset edit --target argosy argosy_lab argosy_mpiio_objects argosy_tool
    say_what_is_unknown
    chosen=$(for path in "${@:2}"; do tests_for "$path"; done)
    ;;
  quick) chosen=$(quick_tests "${2-}") ;;
  *) chosen="" ;;
esac
mapfile -t tests < <(grep . <<<"$chosen" | sort -u)
if ((${#tests[@]} == 0)); then
  say "no test: see cmake/test_for.sh"
  exit 1
fi
run_tests "${tests[@]}"
