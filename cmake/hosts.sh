#!/usr/bin/env bash
# Runs tests on several hosts, which are namespaces of this machine (test/hosts/hosts.sh). Needs
# root.
#   cmake/hosts.sh              two to four hosts with one to three ranks each, some with more than
#                               others; hosts that die; file systems
#   cmake/hosts.sh TEST...      only these tests, by the names of their programs without test_
#   cmake/hosts.sh --fs NAME... only on these distributed file systems (gluster, moose, ceph);
#                               without a name, on all of them
# The last line is `N passed, M failed`. The output of each test is in build/release/hosts/.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

# The hosts talk by TCP, whatever the caller leaves out.
unset OMPI_MCA_btl
install_packages "${argosy_packages[@]}" iproute2 util-linux procps
cmake --preset release >/dev/null
hosts=test/hosts/hosts.sh
logs=build/release/hosts
bin=$PWD/build/release/bin
mkdir -p "$logs"

systems=(gluster moose ceph)
hosts_too=yes
if [[ ${1-} == --fs ]]; then
  shift
  if (($# > 0)); then systems=("$@"); fi
  set --
  hosts_too=no
elif (($# > 0)); then
  systems=()
fi
tests=("$@")
if ((${#tests[@]} == 0)); then
  tests=(agree world served_world service file file_random progress_mpi mixed_calls two_phase two_phase_nodes shipping gpfs_together faults
    faults_contract)
fi
on_systems=(sharing file)
if [[ $hosts_too == no ]]; then tests=(); fi
cmake --build --preset release --target "${tests[@]/#/test_}" "${on_systems[@]/#/test_}" test_rounds argosy-gpfsd

# The hosts of this script that are up. They are taken down at the end.
ARGOSY_HOSTS=""
take_down() { if [[ -n $ARGOSY_HOSTS ]]; then "$hosts" down; fi; }
trap take_down EXIT
passed=0
failed=0
tell() { # name, status, seconds
  if (($2 == 0)); then
    passed=$((passed + 1))
    printf '%-44s passed %4d s\n' "$1" "$3"
  else
    failed=$((failed + 1))
    printf '%-44s FAILED %4d s: %s\n' "$1" "$3" "$logs/${1// /_}.log"
  fi
}
meet() { # hosts, delay or nothing
  take_down
  ARGOSY_HOSTS=$("$hosts" up "$@")
  export ARGOSY_HOSTS
}
try() { # name, seconds, command...
  local name=$1 most=$2 status=0
  shift 2
  SECONDS=0
  timeout -k 10 "$most" "$@" >"$logs/${name// /_}.log" 2>&1 || status=$?
  tell "$name" "$status" "$SECONDS"
}

if [[ $hosts_too == yes ]]; then for shape in "2 1" "2 3" "3 1,3,2" "4 2"; do
  read -r count ranks <<<"$shape"
  meet "$count"
  for t in "${tests[@]}"; do try "$t on $count hosts with $ranks ranks" 600 "$hosts" run "$ranks" "$bin/test_$t"; done
done; fi

# A host dies, or its link is cut, while all ranks write together. The job must end, and data that
# was written and synced must be there.
if (($# == 0)) && [[ $hosts_too == yes ]]; then
  for how in kill cut; do
    meet 3
    file=$PWD/$logs/$how.data
    rm -f "$file" "$file".*
    "$hosts" run 2 "$bin/test_rounds" write "$file" >"$logs/$how.log" 2>&1 &
    job=$!
    for _ in {1..600}; do [[ $(cat "$file.done" 2>/dev/null || echo 0) -ge 5 ]] && break; sleep 0.1; done
    "$hosts" "$how" h2
    SECONDS=0
    status=0
    if [[ $how == kill ]]; then
      for _ in {1..600}; do kill -0 "$job" 2>/dev/null || break; sleep 0.1; done
      if kill -0 "$job" 2>/dev/null; then status=1; else wait "$job" && status=1 || status=0; fi
    else
      sleep 5 # ranks may wait for the link: nothing is done meanwhile that was not agreed
    fi
    take_down
    ARGOSY_HOSTS=""
    wait "$job" 2>/dev/null || true
    tell "the job ends when a host is gone ($how)" "$status" "$SECONDS"
    try "what was done is there after $how" 60 "$bin/test_rounds" check "$file"
    cat "$logs/what_was_done_is_there_after_$how.log"
    rm -f "$file" "$file".*
  done
fi
# Three hosts with a distributed file system, whose servers are on two of them. Checks the promises
# of files.md. Servers die and come back, and mounts break off, while all ranks write together. Also
# checks a full file system.
skipped=0
system_up() { # name, MiB
  local status=0
  "$hosts" fs "$1" up "$2" >"$logs/$1.up.log" 2>&1 || status=$?
  if ((status == 77)); then
    skipped=$((skipped + 1))
    printf '%-44s skipped: %s\n' "$1" "$(tail -n 1 "$logs/$1.up.log")"
  elif ((status != 0)); then
    tell "$1 up" "$status" "$SECONDS"
  fi
  return "$status"
}
# While all ranks write, runs a command, and another one after a while. Then checks every byte from
# another host.
endure() { # name, what breaks, what mends, hosts
  local name="$1: $2 while all write" there=$("$hosts" fs "$1" where)/rounds notes=$PWD/$logs/$1.$2 job host status=0
  rm -f "$notes".*
  timeout -k 10 300 "$hosts" run --fs "$1" 1 "$bin/test_rounds" endure "$there" "$notes" 60 >"$logs/$1.$2.log" 2>&1 &
  job=$!
  for _ in {1..600}; do [[ $(cat "$notes.done" 2>/dev/null || echo 0) -ge 5 ]] && break; sleep 0.1; done
  SECONDS=0
  for host in $4; do "$hosts" fs "$1" "$2" "$host"; done
  sleep 3
  for host in $4; do "$hosts" fs "$1" "$3" "$host"; done
  wait "$job" || status=$?
  [[ $(cat "$notes.done" 2>/dev/null) == 60 ]] || status=1
  "$hosts" on h3 "$bin/test_rounds" check "$there" "$notes" >>"$logs/$1.$2.log" 2>&1 || status=1
  cp "$logs/$1.$2.log" "$logs/${name// /_}.log"
  tell "$name" "$status" "$SECONDS"
  grep -E 'rounds' "$logs/$1.$2.log" || true
}
for system in ${systems[@]+"${systems[@]}"}; do
  meet 3
  SECONDS=0
  system_up "$system" 1024 || continue
  for ranks in 1 2,1,1; do
    for t in "${on_systems[@]}"; do
      try "$t on $system with $ranks ranks" 600 "$hosts" run --fs "$system" "$ranks" "$bin/test_$t"
      grep -h 'without sync' "$logs/${t}_on_${system}_with_${ranks}_ranks.log" || true
    done
  done
  # With GlusterFS either server may have the file. With the others each server has a copy.
  endure "$system" stop start "$([[ $system == gluster ]] && echo h1 h2 || echo h2)"
  endure "$system" lose mount h3
  "$hosts" fs "$system" down
  system_up "$system" 200 || continue
  there=$("$hosts" fs "$system" where)/full
  try "$system is full" 600 "$hosts" run --fs "$system" 1 "$bin/test_rounds" fill "$there" "$PWD/$logs/$system.full"
  grep -h '^full ' "$logs/${system}_is_full.log" || true
  "$hosts" fs "$system" down
done
if ((skipped > 0)); then echo "$skipped skipped"; fi
echo "$passed passed, $failed failed"
((failed == 0))
