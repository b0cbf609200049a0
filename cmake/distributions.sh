#!/usr/bin/env bash
# Runs both commands of the README, cmake/demo.sh and cmake/test.sh, on a bare Debian.
#   cmake/distributions.sh [12|13]...   these versions of Debian; without arguments both
#   --demo                              only cmake/demo.sh
#   --wheel                             only the wheel that is in build/wheel, which is not built
#                                       again: cmake/wheel.sh --test, on the MPI libraries of Debian.
#                                       It also runs on Debian 11
# Needs root and debootstrap, which it installs on Debian. The bare system is a folder below
# build/distributions/; only the packages that debootstrap calls minbase are in it. The mirror is the
# one that apt on this machine reads; on other distributions set ARGOSY_DEBIAN_MIRROR.
# Prints one line per command: how it ended, and in how many minutes. Logs are beside the folders.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

die() { echo "distributions.sh: $*" >&2; exit 1; }

commands=(demo test)
versions=()
for word in "$@"; do
  case $word in
    11 | 12 | 13) versions+=("$word") ;;
    --demo) commands=(demo) ;;
    --wheel) commands=(wheel) ;;
    *) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/distributions.sh; exit 2 ;;
  esac
done
((${#versions[@]})) || versions=(12 13)
[[ ${versions[*]} != *11* || ${commands[*]} == wheel ]] || die "Debian 11 is for --wheel only"
declare -A names=([11]=bullseye [12]=bookworm [13]=trixie)
work=$PWD/build/distributions
((EUID == 0)) || die "needs root, for chroot and mounts"

# Prints the address of the Debian mirror that apt on this machine reads.
mirror() {
  local found=${ARGOSY_DEBIAN_MIRROR-}
  [[ $found ]] || found=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' |
    sed -n '/^Debian /{s/^Debian //p;q}')
  [[ $found ]] || die "apt reads no Debian mirror; set ARGOSY_DEBIAN_MIRROR"
  echo "$found"
}

# make_bare VERSION FOLDER: makes the folder anew, a Debian without anything that is not needed to
# install packages. The first time it comes from the mirror, later from an archive of that.
make_bare() {
  local archive=$work/debian$1.tar
  rm -rf --one-file-system "$2"
  if [[ ! -f $archive ]]; then
    debootstrap --variant=minbase "${names[$1]}" "$2" "$(mirror)"
    tar -C "$2" -cf "$archive.part" .
    mv "$archive.part" "$archive"
  else
    mkdir -p "$2"
    tar -C "$2" -xpf "$archive"
  fi
  cp /etc/resolv.conf /etc/hosts "$2/etc/"
  mkdir "$2/argosy"
  tar --exclude=./build --exclude=./.git -cf - . | tar -C "$2/argosy" -xf -
}

# Copies the wheel, and the certificates that this machine trusts, for pip.
add_wheel() {
  local to=/argosy/build/wheel trusted=/etc/ssl/certs/ca-certificates.crt
  mkdir -p "$1$to"
  cp build/wheel/argosy-*.whl "$1$to/"
  if [[ -f $trusted ]]; then
    cp "$trusted" "$1$to/"
    printf '[global]\ncert = %s\n' "$to/${trusted##*/}" >"$1/etc/pip.conf"
  fi
}

# inside FOLDER COMMAND...: runs a command in the folder's copy of argosy. All mounts and processes
# end with it.
inside() {
  # shellcheck disable=SC2016 # the inner shell replaces them
  unshare --mount --pid --fork --kill-child bash -euc '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    mount -t tmpfs -o mode=1777 shm "$0/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts"
    exec chroot "$0" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME=/root LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} ${ARGOSY_SLEEPING_RANKS:+ARGOSY_SLEEPING_RANKS=1} \
      bash -c "cd /argosy && \"\$@\"" bash "$@"' "$1" "${@:2}" </dev/null
}

install_packages debootstrap
command -v debootstrap >/dev/null || die "debootstrap is not installed"
mkdir -p "$work"
failed=0
for version in "${versions[@]}"; do
  root=$work/debian$version
  make_bare "$version" "$root" >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; die "no Debian $version"; }
  for command in "${commands[@]}"; do
    log=$root.$command.log
    SECONDS=0
    verdict=passed
    arguments=()
    if [[ $command == wheel ]]; then add_wheel "$root" && arguments=(--test openmpi mpich); fi
    inside "$root" "cmake/$command.sh" "${arguments[@]}" >"$log" 2>&1 || { verdict=FAILED; failed=1; }
    # The last line of the tests is how many passed and failed; that of the demo is a list of files.
    last=
    [[ $command != wheel ]] || cat "$log"
    [[ $command != test ]] || last=": $(tail -n 1 "$log")"
    printf 'Debian %s: cmake/%s.sh %s in %d min %02d s%s\n' \
      "$version" "$command" "$verdict" $((SECONDS / 60)) $((SECONDS % 60)) "$last"
  done
done
((!failed))
