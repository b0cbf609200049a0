# Random calls, some of them wrong, on the MPI library's own files and on the drop-in, with the
# results of each call compared (compared.cpp, twins.py). The cell of an MPI library counts the
# calls with the same result as the drop-in's. The cell of the drop-in counts the calls with the
# same result as one of the others, or with a reason for the difference. ARGOSY_MPIIO_CALLS is the
# number of calls on each number of ranks (300). ROMIO's data sieving is off, because with it ranks
# that write between each other's bytes leave other bytes each time.
# SPDX-License-Identifier: BSD-3-Clause
title="Random calls"

get() { install_packages python3; }

build() {
  echo "romio_ds_write disable" >"$here/hints"
  "$mpicxx" -std=c++20 -O1 -w test/mpiio/compared.cpp -o "$here/compared"
}

# Other suites leave out the MPI library's own I/O with --preloaded. This one compares with it.
run() {
  local ranks columns=(own ${romio:+romio} argosy)
  for ranks in 1 2 4; do
    local name=random.np$ranks log=$logs/$suite/$library
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
    # The suite demands all calls, so one difference without a reason lets it fail.
    while read -r column passed all; do
      printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$title" "$title_of_library" "$name" "$column" "$passed" "$all" >>"$results"
      printf '%s\t%s\t%s\tasked\t%s\t%s\n' "$title" "$title_of_library" "$name" "$all" "$all" >>"$results"
      printf '  %-40s %s %s of %s\n' "$name" "$column" "$passed" "$all"
    done <"$log/$name.counts"
  done
}
