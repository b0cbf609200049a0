// A view as transfers use it: facts that are needed more than once are computed once.
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
#include <argosy/file/data.hpp>
#include <argosy/policy/access.hpp>
#include <argosy/policy/access_summary.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

struct used_view;

// Finds copies of a view's filetype that name the same bytes as other copies.
class overlapping_copies {
 public:
  explicit overlapping_copies(std::shared_ptr<used_view const> first) : first_(std::move(first)) {}
  // Returns the view of the first copy alone, which has no overlap; null if the access goes beyond
  // it.
  std::shared_ptr<used_view const> within_first(std::int64_t position, std::int64_t bytes) const;
  // Returns an error if a write names a byte twice. The first call for an access beyond one copy
  // costs O(pieces log pieces) of the filetype.
  failure twice(std::int64_t position, std::int64_t bytes) const;

 private:
  std::shared_ptr<used_view const> first_;
  mutable std::once_flag asked_;
  // smallest distance of two overlapping copies, counted in copies
  mutable std::int64_t least_distance_ = 1;
};

struct used_view {
  // `checked`: in develop mode types are also compared if no representation converts. `unchecked`:
  // the view is lenient, by the hint argosy_lenient. `written`: the file can be written. Then
  // accesses must be checked for overlapping copies of the filetype.
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
  // Returns an error if data of these types is not that number of etypes, if it is checked.
  failure fault_of(stream_types const& data, std::int64_t etypes) const;
  // null unless copies of the filetype overlap in a file that can be written
  std::shared_ptr<overlapping_copies const> overlapping;
  // Finds how many bytes the data has in the file. Returns an error if that is not known, if the
  // data is not whole etypes, or if its types are not those of the etype. `may_be_cut`: a lenient
  // view takes fractions of etypes.
  failure fit(source const& data, access_kind kind, bool may_be_cut, std::int64_t& bytes) const;
  // Finds the position in the view's stream of `bytes` bytes from etype `offset` on.
  failure locate(std::int64_t offset, std::int64_t bytes, std::int64_t& position) const;
  // Returns "; the etype has holes ..." for plans; empty if it has none.
  std::string words_of_holes() const;
  std::int64_t granule;  // divides the offset and length of every range of whole etypes
  type_digest types;     // types of the etype, if they are compared
  std::uint64_t number;  // different for each view of this process
  // The whole view as one contiguous range of the file. `etype` is 0 if it is not contiguous.
  struct stretch {
    std::int64_t begin = 0, bytes = 0, etype = 0;

    // Returns the place in the file of `length` bytes from etype `offset` on; nothing if the view
    // does not reach that far.
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

// Makes the view of a call or of set_view, which may write if `writes` is true. Throws
// invalid_layout if its types do not allow that.
std::shared_ptr<used_view const> checked_view(view v, bool writes, bool lenient, bool develop);

}  // namespace argosy::detail
