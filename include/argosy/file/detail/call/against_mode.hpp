// The errors for calls that the mode of a file forbids, with MPI's error class for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <argosy/error/failure.hpp>

namespace argosy::detail {

inline failure opened_for_reading_only() {
  return {errc::read_only, "the file was opened for reading only", "open it with mode::read_write"};
}
inline failure opened_for_writing_only() {
  return {errc::access, "the file was opened for writing only", "open it with mode::read_write"};
}
// `why` completes the sentence: "is accessed through its shared pointer only".
inline failure is_sequential(std::string_view why) {
  return {errc::unsupported, "a sequential file " + std::string(why),
          "open it without mode::sequential"};
}

}  // namespace argosy::detail
