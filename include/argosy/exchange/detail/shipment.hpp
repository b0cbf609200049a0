// A shipment: one rank's request to an agent, and the answer, as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include <argosy/error/errc.hpp>
#include <argosy/plan/collective_plan.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/plan/window.hpp>

namespace argosy::detail {

// The request, followed by the serialised form and the data to write. Both sides compute the same
// parts of the same windows, so the data follows part by part, without a list.
struct shipment {
  access_kind kind = access_kind::read;
  std::int32_t sparse = 0;
  std::int64_t max_ranges = 0;
  file_domain domain;  // the agent's
  std::int64_t window_bytes = 1;
  std::int64_t first_round = 0, end_round = 0;
  std::int64_t from = 0, to = 0;  // in the stream of the form
  std::int64_t granule = 1;
  std::int64_t form_bytes = 0;  // length of the serialised layout
  std::int64_t data_bytes = 0;  // in all parts

  collective_plan plan() const {
    collective_plan p;
    p.together = true;
    p.domains = {domain};
    p.window_bytes = window_bytes;
    return p;
  }
};

// The answer, followed by the bytes moved of each part, the text of a failure, and the data that
// was read.
struct shipment_result {
  std::int32_t error = 0;     // 0: none
  std::int32_t is_errno = 0;  // 1: an errno; 0: an errc
  std::int64_t parts = 0;     // all of them, or up to the one that failed
  std::int64_t words = 0;
  std::array<std::int64_t, 9> counts = {};  // the counters of the report

  void keep(std::error_code const& code) {
    is_errno = is_errno_of(code);
    error = is_errno != 0 ? code.value() : static_cast<std::int32_t>(classify(code));
  }
  std::error_code code() const {
    if (error == 0) return {};
    return is_errno != 0 ? std::error_code(error, std::system_category())
                         : make_error_code(static_cast<errc>(error));
  }
  void keep(report const& r) {
    counts = {r.windows,       r.read_calls,   r.write_calls, r.locks,        r.bytes_read,
              r.bytes_written, r.merged_bytes, r.fallbacks,   r.hinted_ranges};
  }
  void add_to(report& r) const {
    std::size_t i = 0;
    for (std::int64_t* const to :
         {&r.windows, &r.read_calls, &r.write_calls, &r.locks, &r.bytes_read, &r.bytes_written,
          &r.merged_bytes, &r.fallbacks, &r.hinted_ranges})
      *to += counts[i++];
  }

 private:
  static std::int32_t is_errno_of(std::error_code const& code) {
    return argosy::detail::is_errno(code) ? 1 : 0;
  }
};

static_assert(std::is_trivially_copyable_v<shipment> &&
              std::is_trivially_copyable_v<shipment_result>);

// Takes values out of a message, one after the other. Throws if the message is too short.
class unpacking {
 public:
  explicit unpacking(std::span<std::byte const> message) : left_(message) {}

  template <class T>
  T next() {
    T value;
    std::memcpy(static_cast<void*>(&value), bytes(static_cast<std::int64_t>(sizeof(T))).data(),
                sizeof(T));
    return value;
  }
  std::span<std::byte const> bytes(std::int64_t n) {
    if (n < 0 || static_cast<std::size_t>(n) > left_.size())
      throw std::length_error("argosy: a shipment is cut short");
    auto const first = left_.first(static_cast<std::size_t>(n));
    left_ = left_.subspan(first.size());
    return first;
  }

 private:
  std::span<std::byte const> left_;
};

}  // namespace argosy::detail
