// A file with one array, as Python sees it: a file of numbers, or a .npy file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <argosy/file/basic_file.hpp>
#include <argosy/format/basic_npy.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/plan.hpp>
#include <argosy/plan/report.hpp>

#include "request.hpp"

namespace argosy::python {

// Every function is called without the lock of the interpreter. Calls of several threads come one
// after the other.
class array_file {
  basic_file<ranks>& file() noexcept { return npy_ ? npy_->file() : file_; }
  template <class Body>
  auto locked(Body&& body) {
    std::lock_guard const one(*mutex_);
    return body(file());
  }

 public:
  // Opens a file of numbers. Collective. The function returns the type, the shape or None, the
  // order, the byte where the array begins, argosy's modes, and hints. A file that may be written
  // gets the bytes of the whole array, if `sized`.
  static array_file open(ranks const& world, std::string const& path, described const& d,
                         bool sized);
  // Make and open a .npy file. Collective.
  static array_file create_npy(ranks const& world, std::string const& path, described const& d);
  static array_file open_npy(ranks const& world, std::string const& path, described const& d);

  // Read or write a slice. `access` is local, `access_all` is collective.
  report access(access_kind kind, described const& d);
  report access_all(access_kind kind, described const& d);
  // Return what such a call would do.
  argosy::plan explain(access_kind kind, described const& d);
  collective_plan explain_all(access_kind kind, described const& d);

  void close();  // collective
  void sync() {
    locked([](basic_file<ranks>& f) { f.sync(); });
  }
  void set_size(std::int64_t bytes) {
    locked([&](basic_file<ranks>& f) { f.set_size(bytes); });
  }
  void set_atomic(bool on) {
    locked([&](basic_file<ranks>& f) { f.set_atomic(on); });
  }
  std::int64_t size() {
    return locked([](basic_file<ranks>& f) { return f.size(); });
  }
  std::string hints();
  bool is_open() { return file().is_open(); }
  std::string path() { return file().path(); }
  numbers const& shape() const noexcept { return *facts_.shape; }
  std::string dtype() const { return to_string(facts_.of.type); }
  bool is_fortran() const noexcept { return facts_.in == order::fortran; }

 private:
  struct prepared {
    view where;
    target data;
    std::int64_t bytes = 0;  // size of the data
  };
  void require_open(std::string_view call);
  prepared prepare(described const& d) const;

  array_facts facts_;
  std::int64_t offset_ = 0;
  basic_file<ranks> file_;
  std::optional<basic_npy<ranks>> npy_;  // a new .npy file; otherwise file_ is used
  bool failed_ = false;                  // a write to the new file failed
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace argosy::python
