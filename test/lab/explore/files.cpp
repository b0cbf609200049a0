// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include "gpfs_files.hpp"

namespace argosy::explore {
namespace {

class plain_files final : public file_system {
 public:
  explicit plain_files(lab::virtual_disk const& disk) : files_(disk) {}
  opener files() override { return files_.opener(); }
  bool exists(std::string const& path) const override { return files_.exists(path); }
  std::vector<std::string> names() const override { return files_.names(); }
  std::vector<std::byte> content(std::string const& path) const override {
    return files_.content(path);
  }
  void put(std::string const& path, std::span<std::byte const> bytes) override {
    files_.put(path, bytes);
  }
  std::vector<std::byte> after_crash(std::string const& path, std::uint64_t seed) const override {
    return files_.crash(seed).content(path);
  }
  lab::virtual_files const* on_disk() const override { return &files_; }

 private:
  lab::virtual_files files_;
};

}  // namespace

std::unique_ptr<file_system> files_for(program const& p) {
  if (p.gpfs) return std::make_unique<gpfs_files>(p);
  return std::make_unique<plain_files>(p.world.disk);
}

}  // namespace argosy::explore
