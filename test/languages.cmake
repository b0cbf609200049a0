# The modules for other languages. The snippets of their pages run as tests.

# The module for Python, and the code of its page, if cmake/python.sh has built it for this MPI.
file(GLOB argosy_python_module ${PROJECT_SOURCE_DIR}/build/python-module/package/argosy/_argosy.*.so)
if(argosy_python_module)
  argosy_tidy(tidy 290)
  foreach(test IN ITEMS module.1 module.3 page.1 page.2)
    string(REGEX REPLACE "\\..*" "" name ${test})
    string(REGEX REPLACE ".*\\." "" ranks ${test})
    add_test(NAME python.${name}.np${ranks}
      COMMAND ${tidy} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
        ${PROJECT_SOURCE_DIR}/build/python-env/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/python/${name}.py ${MPIEXEC_POSTFLAGS})
    set_tests_properties(python.${name}.np${ranks} PROPERTIES LABELS "mpi;python/${name}" TIMEOUT 300
      PROCESSORS ${ranks} ENVIRONMENT PYTHONPATH=${PROJECT_SOURCE_DIR}/build/python-module/package)
  endforeach()
endif()

# The module for Fortran, and the code of its page.
if(ARGOSY_BUILD_FORTRAN)
  find_package(MPI QUIET COMPONENTS Fortran)
endif()
if(ARGOSY_BUILD_FORTRAN AND MPI_Fortran_HAVE_F90_MODULE) # the compiler has a module file of MPI
  add_executable(test_fortran fortran/fortran.f90)
  add_dependencies(argosy_tests_with_mpi test_fortran)
  add_executable(snippets_fortran ${PROJECT_SOURCE_DIR}/docs/snippets/fortran.f90)
  foreach(name IN ITEMS test_fortran snippets_fortran)
    target_link_libraries(${name} PRIVATE argosy::fortran MPI::MPI_Fortran)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-Wall -fcheck=all -ffree-line-length-none>)
  endforeach()
  argosy_tidy(tidy 120)
  foreach(ranks IN ITEMS 1 2 3)
    add_test(NAME fortran.np${ranks}
      COMMAND ${tidy} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
        $<TARGET_FILE:test_fortran> ${MPIEXEC_POSTFLAGS})
    set_tests_properties(fortran.np${ranks} PROPERTIES LABELS "mpi;fortran/fortran" TIMEOUT 120 PROCESSORS ${ranks})
  endforeach()
  add_test(NAME snippets.fortran
    COMMAND ${tidy} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 ${MPIEXEC_PREFLAGS}
      $<TARGET_FILE:snippets_fortran> ${MPIEXEC_POSTFLAGS})
  set_tests_properties(snippets.fortran PROPERTIES LABELS "pages;mpi" TIMEOUT 120 PROCESSORS 2)
endif()
