// The words behind a command, checked against its table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace argosy::tool {

// The words of the user are wrong; what() says which, and what would be right.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class arguments {
 public:
  // Throws usage_error for unknown options, missing values, too few or too many operands. `--name=value` is as `--name value`;
  // behind `--` all words are operands.
  arguments(command_info const& c, std::span<std::string const> words);

  std::vector<std::string> const& operands() const noexcept { return operands_; }
  bool has(std::string_view option) const { return values_.contains(option); }
  bool json() const { return has("--json"); }
  // Of the last one given; `otherwise` if there is none.
  std::string value(std::string_view option, std::string otherwise = {}) const;
  std::vector<std::string> values(std::string_view option) const;
  // Whole numbers at least `least`; with a suffix k, m or g in powers of 1024. Throws usage_error.
  std::int64_t number(std::string_view option, std::int64_t otherwise, std::int64_t least = 0) const;

 private:
  std::vector<std::string> operands_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace argosy::tool
