#!/usr/bin/env bash
# Installs missing packages, then configures, builds and tests.
#   cmake/test.sh             release: the library, the contract of the drop-in and two examples, by
#                             g++, optimised
#   cmake/test.sh all         release, and
#                               format   clang-format-19 changes no file
#                               headers  clang++-19 reads each public header alone
#                               tidy     clang-tidy-19 finds nothing in headers and library
#                               use      of the same build, the parts that users see: the command
#                                        argosy, the drop-in, examples, benchmarks, code in pages,
#                                        the package, and code that must not compile; the laboratory;
#                                        and the first tests on more numbers of ranks
#                               asan     clang++-19 with sanitizers, and all tests except those of
#                                        the package and of more ranks
#                               tsan     g++ with the thread sanitizer, tests with several threads
#                               fuzz     clang++-19, a short run of every fuzzer
#   cmake/test.sh PRESET...   these presets or steps
#   cmake/test.sh headers     each public header alone (cmake/headers_alone.sh)
#   cmake/test.sh tidy        clang-tidy-19 over lib/ and the headers (cmake/tidy.sh)
#   cmake/test.sh for PATH... while editing: builds, by the preset edit, and runs the tests that
#                             these files concern: for a source of lib/ those of its room, for a
#                             header those of the sources that include it
#   cmake/test.sh quick [ROOM] builds and runs the tests, of a room or of all, that took less than
#                             a second in build/edit, and those that never ran there
#   cmake/test.sh hosts       tests of several ranks on several hosts, which are namespaces of this
#                             machine
#   cmake/test.sh mpiio       external suites and programs, on the MPI library's own I/O and with
#                             the drop-in preloaded
#   cmake/test.sh mpich       tests under mpiexec with Debian's MPICH; openmpi5 and mpich5: with
#                             those of PyPI
#   cmake/test.sh mutants     twenty slips put into the code, drawn by the date: do the tests see
#                             them?
# Ends with one line for each preset or step, and one for all tests. With ARGOSY_TEST_MINUTES=N, a
# step that would not end within N minutes of the beginning is left out, and its line says so. Its
# time is reckoned from those of the steps before it.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

if [[ ${1-} =~ ^(for|quick)$ ]]; then exec cmake/test_for.sh "$@"; fi
if [[ ${1-} == mutants ]]; then exec cmake/mutants.sh --count 20 --seed "$(date +%Y%m%d)" "${@:2}"; fi
if [[ ${1-} == hosts ]]; then exec cmake/hosts.sh "${@:2}"; fi
if [[ ${1-} =~ ^(mpich|openmpi5|mpich5)$ ]]; then exec cmake/other_mpi.sh "$@"; fi
if [[ ${1-} == mpiio ]]; then exec cmake/mpiio.sh "${@:2}"; fi
case ${1-} in
  "") presets=(release) ;;
  all) presets=(format release headers tidy use asan tsan fuzz) ;;
  -*)
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/test.sh
    exit 2
    ;;
  *) presets=("$@") ;;
esac

# check_of STEP: prints the command of a step that is no preset.
check_of() {
  case $1 in
    format) echo cmake/format.sh --check ;;
    headers) echo cmake/headers_alone.sh --public ;;
    tidy) echo cmake/tidy.sh ;;
  esac
}

# The step format needs no compiler.
[[ ${presets[*]} == format ]] || install_packages "${argosy_packages[@]}"
if [[ " ${presets[*]} " =~ " "(asan|fuzz)" " ]]; then install_packages "${argosy_clang_packages[@]}"; fi

# Seconds of each step on two processors of 2.6 GHz, from nothing.
declare -A usual=([format]=3 [headers]=71 [tidy]=196 [release]=649 [use]=1178 [asan]=1165 [tsan]=130 [fuzz]=199)
began=$(date +%s) usual_before=0
# No test sees it: to the library it would be one of the user's variables.
minutes=${ARGOSY_TEST_MINUTES-}
unset ARGOSY_TEST_MINUTES

# has_time_for STEP: false if the step would end later than these minutes. This machine is taken to
# be as fast as in the steps before, and never faster than usual.
has_time_for() {
  [[ $minutes ]] || return 0
  local spent=$(($(date +%s) - began)) step=${usual[$1]:-0}
  local needed=$step
  if ((usual_before >= 60 && spent > usual_before)); then needed=$((step * spent / usual_before)); fi
  ((spent + needed <= 60 * minutes))
}

summary=()
passed=0
failed=0
for preset in "${presets[@]}"; do
  if ! has_time_for "$preset"; then
    summary+=("$(printf '%-14s LEFT OUT: it would not end within %d minutes of the beginning' "$preset" "$minutes")")
    continue
  fi
  usual_before=$((usual_before + ${usual[$preset]:-0}))
  echo
  echo "==== $preset ===="
  mkdir -p "build/$preset"
  log=build/$preset/workflow.log
  SECONDS=0
  verdict=passed
  read -ra check <<<"$(check_of "$preset")"
  if ((${#check[@]})); then
    "${check[@]}" 2>&1 | tee "$log" || verdict=FAILED
    if [[ $verdict == passed ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    summary+=("$(printf '%-14s %s in %3d s: %s' "$preset" "$verdict" "$SECONDS" "${check[*]}")")
    continue
  fi
  cmake --workflow --preset "$preset" 2>&1 | tee "$log" || verdict=FAILED
  counts=$(grep -h '% tests passed' "$log" || true)
  if [[ $counts =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[1]))
  else
    counts="no test was run"
    verdict=FAILED
  fi
  # A preset that does not configure or build counts as one failure.
  if [[ $verdict == FAILED && ${BASH_REMATCH[1]:-0} == 0 ]]; then failed=$((failed + 1)); fi
  summary+=("$(printf '%-14s %s in %3d s: %s' "$preset" "$verdict" "$SECONDS" "$counts")")
done

echo
echo "==== summary ===="
printf '%s\n' "${summary[@]}"
echo "$passed passed, $failed failed"
((failed == 0))
