// The basic types along a stream: a signature, or a source that can compute it. They are computed
// only on demand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/detail/run_time_only.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/extend.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {
namespace detail {

// Computes the types of a datatype. Any thread may call it.
class type_source {
 public:
  virtual ~type_source() = default;
  // Both throw invalid_layout if the types are not known.
  virtual signature const& types() const = 0;
  virtual layout file_form(basic_sizes const& sizes) const = 0;
};

}  // namespace detail

namespace extend {

// The basic types along a stream, perhaps not computed yet.
//
//   io::extend::stream_types known = io::detail::signature_of(type);
// A regular value. Copies share a source. Without a source, a copy copies the signature.
class stream_types {
 public:
  constexpr stream_types() = default;
  constexpr stream_types(signature known) : known_(std::move(known)) {}
  constexpr stream_types(basic_type type, std::int64_t count) : known_(type, count) {}
  // Makes `copies` times the types of the source.
  stream_types(std::shared_ptr<detail::type_source const> source, std::int64_t copies)
      : source_(std::move(source)), copies_(copies) {
    detail::require_not_negative("stream_types", "the number of copies", copies);
  }

  // Returns the types, which a source computes now. Throws invalid_layout if it does not know them.
  constexpr signature get() const {
    if (auto const* const source = source_.get())
      return signature().append((*source)->types(), copies_);
    return known_;
  }
  constexpr operator signature() const { return get(); }
  // Returns the bytes for other sizes of items. Throws invalid_layout if a source does not know the
  // types.
  constexpr std::int64_t size_with(basic_sizes const& sizes) const {
    auto const* const source = source_.get();
    return source ? detail::mul(copies_, (*source)->types().size_with(sizes))
                  : known_.size_with(sizes);
  }

  // Returns true if both have one source and equally many copies, or if their types are equal. To
  // compare types, sources compute them, and throw invalid_layout if they do not know them.
  friend constexpr bool operator==(stream_types const& a, stream_types const& b) {
    auto const *const x = a.source_.get(), *const y = b.source_.get();
    bool const same_source = x && y ? *x == *y : !x && !y;
    if (!same_source) return a.get() == b.get();
    return a.copies_ == b.copies_ && a.known_ == b.known_;
  }

 private:
  signature known_;
  detail::run_time_only<std::shared_ptr<detail::type_source const>> source_;
  std::int64_t copies_ = 0;
};

}  // namespace extend

}  // namespace argosy
