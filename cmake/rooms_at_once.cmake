# argosy_rooms_at_once(target): where CMAKE_UNITY_BUILD is on, as in the presets that are tested, the compiler sees the sources of a room
# as one, since most of its time goes into what they include. So names without linkage are different within a room. The package's tests
# compile each source alone, as its users do.
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
  if(CMAKE_UNITY_BUILD) # to g++ each source but the first would be a header, in which such a name is another one in each source
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
