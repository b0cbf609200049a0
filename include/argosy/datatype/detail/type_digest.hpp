// Checks type by type whether data is whole copies of an etype. Two equal sequences may have
// signatures of different forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <argosy/datatype/signature.hpp>

namespace argosy::detail {

// A polynomial of the sequence of types, modulo a prime. It joins and repeats without visiting the
// items. Equal sequences have equal digests; different ones too, but too rarely to matter.
class type_digest {
 public:
  constexpr type_digest() = default;
  // If nothing converts, `long` counts as the integer of its width, because only a representation
  // distinguishes them.
  constexpr explicit type_digest(signature const& s, bool converts = true)
      : type_digest(of(s.nodes(), converts)) {}

  constexpr bool empty() const noexcept { return items_ == 0; }
  // Returns true if all items are bytes. Bytes fit everything: as an etype they accept any data,
  // and data without types is not converted.
  constexpr bool is_bytes() const noexcept { return only_bytes_; }

  // Returns true if this digest is `copies` times `one`.
  constexpr bool repeats(type_digest const& one, std::int64_t copies) const {
    return same(*this, one.times(copies));
  }

 private:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t base = 0x0b1e55ed5eed1234;  // any number below the prime

  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(wide{a} * b % prime);
  }
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return (a + b) % prime; }

  constexpr type_digest then(type_digest const& next) const {
    type_digest both;
    both.hash_ = sum(product(hash_, next.power_), next.hash_);
    both.power_ = product(power_, next.power_);
    both.items_ = add(items_, next.items_);
    both.only_bytes_ = only_bytes_ && next.only_bytes_;
    return both;
  }
  constexpr type_digest times(std::int64_t n) const {
    type_digest all, twice = *this;
    for (;; twice = twice.then(twice)) {
      if (n % 2 != 0) all = all.then(twice);
      if ((n /= 2) == 0) return all;
    }
  }
  static constexpr type_digest of(std::span<signature_node const> nodes, bool converts) {
    type_digest all;
    for (std::size_t i = 0; i < nodes.size(); i += nodes[i].span()) {
      signature_node const& n = nodes[i];
      all = all.then(
          (n.body == 0 ? item(n.type, converts) : of(nodes.subspan(i + 1, n.body), converts))
              .times(n.count));
    }
    return all;
  }
  static constexpr type_digest item(basic_type type, bool converts) {
    type_digest one;
    basic_type written = without_sign(type);
    if (written == basic_type::long_int && !converts)
      written = sizeof(long) == 8 ? basic_type::int64 : basic_type::int32;
    one.hash_ = static_cast<std::uint64_t>(written) + 1;
    one.power_ = base;
    one.items_ = 1;
    one.only_bytes_ = type == basic_type::byte;
    return one;
  }
  // Returns the unsigned type. Both are written alike, and many programs mix them.
  static constexpr basic_type without_sign(basic_type type) {
    switch (type) {
      case basic_type::uint16:
        return basic_type::int16;
      case basic_type::uint32:
        return basic_type::int32;
      case basic_type::uint64:
        return basic_type::int64;
      case basic_type::uint128:
        return basic_type::int128;
      case basic_type::unsigned_long:
        return basic_type::long_int;
      default:
        return type;
    }
  }
  static constexpr bool same(type_digest const& a, type_digest const& b) {
    return a.hash_ == b.hash_ && a.power_ == b.power_ && a.items_ == b.items_;
  }

  std::uint64_t hash_ = 0;
  std::uint64_t power_ = 1;  // base to the number of items
  std::int64_t items_ = 0;
  bool only_bytes_ = true;
};

}  // namespace argosy::detail
