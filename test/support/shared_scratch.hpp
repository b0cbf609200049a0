// A directory of all ranks, and small helpers for tests on several ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>

#include "catch.hpp"
#include "files.hpp"

namespace argosy::test {

// A directory that all ranks see; rank 0 makes and removes it.
template <communicator World>
class shared_scratch {
 public:
  explicit shared_scratch(World const& world,
                          std::filesystem::path const& in = std::filesystem::temp_directory_path())
      : world_(world) {
    std::array<char, 512> name{};
    if (world.rank() == 0) {
      here_.emplace(in);
      std::string const text = here_->string();
      std::copy_n(text.begin(), text.size(), name.begin());
    }
    world.broadcast(std::as_writable_bytes(std::span(name)), 0);
    path_ = name.data();
  }
  ~shared_scratch() { world_.barrier(); }
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }

 private:
  World const& world_;
  std::string path_;
  std::optional<scratch> here_;
};

// Returns true if the error is `e` on the rank that failed, and error_on_another_rank on the
// others.
template <communicator World>
bool failed_on(World const& world, int rank, errc e, std::error_code const& error) {
  return error == (world.rank() == rank ? e : errc::error_on_another_rank);
}

inline std::vector<int> numbers_from(int first, int count) {
  std::vector<int> v(static_cast<std::size_t>(count));
  std::iota(v.begin(), v.end(), first);
  return v;
}

struct reducible_total {
  std::int64_t value = 0;
  void combine(reducible_total const& other) { value += other.value; }
};

}  // namespace argosy::test
