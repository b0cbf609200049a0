// The basic types along a stream: a signature, or who knows it. What nobody asks for is not
// computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <argosy/datatype/basic.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/layout/layout.hpp>

namespace argosy {
namespace detail {

// Knows the types of a datatype. Asked by any thread.
class type_source {
 public:
  virtual ~type_source() = default;
  // Both throw invalid_layout where the types are not known.
  virtual signature const& types() const = 0;
  virtual layout file_form(basic_sizes const& sizes) const = 0;
};

}  // namespace detail

//   io::stream_types known = io::signature_of(type);
// A regular value, O(1) to copy where a source stands for many types.
class stream_types {
 public:
  stream_types() = default;
  stream_types(signature known) : known_(std::move(known)) {}
  stream_types(basic type, std::int64_t count) : known_(type, count) {}
  // `copies` times what the source tells.
  stream_types(std::shared_ptr<detail::type_source const> source, std::int64_t copies)
      : source_(std::move(source)), copies_(copies) {
    detail::require_not_negative("stream_types", "the number of copies", copies);
  }

  signature get() const { return source_ ? signature().append(source_->types(), copies_) : known_; }
  operator signature() const { return get(); }
  // Bytes where items have other sizes.
  std::int64_t size_with(basic_sizes const& sizes) const {
    return source_ ? detail::mul(copies_, source_->types().size_with(sizes))
                   : known_.size_with(sizes);
  }

  friend bool operator==(stream_types const& a, stream_types const& b) {
    if (a.source_ != b.source_) return a.get() == b.get();
    return a.copies_ == b.copies_ && a.known_ == b.known_;
  }

 private:
  signature known_;
  std::shared_ptr<detail::type_source const> source_;
  std::int64_t copies_ = 0;
};

}  // namespace argosy
