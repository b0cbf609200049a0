// The common base of the readers of metadata, for both versions of Zarr.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/zarr_header.hpp>

#include "json.hpp"
#include "types.hpp"

namespace argosy::detail {

inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// The names of zarr_codec::shuffle in version 3.
inline constexpr std::array<std::string_view, 3> blosc_shuffles = {"noshuffle", "shuffle",
                                                                   "bitshuffle"};

// Functions that read a member of a JSON object. If it is invalid, they set the failure and return
// false.
class metadata_reader {
 public:
  explicit metadata_reader(failure& why) : why_(why) {}

  bool damaged(std::string const& words) {
    why_ = {errc::damaged, "the metadata of the array is invalid: " + words};
    return false;
  }
  bool unknown(std::string const& words) {
    why_ = {errc::unsupported, "this library does not read " + words,
            "write the array anew without it, for instance by zarr-python"};
    return false;
  }

  static json::value const* find(json::object const& o, std::string_view key) {
    return o.if_contains(json::string_view(key.data(), key.size()));
  }
  static std::string_view text_of(json::value const* v) {
    return v && v->is_string() ? std::string_view(v->get_string()) : std::string_view();
  }
  // Reads a list of whole numbers from `least` on.
  bool numbers(json::value const* v, char const* what, std::int64_t least,
               std::vector<std::int64_t>& into) {
    if (!v || !v->is_array()) return damaged(std::string("it has no list ") + quoted(what));
    for (json::value const& n : v->get_array()) {
      if (!n.is_int64() || n.get_int64() < least)
        return damaged(quoted(what) + " has something else than whole numbers from " +
                       std::to_string(least) + " on");
      into.push_back(n.get_int64());
    }
    return true;
  }
  // Reads a whole number from 0 on that an int can have.
  bool whole(json::value const* v, char const* what, std::int64_t& into) {
    if (!v || !v->is_int64() || v->get_int64() < 0 ||
        v->get_int64() > std::numeric_limits<int>::max())
      return damaged(quoted(what) + " is no whole number from 0 on");
    into = v->get_int64();
    return true;
  }
  bool shape(json::object const& o, zarr_header& h) {
    if (!numbers(find(o, "shape"), "shape", 0, h.shape)) return false;
    return h.shape.size() <= most_zarr_dimensions ||
           unknown("arrays of " + std::to_string(h.shape.size()) + " dimensions");
  }
  bool attributes(json::object const& o, zarr_header& h) {
    json::value const* const a = find(o, "attributes");
    if (!a) return true;
    if (!a->is_object()) return damaged("its 'attributes' are no object");
    if (!a->get_object().empty()) h.options.attributes = json_text(*a);
    return true;
  }

 protected:
  failure& why_;
};

// Reads the metadata of an array of version 2. Returns false and sets `why` if that is not
// possible.
bool read_version_2(json::object const& o, zarr_header& h, failure& why);

}  // namespace argosy::detail
