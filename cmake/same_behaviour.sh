#!/usr/bin/env bash
# Compares two builds by random programs on virtual ranks. All events, and their virtual times, must
# be equal in both.
#   cmake/same_behaviour.sh EXPLORE EXPLORE [LAST]
# EXPLORE is the program explore of a build. The seeds are 1 to LAST, or to 2000. Each program runs
# unchanged, over the simulated GPFS, and with a crash after every file call. Prints the first seeds
# that differ. The last line is "N compared, M differ". Texts of reports and errors are not
# compared.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

if ! [[ $# -ge 2 && -f $1 && -x $1 && -f $2 && -x $2 && ${3:-2000} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' "$0"
  exit 2
fi
before=$(realpath "$1") after=$(realpath "$2") last=${3:-2000}
chunk=50 most_named=10
compared=0 differ=0

# hash_of EXPLORE FROM TO WORD...: prints the hash of all events of these seeds.
hash_of() {
  local explore=$1 from=$2 to=$3
  shift 3
  { "$explore" --seeds "$from:$to" "$@" 2>/dev/null || true; } | sed -n 's/^traces *//p'
}

# differing FROM TO WORD...: succeeds if the builds differ in these seeds. Both run at the same time.
differing() {
  local of_before of_after
  exec 3< <(hash_of "$before" "$@")
  of_after=$(hash_of "$after" "$@")
  read -r of_before <&3 || true
  [[ -z $of_before || $of_before != "$of_after" ]]
}

for words in "" "--handle gpfs" "--crash"; do
  # shellcheck disable=SC2086 # the options are words
  for ((from = 1; from <= last; from += chunk)); do
    to=$((from + chunk - 1 < last ? from + chunk - 1 : last))
    compared=$((compared + to - from + 1))
    differing "$from" "$to" $words || continue
    for ((seed = from; seed <= to; ++seed)); do
      differing "$seed" "$seed" $words || continue
      differ=$((differ + 1))
      ((differ > most_named)) || echo "seed $seed differs: explore --seeds $seed:$seed $words"
    done
  done
done
echo "$compared compared, $differ differ"
((differ == 0))
