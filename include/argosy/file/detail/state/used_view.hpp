// A view as transfers use it: what is asked of it more than once is asked once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <argosy/datatype/detail/type_digest.hpp>
#include <argosy/datatype/stream_types.hpp>
#include <argosy/error/failure.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

struct used_view;

// Knows which copies of a view's filetype name bytes that other copies name, too.
class overlapping_copies {
 public:
  explicit overlapping_copies(std::shared_ptr<used_view const> first) : first_(std::move(first)) {}
  // Returns the view as far as its first copy, which is in order; null if the access goes beyond.
  std::shared_ptr<used_view const> within_first(std::int64_t position, std::int64_t bytes) const;
  // Returns where a write names a byte twice, if it does. The first call for an access beyond one
  // copy costs O(pieces log pieces) of the filetype.
  failure twice(std::int64_t position, std::int64_t bytes) const;

 private:
  std::shared_ptr<used_view const> first_;
  mutable std::once_flag asked_;
  mutable std::int64_t least_distance_ = 1;  // of two copies that overlap, in copies
};

struct used_view {
  // `checked`: in develop mode types are compared where nothing converts, too. `unchecked`: the
  // view is lenient, by the hint argosy_lenient. `written`: the file can be written, so accesses in
  // which copies of the filetype overlap are looked for.
  explicit used_view(argosy::view v, bool checked = false, bool unchecked = false,
                     bool written = false)
      : view(std::move(v)),
        lenient(unchecked),
        checks_types(checked || view.representation().converts()),
        sorted(view.in_order()),
        granule(unchecked ? 1
                          : std::gcd(std::gcd(granule_of(view.stream()), granule_of(view.etype())),
                                     view.etype_size())),
        types(checks_types ? type_digest(view.etype_types(), view.representation().converts())
                           : type_digest()),
        number(next_number()) {
    bool const bytes_as_they_are = !this->view.representation().converts();
    if (bytes_as_they_are && this->view.stream().pieces() == 1)
      one = {this->view.stream().origin(), this->view.stream().size(), this->view.etype_size()};
    if (written && !sorted && this->view.fault(true) == filetype_fault::tiles_overlap)
      overlapping = std::make_shared<overlapping_copies const>(
          std::make_shared<used_view const>(this->view.first_copy(), checked, unchecked));
  }
  argosy::view view;
  bool lenient;  // data may have fractions of etypes
  bool checks_types;
  bool sorted;
  // Data of these types is not so many etypes, where that matters.
  failure fault_of(stream_types const& data, std::int64_t etypes) const;
  // If copies of the filetype overlap, in a file that can be written; else null.
  std::shared_ptr<overlapping_copies const> overlapping;
  // Where `bytes` from etype `offset` on lie in the stream of the view.
  failure locate(std::int64_t offset, std::int64_t bytes, std::int64_t& position) const;
  // "; the etype has holes ...", for plans; nothing if it has none.
  std::string words_of_holes() const;
  std::int64_t granule;  // divides the offset and length of whatever whole etypes are
  type_digest types;     // of the etype, where they are compared
  std::uint64_t number;  // another one for each view of this process
  // If all of the view is one stretch of the file as it is. No etype: it is not.
  struct stretch {
    std::int64_t begin = 0, bytes = 0, etype = 0;

    // Where in the file `length` bytes from etype `offset` on lie; nothing if it does not reach so
    // far.
    std::optional<std::int64_t> place(std::int64_t offset, std::int64_t length) const noexcept {
      std::int64_t start = 0;
      if (offset < 0 || __builtin_mul_overflow(offset, etype, &start) || start > bytes - length)
        return {};
      return begin + start;
    }
  } one = {};

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
};

}  // namespace argosy::detail
