// Links of groups: messages of the object header, or a symbol table of the older format.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "reader.hpp"

namespace argosy::detail::hdf5 {

namespace {

constexpr std::size_t most_links = std::size_t{1} << 20;

found_link take_link(taker from) {
  if (from.number(1) != 1) throw_unsupported("a link of another version than 1");
  std::uint64_t const flags = from.number(1);
  std::uint64_t const kind = (flags & 8) != 0 ? from.number(1) : 0;
  if ((flags & 4) != 0) from.take(8);   // the order of creation
  if ((flags & 16) != 0) from.take(1);  // the character set
  std::size_t const length = static_cast<std::size_t>(from.number(1 << (flags & 3)));
  auto const name = from.take(length);
  found_link l{std::string(reinterpret_cast<char const*>(name.data()), name.size())};
  if (kind == 0)
    l.address = from.address();
  else
    l.what = kind == 1    ? "a soft link"
             : kind == 64 ? "an external link"
                          : "a link of a user's kind";
  return l;
}

// The names of an older group.
struct local_heap {
  std::vector<std::byte> data;

  local_heap(metadata const& file, std::int64_t address) {
    auto const head = file.at(address, 32, "the names of a group");
    taker from(head, "the names of a group");
    from.expect("HEAP");
    from.take(4);
    std::int64_t const bytes = from.count(8);
    from.take(8);  // the list of free names
    std::int64_t const at = from.address();
    data = file.at(at, bytes, "the names of a group");
  }
  std::string name(std::int64_t offset) const {
    if (offset > std::ssize(data)) throw_damaged("the name of a link lies outside of its group");
    return taker(std::span(data).subspan(static_cast<std::size_t>(offset)), "the name of a link")
        .text();
  }
};

// Walks the tree of an older group.
class symbol_table {
 public:
  symbol_table(metadata const& file, std::int64_t heap) : file_(file), names_(file, heap) {}

  // A node has at most the level of its parent less 1, so the walk ends.
  void walk(std::int64_t node, std::int64_t level_below) {
    constexpr std::string_view what = "the tree of a group";
    auto const head = file_.at(node, 24, what);
    taker from(head, what);
    from.expect("TREE");
    if (from.number(1) != 0) throw_damaged("the tree of a group is one of chunks");
    auto const level = static_cast<std::int64_t>(from.number(1)), entries = from.count(2);
    if (level >= level_below) throw_damaged("the levels of the tree of a group are not in order");
    auto const body = file_.at(node + 24, entries * 16 + 8, what);
    taker keys(body, what);
    for (std::int64_t i = 0; i < entries; ++i) {
      keys.take(8);
      std::int64_t const child = keys.address();
      if (level > 0)
        walk(child, level);
      else
        take_symbols(child);
    }
  }
  std::vector<found_link> all;

 private:
  void take_symbols(std::int64_t address) {
    constexpr std::string_view what = "the links of a group";
    constexpr std::int64_t entry_bytes = 40;
    auto const head = file_.at(address, 8, what);
    taker from(head, what);
    from.expect("SNOD");
    from.take(2);
    std::int64_t const count = from.count(2);
    auto const body = file_.at(address + 8, count * entry_bytes, what);
    taker entries(body, what);
    for (std::int64_t i = 0; i < count; ++i) {
      found_link l{names_.name(entries.count(8))};
      l.address = entries.address();
      std::uint64_t const cache = entries.number(4);
      entries.take(20);
      if (cache == 2) {
        l.address = -1;
        l.what = "a soft link";
      }
      if (all.size() >= most_links) throw_damaged("a group has too many links");
      all.push_back(std::move(l));
    }
  }

  metadata const& file_;
  local_heap names_;
};

}  // namespace

bool is_group(std::vector<found_message> const& object) {
  return find(object, message::symbol_table) || find(object, message::link_info) ||
         find(object, message::link) || find(object, message::group_info);
}

std::vector<found_link> links_in(metadata const& file, std::vector<found_message> const& group) {
  if (found_message const* const table = find(group, message::symbol_table)) {
    taker from(table->content, "the symbol table of a group");
    std::int64_t const tree = from.address(), heap = from.address();
    symbol_table links(file, heap);
    constexpr std::int64_t any_level = 256;
    if (tree >= 0) links.walk(tree, any_level);
    return std::move(links.all);
  }
  std::vector<found_link> all;
  for (found_message const& m : group)
    if (m.kind == static_cast<unsigned>(message::link))
      all.push_back(take_link(taker(m.content, "a link")));
  if (found_message const* const info = find(group, message::link_info)) {
    taker from(info->content, "the information on links of a group");
    from.take(1);
    if ((from.number(1) & 1) != 0) from.take(8);
    constexpr std::size_t hash_bytes = 4;
    std::int64_t const heap = from.address(), names = from.address();
    if (heap >= 0)
      for (std::vector<std::byte> const& m : dense_messages(file, heap, names, hash_bytes))
        all.push_back(take_link(taker(m, "a link")));
  }
  return all;
}

}  // namespace argosy::detail::hdf5
