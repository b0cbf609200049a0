# cpack -G DEB: makes argosy (shared libraries), argosy-dev (headers, CMake, pkg-config, static
# libraries), argosy-tools, and argosy-mpiio (the drop-in).
#   cmake -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
#     -DCMAKE_INSTALL_PREFIX=/usr && cmake --build build
#   cd build && cpack -G DEB
# A static build has no package argosy.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME argosy)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the argosy authors")
set(CPACK_PACKAGE_CONTACT "the argosy authors <argosy@localhost.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
if(ARGOSY_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(ARGOSY_BUILD_MPIIO)
  list(APPEND CPACK_COMPONENTS_ALL mpiio)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# dpkg-shlibdeps finds the packages of linked libraries. It also reads the libraries of this build.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME argosy)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}: shared libraries")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME argosy-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: headers, CMake package, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libboost1.81-dev | libboost-dev (>= 1.81), libboost-mpi1.81-dev | libboost-mpi-dev (>= 1.81), libopenmpi-dev | libmpich-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME argosy-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${PROJECT_DESCRIPTION}: the command argosy, and argosy-gpfsd")
set(CPACK_DEBIAN_MPIIO_PACKAGE_NAME argosy-mpiio)
set(CPACK_COMPONENT_MPIIO_DESCRIPTION "${PROJECT_DESCRIPTION}: MPI's own I/O functions, for programs as they are")
if(BUILD_SHARED_LIBS)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "argosy (= ${PROJECT_VERSION}), ")
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "argosy (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPIIO_PACKAGE_DEPENDS "argosy (= ${PROJECT_VERSION})")
endif()
include(CPack)
