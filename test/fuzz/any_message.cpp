// SPDX-License-Identifier: BSD-3-Clause
#include "any_message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/pfr/core.hpp>

namespace argosy::fuzz {

using namespace extend;

namespace {

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

class message_maker {
 public:
  message_maker(FuzzedDataProvider& in, lab::gpfs::machine const& m) : in_(in), machine_(m) {}

  lab::gpfs::detail::message_body body() {
    static auto const all =
        makers(std::make_index_sequence<std::variant_size_v<lab::gpfs::detail::message_body>>{});
    return (this->*all[in_.ConsumeIntegralInRange<std::size_t>(0, all.size() - 1)])();
  }

 private:
  using maker = lab::gpfs::detail::message_body (message_maker::*)();

  template <std::size_t... I>
  static std::array<maker, sizeof...(I)> makers(std::index_sequence<I...>) {
    return {
        &message_maker::make<std::variant_alternative_t<I, lab::gpfs::detail::message_body>>...};
  }
  template <class Body>
  lab::gpfs::detail::message_body make() {
    Body b;
    fill(b);
    return lab::gpfs::detail::message_body(std::move(b));
  }

  template <class T>
  void fill(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = in_.ConsumeBool();
    } else if constexpr (std::is_enum_v<T>) {
      x = static_cast<T>(in_.ConsumeIntegralInRange(0, 2));
    } else if constexpr (std::is_integral_v<T>) {
      number(x);
    } else if constexpr (std::is_same_v<T, std::string>) {
      constexpr char const* names[] = {"a", "b", "good", "", ".", "..", "d/e", "/a"};
      auto const k = in_.ConsumeIntegralInRange<std::size_t>(0, std::size(names));
      x = k < std::size(names) ? names[k] : in_.ConsumeRandomLengthString(20);
    } else if constexpr (std::is_same_v<T, lab::gpfs::detail::payload>) {
      std::vector<std::byte> bytes;
      fill(bytes);
      x = std::move(bytes);
    } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
      std::size_t const block = static_cast<std::size_t>(machine_.block_bytes);
      std::size_t const sizes[] = {0, 1, block, block - 1, 2 * block, 100};
      x.assign(in_.PickValueInArray(sizes),
               static_cast<std::byte>(in_.ConsumeIntegral<std::uint8_t>()));
    } else if constexpr (is_vector<T>) {
      x.resize(in_.ConsumeIntegralInRange<std::size_t>(0, 3));
      for (auto& element : x) fill(element);
    } else if constexpr (is_optional<T>) {
      if (in_.ConsumeBool()) fill(x.emplace());
    } else {
      boost::pfr::for_each_field(x, [&](auto& member) { fill(member); });
    }
  }

  template <class T>
  void number(T& x) {
    using limits = std::numeric_limits<T>;
    auto const k = in_.ConsumeIntegralInRange<std::uint8_t>(0, 15);
    if (k < 9)
      x = static_cast<T>(k);
    else if (k < 11)
      x = static_cast<T>(machine_.block_bytes * (k - 8) + in_.ConsumeIntegralInRange(-1, 1));
    else if (k < 13)
      x = limits::max() - in_.ConsumeIntegralInRange<T>(0, 2);
    else if (k == 13)
      x = -1;
    else if (k == 14)
      x = limits::min() + in_.ConsumeIntegralInRange<T>(0, 2);
    else
      x = in_.ConsumeIntegral<T>();
  }

  FuzzedDataProvider& in_;
  lab::gpfs::machine const& machine_;
};

}  // namespace

lab::gpfs::detail::message_body any_message(FuzzedDataProvider& in, lab::gpfs::machine const& m) {
  return message_maker(in, m).body();
}

}  // namespace argosy::fuzz
