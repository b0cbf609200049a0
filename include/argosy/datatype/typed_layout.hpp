// A layout that was described elsewhere, with the types along its stream: what from_mpi returns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <argosy/datatype/basic.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {

// Used as a layout it is bytes and bounds, and compares as such; used as a datatype it brings its types, which a data
// representation converts. They cost nothing until one asks for them.
class typed_layout : public layout {
 public:
  static constexpr bool is_static = false;

  typed_layout() = default;
  typed_layout(layout form, std::shared_ptr<detail::type_source const> source)
      : layout(std::move(form)), source_(std::move(source)) {}

  layout const& form() const noexcept { return *this; }

  // For signature_of and file_form_of. Both throw invalid_layout where a type is not known.
  signature types() const { return source_ ? source_->types() : signature(basic::byte, size()); }
  layout file_form(basic_sizes const& sizes) const { return source_ ? source_->file_form(sizes) : form(); }
  stream_types types_of_copies(std::int64_t count) const {
    if (source_) return {source_, count};
    return signature().append(types(), count);
  }

 private:
  std::shared_ptr<detail::type_source const> source_;
};

}  // namespace argosy
