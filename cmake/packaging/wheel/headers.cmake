# cmake -P cmake/packaging/wheel/headers.cmake: prints the headers of argosy::headers.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../headers.cmake")
list(JOIN argosy_pure_headers "\n" lines)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${lines}")
