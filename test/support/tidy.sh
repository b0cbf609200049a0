#!/bin/sh
# tidy.sh SECONDS COMMAND...: runs a test with a TMPDIR of its own, and removes that directory
# afterwards, even if the test fails, crashes, or is killed after SECONDS (a little before CTest
# would kill this script, too).
# SPDX-License-Identifier: BSD-3-Clause
seconds=$1
shift
dir=$(mktemp -d "${TMPDIR:-/tmp}/argosy.XXXXXX") || exit 1
tidy() {
  # Small file systems that a crashed test has mounted.
  sed -n "s|^[^ ]* \($dir/[^ ]*\) .*|\1|p" /proc/mounts 2>/dev/null | while read -r mounted; do umount -l "$mounted"; done
  rm -rf "$dir"
}
trap tidy EXIT
trap 'exit 143' INT TERM
TMPDIR=$dir timeout -k 5 "$seconds" "$@"
status=$?
if [ $status -eq 124 ]; then echo "killed after $seconds seconds"; fi
exit $status
