// Object headers of both versions, as lists of messages.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "reader.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::size_t most_blocks = 10000, most_messages = 1 << 20;
constexpr std::string_view header_name = "an object header";

// A range of the file with messages.
struct block {
  std::int64_t address, bytes;
};

// Collects the messages of one header.
class header_reader {
 public:
  explicit header_reader(metadata const& file) : file_(file) {}

  std::vector<found_message> read(std::int64_t address) {
    auto const start = file_.start_at(address, 16, header_name);
    taker head(start, header_name);
    if (start.size() >= 4 && start[0] == std::byte{'O'})
      read_2(address, head);
    else
      read_1(address, head);
    return std::move(all_);
  }

 private:
  void read_1(std::int64_t address, taker& head) {
    std::uint64_t const version = head.number(1);
    if (version != 1) throw_damaged("there is no object header at byte " + std::to_string(address));
    head.take(7);  // a reserved byte, the number of messages, and that of references
    blocks_.push_back({address + 16, head.count(4)});
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      auto const bytes = file_.at(blocks_[i].address, blocks_[i].bytes, header_name);
      take_messages_1(taker(bytes, header_name));
    }
  }
  void take_messages_1(taker from) {
    while (from.left() >= 8) {
      found_message m;
      m.kind = static_cast<unsigned>(from.number(2));
      auto const bytes = static_cast<std::size_t>(from.number(2));
      m.shared = (from.number(1) & 2) != 0;
      from.take(3);
      keep(std::move(m), from.take(bytes));
    }
  }

  void read_2(std::int64_t address, taker& head) {
    head.expect("OHDR");
    if (head.number(1) != 2) throw_damaged("an object header has another version than 1 and 2");
    std::uint64_t const flags = head.number(1);
    std::int64_t before = 6;
    if ((flags & 0x20) != 0) before += 16;  // times
    if ((flags & 0x10) != 0) before += 4;   // limits of compact attributes
    int const size_bytes = 1 << (flags & 3);
    auto const prefix = file_.at(address, before + size_bytes, header_name);
    taker size{std::span(prefix).subspan(static_cast<std::size_t>(before)), header_name};
    std::int64_t const bytes = size.count(size_bytes);
    before += size_bytes;
    has_order_ = (flags & 4) != 0;
    take_block(file_.at(address, before + bytes + 4, header_name),
               static_cast<std::size_t>(before));
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      auto const more = file_.at(blocks_[i].address, blocks_[i].bytes, header_name);
      taker(more, header_name).expect("OCHK");
      take_block(more, 4);
    }
  }
  // Takes the messages between the first bytes and the checksum.
  void take_block(std::span<std::byte const> bytes, std::size_t before) {
    if (bytes.size() < before + 4)
      throw_damaged("a block of an object header has only " + std::to_string(bytes.size()) +
                    " bytes");
    require_checksum(bytes, header_name);
    taker from(bytes.first(bytes.size() - 4).subspan(before), header_name);
    std::size_t const head = has_order_ ? 6 : 4;
    while (from.left() >= head) {
      found_message m;
      m.kind = static_cast<unsigned>(from.number(1));
      auto const size = static_cast<std::size_t>(from.number(2));
      m.shared = (from.number(1) & 2) != 0;
      if (has_order_) from.take(2);
      keep(std::move(m), from.take(size));
    }
  }

  void keep(found_message m, std::span<std::byte const> content) {
    if (m.kind == static_cast<unsigned>(message::continuation)) {
      taker from(content, "the continuation of an object header");
      std::int64_t const address = from.address(), bytes = from.count(8);
      if (address < 0 || blocks_.size() >= most_blocks)
        throw_damaged("an object header has too many continuations");
      blocks_.push_back({address, bytes});
    } else if (m.kind != static_cast<unsigned>(message::none)) {
      if (all_.size() >= most_messages) throw_damaged("an object header has too many messages");
      m.content.assign(content.begin(), content.end());
      all_.push_back(std::move(m));
    }
  }

  metadata const& file_;
  std::vector<block> blocks_;
  std::vector<found_message> all_;
  bool has_order_ = false;  // messages have the order of their creation
};

}  // namespace

std::vector<std::byte> metadata::at(std::int64_t address, std::int64_t bytes,
                                    std::string_view name) const {
  if (address < 0 || bytes < 0 || address > file_bytes_ || bytes > file_bytes_ - address)
    throw_damaged(std::string(name) + " at byte " + std::to_string(address) +
                  " reaches beyond the end of the file, which has " + std::to_string(file_bytes_) +
                  " bytes");
  constexpr std::int64_t bytes_of_a_read = 64;
  left_ -= bytes + bytes_of_a_read;
  if (left_ < 0) throw_damaged("the metadata refers to the same bytes again and again");
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  read_(address, all);
  return all;
}

std::vector<std::byte> metadata::start_at(std::int64_t address, std::int64_t most,
                                          std::string_view name) const {
  return at(address,
            std::min(most, file_bytes_ - std::clamp<std::int64_t>(address, 0, file_bytes_)), name);
}

std::vector<found_message> messages_at(metadata const& file, std::int64_t address) {
  return header_reader(file).read(address);
}

found_message const* find(std::vector<found_message> const& all, message kind) {
  auto const found = std::ranges::find(all, static_cast<unsigned>(kind), &found_message::kind);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace argosy::detail::hdf5
