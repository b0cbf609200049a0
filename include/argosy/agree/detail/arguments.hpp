// The arguments of a collective call on this rank: those that must be equal on all ranks, and the
// first rule that is broken.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/error/failure.hpp>
#include <argosy/error/source_location.hpp>

namespace argosy::detail {

// Returns a hash (FNV-1a); equal texts have equal hashes on every rank.
constexpr std::uint64_t fingerprint(std::string_view text) noexcept {
  std::uint64_t h = 14695981039346656037u;
  for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

// Returns the digest of hashes in this order.
constexpr std::uint64_t digest_of(std::uint64_t before, std::uint64_t hash) noexcept {
  std::uint64_t const h = ((before ^ (before >> 29)) * 0x9e3779b97f4a7c15u) ^ hash;
  return (h ^ (h >> 32)) * 0xbf58476d1ce4e5b9u;
}

class arguments {
 public:
  // How many arguments fit into the reduction, with the name of the call as one of them. How many
  // can be compared in develop mode.
  static constexpr std::size_t most_free = 4;
  static constexpr std::size_t most = 8;

  struct argument {
    std::string_view name;
    std::string_view text;  // empty for numbers
    std::int64_t number = 0;
    std::uint64_t hash = 0;
    // returns what the hash stands for, one "name value" a line; called only if ranks differ
    std::function<std::string()> lines = {};
    bool* differs = nullptr;  // set to true if ranks differ in this argument
  };

  // Stores references to names and texts, which must live until the call has ended.
  explicit arguments(std::string_view call, source_location where = source_location::current())
      : call_(call), where_(where) {
    same("call", call);
  }
  // Makes the arguments of a call that may be combined with other calls on other ranks. These have
  // the same name `alike`.
  arguments(std::string_view call, std::string_view alike, source_location where)
      : call_(call), where_(where) {
    same("call", fingerprint(alike), call);
  }

  // Adds an argument that must be equal on all ranks and is always compared.
  template <class T>
  arguments& same(std::string_view name, T const& value) {
    add(name, value);
    free_ = count_;
    return *this;
  }
  // Adds an argument that is compared by `key`, and shown as `text`, or line by line.
  arguments& same(std::string_view name, std::uint64_t key, std::string_view text) {
    same(name, key);
    list_[count_ - 1].text = text;
    return *this;
  }
  arguments& same_lines(std::string_view name, std::uint64_t key,
                        std::function<std::string()> lines, bool* differs = nullptr) {
    same(name, key);
    list_[count_ - 1].lines = std::move(lines);
    list_[count_ - 1].differs = differs;
    return *this;
  }
  // Does the same for an argument that is compared in develop mode only. Add these after those that
  // are always compared.
  template <class T>
  arguments& same_in_develop(std::string_view name, T const& value) {
    add(name, value);
    return *this;
  }

  // Checks a rule for this rank's arguments. The first broken rule is stored.
  template <class Words>
  arguments& require(bool kept, errc e, Words&& words, std::string_view advice = {}) {
    if (!kept && !fault_)
      fault_ = failure(e, std::string(std::forward<Words>(words)()), std::string(advice));
    return *this;
  }
  void fail(failure f) { fault_.keep(std::move(f)); }

  std::string_view call() const noexcept { return call_; }
  source_location const& where() const noexcept { return where_; }
  failure const& fault() const noexcept { return fault_; }
  // Returns the digest of the arguments that are always compared: equal on all ranks if they are.
  std::uint64_t digest() const noexcept {
    std::uint64_t d = 0;
    for (argument const& a : compared()) d = digest_of(d, a.hash);
    return d;
  }
  std::span<argument const> compared() const noexcept { return std::span(list_).first(free_); }
  std::span<argument const> all() const noexcept { return std::span(list_).first(count_); }

 private:
  template <class T>
  void add(std::string_view name, T const& value) {
    argument& a = list_.at(count_++);
    a.name = name;
    if constexpr (std::convertible_to<T const&, std::string_view>) {
      a.text = value;
      a.hash = fingerprint(a.text);
    } else {
      a.number = static_cast<std::int64_t>(value);
      a.hash = static_cast<std::uint64_t>(a.number);
    }
  }

  std::string_view call_;
  source_location where_;
  std::array<argument, most> list_ = {};
  std::size_t count_ = 0, free_ = 0;
  failure fault_;
};

}  // namespace argosy::detail
