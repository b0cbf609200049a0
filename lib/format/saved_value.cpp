// Implements format/detail/saved_value.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/saved_value.hpp>

#include <utility>

#include <argosy/format/detail/stored_array.hpp>
#include <argosy/view/view.hpp>

namespace argosy::detail {

std::optional<std::int64_t> length_in(checkpoint_array const& stored, inner_type element,
                                      signature types) {
  if (stored.shape.empty()) return {};
  array_part const part = all_of({stored.shape[0]}, std::move(element), std::move(types));
  view unused;
  if (view_of({stored.type, stored.order, stored.shape, stored.offset}, part, unused)) return {};
  return stored.shape[0];
}

failure fault_of_lengths(std::span<std::int64_t const> lengths, std::int64_t elements,
                         std::string const& name) {
  std::int64_t sum = 0;
  for (std::int64_t const n : lengths)
    if (n < 0 || __builtin_add_overflow(sum, n, &sum))
      return {errc::damaged, "'" + name + ".lengths' has no lengths of rows"};
  if (sum == elements) return {};
  return {errc::damaged, "the rows of '" + name + "' have " + std::to_string(sum) +
                             " elements by their lengths, and " + std::to_string(elements) +
                             " are there"};
}

}  // namespace argosy::detail
