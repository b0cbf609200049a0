# A suite of Google Benchmark that uses argosy::benchmark, on 1 and 3 ranks.
add_executable(suite suite.cpp)
target_link_libraries(suite PRIVATE argosy::benchmark argosy::lab)

# run_suite(name ranks PROPERTY value... ARGS arg...): a test that runs the suite, in a directory of
# its own, because tests run at the same time.
function(run_suite name ranks)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGS")
  add_test(NAME suite.${name}.np${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
    ${MPIEXEC_PREFLAGS} $<TARGET_FILE:suite> --benchmark_min_time=0.001 --benchmark_color=false
      ${arg_ARGS} ${MPIEXEC_POSTFLAGS})
  set(place ${CMAKE_CURRENT_BINARY_DIR}/run/${name}.np${ranks})
  file(MAKE_DIRECTORY ${place})
  set_tests_properties(suite.${name}.np${ranks} PROPERTIES TIMEOUT 120
    WORKING_DIRECTORY ${place} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# All cases that succeed: the status decides.
foreach(ranks IN ITEMS 1 3)
  run_suite(all ${ranks} ARGS --benchmark_filter=^good/)
endforeach()
# One rank reports, and the reports of the files are counters.
run_suite(counters 3 PASS_REGULAR_EXPRESSION "good/tile/1000/[^\n]*bytes_per_second=[^\n]*file_calls="
  FAIL_REGULAR_EXPRESSION "good/tile/.*good/tile/" ARGS --benchmark_filter=^good/tile/1000)
# An error of one rank fails the case on all ranks, and the case after it runs.
run_suite(error 3 PASS_REGULAR_EXPRESSION "bad/third_iteration/[^\n]*ERROR[^\n]*rank 1: on purpose.*bad/z_after/"
  ARGS --benchmark_filter=^bad/)
run_suite(error_status 3 WILL_FAIL TRUE ARGS --benchmark_filter=^bad/)
run_suite(cannot_open 3 PASS_REGULAR_EXPRESSION "stuck/no_directory/[^\n]*ERROR OCCURRED: 'rank "
  ARGS --benchmark_filter=^stuck/no_directory)
# Ranks that would wait for each other for ever end with a sentence.
run_suite(stuck 3 PASS_REGULAR_EXPRESSION "rank 1: this rank failed in a benchmark, and others wait"
  ARGS --benchmark_filter=^stuck/before_a_collective_call)
run_suite(different 3 PASS_REGULAR_EXPRESSION "ranks run different benchmarks"
  ARGS --benchmark_filter=^stuck/different)
run_suite(random_order 3 PASS_REGULAR_EXPRESSION "each rank would run the cases in another"
  ARGS --benchmark_enable_random_interleaving=true)
run_suite(unknown_option 3 PASS_REGULAR_EXPRESSION "unrecognized command-line flag: --no_option"
  ARGS --no_option)
run_suite(no_case 3 WILL_FAIL TRUE ARGS --benchmark_filter=^no_such_case)
run_suite(no_file 3 PASS_REGULAR_EXPRESSION "/no/such/file cannot be written"
  ARGS --benchmark_out=/no/such/file)
