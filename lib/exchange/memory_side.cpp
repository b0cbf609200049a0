// Implements exchange/detail/memory_side.hpp if memory has another representation than the file.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/exchange/detail/memory_side.hpp>

#include <memory>
#include <string>

#include <argosy/exchange/detail/converted_memory.hpp>

namespace argosy::detail {

memory_side::memory_side(layout const& l, void const* address)
    : layout_(&l), base_(static_cast<std::byte*>(const_cast<void*>(address))) {}

memory_side::memory_side(representation const& r, const_buffer const& b)
    : memory_side(b.form(), b.address()) {
  representation_ = &r;
  if (r.converts())
    converted_ = std::make_unique<converted_memory>(r, b.form(), b.types(), b.address());
}

memory_side::~memory_side() = default;

failure memory_side::fault() const {
  if (!converted_ || converted_->fits()) return {};
  return {errc::conversion, "in representation " + std::string(representation_->name())};
}

void memory_side::gather_converted(std::int64_t from, std::int64_t to, std::byte* stream) {
  converted_->gather(from, to, stream);
}
void memory_side::scatter_converted(std::byte const* stream, std::int64_t from, std::int64_t to) {
  converted_->scatter(stream, from, to);
}
void memory_side::place_converted(layout const& file, std::byte* file_begin,
                                  std::int64_t file_position, std::int64_t position,
                                  std::int64_t bytes) {
  converted_->place(file, file_begin, file_position, position, bytes);
}
void memory_side::take_converted(layout const& file, std::byte const* file_begin,
                                 std::int64_t file_position, std::int64_t position,
                                 std::int64_t bytes) {
  converted_->take(file, file_begin, file_position, position, bytes);
}

}  // namespace argosy::detail
