# Private: linked by argosy's own sources, tests, examples and benchmarks, never exported.
add_library(argosy_warnings INTERFACE)
target_compile_options(argosy_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${ARGOSY_WARNINGS_AS_ERRORS}>:-Werror>>
  # Variables that only a static_assert uses are allowed.
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-unneeded-internal-declaration>
  # g++ 12 sees overlap inside std::string's operator+ at -O2: https://gcc.gnu.org/PR105651
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
