#!/usr/bin/env bash
# Several hosts on one machine, for tests: namespaces on a bridge that leads nowhere else. Open
# MPI's own launcher starts the programs.
#   hosts.sh up N [--delay MS] [--rate MBIT]   makes N hosts; prints the name of the set
#   hosts.sh run [--fs NAME] K COMMAND...      runs K ranks on each host, or K1,K2,... on the hosts
#                                              in turn; --fs: their TMPDIR is on that file system
#   hosts.sh on HOST COMMAND...                runs a command on one host, for instance h2
#   hosts.sh kill HOST | cut HOST | mend HOST  kills its processes; cuts its link; restores the link
#   hosts.sh fs NAME up [MIB] | where | down   gluster, moose or ceph: servers with MIB of space on
#                                              h1 and h2 each, and a mount on each host
#   hosts.sh fs NAME stop HOST | start HOST    kills the server there; starts it again
#   hosts.sh fs NAME lose HOST | mount HOST    breaks the mount there; mounts again
#   hosts.sh list                              prints the sets that are up
#   hosts.sh down                              ends the set and all its processes
# ARGOSY_HOSTS names the set if several are up. Each host has its own host name, address,
# /etc/hosts, /dev/shm, /tmp, /run, processes and semaphores. Hosts share everything else of the
# machine, like a shared disk. TMPDIR is one directory for all of them. Needs root; otherwise exits
# with 77.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
me=$(readlink -f "${BASH_SOURCE[0]}")
sets=/run/argosy-hosts

say() { echo "hosts.sh: $*" >&2; }
fail() {
  say "$@"
  exit 2
}
skip() {
  say "$@"
  exit 77
}

# Finds the directory of the set: that of ARGOSY_HOSTS, or the only one.
find_set() {
  if [[ -n ${ARGOSY_HOSTS-} ]]; then
    set_dir=$sets/${ARGOSY_HOSTS##*/}
  else
    local all=("$sets"/*/)
    [[ -d ${all[0]} ]] || fail "no hosts are up: hosts.sh up N"
    ((${#all[@]} == 1)) || fail "several sets are up: say ARGOSY_HOSTS=NAME, one of $(cd "$sets" && echo *)"
    set_dir=${all[0]%/}
  fi
  [[ -f $set_dir/count ]] || fail "there is no set '${set_dir##*/}'"
  count=$(<"$set_dir/count")
}
init_of() { cat "$set_dir/$1.pid" 2>/dev/null || fail "there is no host '$1'; there are h1 to h$count"; }

# Starts a process that has the namespaces of a host, and is the first process there: if it ends,
# all others end, too. Its process id goes to $set_dir/NAME.pid.
make_host() {
  local name=$1
  # Mounts of the host stay its own. Mounts that the machine makes later appear on the host, too.
  setsid unshare --net --uts --ipc --mount --propagation slave --pid --fork --mount-proc --kill-child bash -c '
    set -e
    hostname "$1"
    mount -t tmpfs -o mode=1777 "$1" /dev/shm
    mount -t tmpfs -o mode=1777 "$1" /tmp
    mount --bind "$2/hosts" /etc/hosts
    mkdir /tmp/run # servers have sockets in /run, and the set itself is there, too
    mount --bind "$2" /tmp/run
    mount -t tmpfs -o mode=755 "$1" /run
    mkdir -p /run/lock "$2"
    mount --move /tmp/run "$2"
    rmdir /tmp/run
    ip link set lo up
    touch "$2/$1.ready"
    while :; do # this process inherits orphans, and reaps them when they end
      sleep infinity &
      wait
    done' host "$name" "$set_dir" </dev/null >"$set_dir/$name.log" 2>&1 &
  local outer=$!
  echo "$outer" >"$set_dir/$name.outer"
  for _ in {1..200}; do
    [[ -e $set_dir/$name.ready ]] && break
    kill -0 "$outer" 2>/dev/null || break
    sleep 0.02
  done
  [[ -e $set_dir/$name.ready ]] || {
    say "host $name did not start: $(<"$set_dir/$name.log")"
    return 1
  }
  pgrep -P "$outer" >"$set_dir/$name.pid"
}

up() {
  (($# >= 1)) && [[ $1 =~ ^[0-9]+$ ]] && (($1 >= 1 && $1 <= 200)) || fail "up N: 1 to 200 hosts"
  count=$1
  shift
  local delay="" rate=""
  while (($# > 0)); do
    case $1 in
      --delay) delay=$2 ;;
      --rate) rate=$2 ;;
      *) fail "up: unknown option '$1'; there are --delay MS and --rate MBIT" ;;
    esac
    shift 2
  done
  ((EUID == 0)) || skip "hosts are namespaces, and those need root"
  unshare --net --uts --ipc --mount --pid --fork true 2>/dev/null || skip "this machine does not let root make namespaces"
  mkdir -p "$sets"
  set_dir=$(mktemp -d "$sets/XXXXXX")
  trap 'status=$?; take_down; exit $((status ? status : 1))' EXIT
  mkdir -m 1777 "$set_dir/tmp"
  {
    echo "127.0.0.1 localhost"
    echo "10.77.0.254 head"
    for ((k = 1; k <= count; ++k)); do echo "10.77.0.$k h$k"; done
  } >"$set_dir/hosts"

  # The head has the bridge, and starts the programs. It shares the machine's processes, so that it
  # can enter the hosts.
  setsid unshare --net --uts --mount --propagation slave bash -c '
    set -e
    hostname head
    mount --bind "$1/hosts" /etc/hosts
    ip link set lo up
    ip link add switch type bridge
    ip address add 10.77.0.254/24 dev switch
    ip link set switch up
    touch "$1/head.ready"
    exec sleep infinity' head "$set_dir" </dev/null >"$set_dir/head.log" 2>&1 &
  echo $! >"$set_dir/head.pid"
  echo $! >"$set_dir/head.outer"
  for _ in {1..200}; do
    [[ -e $set_dir/head.ready ]] && break
    sleep 0.02
  done
  [[ -e $set_dir/head.ready ]] || skip "no bridge can be made: $(<"$set_dir/head.log")"

  for ((k = 1; k <= count; ++k)); do
    make_host "h$k"
    local pid
    pid=$(<"$set_dir/h$k.pid")
    nsenter -t "$(<"$set_dir/head.pid")" --net ip link add "h$k" type veth peer name eth0 netns "/proc/$pid/ns/net"
    nsenter -t "$(<"$set_dir/head.pid")" --net sh -c "ip link set h$k master switch && ip link set h$k up"
    nsenter -t "$pid" --net sh -c "ip address add 10.77.0.$k/24 dev eth0 && ip link set eth0 up"
    if [[ -n $delay$rate ]]; then
      nsenter -t "$pid" --net tc qdisc add dev eth0 root netem ${delay:+delay "${delay}ms"} ${rate:+rate "${rate}mbit"} ||
        skip "this kernel has no netem: no delay and no rate"
    fi
  done
  echo "$count" >"$set_dir/count"
  trap - EXIT
  echo "${set_dir##*/}"
}

take_down() {
  local f p head
  # Programs that the head started are processes of the machine. They are found by its network.
  head=$(readlink "/proc/$(cat "$set_dir/head.pid" 2>/dev/null)/ns/net" 2>/dev/null || true)
  for p in /proc/[0-9]*; do
    [[ -n $head && $(readlink "$p/ns/net" 2>/dev/null) == "$head" ]] && kill -9 "${p#/proc/}" 2>/dev/null || true
  done
  for f in "$set_dir"/h*.pid "$set_dir"/*.outer; do
    [[ -e $f ]] && kill -9 "$(<"$f")" 2>/dev/null || true
  done
  rm -rf "$set_dir"
  rmdir "$sets" 2>/dev/null || true
}

# The command that the launcher calls instead of ssh: [options] HOST COMMAND...
rsh() {
  while [[ ${1-} == -* ]]; do shift; done
  local host=$1
  shift
  exec nsenter -t "$(init_of "$host")" --all --wd="$PWD" sh -c "$*"
}

run() {
  local tmp=$set_dir/tmp
  if [[ ${1-} == --fs ]]; then
    tmp=$(fs_mount "${2-}")
    [[ -d $tmp ]] || fail "${2-} is not up"
    shift 2
  fi
  (($# >= 2)) || fail "run [--fs NAME] K COMMAND..."
  local each=() list="" total=0 k
  IFS=, read -ra each <<<"$1"
  shift
  for ((k = 1; k <= count; ++k)); do
    local n=${each[$(((k - 1) % ${#each[@]}))]}
    [[ $n =~ ^[0-9]+$ ]] || fail "run: '$n' is no number of ranks"
    ((n > 0)) || continue
    list+=${list:+,}h$k:$n
    total=$((total + n))
  done
  ((total > 0)) || fail "run: no rank on any host"
  local words=(env TMPDIR="$tmp" ARGOSY_HOSTS="${set_dir##*/}"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_orte_tmpdir_base=/tmp OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_plm_rsh_agent="$me rsh" OMPI_MCA_plm_rsh_no_tree_spawn=1
    # the default is 300 s
    OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=2 OMPI_MCA_oob_tcp_keepalive_probes=3
    OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
    mpiexec --host "$list" -n "$total" -x TMPDIR)
  local variable
  for variable in $(compgen -e); do
    [[ $variable == ARGOSY_* && $variable != ARGOSY_HOSTS ]] && words+=(-x "$variable")
  done
  # The launcher itself must get signals to this process, for instance a termination.
  exec nsenter -t "$(<"$set_dir/head.pid")" --net --uts --mount --wd="$PWD" "${words[@]}" "$@"
}

source "$(dirname "$me")/file_systems.sh"
case ${1-} in
  up) shift && up "$@" ;;
  rsh) shift && find_set && rsh "$@" ;;
  run) shift && find_set && run "$@" ;;
  on)
    (($# >= 3)) || fail "on HOST COMMAND..."
    find_set
    host=$2
    shift 2
    exec nsenter -t "$(init_of "$host")" --all --wd="$PWD" env TMPDIR="$set_dir/tmp" "$@"
    ;;
  fs) shift && find_set && fs "$@" ;;
  kill) find_set && kill -9 "$(init_of "${2-}")" ;;
  cut) find_set && nsenter -t "$(<"$set_dir/head.pid")" --net ip link set "${2-}" down ;;
  mend) find_set && nsenter -t "$(<"$set_dir/head.pid")" --net ip link set "${2-}" up ;;
  list) for s in "$sets"/*/; do [[ ! -d $s ]] || echo "$(basename "$s") $(cat "$s/count" 2>/dev/null || echo 'not up yet') hosts"; done ;;
  down) find_set && take_down ;;
  *)
    sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' "$me"
    exit 2
    ;;
esac
