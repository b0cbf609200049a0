# A program under profiling tools, which stand above the drop-in or behind it: EZTrace from Debian,
# and a small one that counts calls (profiler.cpp). With the MPI library's own I/O, there is the
# tool alone.
# SPDX-License-Identifier: BSD-3-Clause
title="Profiling tools"

get() {
  case $library in
    openmpi | mpich) install_packages eztrace libeztrace0 ;;
  esac
}

build() {
  "$mpicxx" -std=c++20 -O1 -w test/mpiio/profiled.cpp -o "$here/profiled" -ldl || return
  "$mpicxx" -std=c++20 -O1 -w -shared -fPIC -DPROFILER_GOES_ON=PROFILER_BY_LINK -DPROFILER_NAME=by_link \
    test/mpiio/profiler.cpp -o "$here/by_link.so" -ldl || return
  cat >"$here/under" <<'END'
#!/bin/bash
# under above|behind TOOL PROGRAM ARGUMENT...: the tool on that side of the preloaded libraries
place=$1 tool=$2
shift 2
[[ $LD_PRELOAD == *argosy* ]] || export ARGOSY_MPIIO=off
if [[ $place == above ]]; then LD_PRELOAD="$tool $LD_PRELOAD"; else LD_PRELOAD="$LD_PRELOAD $tool"; fi
export LD_PRELOAD TMPDIR=$PWD EZTRACE_TRACE=${MPI_OF_EZTRACE:-} EZTRACE_TRACE_DIR=$PWD/trace
exec "$@"
END
  chmod +x "$here/under"
}

# EZTrace has worked if there is a trace.
judge() {
  if (($1 != 0)) || { [[ $test == EZTrace ]] && ! compgen -G "trace/*/eztrace_log.otf2" >/dev/null; }; then echo 0 1; else echo 1 1; fi
}

run() {
  local test place eztrace=/usr/lib/x86_64-linux-gnu/libeztrace-$library.so
  for place in above behind; do
    test=counting
    try "a tool that counts, $place" 2 "$here/under" "$place" "$here/by_link.so" "$here/profiled" by_link=all
    [[ -f $eztrace ]] || { echo "-- EZTrace is not there for $library"; continue; }
    test=EZTrace
    MPI_OF_EZTRACE=$library try "EZTrace, $place" 2 "$here/under" "$place" "$eztrace" "$here/profiled"
  done
}
