# An overlay port for vcpkg:
#   vcpkg install argosy --overlay-ports=<argosy>/cmake/packaging/vcpkg
# argosy has no release yet, so the sources are those of this checkout. No vcpkg has run this port
# yet: ../README.md.
# SPDX-License-Identifier: BSD-3-Clause
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options FEATURES lab ARGOSY_BUILD_LAB tools ARGOSY_BUILD_TOOLS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${feature_options}
  -DARGOSY_BUILD_TESTS=OFF -DARGOSY_BUILD_EXAMPLES=OFF -DARGOSY_BUILD_BENCHMARKS=OFF -DARGOSY_ENABLE_PACKAGES=OFF
  -DARGOSY_WARNINGS_AS_ERRORS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME argosy CONFIG_PATH lib/cmake/argosy)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES argosy AUTO_CLEAN)
endif()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
