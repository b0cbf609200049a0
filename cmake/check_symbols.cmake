# Compares the symbols that the compiled library offers to programs with docs/develop/symbols.txt:
# functions and data with one definition, no templates and inline functions. A symbol that is
# removed, or changes its type, breaks programs that were linked before.
#   cmake -D LIBRARY=build/release/libargosy.a -P cmake/check_symbols.cmake
#       fails if they differ
#   cmake -D LIBRARY=... -D write=ON -P cmake/check_symbols.cmake
#       writes the list anew
# SPDX-License-Identifier: BSD-3-Clause
set(list "${CMAKE_CURRENT_LIST_DIR}/../docs/develop/symbols.txt")
find_program(NM nm REQUIRED)
set(dynamic "")
if(LIBRARY MATCHES "\\.so")
  set(dynamic -D)
endif()
set(ENV{LC_ALL} C)
execute_process(COMMAND ${NM} ${dynamic} -C -g --defined-only ${LIBRARY} OUTPUT_VARIABLE found ERROR_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
# Semicolons separate lists in CMake, and no symbol contains one. Brackets would hide them.
string(REPLACE "[" "<:" found "${found}")
string(REPLACE "]" ":>" found "${found}")
string(REGEX MATCHALL "[0-9a-f]+ [TBDR] argosy::[^\n]*" lines "${found}")
list(TRANSFORM lines REPLACE "^[0-9a-f]+ [TBDR] " "")
# Parts that g++ splits from functions are not symbols of their own.
list(FILTER lines EXCLUDE REGEX "\\[clone|<:clone|\\(\\.cold\\)|\\.part\\.")
list(SORT lines)
list(REMOVE_DUPLICATES lines)
list(LENGTH lines count)
list(JOIN lines "\n" text)
string(REPLACE "<:" "[" text "${text}\n")
string(REPLACE ":>" "]" text "${text}")
if(write)
  file(WRITE "${list}" "${text}")
  message(STATUS "${count} symbols written to ${list}")
  return()
endif()
file(READ "${list}" promised)
if(NOT text STREQUAL promised)
  file(WRITE "${LIBRARY}.symbols" "${text}")
  execute_process(COMMAND diff -u "${list}" "${LIBRARY}.symbols")
  message(FATAL_ERROR "the symbols of ${LIBRARY} are not those of docs/develop/symbols.txt; if that is meant: "
    "cmake -D LIBRARY=${LIBRARY} -D write=ON -P cmake/check_symbols.cmake, and tell it in the changelog")
endif()
message(STATUS "${count} symbols as promised")
