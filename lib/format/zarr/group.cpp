// Implements format/zarr_group.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/zarr_group.hpp>

#include <algorithm>
#include <utility>

#include "metadata_reader.hpp"
#include "types.hpp"

namespace argosy {

std::string to_string(zarr_group const& g) {
  std::string text;
  for (zarr_member const& m : g.members) {
    text += m.path + ": ";
    if (m.array)
      text += to_string(*m.array);
    else
      text += m.is_group ? "group" : m.unread;
    text += "\n";
  }
  return text;
}

namespace detail {

namespace {

// Returns true if no part of the path is empty, "." or "..", so that it stays below the group.
bool stays_below(std::string_view path) {
  for (;;) {
    std::size_t const end = std::min(path.find('/'), path.size());
    std::string_view const part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

class group_reader : metadata_reader {
 public:
  explicit group_reader(failure& why) : metadata_reader(why) {}

  std::optional<zarr_group> group(std::string_view text) {
    auto const root = json_in(text);
    zarr_group g;
    bool const well = root && root->is_object()
                          ? of(root->get_object(), g)
                          : fault("it is no JSON object, or a number in it is too large");
    if (!well) return {};
    std::ranges::sort(g.members, {}, &zarr_member::path);
    return g;
  }

 private:
  bool fault(std::string const& words) {
    why_ = {errc::damaged, "the metadata of the group is invalid: " + words};
    return false;
  }
  bool of(json::object const& o, zarr_group& g) {
    json::value const* const version = find(o, "zarr_format");
    if (!version || !version->is_int64()) return fault("it has no 'zarr_format'");
    if (version->get_int64() != 2 && version->get_int64() != 3)
      return unknown("version " + std::to_string(version->get_int64()) + " of the format");
    g.version = static_cast<int>(version->get_int64());
    if (text_of(find(o, "node_type")) != "group") {
      why_ = {errc::datatype, "it is an array and no group", "call header_of for an array"};
      return false;
    }
    g.consolidated = !find(o, "listed");
    if (!attributes_of(o, g.attributes)) return false;
    json::value const* const all = find(o, "consolidated_metadata");
    if (!all || !all->is_object()) return fault("it has no list of its members");
    json::value const* const members = find(all->get_object(), "metadata");
    if (!members || !members->is_object()) return fault("its consolidated metadata is no list");
    for (auto const& [path, v] : members->get_object())
      if (!member(std::string_view(path), v, g)) return false;
    return true;
  }
  bool attributes_of(json::object const& o, std::string& into) {
    json::value const* const a = find(o, "attributes");
    if (!a) return true;
    if (!a->is_object()) return fault("its 'attributes' are no object");
    if (!a->get_object().empty()) into = json_text(*a);
    return true;
  }
  bool member(std::string_view path, json::value const& v, zarr_group& g) {
    if (!v.is_object() || !stays_below(path))
      return fault("its member " + quoted(path) + " is none");
    zarr_member m{.path = std::string(path)};
    m.is_group = text_of(find(v.get_object(), "node_type")) == "group";
    if (m.is_group) {
      if (!attributes_of(v.get_object(), m.attributes)) return false;
    } else {
      failure why;
      m.array = parse_zarr_header(json_text(v), why);
      if (!m.array) m.unread = why.detail;
    }
    g.members.push_back(std::move(m));
    return true;
  }
};

}  // namespace

std::optional<zarr_group> parse_zarr_group(std::string_view text, failure& why) {
  return group_reader(why).group(text);
}

}  // namespace detail
}  // namespace argosy
