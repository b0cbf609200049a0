#!/usr/bin/env bash
# Runs the fuzzers longer than the tests do:
#   cmake/fuzz.sh [--minutes M] [NAME...]      default: 3 minutes each, all of them
# Runs at most two at a time, each on one core. Their corpus is stored in build/fuzz/corpus, from
# which the next run begins. Inputs that fail are stored in build/fuzz/findings, and are run again
# by build/fuzz/bin/fuzz_NAME FILE. Ends with a table, and "N passed, M failed".
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

usage() {
  sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/fuzz.sh
  exit 2
}
minutes=3
names=()
while (($#)); do
  case $1 in
    --minutes)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage
      minutes=$2
      shift 2
      ;;
    -*) usage ;;
    *)
      names+=("$1")
      shift
      ;;
  esac
done

install_packages "${argosy_packages[@]}" "${argosy_clang_packages[@]}"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz

place=build/fuzz
((${#names[@]})) || mapfile -t names < <(ls "$place/options")
for name in "${names[@]}"; do
  [[ -f $place/options/$name ]] || { echo "fuzz.sh: there is no fuzzer $name; there are: $(ls "$place/options" | tr '\n' ' ')"; exit 2; }
done
findings=$place/findings
mkdir -p "$findings" "$place/logs"
export UBSAN_OPTIONS=print_stacktrace=1

# run name: runs one fuzzer, until its time is over or it finds a failure
run() {
  local name=$1 corpus=$place/corpus/$1 options
  read -r options <"$place/options/$name"
  mkdir -p "$corpus"
  # shellcheck disable=SC2086 # the options are words
  "$place/bin/fuzz_$name" $options -max_total_time=$((60 * minutes)) -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "$corpus" "test/fuzz/corpus/$name" >"$place/logs/$name" 2>&1
}

declare -A verdict name_of
running=0
passed=0
failed=0
wait_for_one() {
  local id status=0
  wait -n -p id || status=$?
  running=$((running - 1))
  if ((status == 0)); then
    verdict[${name_of[$id]}]=none
    passed=$((passed + 1))
  else
    verdict[${name_of[$id]}]=FAILED
    failed=$((failed + 1))
  fi
}
for name in "${names[@]}"; do
  if ((running == 2)); then wait_for_one; fi
  run "$name" &
  name_of[$!]=$name
  running=$((running + 1))
done
while ((running > 0)); do wait_for_one; done

# field name: prints a number of the final statistics
field() { sed -n "s/^stat::$2: *//p" "$place/logs/$1" | tail -1; }
printf '\n%-10s %12s %9s %9s %9s  %s\n' fuzzer executions "a second" coverage "peak MiB" findings
for name in "${names[@]}"; do
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$place/logs/$name" | tail -1)
  printf '%-10s %12s %9s %9s %9s  %s\n' "$name" "$(field "$name" number_of_executed_units)" \
    "$(field "$name" average_exec_per_sec)" "${coverage:--}" "$(field "$name" peak_rss_mb)" "${verdict[$name]}"
  if [[ ${verdict[$name]} == FAILED ]]; then
    grep -m 3 -E 'does not hold|ERROR: |runtime error|SUMMARY' "$place/logs/$name" | sed 's/^/  /' || true
    grep -h 'Test unit written to' "$place/logs/$name" | sed 's/.*to /  /' || true
  fi
done
echo "$passed passed, $failed failed"
((failed == 0))
