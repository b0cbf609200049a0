// Implements codec.hpp: messages as bytes, and the checks of messages from outside.
// SPDX-License-Identifier: BSD-3-Clause
#include "codec.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/pfr/core.hpp>

namespace argosy::lab::gpfs::detail {

namespace {

template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;
template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

// Returns the greatest value of an enumeration that counts from 0.
constexpr role greatest(role) { return role::server; }
constexpr token_mode greatest(token_mode) { return token_mode::write; }
constexpr ship_kind greatest(ship_kind) { return ship_kind::sync; }

// --- Out -----------------------------------------------------------------------------------------

using bytes_out = std::vector<std::byte>;

void put_bytes(bytes_out& out, void const* from, std::size_t n) {
  auto const* const first = static_cast<std::byte const*>(from);
  out.insert(out.end(), first, first + n);
}

// Writes numbers and lengths as they lie in memory, and members in their order, so an aggregate
// needs no code of its own.
template <class T>
void put(bytes_out& out, T const& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    put_bytes(out, &value, sizeof value);
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>> ||
                       std::is_same_v<T, std::string>) {
    put(out, static_cast<std::uint64_t>(value.size()));
    put_bytes(out, value.data(), value.size());
  } else if constexpr (std::is_same_v<T, payload>) {
    put(out, value.bytes());  // between processes no payload is hollow
  } else if constexpr (is_vector<T>) {
    put(out, static_cast<std::uint64_t>(value.size()));
    for (auto const& element : value) put(out, element);
  } else if constexpr (is_optional<T>) {
    put(out, value.has_value());
    if (value) put(out, *value);
  } else {
    boost::pfr::for_each_field(value, [&](auto const& member) { put(out, member); });
  }
}

// --- In ------------------------------------------------------------------------------------------

class bytes_in {
 public:
  explicit bytes_in(std::span<std::byte const> bytes) : left_(bytes) {}
  std::size_t left() const { return left_.size(); }
  bool take(void* to, std::size_t n) {
    if (n > left_.size()) return false;
    if (n > 0) std::memcpy(to, left_.data(), n);
    left_ = left_.subspan(n);
    return true;
  }

 private:
  std::span<std::byte const> left_;
};

template <class T>
bool get(bytes_in& in, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    if (!in.take(&byte, 1) || byte > 1) return false;
    value = byte == 1;
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number = {};
    if (!in.take(&number, sizeof number) || number < 0 ||
        number > static_cast<decltype(number)>(greatest(T{})))
      return false;
    value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return in.take(&value, sizeof value);
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>> ||
                       std::is_same_v<T, std::string>) {
    std::uint64_t n = 0;
    if (!get(in, n) || n > in.left()) return false;
    value.resize(static_cast<std::size_t>(n));
    return in.take(value.data(), value.size());
  } else if constexpr (std::is_same_v<T, payload>) {
    std::vector<std::byte> bytes;
    if (!get(in, bytes)) return false;
    value = std::move(bytes);
    return true;
  } else if constexpr (is_vector<T>) {
    std::uint64_t n = 0;
    if (!get(in, n) || n > in.left()) return false;  // an element needs at least one byte
    value.clear();
    for (std::uint64_t i = 0; i < n; ++i)
      if (!get(in, value.emplace_back())) return false;
    return true;
  } else if constexpr (is_optional<T>) {
    bool there = false;
    if (!get(in, there)) return false;
    value.reset();
    return !there || get(in, value.emplace());
  } else {
    bool fine = true;
    boost::pfr::for_each_field(value, [&](auto& member) { fine = fine && get(in, member); });
    return fine;
  }
}

using get_body = bool (*)(bytes_in&, message_body&);

template <std::size_t... I>
constexpr auto getters(std::index_sequence<I...>) {
  return std::array<get_body, sizeof...(I)>{
      [](bytes_in& in, message_body& body) { return get(in, body.emplace<I>()); }...};
}

}  // namespace

std::vector<std::byte> encode(message const& m) {
  bytes_out out;
  std::int64_t bytes = 0;
  if (auto const* const d = std::get_if<block_data>(&m.body)) bytes = d->data.size();
  if (auto const* const c = std::get_if<ship_call>(&m.body)) bytes = c->data.size();
  if (auto const* const a = std::get_if<ship_answer>(&m.body)) bytes = a->data.size();
  if (auto const* const w = std::get_if<block_write>(&m.body))
    for (block_piece const& p : w->pieces) bytes += p.data.size() + 16;
  out.reserve(static_cast<std::size_t>(128 + bytes));
  put(out, m.from);
  put(out, m.to);
  put(out, static_cast<std::uint32_t>(m.body.index()));
  std::visit([&](auto const& body) { put(out, body); }, m.body);
  return out;
}

std::optional<message> decode(std::span<std::byte const> bytes) {
  static constexpr auto get_any =
      getters(std::make_index_sequence<std::variant_size_v<message_body>>{});
  bytes_in in(bytes);
  message m;
  std::uint32_t index = 0;
  if (!get(in, m.from) || !get(in, m.to) || !get(in, index) || index >= get_any.size()) return {};
  if (!get_any[index](in, m.body) || in.left() != 0) return {};
  return m;
}

// --- Sense ---------------------------------------------------------------------------------------

namespace {

bool is_range(std::int64_t begin, std::int64_t end) { return begin >= 0 && begin <= end; }
bool is_range(block_range const& r) { return is_range(r.begin, r.end); }
// Returns true for a possible size. Only the manager increments generations.
bool is_size(known_size const& s) {
  return s.bytes >= 0 && s.generation >= 0 && s.generation < no_end / 2;
}
bool is_map(partition_map const& m) {
  return m.blocks_per_entry > 0 && !m.owners.empty() && m.blocks_per_entry <= no_end / 2;
}

class sense {
 public:
  sense(address from, address to, machine const& m) : from_(from.who), to_(to.who), machine_(m) {}

  bool operator()(open_request const& m) const { return to_manager() && m.instance >= 0; }
  bool operator()(open_answer const& m) const {
    return to_client() && is_size(m.size) && !m.hollow;
  }
  bool operator()(close_notice const& m) const { return to_manager() && is_size(m.size); }
  bool operator()(remove_request const&) const { return to_manager(); }
  bool operator()(rename_request const&) const { return to_manager(); }
  bool operator()(name_answer const&) const { return to_client(); }
  bool operator()(token_request const& m) const {
    for (surrender const& s : m.surrenders)
      if (!is_range(s.range) || !s.allocated.sound()) return false;
    return to_manager() && is_range(m.required) && is_range(m.desired) && is_size(m.size) &&
           m.strides.sound();
  }
  bool operator()(token_grant const& m) const {
    return to_client() && is_range(m.range) && is_size(m.size) && m.allocated.sound() &&
           m.strides.sound();
  }
  bool operator()(token_conflict const&) const { return to_client(); }
  bool operator()(token_refusal const&) const { return to_client(); }
  bool operator()(token_release const& m) const {
    return to_manager() && is_range(m.range) && is_size(m.size) && m.allocated.sound();
  }
  bool operator()(revoke const& m) const { return among_clients() && is_range(m.required); }
  bool operator()(revoke_answer const& m) const {
    return among_clients() && is_range(m.given.range) && is_size(m.size) &&
           m.given.allocated.sound();
  }
  bool operator()(size_request const&) const { return to_manager(); }
  bool operator()(size_query const&) const { return to_client(); }
  bool operator()(size_report const& m) const { return to_manager() && is_size(m.size); }
  bool operator()(size_answer const& m) const { return to_client() && is_size(m.size); }
  bool operator()(resize_request const& m) const { return to_manager() && m.bytes >= 0; }
  bool operator()(ship_start const& m) const { return to_manager() && (!m.map || is_map(*m.map)); }
  bool operator()(ship_stop const&) const { return to_manager(); }
  bool operator()(ship_interrupt const&) const { return to_manager(); }
  bool operator()(ship_done const&) const { return to_client(); }
  bool operator()(ship_begin const& m) const { return to_client() && is_map(m.map); }
  bool operator()(ship_ready const& m) const {
    return to_manager() && is_size(m.size) && m.allocated.sound();
  }
  bool operator()(ship_go const& m) const {
    return to_client() && is_size(m.size) && m.allocated.sound();
  }
  bool operator()(ship_end const&) const { return to_client(); }
  bool operator()(ship_call const& m) const {
    std::int64_t const data = m.data.size();
    return among_clients() && m.offset >= 0 && m.length >= 0 && m.length <= ship_call::longest &&
           m.offset <= no_end - m.length && is_size(m.size) &&
           data == (m.kind == ship_kind::write ? m.length : 0);
  }
  bool operator()(ship_answer const& m) const { return among_clients() && is_size(m.size); }
  bool operator()(late_error const&) const { return among_clients(); }
  bool operator()(block_read const& m) const {
    return to_server() && is_block(m.block) && is_part(m.begin, m.length);
  }
  bool operator()(block_data const& m) const {
    return to_client(role::server) && is_block(m.block) && is_part(m.begin, m.data.size()) &&
           (m.data.size() == 0) == (m.error != 0 || m.lost);
  }
  bool operator()(block_write const& m) const {
    for (block_piece const& p : m.pieces)
      if (p.offset < 0 || p.offset > machine_.block_bytes ||
          p.data.size() > machine_.block_bytes - p.offset)
        return false;
    return to_server() && is_block(m.block);
  }
  bool operator()(block_written const& m) const {
    return to_client(role::server) && is_block(m.block);
  }
  bool operator()(cut_blocks const& m) const { return to_server() && m.bytes >= 0; }
  bool operator()(blocks_cut const&) const { return to_client(role::server); }
  bool operator()(size_notice const& m) const { return to_manager() && is_size(m.size); }
  bool operator()(lock_request const& m) const { return to_manager() && is_range(m.begin, m.end); }
  bool operator()(lock_answer const&) const { return to_client(); }
  bool operator()(unlock_notice const& m) const { return to_manager() && is_range(m.begin, m.end); }
  bool operator()(node_lost const&) const { return false; }  // never sent between processes
  bool operator()(fence const&) const { return false; }
  bool operator()(fenced const&) const { return false; }
  bool operator()(node_failed const&) const { return to_client(); }

 private:
  bool to_manager() const { return from_ == role::client && to_ == role::manager; }
  bool to_server() const { return from_ == role::client && to_ == role::server; }
  bool to_client(role from = role::manager) const { return from_ == from && to_ == role::client; }
  bool among_clients() const { return from_ == role::client && to_ == role::client; }
  bool is_block(std::int64_t block) const {
    return block >= 0 && block < no_end / machine_.block_bytes / 2;
  }

  bool is_part(std::int64_t begin, std::int64_t length) const {
    return begin >= 0 && length >= 0 && begin <= machine_.block_bytes &&
           length <= machine_.block_bytes - begin;
  }

  role from_, to_;
  machine const& machine_;
};

bool exists(address const& a, machine const& m) {
  if (a.index < 0) return false;
  if (a.who == role::manager) return a.index == 0;
  return a.who == role::client || a.index < m.servers;
}

}  // namespace

bool makes_sense(message const& m, machine const& hardware) {
  auto const file_exists = [](auto const& body) {
    constexpr file_id most = file_id{1} << 40;  // limited so that sums with blocks do not overflow
    if constexpr (requires { body.file; }) return body.file >= 0 && body.file < most;
    return true;
  };
  return exists(m.from, hardware) && exists(m.to, hardware) && std::visit(file_exists, m.body) &&
         std::visit(sense(m.from, m.to, hardware), m.body);
}

}  // namespace argosy::lab::gpfs::detail
