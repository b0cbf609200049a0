# An export set for each component, so that `COMPONENTS headers` works on a machine without MPI and Boost.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(argosy_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/argosy)
install(TARGETS argosy_headers EXPORT argosy_headers_targets FILE_SET HEADERS)
install(TARGETS argosy EXPORT argosy_targets FILE_SET HEADERS)
install(EXPORT argosy_headers_targets NAMESPACE argosy:: FILE argosyHeadersTargets.cmake
  DESTINATION ${argosy_package_dir})
install(EXPORT argosy_targets NAMESPACE argosy:: FILE argosyTargets.cmake
  DESTINATION ${argosy_package_dir})

if(ARGOSY_BUILD_LAB)
  install(TARGETS argosy_lab EXPORT argosy_lab_targets FILE_SET HEADERS)
  install(EXPORT argosy_lab_targets NAMESPACE argosy:: FILE argosyLabTargets.cmake
    DESTINATION ${argosy_package_dir})
endif()

configure_package_config_file(cmake/argosyConfig.cmake.in argosyConfig.cmake
  INSTALL_DESTINATION ${argosy_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 every minor version may break its users.
write_basic_package_version_file(argosyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/argosyConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/argosyConfigVersion.cmake
  DESTINATION ${argosy_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
