// The parts of the file that aggregators read and write. Equal parts of a range are kept as a few
// numbers, because there may be thousands of aggregators.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include <argosy/extend.hpp>

namespace argosy::extend {

// The part of the file that one aggregator reads and writes: [begin, end). If stripes are
// distributed, it is every `dealt_to`-th stripe of that range, from the stripe with `begin` on.
// Stripes begin at multiples of their size.
struct file_domain {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int rank = 0;                   // the aggregator
  std::int64_t stripe_bytes = 0;  // 0: all of [begin, end)
  std::int64_t dealt_to = 1;
  // Returns true if the domain is every `dealt_to`-th stripe of its range.
  constexpr bool striped() const noexcept { return stripe_bytes > 0; }
  friend constexpr bool operator==(file_domain const&, file_domain const&) = default;
};

// Equal parts of [low, high). Each cut is moved down to a multiple of the block, and then of the
// granule. The aggregators are spread evenly over the ranks.
struct equal_domains {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t count = 1;
  std::int64_t block = 1;
  std::int64_t granule = 1;
  std::int64_t ranks = 1;

  // Returns the place of the i-th cut. Cut 0 is the beginning of the range.
  constexpr std::int64_t cut(std::int64_t i) const noexcept {
    if (i == 0) return low;
    if (i == count) return high;
    std::int64_t const even = low + (high - low) / count * i, whole = even - even % block;
    return std::clamp(whole - whole % granule, low, high);
  }
  constexpr int rank(std::int64_t i) const noexcept { return static_cast<int>(i * ranks / count); }
  friend constexpr bool operator==(equal_domains const&, equal_domains const&) = default;
};

// Domains in the order of the file. Elements are values, because those of equal domains are made
// when they are asked for.
class domain_list {
 public:
  constexpr domain_list() noexcept = default;
  constexpr domain_list(std::vector<file_domain> all) noexcept : listed_(std::move(all)) {}
  constexpr domain_list(std::initializer_list<file_domain> all) : listed_(all) {}
  constexpr domain_list(equal_domains const& rule) noexcept
      : rule_(rule), count_(static_cast<std::size_t>(rule.count)) {}

  constexpr std::size_t size() const noexcept { return count_ > 0 ? count_ : listed_.size(); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr file_domain operator[](std::size_t i) const noexcept {
    if (count_ == 0) return listed_[i];
    auto const k = static_cast<std::int64_t>(i);
    return {rule_.cut(k), rule_.cut(k + 1), rule_.rank(k)};
  }
  constexpr file_domain front() const noexcept { return (*this)[0]; }
  // Returns the rule of equal domains. Null if the domains are a list.
  constexpr equal_domains const* equal() const noexcept { return count_ > 0 ? &rule_ : nullptr; }
  // Returns the domains to be changed. Equal domains become a list by it.
  constexpr std::vector<file_domain>& as_list() {
    if (count_ > 0) *this = std::vector<file_domain>(begin(), end());
    return listed_;
  }
  constexpr void push_back(file_domain const& d) { as_list().push_back(d); }
  constexpr void clear() noexcept { *this = {}; }

  class iterator {
   public:
    using value_type = file_domain;
    using difference_type = std::ptrdiff_t;
    using reference = file_domain;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() noexcept = default;
    constexpr iterator(domain_list const& list, std::size_t i) noexcept : list_(&list), i_(i) {}
    constexpr file_domain operator*() const noexcept { return (*list_)[i_]; }
    constexpr iterator& operator++() noexcept { return ++i_, *this; }
    constexpr iterator operator++(int) noexcept { return {*list_, i_++}; }
    friend constexpr bool operator==(iterator const&, iterator const&) noexcept = default;

   private:
    domain_list const* list_ = nullptr;
    std::size_t i_ = 0;
  };
  constexpr iterator begin() const noexcept { return {*this, 0}; }
  constexpr iterator end() const noexcept { return {*this, size()}; }

  friend constexpr bool operator==(domain_list const& a, domain_list const& b) noexcept {
    if (a.count_ > 0 && a.count_ == b.count_ && a.rule_ == b.rule_) return true;
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::vector<file_domain> listed_;
  equal_domains rule_;
  std::size_t count_ = 0;  // number of equal domains; 0: listed
};

}  // namespace argosy::extend
