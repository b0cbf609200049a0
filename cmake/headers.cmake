# Assigns each header to a target. The headers are globbed: a header missing from a hand-written
# list would not be noticed here, because include/ is on the path. It would fail only for users of
# an installed package.
#   argosy_pure_headers         argosy::headers   rooms that need only the standard library
#   argosy_lab_headers          argosy::lab       the laboratory
#   argosy_benchmark_headers    argosy::benchmark what needs Google Benchmark
#   argosy_integration_headers  argosy::argosy    all other headers

# The rooms, in their order. A room includes only rooms before it, in include/ and in lib/ (the test
# `rooms`).
set(argosy_rooms error layout datatype view plan policy wire world agree handle exchange file format lab benchmark mpiio)

set(argosy_pure_rooms datatype layout view policy plan world version extend)

# Headers of pure rooms that need more than the standard library: those named after the library that
# they need, and these few.
set(argosy_integration_names mpi boost_mpi fmt pfr boost)
set(argosy_integration_paths
  argosy/datatype/aggregate.hpp argosy/datatype/detail/aggregate_fields.hpp # Boost.PFR
  argosy/layout/draw.hpp argosy/layout/draw_owners.hpp argosy/plan/draw.hpp # the compiled library
)

if(NOT CMAKE_SCRIPT_MODE_FILE) # check_rooms.cmake includes this file, too
  set(argosy_glob_again CONFIGURE_DEPENDS)
endif()
file(GLOB_RECURSE argosy_pure_headers ${argosy_glob_again} RELATIVE "${CMAKE_CURRENT_LIST_DIR}/../include"
  "${CMAKE_CURRENT_LIST_DIR}/../include/*.hpp")
list(SORT argosy_pure_headers)
set(argosy_integration_headers "${argosy_pure_headers}")
set(argosy_lab_headers "${argosy_pure_headers}")
list(FILTER argosy_lab_headers INCLUDE REGEX "^argosy/lab/")
set(argosy_benchmark_headers "${argosy_integration_headers}")
list(FILTER argosy_benchmark_headers INCLUDE REGEX "^argosy/benchmark/")

list(JOIN argosy_pure_rooms "|" argosy_rooms_regex)
list(JOIN argosy_integration_names "|" argosy_names_regex)
list(FILTER argosy_pure_headers INCLUDE REGEX "^argosy/(${argosy_rooms_regex})(/|\\.hpp$)")
list(FILTER argosy_pure_headers EXCLUDE REGEX "/(${argosy_names_regex})(/|\\.hpp$)")
list(REMOVE_ITEM argosy_pure_headers "" ${argosy_integration_paths})
list(REMOVE_ITEM argosy_integration_headers "" ${argosy_pure_headers} ${argosy_lab_headers} ${argosy_benchmark_headers})

list(TRANSFORM argosy_pure_headers PREPEND "include/")
list(TRANSFORM argosy_integration_headers PREPEND "include/")
list(TRANSFORM argosy_lab_headers PREPEND "include/")
list(TRANSFORM argosy_benchmark_headers PREPEND "include/")
