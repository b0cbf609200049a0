// Implements opened_as.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/state/opened_as.hpp>

#include <unistd.h>

#include <utility>

#include <argosy/error/errc.hpp>

namespace argosy::detail {

opened_as::opened_as() : files_(posix_opener()), process_(::getpid()) {}

void opened_as::begin(std::string path, argosy::mode how, int rank, int ranks) {
  path_ = std::move(path);
  modes_ = how;
  rank_ = rank;
  ranks_ = ranks;
}

void opened_as::use(opener files) {
  files_ = std::move(files);
  full_path_ = files_.absolute(path_);
}

bool opened_as::is_of_parent() const noexcept { return ::getpid() != process_; }

bool opened_as::names(any_handle const& file) const {
  if (!files_.finds()) return true;
  auto const mine = file.identity();
  if (!mine) return true;
  std::error_code error;
  auto const found = files_.find(full_path_, error);
  return found ? same_file(*found, *mine) : classify(error) != errc::no_such_file;
}

}  // namespace argosy::detail
