// Implements used_view.hpp: where data lies in a view, and whether it fits its etype.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <string>

#include <argosy/file/detail/used_view.hpp>

namespace argosy::detail {
namespace {

std::string text_of(std::int64_t n) { return std::to_string(n); }

}  // namespace

failure used_view::locate(std::int64_t offset, std::int64_t bytes, std::int64_t& position) const {
  argosy::view const& v = view;
  if (offset < 0) return {errc::argument, "the offset is " + text_of(offset) + " etypes; it must not be negative"};
  if (v.stream().empty() && bytes == 0) return {};
  auto const start = v.position(offset);
  if (v.stream().empty())
    return {errc::argument, text_of(bytes) + " bytes are given, but the filetype of this rank's view is empty"};
  if (v.is_one_copy() && (!start || bytes > v.stream().size() - *start))
    return {
        errc::datatype,
        "offset " + text_of(offset) + " and " + text_of(bytes) +
            " bytes reach beyond the first copy of the filetype, and its copies overlap, so they cannot be written"};
  if (!start || bytes > v.stream().size() - *start)
    return {errc::argument, "offset " + text_of(offset) + " and " + text_of(bytes) +
                                " bytes reach beyond what the view can address (2^63 bytes at most)"};
  position = *start;
  return {};
}

// MPI 3.1, 13.6.6: the data must be of the types of the etype; bytes match all.
failure used_view::fault_of(stream_types const& data, std::int64_t etypes) const try {
  if (!checks_types || etypes == 0 || types.is_bytes()) return {};
  type_digest const given(data.get(), view.representation().converts());
  if (given.is_bytes() || given.repeats(types, etypes)) return {};
  return {errc::datatype,
          "the data is of other types (" + to_string(data.get()) + ") than the etype (" +
              to_string(view.etype_types()) + ")" +
              (view.representation().converts()
                   ? ", and representation " + std::string(view.representation().name()) + " converts by type"
                   : "; found in develop mode, where types are compared")};
} catch (invalid_layout const& e) {
  return {errc::datatype, e.what()};
}

std::string used_view::words_of_holes() const {
  std::int64_t const data = view.etype().size(), extent = view.etype().extent();
  if (data >= extent) return {};
  return "; the etype has holes, which stay in the file: " + std::to_string(data) + " of every " +
         std::to_string(extent) + " bytes are data (io::packed(type) leaves them out)";
}

}  // namespace argosy::detail
