# Checks the messages of bench_patterns about mistakes, on one rank, and that a run that is ended
# leaves no file.
#   cmake -D PROGRAM=build/release/bin/bench_patterns -P mistakes.cmake
# SPDX-License-Identifier: BSD-3-Clause

function(expect code words)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE found OUTPUT_VARIABLE out ERROR_VARIABLE said)
  string(FIND "${said}" "${words}" at)
  string(REGEX MATCHALL "\n" lines "${said}")
  list(LENGTH lines count)
  if(NOT found EQUAL code OR at EQUAL -1 OR count GREATER 1)
    message(FATAL_ERROR "${ARGN}: exit code ${found}, ${code} was expected; it said, where \"${words}\" was expected:\n${said}")
  endif()
endfunction()
expect(1 "Failed to match any benchmarks against regex: nosuch" --benchmark_filter=nosuch)
expect(1 "Failed to match any benchmarks against regex: nosuch" --benchmark_filter=nosuch --group collective)
expect(2 "--impl needs names of argosy, argosy:POLICY, mpi, and posix, not \"foo\"" --impl foo)
expect(2 "bench_patterns has no option --impls; did you mean --impl" --impls posix)
expect(2 "--bytes needs a whole number of at least 0, not \"x\"" --bytes x)
expect(1 "nofile cannot be read: No such file or directory" --merge a=nofile)

set(scratch "${CMAKE_CURRENT_BINARY_DIR}/bench_patterns.scratch")
file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")
# Far more rows than fit into a second.
execute_process(COMMAND timeout -s TERM 2 ${PROGRAM} --dir "${scratch}" --impl posix --repeat 1000 --row-seconds 100
  RESULT_VARIABLE found OUTPUT_QUIET ERROR_QUIET)
file(GLOB left "${scratch}/*")
file(REMOVE_RECURSE "${scratch}")
if(NOT found EQUAL 124 OR left)
  message(FATAL_ERROR "the run ended with ${found}, and left \"${left}\"")
endif()
