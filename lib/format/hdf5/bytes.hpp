// Metadata of HDF5 as bytes: little-endian numbers, appended to a list or taken from one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/error/failure.hpp>

namespace argosy::detail::hdf5 {

// The address that stands for none.
inline constexpr std::uint64_t undefined = ~std::uint64_t{0};

// Thrown inside of this folder if metadata cannot be read. The functions that the formats call
// return the failure.
struct unreadable {
  failure why;
};

[[noreturn]] inline void throw_damaged(std::string words) {
  throw unreadable{{errc::damaged, std::move(words)}};
}
[[noreturn]] inline void throw_unsupported(std::string what) {
  throw unreadable{{errc::unsupported, std::move(what) + ", which this library does not read"}};
}

// Runs `body`, and returns the failure that it throws.
template <class Body>
failure failure_in(Body&& body) {
  try {
    body();
    return {};
  } catch (unreadable& x) {
    return std::move(x.why);
  }
}

// Appends to a list of bytes.
class writer {
 public:
  // Appends a number of so many bytes.
  writer& number(std::uint64_t n, int bytes) {
    for (int i = 0; i < bytes; ++i) all_.push_back(static_cast<std::byte>(n >> (8 * i)));
    return *this;
  }
  writer& text(std::string_view s) {
    for (char const c : s) all_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  writer& bytes(std::span<std::byte const> b) {
    all_.insert(all_.end(), b.begin(), b.end());
    return *this;
  }
  // Appends zeros up to a multiple of `unit` bytes.
  writer& pad(std::size_t unit) {
    all_.resize((all_.size() + unit - 1) / unit * unit);
    return *this;
  }
  // Appends the checksum of all bytes from `first` on.
  writer& checksum(std::size_t first = 0);

  std::size_t size() const noexcept { return all_.size(); }
  std::vector<std::byte>& all() noexcept { return all_; }

 private:
  std::vector<std::byte> all_;
};

// Takes numbers and texts from the front of bytes. Throws damage if there are too few.
class taker {
 public:
  taker(std::span<std::byte const> bytes, std::string_view what) : left_(bytes), what_(what) {}

  std::uint64_t number(int bytes) {
    std::uint64_t n = 0;
    auto const from = take(static_cast<std::size_t>(bytes));
    for (int i = 0; i < bytes; ++i)
      n |= std::to_integer<std::uint64_t>(from[static_cast<std::size_t>(i)]) << (8 * i);
    return n;
  }
  // Returns a number that must fit into 62 bits, such as a size.
  std::int64_t count(int bytes) {
    std::uint64_t const n = number(bytes);
    if (n >> 62 != 0) throw_damaged(std::string(what_) + " has a size beyond 2^62");
    return static_cast<std::int64_t>(n);
  }
  // Returns an address, or -1 if it is undefined.
  std::int64_t address() {
    std::uint64_t const n = number(8);
    if (n == undefined) return -1;
    if (n >> 62 != 0) throw_damaged(std::string(what_) + " has an address beyond 2^62");
    return static_cast<std::int64_t>(n);
  }
  std::span<std::byte const> take(std::size_t n) {
    if (n > left_.size()) throw_damaged(std::string(what_) + " ends too early");
    auto const front = left_.first(n);
    left_ = left_.subspan(n);
    return front;
  }
  // Returns a text that ends with a zero byte. Skips further zeros up to a multiple of `unit`.
  std::string text(std::size_t unit = 1);
  // Throws damage unless the bytes begin with these letters.
  void expect(std::string_view letters);

  std::size_t left() const noexcept { return left_.size(); }
  std::string_view what() const noexcept { return what_; }

 private:
  std::span<std::byte const> left_;
  std::string_view what_;
};

// Returns the checksum of metadata: Jenkins' lookup3 with the start value 0.
std::uint32_t metadata_checksum(std::span<std::byte const> data) noexcept;

// Throws damage unless the last four bytes are the checksum of those before.
void require_checksum(std::span<std::byte const> block, std::string_view what);

// Returns the fewest bytes that hold the numbers up to `most`.
int bytes_for(std::uint64_t most) noexcept;

}  // namespace argosy::detail::hdf5
