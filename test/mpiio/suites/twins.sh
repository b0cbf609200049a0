# Random calls, also wrong ones, on the MPI library's own files and on the drop-in: what came of each of them, side by side
# (compared.cpp, twins.py). A cell of the MPI library counts the calls of which it says what the drop-in says; that of the drop-in
# those of which one of the others says the same, or for whose difference there is a reason. ARGOSY_MPIIO_CALLS is how many
# calls on each number of ranks (300). ROMIO's data sieving is off: with it ranks that write between each other's bytes leave
# something else each time.
# SPDX-License-Identifier: BSD-3-Clause
title="Random calls"

get() { install_packages python3; }

build() {
  echo "romio_ds_write disable" >"$here/hints"
  "$mpicxx" -std=c++20 -O1 -w test/mpiio/compared.cpp -o "$here/compared"
}

run() {
  local ranks
  if ((${#columns[@]} < 2)); then echo "-- nothing to compare with"; return; fi
  for ranks in 1 2 4; do
    local name=random.np$ranks log=$root/logs/$suite/$library
    [[ $name == *"$only"* ]] || continue
    for column in "${columns[@]}"; do
      local start=("$mpiexec") by=(env ROMIO_HINTS="$here/hints" LD_PRELOAD="$yielding")
      case $column in
        romio) start+=(--mca io "$romio") ;;
        argosy) by=(env LD_PRELOAD="$drop_in $yielding") ;;
      esac
      python3 test/mpiio/suites/twins.py run "$here/$name.$column" "${ARGOSY_MPIIO_CALLS:-300}" "$ranks" \
        "${start[@]}" -n "$ranks" "${by[@]}" "$here/compared" >"$log/$name.$column.log" 2>&1
    done
    python3 test/mpiio/suites/twins.py compare "$log/$name" "${columns[@]/#/$here/$name.}" >"$log/$name.counts"
    # What all calls are is what is asked for, so that one without a reason fails the suite.
    while read -r column passed all; do
      printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$title" "$title_of_library" "$name" "$column" "$passed" "$all" >>"$results"
      printf '%s\t%s\t%s\tasked\t%s\t%s\n' "$title" "$title_of_library" "$name" "$all" "$all" >>"$results"
      printf '  %-40s %s %s of %s\n' "$name" "$column" "$passed" "$all"
    done <"$log/$name.counts"
  done
}
