// The facts about steps that processes exchange, as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include <argosy/error/errc.hpp>

#include "session.hpp"

namespace argosy::explore {

class sent {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(T const& value) {
    auto const bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put(std::string const& text) {
    put(text.size());
    auto const bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // A code is the library's own, or a number of the system.
  void put(std::error_code const& code) {
    put(code.value());
    put(code && code.category() != category());
  }
  void put(std::vector<witnessed> const& all) {
    put(all.size());
    for (witnessed const& w : all) {
      put(w.call);
      put(w.error);
      put(w.of_pointer);
      put(w.only_looks);
      put(w.thrown);
      put(w.harmless);
    }
  }
  std::vector<std::byte> const& bytes() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

class received {
 public:
  explicit received(std::span<std::byte const> bytes) : bytes_(bytes) {}

  bool at_end() const noexcept { return bytes_.empty(); }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  void get(std::string& text) {
    auto const from = take(get<std::size_t>());
    text.assign(reinterpret_cast<char const*>(from.data()), from.size());
  }
  void get(std::error_code& code) {
    int const value = get<int>();
    bool const of_system = get<bool>();
    code = of_system ? std::error_code(value, std::system_category())
                     : std::error_code(static_cast<errc>(value));
    if (value == 0) code.clear();
  }
  void get(std::vector<witnessed>& all) {
    all.resize(get<std::size_t>());
    for (witnessed& w : all) {
      get(w.call);
      get(w.error);
      get(w.of_pointer);
      get(w.only_looks);
      get(w.thrown);
      get(w.harmless);
    }
  }

 private:
  std::span<std::byte const> take(std::size_t n) {
    if (n > bytes_.size()) throw std::logic_error("a rank sent less than it should");
    auto const front = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return front;
  }
  std::span<std::byte const> bytes_;
};

// Writes the result of a call, or of a request that has ended.
inline void put_outcome(sent& out, record const& r) {
  out.put(r.code);
  out.put(r.threw);
  out.put(r.words);
  out.put(r.told.bytes);
  out.put(r.told.policy);
}
inline void get_outcome(received& in, record& r) {
  in.get(r.code);
  in.get(r.threw);
  in.get(r.words);
  in.get(r.told.bytes);
  in.get(r.told.policy);
}

}  // namespace argosy::explore
