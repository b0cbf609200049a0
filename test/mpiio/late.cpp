// Loads MPI late, and hides it, as interpreters load their modules. Runs a plain MPI program that
// was compiled as a library, with its main called late_main:
//   late LIBRARY [ARGUMENT...]
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const library = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 2;
  }
  if (::dlsym(RTLD_DEFAULT, "PMPI_Init")) {
    std::fprintf(stderr, "MPI is not hidden from libraries that are loaded later\n");
    return 2;
  }
  auto* const run = reinterpret_cast<int (*)(int, char**)>(::dlsym(library, "_Z9late_mainiPPc"));
  if (!run) {
    std::fprintf(stderr, "%s has no late_main\n", argv[1]);
    return 2;
  }
  return run(argc - 1, argv + 1);
}
