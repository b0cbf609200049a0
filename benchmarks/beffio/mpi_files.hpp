// The MPI library's own files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <mpi.h>

#include <argosy/world/mpi.hpp>

#include "implementation.hpp"

namespace beffio {

class mpi_files {
 public:
  class file;

  std::string_view name() const { return "mpi"; }
  file open(argosy::mpi const& world, open_request const& r, std::error_code& error);
  std::error_code remove(std::string const& path);
};

// A file that is destroyed without close stays open, because closing is collective.
class mpi_files::file {
 public:
  explicit file(MPI_File f = MPI_FILE_NULL) : file_(f) {}
  file(file&& other) noexcept : file_(std::exchange(other.file_, MPI_FILE_NULL)) {}
  file& operator=(file&& other) noexcept {
    file_ = std::exchange(other.file_, MPI_FILE_NULL);
    return *this;
  }

  void set_view(placement const& p, hint_list const& h, std::error_code& error);
  void set_hints(hint_list const& h, std::error_code& error);
  std::int64_t write(call c, const_words w, std::error_code& error);
  std::int64_t read(call c, words w, std::error_code& error);
  void seek(std::int64_t words_on, std::error_code& error);
  void seek_shared(std::int64_t words_on, std::error_code& error);
  void sync(std::error_code& error);
  void close(std::error_code& error);
  std::string in_force(hint_list const& list) const;

 private:
  MPI_File file_;
};

}  // namespace beffio
