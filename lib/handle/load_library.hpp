// Loads the library of a file system on first use, so that no program links it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

namespace argosy::detail {

struct library_search {
  char const* file_system;  // name in messages
  char const* variable;     // environment variable, which may contain a path
  char const* usual_name;
};

// Looks up a symbol, and returns true if it exists.
struct symbols {
  void* library;

  template <class Function>
  bool find(char const* name, Function*& function) const {
    // POSIX guarantees this conversion.
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    return function != nullptr;
  }
};

// Loads a library. `bind(Library&, symbols)` sets the functions and returns the fault of the
// library, or an empty text. A library that was loaded once stays. Returns null and sets `why_not`
// if there is none.
template <class Library, class Bind>
std::shared_ptr<Library const> load_library(library_search const& where, std::string const& name,
                                            std::string& why_not, Bind&& bind) {
  std::string path = name;
  // A program with more rights than its user must not load a library that the user names.
  if (path.empty())
    if (char const* const said = ::secure_getenv(where.variable)) path = said;
  if (path.empty()) path = where.usual_name;

  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Library const>> loaded;
  std::lock_guard const lock(mutex);
  why_not.clear();
  if (auto const found = loaded.find(path); found != loaded.end()) return found->second;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    why_not = std::string("the library of ") + where.file_system +
              " cannot be loaded: " + std::string(reason != nullptr ? reason : path);
    return nullptr;
  }
  auto made = std::make_shared<Library>();
  if (std::string const wrong = bind(*made, symbols{library}); !wrong.empty()) {
    ::dlclose(library);
    why_not = path + " " + wrong;
    return nullptr;
  }
  return loaded[path] = std::move(made);
}

}  // namespace argosy::detail
