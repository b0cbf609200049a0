// Implements file/detail/call_board.hpp: the words.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/detail/call_board.hpp>

#include <utility>

namespace argosy::detail {

agreement call_board::fault_of(finding const& f, int ranks, std::string_view call, source_location const& where,
                               bool late) {
  std::string const there = f.call + " at " + f.file + ":" + std::to_string(f.line);
  std::string words;
  if (late)
    words =
        "this file has no collective calls in the background any more, since ranks were in different collective "
        "calls: rank " +
        std::to_string(f.who) + " was in " + there +
        " and had not begun one that others had. What to do: close the file, and open it again";
  else
    words = "ranks are in different collective calls: rank " + std::to_string(f.who) + " is in " + there +
            ", and has not begun " + std::string(call) + " at " + where.file_name() + ":" +
            std::to_string(where.line()) + ", which " + std::to_string(f.begun_by) + " of " + std::to_string(ranks) +
            " ranks have begun";
  return {errc::not_same, f.failed, errc::not_same, std::move(words), {}, {}};
}

}  // namespace argosy::detail
