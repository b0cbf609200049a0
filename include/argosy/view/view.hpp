// A view: where in the file the etypes lie that a rank reads and writes. Displacement, etype,
// filetype, representation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/numbers.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/filetype.hpp>
#include <argosy/view/representation.hpp>

namespace argosy {
namespace detail {

// What finds out its types when asked is not asked.
template <class D>
concept knows_types = !requires(D const& d) { d.types_of_copies(1); };

}  // namespace detail

//   io::view v(0, io::darray<double, 3>({nx, ny, nz}, io::distribute::block, grid, rank));
//   io::view v(header_bytes, io::type<int>, io::vector(n, 1, p, io::type<int>), io::external32);
// A regular value. The filetype is repeated without end, as one layout: a view costs the same
// whatever its number of pieces. Positions are bytes of the view's stream, in the representation of
// the file; offsets count etypes. Where the answer lies beyond 2^63 - 1 there is none. Queries cost
// O(depth), the constructor O(nodes). Nothing here is collective.
class view {
 public:
  // MPI's default: the file's bytes.
  view() : view(0, layout(bytes(1)), layout(bytes(1))) {}

  // A negative displacement, a pair that breaks MPI's rules for reading, or a datatype that cannot
  // be gives a view that throws invalid_layout, and why, when it is asked for more than its
  // displacement and representation; so does set_view, on all ranks. The rules for writing are told
  // by fault() and require_writable(). set_view takes a view whose copies overlap, since MPI
  // forbids overlap in the filetype only; a write that names a byte twice fails.
  template <datatype Etype, datatype Filetype>
  view(std::int64_t displacement, Etype const& etype, Filetype const& filetype,
       argosy::representation r = {})
      : displacement_(displacement), representation_(std::move(r)) {
    fault_ = detail::carried_fault::of([&] {
      make(file_form(etype, representation_), file_form(filetype, representation_),
           detail::types_of_copies(etype, 1));
      keep_array_sizes(filetype);
      if constexpr (detail::knows_types<Etype> && detail::knows_types<Filetype>)
        compare_types(detail::signature_of(etype), detail::signature_of(filetype));
    });
  }
  // The etype is the type from which the filetype is built, with the extent that it was given if it
  // does not divide the filetype without, or byte where it cannot be one. Where neither divides it
  // is a fault: offsets would silently count something else.
  template <datatype Filetype>
  explicit view(std::int64_t displacement, Filetype const& filetype, argosy::representation r = {})
      : displacement_(displacement), representation_(std::move(r)) {
    fault_ =
        detail::carried_fault::of([&] { make_of(filetype, file_form(filetype, representation_)); });
    if (!fault_) keep_array_sizes(filetype);
  }

  std::int64_t displacement() const noexcept { return displacement_; }
  // Etype and filetype as they lie in the file: with the sizes and extents of the representation.
  layout const& etype() const { return whole().etype_; }
  layout const& filetype() const { return whole().filetype_; }
  argosy::representation const& representation() const noexcept { return representation_; }
  // The basic types of one etype.
  signature etype_types() const { return whole().etype_types_.get(); }
  std::int64_t etype_size() const { return etype().size(); }
  // Why the items of the filetype are not those of whole etypes; empty where they are, or nobody
  // knows. MPI does not allow it.
  std::string const& types_fault() const noexcept { return types_fault_; }
  // The sizes of the array of which the filetype is a subarray or darray; none of other filetypes.
  numbers<> const& array_sizes() const noexcept { return array_sizes_; }

  // Returns this view without its fault if that is a filetype which is not of whole etypes: holes
  // may be of any size, and offsets count as many bytes of data as an etype has. MPI does not allow
  // that; its libraries do (the hint argosy_lenient).
  view lenient() const;
  // Returns this view as far as the first copy of the filetype.
  view first_copy() const;

  // False where bytes are named twice, or a copy of the filetype begins before the one before it
  // ends.
  bool in_order() const {
    return (one_copy_ || filetype().true_extent() <= filetype().extent()) && !filetype().overlaps();
  }

  // All tiles, with absolute offsets in the file: as many as fit below 2^63.
  layout const& stream() const { return whole().stream_; }
  // The rule for writing that the view breaks: a byte named twice.
  detail::filetype_fault fault(bool writable) const {
    return detail::check_filetype(etype(), filetype(), writable);
  }
  void require_writable() const { detail::require_filetype(etype(), filetype(), true); }

  // The position in the stream of etype number `etypes`; the same number is the bytes of so many
  // etypes.
  std::optional<std::int64_t> position(std::int64_t etypes) const {
    std::int64_t bytes = 0;
    if (etypes < 0 || __builtin_mul_overflow(etypes, etype_size(), &bytes) ||
        bytes > stream_.size())
      return {};
    return bytes;
  }
  // True if the position is the start of an etype: pointers stand only there.
  bool is_whole(std::int64_t position) const { return position % etype_size() == 0; }

  // The absolute offset in the file of the first byte of an etype, as MPI_File_get_byte_offset:
  // behind a hole, not before it.
  std::optional<std::int64_t> byte_offset(std::int64_t etypes) const {
    auto const at = position(etypes);
    if (!at) return {};
    if (stream_.empty()) return displacement_;
    cursor const c(stream_, *at);
    if (c.done()) return {};
    return c.current().offset;
  }

  // The end of the file in etypes: the number of the first etype that starts at or after byte
  // `file_size` (MPI 3.1, 13.1.1). An etype that is cut by the end of the file counts as before the
  // end. MPI_SEEK_END and appending start from here.
  std::int64_t offset_of_end(std::int64_t file_size) const;

  friend bool operator==(view const& a, view const& b) {
    return a.displacement_ == b.displacement_ && a.etype() == b.etype() &&
           a.filetype() == b.filetype() && a.representation_ == b.representation_ &&
           a.etype_types_ == b.etype_types_;
  }

 private:
  void make(layout etype, layout filetype, stream_types types);
  template <datatype Filetype>
  void make_of(Filetype const& type, layout filetype);
  void compare_types(signature const& etype, signature const& filetype);
  template <class Filetype>
  void keep_array_sizes(Filetype const& filetype) {
    if constexpr (requires { filetype.sizes()[0]; })
      for (std::size_t d = 0; d < filetype.sizes().size(); ++d)
        array_sizes_.push_back(filetype.sizes()[d]);
  }
  view const& whole() const {
    fault_.require_none();
    return *this;
  }

  template <datatype D>
  static layout file_form(D const& type, argosy::representation const& r) {
    if (r.converts()) return detail::file_form_of(type, r.sizes());
    return detail::form_of(type);
  }

  std::int64_t displacement_;
  layout etype_, filetype_;
  argosy::representation representation_;
  stream_types etype_types_;
  layout stream_;
  std::string types_fault_;
  numbers<> array_sizes_;
  bool uneven_ = false;  // the filetype is not of whole etypes, and nothing else is wrong
  bool one_copy_ = false;
  detail::carried_fault fault_;
};

}  // namespace argosy

#include <argosy/view/detail/view.hpp>
