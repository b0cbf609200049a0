// A simulated GPFS under a random program. It observes which bytes reach the disk, and derives
// which rank must get which error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include "files.hpp"

namespace argosy::explore {

using namespace extend;

class gpfs_files final : public file_system {
 public:
  explicit gpfs_files(program const& p);
  opener files() override { return files_.opener(); }
  bool exists(std::string const& path) const override { return files_.exists(path); }
  std::vector<std::string> names() const override { return files_.names(); }
  std::vector<std::byte> content(std::string const& path) const override {
    return files_.content(path);
  }
  void put(std::string const& path, std::span<std::byte const> bytes) override {
    files_.put(path, bytes);
  }
  std::vector<std::byte> after_crash(std::string const& path, std::uint64_t) const override {
    return files_.on_disk(path);
  }
  std::vector<loss> take_losses() override { return std::exchange(losses_, {}); }
  std::string complaint() const override { return complaint_; }
  std::int64_t time() const override { return time_; }
  std::shared_ptr<watch> opened(int rank, std::string const& path, open_flags flags,
                                std::int64_t began) override;

  // Returns the error with which servers refuse writes. Nothing else in a run returns this error.
  static int write_error();

 private:
  struct open_file;
  friend struct open_file;
  struct debt {
    int error = 0;  // 0 if none
    std::int64_t since = 0;
  };

  void see(lab::gpfs::detail::message const& m);
  void saved(int node, lab::gpfs::detail::file_id file,
             std::vector<lab::gpfs::detail::block_piece> const& pieces, int error);
  void node_gone(int node);
  bool share_pages(lab::gpfs::detail::file_id file, int node, int other) const;
  std::string path_of(lab::gpfs::detail::file_id file) const;
  std::vector<std::byte> disk(lab::gpfs::detail::file_id file, std::int64_t offset,
                              std::size_t length) const;

  lab::virtual_gpfs files_;
  int ranks_per_node_;
  bool lenient_;  // with deaths, another handle may report the debt of a dead rank, or none
  std::int64_t block_bytes_;
  std::int64_t time_ = 0;
  std::string complaint_;
  // errors of servers, and errors of faults that strike before a call reaches the servers
  std::set<int> refuse_with_, fails_with_;
  // files that have been partitioned at any time
  std::set<lab::gpfs::detail::file_id> partitioned_;
  std::vector<loss> losses_;
  std::map<std::tuple<int, lab::gpfs::detail::file_id, std::int64_t>,
           std::vector<lab::gpfs::detail::block_piece>>
      on_the_way_;                              // offsets are those in the file
  std::list<std::shared_ptr<open_file>> open_;  // including the handles that were closed
  std::map<std::pair<int, lab::gpfs::detail::file_id>, debt> orphans_;
};

}  // namespace argosy::explore
