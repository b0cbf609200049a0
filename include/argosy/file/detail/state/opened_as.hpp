// The file that is open, its modes, and the rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <system_error>

#include <argosy/file/mode.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>

namespace argosy::detail {

class opened_as {
 public:
  opened_as();
  // Called before the file is opened. The opener makes the path absolute.
  void begin(std::string path, argosy::mode how, int rank, int ranks);
  void use(opener files);

  std::string const& path() const noexcept { return path_; }
  // Returns a path that stays valid if the working directory changes.
  std::string const& full_path() const noexcept { return full_path_; }
  argosy::mode modes() const noexcept { return modes_; }
  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }
  opener const& files() const noexcept { return files_; }

  // Returns true in a child process that was forked after the open. The file's threads and the
  // locks they hold belong to the parent. The child waits for none of them, and leaves the file
  // unchanged.
  bool is_of_parent() const noexcept;

  // Returns false if the path leads to no file or to another one, as far as the opener can tell.
  bool names(any_handle const& file) const;
  // Removes the file. If another file has the name by now, it stays, and the error is ENOENT.
  std::error_code remove(any_handle const& file) const {
    return files_.remove(full_path_, file.identity());
  }
  // Returns true if `close` removes the file.
  bool removes() const noexcept { return discarded_ || has(modes_, mode::delete_on_close); }
  void discard() noexcept { discarded_ = true; }

 private:
  std::string path_, full_path_;
  argosy::mode modes_ = mode::none;
  int rank_ = 0, ranks_ = 1;
  opener files_;
  int process_;
  bool discarded_ = false;
};

}  // namespace argosy::detail
