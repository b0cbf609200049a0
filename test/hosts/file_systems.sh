# Distributed file systems from Debian packages, sourced by hosts.sh: servers on hosts h1 and h2 of
# a set, and a mount on each host. A file system NAME has NAME_packages; the names of processes
# NAME_server, NAME_client and NAME_others; and the functions NAME_up MIB, NAME_mount HOST and
# NAME_start HOST. The files of a host are in $set_dir/NAME/HOST. Servers store in a tmpfs of MIB,
# so that tests can fill it, and do not wait for a disk.
# SPDX-License-Identifier: BSD-3-Clause
source "$(dirname "$me")/../../cmake/setup.sh"
fs_names=(gluster moose ceph)

# Prints the mount point: the same path on all hosts, of which each mounts the file system for
# itself.
fs_mount() { echo "$set_dir/$1/mnt"; }
all_hosts() { for ((k = 1; k <= count; ++k)); do echo "h$k"; done; }
in_host() { # HOST COMMAND...; the output goes to a log
  local pid
  pid=$(init_of "$1")
  shift
  nsenter -t "$pid" --all --wd=/ "$@" </dev/null >>"$fs_dir/log" 2>&1
}
# Repeats a command until it succeeds, because servers need some time to find each other.
patiently() {
  for _ in {1..150}; do
    "$@" && return 0
    sleep 0.2
  done
  say "${fs_dir##*/}: '$*' did not work; the log is $fs_dir/log"
  return 1
}
store() { # HOST MIB
  mkdir -p "$fs_dir/$1/store"
  in_host "$1" mount -t tmpfs -o "size=$2M" store "$fs_dir/$1/store"
}

# --- GlusterFS ---
# A volume distributed over two servers. Each file is on one of them. Two options are set for files
# that several hosts write (file_systems.md).

gluster_packages=(glusterfs-server glusterfs-client)
gluster_server=glusterfsd gluster_client=glusterfs gluster_others=glusterd
gluster_up() {
  local h
  for h in h1 h2; do
    store "$h" "$1"
    mkdir -p "$fs_dir/$h/store/brick" "$fs_dir/$h/"{lib,log}
    in_host "$h" mkdir -p "$fs_dir/$h/store/brick" /run/gluster
    in_host "$h" mount --bind "$fs_dir/$h/lib" /var/lib/glusterd
    in_host "$h" mount --bind "$fs_dir/$h/log" /var/log/glusterfs
    in_host "$h" glusterd -p /run/gluster/glusterd.pid
  done
  patiently in_host h1 gluster --mode=script peer probe h2
  patiently in_host h1 gluster --mode=script volume create data "h1:$fs_dir/h1/store/brick" "h2:$fs_dir/h2/store/brick" force
  patiently in_host h1 gluster --mode=script volume set data performance.quick-read off
  patiently in_host h1 gluster --mode=script volume set data performance.open-behind off
  patiently in_host h1 gluster --mode=script volume start data
}
gluster_mount() { patiently in_host "$1" glusterfs --volfile-server=h1 --volfile-id=data --log-file="$fs_dir/$1.client.log" "$(fs_mount gluster)"; }
gluster_start() { in_host "$1" gluster --mode=script volume start data force; }

# --- MooseFS ---
# A master, and two servers of chunks. Each chunk has two copies, the default.

moose_packages=(moosefs-master moosefs-chunkserver moosefs-client)
moose_server=mfschunkserver moose_client=mfsmount moose_others=mfsmaster
moose_up() {
  local h common=$'WORKING_USER = root\nWORKING_GROUP = root\nNICE_LEVEL = 0\nDISABLE_OOM_KILLER = 0'
  mkdir -p "$fs_dir/h1/master"
  cp /var/lib/mfs/metadata.mfs.empty "$fs_dir/h1/master/metadata.mfs"
  echo '* / rw,alldirs,maproot=0:0' >"$fs_dir/h1/exports.cfg"
  printf '%s\n' "$common" "DATA_PATH = $fs_dir/h1/master" "EXPORTS_FILENAME = $fs_dir/h1/exports.cfg" \
    "CHUNKS_LOOP_MIN_TIME = 60" >"$fs_dir/h1/master.cfg"
  in_host h1 mfsmaster -c "$fs_dir/h1/master.cfg" start
  for h in h1 h2; do
    # a server with less left than two chunks accepts no new one, and clients repeat requests to a
    # full one for ever
    store "$h" $(($1 + 128))
    mkdir -p "$fs_dir/$h/chunks"
    echo "$fs_dir/$h/store" >"$fs_dir/$h/disks.cfg"
    printf '%s\n' "$common" "DATA_PATH = $fs_dir/$h/chunks" "HDD_CONF_FILENAME = $fs_dir/$h/disks.cfg" \
      "HDD_LEAVE_SPACE_DEFAULT = 128MiB" "MASTER_HOST = h1" >"$fs_dir/$h/chunks.cfg"
    moose_start "$h"
  done
}
# Lets a call on a full file system fail instead of wait.
moose_mount() {
  patiently in_host "$1" mfsmount -H h1 -o mfsnice=0,mfsallowoomkiller,mfserroronnospace "$(fs_mount moose)"
  # Deleted files are removed at once. Otherwise they, and the space that they take, would stay for
  # a day.
  in_host "$1" mfssettrashtime 0 "$(fs_mount moose)"
}
moose_start() { in_host "$1" mfschunkserver -c "$fs_dir/$1/chunks.cfg" start; }

# --- CephFS ---
# A monitor, a metadata server, and two servers of objects in memory. Each object has two copies.
# The client runs in user space.

ceph_packages=(ceph-mon ceph-osd ceph-mds ceph-fuse ceph-common)
ceph_server=ceph-osd ceph_client=ceph-fuse ceph_others='ceph-mon|ceph-mds'
ceph_up() {
  local id n=0 h conf=$fs_dir/ceph.conf
  id=$(cat /proc/sys/kernel/random/uuid)
  for h in h1 h2; do mkdir -p "$fs_dir/$h/"{mon,osd,mds}; done
  # Access is free, because the network leads nowhere. Servers check their free space at each
  # heartbeat. Beyond 97 %, none answers any more, not even the metadata server. They thus have four
  # times the space that counts, and check it each second.
  printf '%s\n' "[global]" "fsid = $id" "mon host = 10.77.0.1:6789" "mon initial members = h1" \
    "auth cluster required = none" "auth service required = none" "auth client required = none" \
    "osd pool default size = 2" "osd pool default min size = 1" "osd crush chooseleaf type = 1" "osd objectstore = memstore" \
    "memstore device bytes = $((4 * $1 << 20))" "mon data = $fs_dir/h1/mon" "osd data = $fs_dir/\$host/osd" "mds data = $fs_dir/\$host/mds" \
    "run dir = $fs_dir/\$host" "log file = $fs_dir/\$host/\$name.log" "mon allow pool size one = true" "mon pg warn on no sortbitwise = false" \
    "mon osd down out interval = 0" "mon max pg per osd = 1000" \
    "osd heartbeat interval = 1" "osd heartbeat grace = 20" \
    "mon osd nearfull ratio = 0.22" "mon osd backfillfull ratio = 0.23" "mon osd full ratio = 0.25" >"$conf"
  in_host h1 monmaptool --create --fsid "$id" --addv h1 '[v1:10.77.0.1:6789]' "$fs_dir/monmap"
  in_host h1 ceph-mon -c "$conf" -i h1 --mkfs --monmap "$fs_dir/monmap"
  in_host h1 ceph-mon -c "$conf" -i h1
  for h in h1 h2; do
    patiently in_host h1 timeout 20 ceph -c "$conf" osd create
    in_host "$h" ceph-osd -c "$conf" -i $n --mkfs
    echo $n >"$fs_dir/$h/number"
    n=$((n + 1))
    ceph_start "$h"
  done
  in_host h1 ceph-mds -c "$conf" -i h1
  in_host h1 timeout 60 ceph -c "$conf" osd pool create meta 8
  in_host h1 timeout 60 ceph -c "$conf" osd pool create data 8
  in_host h1 timeout 60 ceph -c "$conf" fs new all meta data
}
ceph_mount() { patiently in_host "$1" timeout 60 ceph-fuse -c "$fs_dir/ceph.conf" "$(fs_mount ceph)"; }
# A server that asks a monitor too early is refused, so the start is repeated.
ceph_start() { patiently in_host "$1" ceph-osd -c "$fs_dir/ceph.conf" -i "$(<"$fs_dir/$1/number")"; }

# --- The command ---

fs() {
  local name=${1-} what=${2-} host=${3-} h package server client others
  [[ " ${fs_names[*]} " == *" $name "* ]] || fail "fs: there is no file system '$name'; there are ${fs_names[*]}"
  fs_dir=$set_dir/$name
  server=${name}_server client=${name}_client others=${name}_others
  server=${!server} client=${!client} others=${!others}
  [[ $what == up || -e $fs_dir/mnt ]] || fail "$name is not up"
  case $what in
    up)
      [[ -e /dev/fuse ]] || skip "$name: its client needs FUSE, and there is no /dev/fuse"
      ((count >= 2)) || fail "fs: two servers need two hosts"
      local -n packages=${name}_packages
      install_packages "${packages[@]}" >&2
      for package in "${packages[@]}"; do is_installed "$package" || skip "$name: the package $package is not to be had"; done
      [[ ! -e $fs_dir ]] || fail "$name is up"
      mkdir -p "$fs_dir/mnt"
      "${name}_up" "${host:-1024}"
      for h in $(all_hosts); do "${name}_mount" "$h"; done
      # A server may answer before it accepts data.
      for h in $(all_hosts); do
        patiently in_host "$h" sh -c 'echo there >"$1/$2" && grep -q there "$1/$2" && rm "$1/$2"' probe "$fs_dir/mnt" "$h"
      done
      ;;
    down)
      for h in $(all_hosts); do
        in_host "$h" umount -l "$fs_dir/mnt" || true
        # on this host only, which sees no other processes
        in_host "$h" pkill -9 -x "$server|$client|$others" || true
        in_host "$h" sh -c 'umount -l "$1" /var/lib/glusterd /var/log/glusterfs' - "$fs_dir/$h/store" || true
      done
      rm -rf "$fs_dir"
      ;;
    where) fs_mount "$name" ;;
    stop) in_host "$host" pkill -9 -x "$server" ;;
    start) "${name}_start" "$host" ;;
    lose) in_host "$host" pkill -9 -x "$client" ;;
    mount)
      in_host "$host" umount -l "$fs_dir/mnt" || true
      "${name}_mount" "$host"
      ;;
    *) fail "fs NAME up [MIB] | where | down | stop HOST | start HOST | lose HOST | mount HOST" ;;
  esac
}
