# The preset edit includes this before the project: ccache compiles if it is installed.
find_program(ARGOSY_CCACHE ccache DOC "ccache, or empty to do without")
if(ARGOSY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ARGOSY_CCACHE}")
endif()
