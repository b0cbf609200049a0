# argosy_rooms_at_once(target): if CMAKE_UNITY_BUILD is on, as in the tested presets, compiles the
# sources of a room as one, because most of the time goes into their includes. Names without linkage
# must therefore differ within a room. The package's tests compile each source alone, as users do.
function(argosy_rooms_at_once target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(ABSOLUTE_PATH room NORMALIZE)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${room}" room)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${room}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  # g++ treats each source but the first as a header, in which such a name differs from source to
  # source
  if(CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
