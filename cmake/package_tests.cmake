# The package as its users see it. It is installed into a staged prefix inside the build tree, then
# found by projects that have only CMAKE_PREFIX_PATH. It is also used once as a subdirectory, there
# as a shared library.
# argosy_add_package_test(name source [BUILD targets...] [RUN regex] [options of cmake...])
function(argosy_add_package_test name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "RUN" "BUILD")
  list(TRANSFORM arg_BUILD PREPEND "--build-target;")
  list(TRANSFORM arg_RUN PREPEND "-R;")
  add_test(NAME package.${name} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${source} ${CMAKE_BINARY_DIR}/package/${name}
    --build-generator ${CMAKE_GENERATOR} --build-makeprogram ${CMAKE_MAKE_PROGRAM} --build-noclean
    ${arg_BUILD}
    --build-options
      -DCMAKE_BUILD_TYPE=$<CONFIG> -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
      ${arg_UNPARSED_ARGUMENTS}
    --test-command ${CMAKE_CTEST_COMMAND} --output-on-failure --no-tests=error ${arg_RUN})
  set_tests_properties(package.${name} PROPERTIES LABELS package TIMEOUT 1200)
endfunction()

set(consumer ${PROJECT_SOURCE_DIR}/test/consumer)
# Compiled without optimisation and room by room, because only building and linking is tested. The
# tools are built without the laboratory.
argosy_add_package_test(subdirectory ${consumer} -DARGOSY_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DBUILD_SHARED_LIBS=ON
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_UNITY_BUILD=ON
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
  -DARGOSY_BUILD_TOOLS=ON -DARGOSY_BUILD_MPIIO=ON -DARGOSY_ENABLE_INSTALL=ON -DARGOSY_ENABLE_PACKAGES=ON -DCMAKE_INSTALL_PREFIX=/usr)

# Recipes of other packagers, as far as they can be run without their tools.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME package.recipes
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/packaging/check_recipes.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(package.recipes PROPERTIES LABELS package)
endif()

# Debian packages of that build: made, installed into a clean root, used there, and removed.
set_tests_properties(package.subdirectory PROPERTIES FIXTURES_SETUP shared_build)
add_test(NAME package.debian COMMAND ${PROJECT_SOURCE_DIR}/cmake/packaging/check_debian.sh
  ${CMAKE_BINARY_DIR}/package/subdirectory ${CMAKE_BINARY_DIR}/package/debian ${PROJECT_SOURCE_DIR}/docs/develop/symbols.txt)
set_tests_properties(package.debian PROPERTIES LABELS package TIMEOUT 180 SKIP_RETURN_CODE 77 PROCESSORS 2
  FIXTURES_REQUIRED shared_build)

if(ARGOSY_ENABLE_INSTALL)
  set(stage ${CMAKE_BINARY_DIR}/stage)
  add_test(NAME package.install
    COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --prefix ${stage} --config $<CONFIG>)
  set_tests_properties(package.install PROPERTIES LABELS package FIXTURES_SETUP staged_package)

  # All examples are compiled and run as part of the build. As a project of their own, some of each
  # component are built from the same sources.
  argosy_add_package_test(examples ${PROJECT_SOURCE_DIR}/examples BUILD hello restart layouts faults heat4
    RUN "^example\\.(hello|restart|layouts|faults|heat4)(\\.|$)" -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_FLAGS_DEBUG=-O0)
  argosy_add_package_test(consumer ${consumer} -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
  # The promise of argosy::headers: no MPI, no Boost, no fmt, and no run-time type information.
  argosy_add_package_test(headers_only ${consumer} -DCMAKE_PREFIX_PATH=${stage} -DHEADERS_ONLY=ON
    "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -fno-rtti"
    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
  if(TARGET benchmark::benchmark AND ARGOSY_BUILD_LAB)
    argosy_add_package_test(suite ${consumer} -DCMAKE_PREFIX_PATH=${stage} -DSUITE=ON)
    set_tests_properties(package.suite PROPERTIES FIXTURES_REQUIRED staged_package)
  endif()
  set_tests_properties(package.examples package.consumer package.headers_only
    PROPERTIES FIXTURES_REQUIRED staged_package)
endif()
