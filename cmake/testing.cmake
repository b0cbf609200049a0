# argosy_add_test(room/name [WITH room/name...] [LIBS lib...] [TIMEOUT seconds] [HEAVY] [PROGRAM])
#   test/<room>/<name>.cpp, run as one process. Links argosy::headers and Catch2, no MPI. The target
#   argosy_tests_without_mpi builds them.
# argosy_add_mpi_test(room/name [WITH room/name...] RANKS n... [LATE n...] [LIBS lib...]
#                     [TIMEOUT seconds] [HEAVY] [PROGRAM] [MAIN])
#   test/<room>/<name>.cpp, run under mpiexec once for each number of ranks. Links argosy::argosy.
#   MAIN: it has its own main, without Catch2. The target argosy_tests_with_mpi builds them, and all
#   other programs that tests with the label mpi need, except those of programs and pages.
# WITH: more sources of the same program. They are compiled as one, because most of the time goes
#   into their includes.
#   The test runs first on the least number of ranks, and on three or the number next to it. The
#   runs on the others are labelled counts: the step use has them. With sanitizers, which do not
#   check what ranks agree on, there are no others.
# LATE: numbers of ranks that take too long for the first tests. They are labelled counts, too.
# HEAVY: its own instantiations compute for seconds, so optimising it saves more time than it takes.
# PROGRAM: a test of the command argosy, the drop-in or a benchmark. Labelled programs, and built by
#   the target argosy_tests_of_programs. A few of these are among the first tests all the same; their
#   programs are built by the target argosy_first_programs.
# Tests of the room lab, the laboratory, are labelled lab, and built by the target
#   argosy_tests_of_lab.
# The labels of a test include each of its sources, for example file/usage and file/usage_advice:
#   `ctest -L usage_advice` finds it by any source, `ctest -L '^file/'` all tests of a room.
# argosy_tests_of_threads(test...)
#   The tests that run under the preset tsan, too, by their names in ctest. The target
#   argosy_tests_of_threads builds them.

# Every test runs with a TMPDIR of its own, which is removed however the test ends
# (test/support/tidy.sh).

add_custom_target(argosy_tests_without_mpi)
add_custom_target(argosy_tests_with_mpi)
add_custom_target(argosy_tests_of_programs)
add_custom_target(argosy_first_programs)
add_custom_target(argosy_tests_of_lab)
add_custom_target(argosy_tests_of_threads)

# argosy_test_program(room/name [room/name...]): makes the executable test_<name>.
function(argosy_test_program source)
  get_filename_component(name ${source} NAME)
  list(TRANSFORM ARGV APPEND .cpp)
  add_executable(test_${name} ${ARGV})
  if(ARGC GREATER 1)
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# argosy_kind_of_test(source is_program other): how a test is labelled besides its rooms, and the
# target that builds it. OTHER: what builds a test that is of no special kind.
function(argosy_kind_of_test source is_program other)
  get_filename_component(name ${source} NAME)
  set(kind "")
  set(target ${other})
  if(is_program)
    set(kind programs)
    set(target argosy_tests_of_programs)
  elseif(source MATCHES "^lab/")
    set(kind lab)
    set(target argosy_tests_of_lab)
  endif()
  add_dependencies(${target} test_${name})
  set(kind_of_test ${kind} PARENT_SCOPE)
endfunction()

# argosy_compile_test(name main heavy): compiles optimised if heavy, otherwise with the precompiled
# header of the other tests.
function(argosy_compile_test name main heavy)
  if(heavy)
    target_compile_options(test_${name} PRIVATE -O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)
  else()
    target_precompile_headers(test_${name} REUSE_FROM ${main})
  endif()
endfunction()

string(TOUPPER "${CMAKE_BUILD_TYPE}" argosy_build_type)
set(argosy_sanitized OFF)
if("${CMAKE_CXX_FLAGS_${argosy_build_type}}" MATCHES "-fsanitize")
  set(argosy_sanitized ON)
endif()
# Three ranks, for a test that takes a minute on them with sanitizers.
set(argosy_three 3)
if(argosy_sanitized)
  set(argosy_three "")
endif()

# argosy_first_counts(out count...): returns the least number of ranks and the next that is at least
# three; the least two if there is none.
function(argosy_first_counts out)
  set(counts ${ARGN})
  list(POP_FRONT counts least)
  set(first ${least})
  foreach(count IN LISTS counts)
    set(first ${least} ${count})
    if(count GREATER_EQUAL 3)
      break()
    endif()
  endforeach()
  set(${out} ${first} PARENT_SCOPE)
endfunction()

# argosy_counts_of_ranks(out count...): returns the numbers of ranks on which a test runs here.
function(argosy_counts_of_ranks out)
  set(counts ${ARGN})
  if(argosy_sanitized)
    argosy_first_counts(counts ${ARGN})
  endif()
  set(${out} ${counts} PARENT_SCOPE)
endfunction()

# argosy_tidy(out seconds): returns the words before the command of a test that CTest ends after
# that many seconds.
function(argosy_tidy out seconds)
  math(EXPR sooner "${seconds} - 10")
  set(${out} ${PROJECT_SOURCE_DIR}/test/support/tidy.sh ${sooner} PARENT_SCOPE)
endfunction()

# argosy_sources_of(out target): returns the sources of a test, as labels: room/name.
function(argosy_sources_of out target)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources PREPEND ${folder}/)
  list(TRANSFORM sources REPLACE "^${PROJECT_SOURCE_DIR}/test/(.*)\\.[A-Za-z0-9]+$" "\\1")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

function(argosy_add_test source)
  get_filename_component(name ${source} NAME)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HEAVY;PROGRAM" "TIMEOUT" "WITH;LIBS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  argosy_test_program(${source} ${arg_WITH})
  target_link_libraries(test_${name} PRIVATE argosy::headers ${arg_LIBS} argosy_test_main argosy_warnings)
  argosy_compile_test(${name} argosy_test_main ${arg_HEAVY})
  argosy_tidy(tidy ${arg_TIMEOUT})
  add_test(NAME ${name} COMMAND ${tidy} $<TARGET_FILE:test_${name}>)
  argosy_kind_of_test(${source} ${arg_PROGRAM} argosy_tests_without_mpi)
  set(labels pure ${source} ${arg_WITH} ${kind_of_test})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT})
endfunction()

function(argosy_add_mpi_test source)
  get_filename_component(name ${source} NAME)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HEAVY;PROGRAM;MAIN" "TIMEOUT" "WITH;RANKS;LATE;LIBS")
  if(NOT arg_RANKS)
    message(FATAL_ERROR "argosy_add_mpi_test(${source}): say which RANKS, for instance RANKS 1 2 3 7")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  argosy_test_program(${source} ${arg_WITH})
  target_link_libraries(test_${name} PRIVATE argosy::argosy ${arg_LIBS} argosy_warnings)
  if(NOT arg_MAIN)
    target_link_libraries(test_${name} PRIVATE argosy_mpi_test_main argosy_test_worlds)
    argosy_compile_test(${name} argosy_mpi_test_main ${arg_HEAVY})
  endif()
  argosy_kind_of_test(${source} ${arg_PROGRAM} argosy_tests_with_mpi)
  set(labels mpi ${source} ${arg_WITH} ${kind_of_test})
  argosy_tidy(tidy ${arg_TIMEOUT})
  argosy_first_counts(first ${arg_RANKS})
  argosy_counts_of_ranks(counts ${arg_RANKS})
  foreach(n IN LISTS counts)
    add_test(NAME ${name}.np${n}
      COMMAND ${tidy} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${MPIEXEC_PREFLAGS}
        $<TARGET_FILE:test_${name}> ${MPIEXEC_POSTFLAGS})
    set_tests_properties(${name}.np${n} PROPERTIES LABELS "${labels}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${n})
    if(NOT n IN_LIST first OR (n IN_LIST arg_LATE AND NOT argosy_sanitized))
      set_property(TEST ${name}.np${n} APPEND PROPERTY LABELS counts)
    endif()
  endforeach()
endfunction()

function(argosy_tests_of_threads)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS threads)
  list(TRANSFORM ARGN REPLACE "\\.np[0-9]+$" "" OUTPUT_VARIABLE names)
  list(TRANSFORM names PREPEND test_)
  list(REMOVE_DUPLICATES names)
  add_dependencies(argosy_tests_of_threads ${names})
endfunction()
