// packed(old): the data of a datatype without its gaps, as files of other programs have it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// The items of a datatype in the same order without gaps; its extent is its size. Used for files,
// and for memory that holds records as they are in the file.
//   f.set_view(64, io::packed(io::type<particle>));      28 bytes each; 32 with the padding
//   f.write_all(particles);                              the padding stays in memory
template <datatype Old>
class packed_type {
 public:
  static constexpr bool is_static = detail::static_datatype<Old>;

  constexpr packed_type()
    requires is_static
  = default;
  constexpr explicit packed_type(Old old) : old_(std::move(old)) {}

  constexpr layout form() const { return bytes(detail::form_of(old_).size()); }

  // Used by signature_of and file_form_of.
  constexpr signature types() const { return detail::signature_of(old_); }
  constexpr layout file_form(basic_sizes const& sizes) const {
    return bytes(detail::signature_of(old_).size_with(sizes));
  }

 private:
  [[no_unique_address]] Old old_;
};

}  // namespace extend

// Returns the items of `old` without gaps.
template <datatype Old>
constexpr extend::packed_type<Old> packed(Old old) {
  return extend::packed_type<Old>(std::move(old));
}

}  // namespace argosy
