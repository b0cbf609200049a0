// A view: the places in the file of the etypes that a rank reads and writes. Displacement, etype,
// filetype, representation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/datatype/detail/run_time_only.hpp>
#include <argosy/datatype/file_form.hpp>
#include <argosy/datatype/numbers.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/view/filetype.hpp>
#include <argosy/view/representation.hpp>

namespace argosy {
namespace detail {

// True for a datatype that can give its types without computing them on demand.
template <class D>
concept knows_types = !requires(D const& d) { d.types_of_copies(1); };

// Returns the rules of a static filetype, and of the etype that is chosen for it.
template <static_datatype Filetype>
constexpr known_rules rules_of_filetype();

[[noreturn]] void throw_displacement(std::int64_t displacement);

}  // namespace detail

// A view of a file.
//
//   io::view v(0, io::darray<double, 3>({nx, ny, nz}, io::distribute::block, grid, rank));
//   io::view v(header_bytes, io::type<int>, io::vector(n, 1, p, io::type<int>), io::external32);
// A regular value. The filetype is repeated without end, as one layout, so a view costs the same
// whatever its number of pieces. Positions are bytes of the view's stream, in the representation of
// the file; offsets count etypes. A function that returns std::optional returns an empty one if the
// result is beyond the stream, or beyond 2^63 - 1. All functions are local. Queries cost O(depth),
// the constructor O(nodes).
class view {
 public:
  // Makes MPI's default view: the file's bytes.
  constexpr view() : displacement_(0) {
    make(bytes(1), bytes(1), extend::signature(extend::basic_type::byte));
  }

  // Makes a view. Does not throw for a negative displacement, a pair that breaks MPI's rules for
  // reading, or a datatype with a fault. All functions of the view except displacement() and
  // representation() then throw invalid_layout with the reason, and so does set_view on all ranks.
  //
  // The rules for writing are checked by fault() and require_writable(). set_view accepts a view
  // whose copies overlap, because MPI forbids overlap in the filetype only. A write that names a
  // byte twice fails.
  //
  // If the datatypes are static, the compiler checks the rules for reading, and a broken rule does
  // not compile. The compiler can also make the whole view as a constant.
  template <datatype Etype, datatype Filetype>
  constexpr view(std::int64_t displacement, Etype const& etype, Filetype const& filetype)
      : displacement_(displacement) {
    refuse_negative();
    if constexpr (detail::static_datatype<Etype> && detail::static_datatype<Filetype>) {
      (void)detail::require_rules<detail::view_use::read_only, Etype, Filetype>();
      rules_ = detail::rules_of<Etype, Filetype>;
    }
    fault_ = detail::carried_fault::of([&] { make_of(etype, filetype); });
  }
  template <datatype Etype, datatype Filetype>
  constexpr view(std::int64_t displacement, Etype const& etype, Filetype const& filetype,
                 argosy::representation r)
      : displacement_(displacement), representation_(std::move(r)) {
    refuse_negative();
    fault_ = detail::carried_fault::of([&] { make_of(etype, filetype); });
  }
  // Makes a view whose etype is the innermost datatype of the filetype, without `resized`. Records,
  // structs and layouts are not taken apart. If that does not divide the filetype, the innermost
  // datatype with its `resized` is the etype. If the innermost datatype breaks a rule for etypes,
  // the etype is a byte. If neither divides the filetype, the view has a fault, because offsets
  // would silently count something else.
  template <datatype Filetype>
  constexpr explicit view(std::int64_t displacement, Filetype const& filetype)
      : displacement_(displacement) {
    refuse_negative();
    if constexpr (detail::static_datatype<Filetype>) rules_ = detail::rules_of_filetype<Filetype>();
    fault_ = detail::carried_fault::of([&] { make_of(filetype); });
  }
  template <datatype Filetype>
  constexpr view(std::int64_t displacement, Filetype const& filetype, argosy::representation r)
      : displacement_(displacement), representation_(std::move(r)) {
    refuse_negative();
    fault_ = detail::carried_fault::of([&] { make_of(filetype); });
  }

  constexpr std::int64_t displacement() const noexcept { return displacement_; }
  // Returns etype and filetype in the file, with the sizes and extents of the representation. Valid
  // until the view is destroyed or assigned to, like the result of stream().
  constexpr layout const& etype() const { return whole().etype_; }
  constexpr layout const& filetype() const { return whole().filetype_; }
  constexpr argosy::representation const& representation() const noexcept {
    return representation_;
  }
  // Returns the basic types of one etype.
  constexpr extend::signature etype_types() const { return whole().etype_types_.get(); }
  // Returns the bytes of one etype in the file.
  constexpr std::int64_t etype_size() const { return etype().size(); }
  // Returns why the items of the filetype are not those of whole etypes, which MPI does not allow.
  // Empty if they are, or if the types are not known.
  std::string const& types_fault() const noexcept {
    static std::string const none;
    return types_fault_.get() ? *types_fault_.get() : none;
  }
  // Returns the sizes of the array if the filetype is a subarray or darray, and otherwise no
  // numbers.
  constexpr numbers<> const& array_sizes() const noexcept { return array_sizes_; }

  // Returns this view. If its only fault is that the filetype is not of whole etypes, the result
  // has no fault. Gaps may then have any size, and an offset counts as many bytes of data as an
  // etype has. MPI does not allow that, but its libraries accept it (the hint argosy_lenient).
  view lenient() const;
  // Returns this view, cut after the first copy of the filetype.
  view first_copy() const;

  // Returns true if no byte is named twice, and no copy of the filetype begins before the end of
  // the one before.
  constexpr bool in_order() const {
    return (one_copy_ || filetype().true_extent() <= filetype().extent()) && !filetype().overlaps();
  }

  // Returns all copies of the filetype that fit below 2^63, with absolute offsets in the file.
  constexpr layout const& stream() const { return whole().stream_; }
  // Returns the first rule that the view breaks, or filetype_fault::no_fault. If `writable`, the
  // rules for writing are checked, too: no byte may be named twice.
  constexpr detail::filetype_fault fault(bool writable) const {
    if (!rules_.known) return detail::check_filetype(etype(), filetype(), writable);
    return writable ? rules_.for_writing : detail::filetype_fault::no_fault;
  }
  // Throws invalid_layout if the view breaks a rule for writing.
  void require_writable() const {
    if (fault(true) != detail::filetype_fault::no_fault)
      detail::throw_filetype(fault(true), etype(), filetype());
  }

  // Returns the position in the stream of etype number `etypes`. That is also the number of bytes
  // of so many etypes. Empty if `etypes` is negative.
  constexpr std::optional<std::int64_t> position(std::int64_t etypes) const {
    std::int64_t bytes = 0;
    if (etypes < 0 || __builtin_mul_overflow(etypes, etype_size(), &bytes) ||
        bytes > stream_.size())
      return {};
    return bytes;
  }
  // Returns true if the position is the start of an etype. File pointers are always whole.
  constexpr bool is_whole(std::int64_t position) const { return position % etype_size() == 0; }

  // Returns the absolute offset in the file of the first byte of an etype, like
  // MPI_File_get_byte_offset. If there is a gap, the offset is behind it. If the filetype has no
  // bytes, etype 0 lies at the displacement.
  constexpr std::optional<std::int64_t> byte_offset(std::int64_t etypes) const {
    auto const at = position(etypes);
    if (!at) return {};
    if (stream_.empty()) return displacement_;
    extend::cursor const c(stream_, *at);
    if (c.done()) return {};
    return c.current().offset;
  }

  // Returns the end of the file in etypes: the number of the first etype that starts at or after
  // byte `file_size` (MPI 3.1, 13.1.1). An etype that is cut by the end of the file counts as
  // before the end. MPI_SEEK_END and appending start from here.
  std::int64_t offset_of_end(std::int64_t file_size) const;

  friend constexpr bool operator==(view const& a, view const& b) {
    return a.displacement_ == b.displacement_ && a.etype() == b.etype() &&
           a.filetype() == b.filetype() && a.representation_ == b.representation_ &&
           a.etype_types_ == b.etype_types_;
  }

 private:
  // A displacement that the compiler sees is refused where the view is made.
  constexpr void refuse_negative() const {
    if (std::is_constant_evaluated() && displacement_ < 0)
      detail::throw_displacement(displacement_);
  }
  template <datatype Etype, datatype Filetype>
  constexpr void make_of(Etype const& etype, Filetype const& filetype);
  template <datatype Filetype>
  constexpr void make_of(Filetype const& filetype);
  template <datatype Filetype>
  constexpr detail::chosen_etype etype_for(Filetype const& type, layout const& core,
                                           layout const& filetype) const;
  constexpr void make(layout etype, layout filetype, extend::stream_types types);
  constexpr void make_here();
  void make_in_library();
  constexpr void compare_types(extend::signature const& etype, extend::signature const& filetype);
  constexpr void compare_types_here(extend::signature const& etype,
                                    extend::signature const& filetype);
  void compare_types_in_library(extend::signature const& etype, extend::signature const& filetype);
  void say_types(extend::signature const& etype, extend::signature const& filetype);
  template <class Filetype>
  constexpr void keep_array_sizes(Filetype const& filetype) {
    if constexpr (requires { filetype.sizes()[0]; })
      for (std::size_t d = 0; d < filetype.sizes().size(); ++d)
        array_sizes_.push_back(filetype.sizes()[d]);
  }
  constexpr view const& whole() const {
    fault_.require_none();
    return *this;
  }

  template <datatype D>
  constexpr layout file_form(D const& type) const {
    if (representation_.converts()) return detail::file_form_of(type, representation_.sizes());
    return detail::form_of(type);
  }

  std::int64_t displacement_;
  layout etype_, filetype_;
  argosy::representation representation_;
  extend::stream_types etype_types_;
  layout stream_;
  detail::run_time_only<std::string> types_fault_;
  numbers<> array_sizes_;
  detail::known_rules rules_;
  bool uneven_ = false;  // the only fault: the filetype is not of whole etypes
  bool one_copy_ = false;
  detail::carried_fault fault_;
};

}  // namespace argosy

#include <argosy/view/detail/view.hpp>
