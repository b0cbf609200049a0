// Implements store.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "store.hpp"

#include <cstring>
#include <utility>

namespace argosy::detail {

zarr_store::zarr_store(opener opens, std::string directory, zarr_header h,
                       std::shared_ptr<zarr_reports> told)
    : files(std::move(opens)),
      path(std::move(directory)),
      header(std::move(h)),
      grid(header),
      codec(header),
      fill_value(fill_element(header)),
      reports(std::move(told)),
      words(&reports->words),
      counts(&reports->counts) {}

bool zarr_store::is_empty(std::span<std::byte const> chunk) const noexcept {
  std::size_t const n = fill_value.size();
  return std::memcmp(chunk.data(), fill_value.data(), n) == 0 &&
         std::memcmp(chunk.data(), chunk.data() + n, chunk.size() - n) == 0;
}

void zarr_store::fill(std::span<std::byte> bytes, std::int64_t within) const {
  std::size_t const n = fill_value.size();
  std::size_t from = static_cast<std::size_t>(within) % n;
  for (std::byte& b : bytes) {
    b = fill_value[from];
    if (++from == n) from = 0;
  }
}

}  // namespace argosy::detail
