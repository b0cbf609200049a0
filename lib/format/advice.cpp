// Implements format/detail/advice.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/advice.hpp>

#include <string>
#include <system_error>

namespace argosy::detail {
namespace {

// The longest name of most file systems, and the length that a temporary name adds.
constexpr int longest_name = 255, added = 22;

fact_and_advice advice_for(name_use use, errc why, std::error_code const& cause) {
  switch (why) {
    case errc::no_such_file:
      if (use == name_use::reads_file)
        return {"this call makes no file", "check the path on that rank"};
      return {"the file is made, but not its directory",
              "check the path, or make the directory first"};
    case errc::read_only:
      return {{}, "choose a directory that can be written"};
    case errc::file:
      return {{}, "make the call again"};
    case errc::bad_file:
      if (use != name_use::replaces_file || cause != std::errc::filename_too_long) return {};
      return {"while it is written, its name ends in .<16 hexadecimal digits>.part",
              "give a shorter name, of " + std::to_string(longest_name - added) +
                  " bytes at most where names may have " + std::to_string(longest_name)};
    default:
      return {};
  }
}

}  // namespace

fact_and_advice advice_for(name_use use, error const& e) {
  if (use == name_use::uses_open_file || has_own_advice(agreed_of(e))) return {};
  bool const elsewhere = e.code() == errc::error_on_another_rank;
  std::error_code const cause = elsewhere || e.code() == classify(e.cause()) ? e.cause() : e.code();
  return advice_for(use, classify(cause), cause);
}

}  // namespace argosy::detail
