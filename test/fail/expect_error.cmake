# cmake -D build=DIR -D name=TARGET -D expected=REGEX -P expect_error.cmake
# Passes if TARGET does not build, and says why.
# (ctest's PASS_REGULAR_EXPRESSION alone would ignore the exit code, and match in file names.)
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ${name}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
# Only what the compiler says counts: not its command line, nor the expectation if it quotes that.
string(FIND "${output}" "error: " start)
string(FIND "${output}" "In instantiation of" before) # g++ tells template arguments first
if(before GREATER -1 AND before LESS start)
  set(start ${before})
endif()
string(SUBSTRING "${output}" ${start} -1 said)
string(REGEX REPLACE "[^\n]*// build error: [^\n]*" "" said "${said}")
if(status EQUAL 0)
  message(FATAL_ERROR "${name} compiles, but should fail with: ${expected}")
elseif(start EQUAL -1 OR NOT said MATCHES "${expected}")
  message("${output}")
  message(FATAL_ERROR "${name} fails, but not with: ${expected}")
endif()
