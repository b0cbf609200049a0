# mpi4py's tests of files, test_file and test_io, on one, two and four ranks. Each test case counts.
# SPDX-License-Identifier: BSD-3-Clause
title="mpi4py test_file, test_io"
seconds=300 # a program has many cases

python=$root/python/bin/python

get() {
  install_packages python3-venv
  if [[ ! -x $python ]]; then python3 -m venv "$root/python" || return; fi
  "$python" -m pip install -q mpi4py numpy || return
  version=$("$python" -c 'import importlib.metadata; print(importlib.metadata.version("mpi4py"))')
  [[ -d $sources/mpi4py-$version ]] && return
  "$python" -m pip download -q --no-deps --no-binary mpi4py -d "$sources" "mpi4py==$version" || return
  tar -xf "$sources/mpi4py-$version.tar.gz" -C "$sources"
}

build() {
  use_mpi4py "$here/lib" && export "${mpi4py_with[@]}"
}

judge() {
  "$python" - "$@" <<'P'
import re, sys
text = open(sys.argv[2], errors="replace").read()
most = lambda pattern: max((sum(map(int, re.findall(r"\d+", found))) for found in re.findall(pattern, text)), default=0)
cases = most(r"Ran (\d+) tests") - most(r"skipped=\d+")
failed = most(r"(?:failures|errors)=\d+(?:, errors=\d+)?")  # of the rank with the most failures
print(0 if cases < 1 or (sys.argv[1] != "0" and not failed) else cases - failed, max(cases, 1))
P
}

run() {
  local ranks module
  for module in test_file test_io; do
    for ranks in 1 2 4; do
      try "$module on $ranks" "$ranks" "$python" "$sources/mpi4py-$version/test/main.py" --no-builddir -i "$module"
    done
  done
}
