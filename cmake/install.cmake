# Makes an export set for each component, so that `COMPONENTS headers` works on a machine without
# MPI and Boost. A component is installed alone by
#   cmake --install build --component runtime | development | tools | mpiio
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(argosy_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/argosy)
# argosy_install_library(target export-set): shared libraries belong to the component runtime, all
# other files to development.
function(argosy_install_library target set)
  install(TARGETS ${target} EXPORT ${set}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endfunction()
# argosy_install_export(export-set file)
function(argosy_install_export set file)
  install(EXPORT ${set} NAMESPACE argosy:: FILE ${file} DESTINATION ${argosy_package_dir} COMPONENT development)
endfunction()

argosy_install_library(argosy_headers argosy_headers_targets)
argosy_install_library(argosy argosy_targets)
argosy_install_export(argosy_headers_targets argosyHeadersTargets.cmake)
argosy_install_export(argosy_targets argosyTargets.cmake)
argosy_install_library(argosy_benchmark argosy_benchmark_targets)
argosy_install_export(argosy_benchmark_targets argosyBenchmarkTargets.cmake)
if(ARGOSY_BUILD_LAB)
  set_target_properties(argosy_lab PROPERTIES INSTALL_RPATH "$ORIGIN")
  argosy_install_library(argosy_lab argosy_lab_targets)
  argosy_install_export(argosy_lab_targets argosyLabTargets.cmake)
endif()
if(ARGOSY_BUILD_FORTRAN)
  install(TARGETS argosy_fortran EXPORT argosy_fortran_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  argosy_install_export(argosy_fortran_targets argosyFortranTargets.cmake)
  get_target_property(modules argosy_fortran Fortran_MODULE_DIRECTORY)
  install(FILES ${modules}/argosy.mod lib/fortran/argosy.f90
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/argosy/fortran COMPONENT development)
endif()

configure_package_config_file(cmake/argosyConfig.cmake.in argosyConfig.cmake
  INSTALL_DESTINATION ${argosy_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 every minor version may break its users.
write_basic_package_version_file(argosyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/argosyConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/argosyConfigVersion.cmake
  DESTINATION ${argosy_package_dir} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# Error messages name pages, such as docs/use/datatypes.md, so pages have the same path below
# share/doc/argosy. The pages of docs/use refer to those of docs/develop.
install(DIRECTORY docs/use docs/develop DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT development)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES cmake/packaging/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/cmake/packaging
  COMPONENT development)

# For users who build without CMake: pkg-config --cflags --libs argosy
set(argosy_pc_includes "")
foreach(directory IN LISTS MPI_CXX_INCLUDE_DIRS)
  string(APPEND argosy_pc_includes " -I${directory}")
endforeach()
list(JOIN MPI_CXX_LIBRARIES " " argosy_pc_libraries)
set(argosy_pc_boost "")
if(ARGOSY_LINK_BOOST_MPI)
  set(argosy_pc_boost "-lboost_mpi -lboost_serialization ")
endif()
# A relative path from the file to the prefix, so that the installed tree may be moved.
string(REGEX REPLACE "[^/]+" ".." argosy_pc_up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(cmake/packaging/argosy.pc.in argosy.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/argosy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(ARGOSY_ENABLE_PACKAGES)
  include(cmake/packaging/debian.cmake)
endif()
