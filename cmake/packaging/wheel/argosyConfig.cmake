# The package of the wheel. `argosy --cmake-dir` prints its folder:
#   cmake -D argosy_DIR=$(argosy --cmake-dir) ...
# find_package(argosy CONFIG REQUIRED COMPONENTS headers)
#     argosy::headers, which needs neither MPI nor Boost
# find_package(argosy CONFIG REQUIRED COMPONENTS mpiio)
#     argosy::mpiio, the drop-in; link it before the MPI library
if(NOT argosy_FIND_COMPONENTS)
  set(argosy_FIND_COMPONENTS argosy)
  set(argosy_FIND_REQUIRED_argosy TRUE)
endif()
get_filename_component(argosy_wheel "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET argosy::headers)
  add_library(argosy::headers INTERFACE IMPORTED)
  set_target_properties(argosy::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${argosy_wheel}/include" INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
if(NOT TARGET argosy::mpiio)
  add_library(argosy::mpiio SHARED IMPORTED)
  set_target_properties(argosy::mpiio PROPERTIES
    IMPORTED_LOCATION "${argosy_wheel}/lib/libargosy-mpiio.so" IMPORTED_SONAME libargosy-mpiio.so)
endif()
set(argosy_headers_FOUND TRUE)
set(argosy_mpiio_FOUND TRUE)
foreach(component IN LISTS argosy_FIND_COMPONENTS)
  if(NOT argosy_${component}_FOUND AND argosy_FIND_REQUIRED_${component})
    set(argosy_FOUND FALSE)
    set(argosy_NOT_FOUND_MESSAGE "the wheel has the components headers and mpiio, and not ${component}: install argosy from its sources")
    return()
  endif()
endforeach()
