// A layout that was described elsewhere, with the types along its stream. from_mpi returns it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/detail/carried_fault.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy::extend {

// A layout with types. Used as a layout it is bytes and bounds, and is compared as such. Used as a
// datatype it has types, which a data representation converts. They cost nothing until they are
// needed. If the source could not be decoded, every use throws.
class typed_layout {
 public:
  static constexpr bool is_static = false;

  typed_layout() = default;
  typed_layout(layout form, std::shared_ptr<detail::type_source const> source)
      : form_(std::move(form)), source_(std::move(source)) {}
  explicit typed_layout(detail::carried_fault why) noexcept : fault_(std::move(why)) {}

  // Returns the layout. Throws invalid_layout if the datatype could not be decoded.
  layout const& form() const {
    fault_.require_none();
    return form_;
  }
  operator layout const&() const { return form(); }
  std::int64_t size() const { return form().size(); }
  std::int64_t extent() const { return form().extent(); }

  // Used by signature_of and file_form_of. Both throw invalid_layout if a type is not known.
  signature types() const {
    return source_ ? source_->types() : signature(basic_type::byte, size());
  }
  layout file_form(basic_sizes const& sizes) const {
    return source_ ? source_->file_form(sizes) : form();
  }
  stream_types types_of_copies(std::int64_t count) const {
    if (source_) return {source_, count};
    return signature().append(types(), count);
  }

  // Returns true if the layouts are equal. Types are not compared. Throws like form().
  friend bool operator==(typed_layout const& a, typed_layout const& b) {
    return a.form() == b.form();
  }

 private:
  layout form_;
  detail::carried_fault fault_;
  std::shared_ptr<detail::type_source const> source_;
};

}  // namespace argosy::extend
