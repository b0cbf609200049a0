// Implements gpfs_library of handle/gpfs_real.hpp: loads libgpfs.so and calls it.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <argosy/handle/gpfs_real.hpp>

namespace argosy {

namespace {

template <class Function>
void resolve(void* library, char const* name, Function*& function) {
  // POSIX promises that this conversion works.
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

// Calls a function of the library that returns 0, or -1 and errno.
int outcome(int returned) {
  if (returned == 0) return 0;
  return errno != 0 ? errno : EIO;
}

}  // namespace

std::shared_ptr<gpfs_library const> gpfs_library::load(std::string const& name, std::string& why_not) {
  std::string path = name;
  if (path.empty())  // a program with more rights than its user has loads nothing that the user names
    if (char const* const said = ::secure_getenv("ARGOSY_GPFS_LIBRARY")) path = said;
  if (path.empty()) path = "libgpfs.so";

  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<gpfs_library const>> loaded;
  std::lock_guard const lock(mutex);
  why_not.clear();
  if (auto const found = loaded.find(path); found != loaded.end()) return found->second;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    why_not = "the library of GPFS cannot be loaded: " + std::string(reason != nullptr ? reason : path);
    return nullptr;
  }
  auto made = std::make_shared<gpfs_library>();
  resolve(library, "gpfs_fcntl", made->fcntl_);
  resolve(library, "gpfs_prealloc", made->prealloc_);
  if (made->fcntl_ == nullptr) {
    ::dlclose(library);
    why_not = path + " has no gpfs_fcntl: it is not the library of GPFS";
    return nullptr;
  }
  return loaded[path] = std::move(made);
}

int gpfs_library::fcntl(int descriptor, void* argument) const {
  errno = 0;
  return outcome(fcntl_(descriptor, argument));
}

int gpfs_library::prealloc(int descriptor, long long start, long long bytes) const {
  if (prealloc_ == nullptr) return ENOSYS;
  errno = 0;
  return outcome(prealloc_(descriptor, start, bytes));
}

}  // namespace argosy
