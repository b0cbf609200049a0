#!/usr/bin/env bash
# Runs a program with its files on a simulated GPFS: on_simulated_gpfs.sh GPFSD COMMAND...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
gpfsd=$1
shift
place=$(mktemp -d "${TMPDIR:-/tmp}/argosy_gpfsd.XXXXXX")
mkdir "$place/data"
"$gpfsd" --socket "$place/socket" --directory "$place/data" &
host=$!
trap 'kill $host 2>/dev/null; wait $host 2>/dev/null || true; rm -rf "$place"' EXIT
for ((i = 0; i < 200; ++i)); do
  if [[ -e $place/socket ]]; then break; fi
  sleep 0.05
done
echo "argosy_handle gpfsd:$place/socket" >"$place/hints"
ARGOSY_HINTS=$place/hints "$@"
