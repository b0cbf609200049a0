// Implements format/detail/zarr/zarr_file.hpp: the files with the metadata of groups.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <utility>

#include <argosy/format/detail/zarr/zarr_file.hpp>

#include "group_names.hpp"
#include "metadata_reader.hpp"
#include "types.hpp"

namespace argosy::detail {

namespace {

constexpr int most_levels = 32;
constexpr std::size_t most_group_json = std::size_t{256} << 20;

// Reads a small file. A file that is missing, also because a part of its path is no directory, is
// no failure.
failure read_if_there(opener const& files, std::string const& path,
                      std::optional<std::string>& into) {
  into.emplace();
  failure unread = read_small_file(files, path, most_zarr_json, *into);
  if (!unread) return {};
  into.reset();
  errc const kind = classify(unread.code);
  if (kind == errc::no_such_file || kind == errc::bad_file) return {};
  return unread;
}

failure invalid(std::string const& path) {
  return {errc::damaged, "'" + path + "' is no JSON object, or a number in it is too large"};
}

std::optional<json::object> object_in(std::string_view text) {
  auto const v = json_in(text);
  if (!v || !v->is_object()) return {};
  return v->get_object();
}

bool is_group(json::object const& o) {
  json::value const* const type = o.if_contains("node_type");
  return type && type->is_string() && type->get_string() == "group";
}

// Returns the members in consolidated metadata, if there are some.
json::object const* members_in(json::object const& group) {
  json::value const* const all = group.if_contains("consolidated_metadata");
  if (!all || !all->is_object()) return nullptr;
  json::value const* const kind = all->get_object().if_contains("kind");
  json::value const* const members = all->get_object().if_contains("metadata");
  bool const known = kind && kind->is_string() && kind->get_string() == "inline";
  return known && members && members->is_object() ? &members->get_object() : nullptr;
}

json::object consolidated(json::object members) {
  return {{"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(members)}};
}

// Reads the files of version 2 of an array or a group as one object. No value if there are none.
failure read_old(opener const& files, std::string const& directory,
                 std::optional<json::object>& into) {
  std::optional<std::string> text, attributes;
  into.reset();
  std::string path = directory + "/.zarray";
  if (failure unread = read_if_there(files, path, text)) return unread;
  bool const array = text.has_value();
  if (!array) {
    path = directory + "/.zgroup";
    if (failure unread = read_if_there(files, path, text)) return unread;
    if (!text) return {};
  }
  into = object_in(*text);
  if (!into) return invalid(path);
  if (!array) (*into)["node_type"] = "group";
  path = directory + "/.zattrs";
  if (failure unread = read_if_there(files, path, attributes)) return unread;
  if (!attributes) return {};
  auto const all = object_in(*attributes);
  if (!all) return invalid(path);
  (*into)["attributes"] = *all;
  return {};
}

failure read_new(opener const& files, std::string const& directory,
                 std::optional<json::object>& into) {
  std::optional<std::string> text;
  into.reset();
  if (failure unread = read_if_there(files, zarr_json_path(directory), text)) return unread;
  if (!text) return {};
  into = object_in(*text);
  return into ? failure() : invalid(zarr_json_path(directory));
}

// Lists all arrays and groups below a group.
class member_list {
 public:
  member_list(opener const& files, std::string root, bool old)
      : files_(files), root_(std::move(root)), old_(old) {}

  failure add_below(std::string const& group, int level) {
    if (level > most_levels)
      return {errc::unsupported, "'" + root_ + "/" + group + "' lies below more than " +
                                     std::to_string(most_levels) + " groups"};
    std::vector<std::string> names;
    std::error_code const error = files_.list(group.empty() ? root_ : root_ + "/" + group, names);
    if (classify(error) == errc::no_such_file) return {};  // it was removed meanwhile
    if (error) return {error, "listing '" + root_ + "/" + group + "'"};
    std::ranges::sort(names);
    for (std::string const& name : names) {
      if (name.starts_with('.') || name == "zarr.json" || is_unfinished(name)) continue;
      if (failure f = add(group.empty() ? name : group + "/" + name, level)) return f;
    }
    return {};
  }
  json::object take() { return std::move(all_); }

 private:
  failure add(std::string const& path, int level) {
    std::optional<json::object> one;
    std::string const directory = root_ + "/" + path;
    failure unread = old_ ? read_old(files_, directory, one) : read_new(files_, directory, one);
    if (unread || !one) return unread;
    bool const group = is_group(*one);
    // Readers of a group in consolidated metadata expect that it has some, too.
    if (group && !old_) (*one)["consolidated_metadata"] = consolidated({});
    all_[path] = *std::move(one);
    return group ? add_below(path, level + 1) : failure();
  }

  opener const& files_;
  std::string root_;
  bool old_;
  json::object all_;
};

failure list_members(opener const& files, std::string const& path, bool old, json::object& into) {
  if (!files.lists())
    return {errc::unsupported, "this opener cannot list directories",
            "give an opener with the function `list`, such as io::posix_opener()"};
  member_list all(files, path, old);
  failure f = all.add_below("", 0);
  into = all.take();
  return f;
}

// Reads the consolidated metadata of a group of version 2, in the form of version 3.
failure read_old_members(opener const& files, std::string const& path,
                         std::optional<json::object>& into) {
  into.reset();
  std::optional<std::string> text;
  std::string const name = path + "/.zmetadata";
  if (failure unread = read_if_there(files, name, text)) return unread;
  if (!text) return {};
  auto const o = object_in(*text);
  json::value const* const all = o ? o->if_contains("metadata") : nullptr;
  if (!all || !all->is_object()) return invalid(name);
  into.emplace();
  for (auto const& [key, v] : all->get_object()) {
    std::string_view const k = key;
    std::size_t const slash = k.rfind('/');
    if (slash == std::string_view::npos || !v.is_object()) continue;
    std::string_view const kind = k.substr(slash + 1);
    if (kind != ".zarray" && kind != ".zgroup") continue;
    json::object one = v.get_object();
    if (kind == ".zgroup") one["node_type"] = "group";
    std::string const directory(k.substr(0, slash));
    if (json::value const* const a = all->get_object().if_contains(directory + "/.zattrs"))
      one["attributes"] = *a;
    (*into)[directory] = std::move(one);
  }
  return {};
}

// Writes the consolidated metadata until it is that of the directories. Another process may change
// them meanwhile. If not `asked`, only a group that has such metadata gets it.
failure renew_group(opener const& files, std::string const& path, bool asked) {
  constexpr int most_turns = 10;
  for (int turn = 0; turn < most_turns; ++turn) {
    std::optional<json::object> group;
    if (failure unread = read_new(files, path, group)) return unread;
    if (!group || !is_group(*group))
      return {errc::datatype, "'" + path + "' is no group of version 3",
              "give the path of a group"};
    json::object const* const now = members_in(*group);
    if (!now && !asked) return {};
    json::object listed;
    if (failure f = list_members(files, path, false, listed)) return f;
    if (now && *now == listed) return {};
    (*group)["consolidated_metadata"] = consolidated(std::move(listed));
    asked = false;
    std::string const text = json_text(*group);
    if (text.size() > most_zarr_json)
      return {errc::unsupported, "the consolidated metadata has more than 16 MiB",
              "consolidate groups with fewer arrays"};
    if (failure f = write_small_file(files, zarr_json_path(path), text, std::nullopt)) return f;
  }
  return {errc::file_in_use, "other programs change the arrays below '" + path + "' all the time",
          "consolidate the group when they have finished"};
}

// Calls `use(path, group)` for each group above a path, from the inside out.
template <class Use>
failure with_parents(opener const& files, std::string const& path, Use&& use) {
  std::string at = path;
  for (std::size_t slash = at.rfind('/'); slash != std::string::npos && slash > 0;
       slash = at.rfind('/')) {
    at.resize(slash);
    std::optional<json::object> group;
    if (failure unread = read_new(files, at, group)) return unread;
    if (!group || !is_group(*group)) return {};
    if (failure f = use(at, *group)) return f;
  }
  return {};
}

}  // namespace

failure read_zarr_metadata(opener const& files, std::string const& directory, std::string& into) {
  failure unread = read_small_file(files, zarr_json_path(directory), most_zarr_json, into);
  if (!unread || classify(unread.code) != errc::no_such_file) return unread;
  std::optional<json::object> old;
  if (failure f = read_old(files, directory, old)) return f;
  if (!old) return unread;
  into = json_text(*old);
  return {};
}

failure read_zarr_group(opener const& files, std::string const& path, std::string& into) {
  std::string text;
  if (failure unread = read_zarr_metadata(files, path, text)) return unread;
  std::optional<json::object> group = object_in(text);
  if (!group) return invalid(path);
  if (is_group(*group) && !members_in(*group)) {
    json::value const* const version = group->if_contains("zarr_format");
    bool const old = version && version->is_int64() && version->get_int64() == 2;
    std::optional<json::object> members;
    if (old)
      if (failure f = read_old_members(files, path, members)) return f;
    if (!members) {
      members.emplace();
      if (failure f = list_members(files, path, old, *members)) return f;
      (*group)["listed"] = true;
    }
    (*group)["consolidated_metadata"] = consolidated(*std::move(members));
  }
  into = json_text(*group);
  if (into.size() <= most_group_json) return {};
  return {errc::unsupported, "the metadata of the group has more than 256 MiB"};
}

failure consolidate_zarr(opener const& files, std::string const& path) {
  return renew_group(files, path, true);
}

failure hide_from_zarr_parents(opener const& files, std::string const& path,
                               std::string const& json, std::vector<std::string>& hidden) {
  auto const now = object_in(json);
  return with_parents(files, path, [&](std::string const& at, json::object& group) -> failure {
    json::object const* const members = members_in(group);
    if (!members) return {};
    json::value const* const known = members->if_contains(path.substr(at.size() + 1));
    if (known && now && known->is_object() && known->get_object() == *now) return {};
    group.erase("consolidated_metadata");
    hidden.push_back(at);
    return write_small_file(files, zarr_json_path(at), json_text(group), std::nullopt);
  });
}

failure renew_zarr_parents(opener const& files, std::string const& path,
                           std::vector<std::string> const& hidden) {
  return with_parents(files, path, [&](std::string const& at, json::object const& group) {
    bool const was = std::ranges::find(hidden, at) != hidden.end();
    return was || members_in(group) ? renew_group(files, at, was) : failure();
  });
}

failure make_zarr_group(opener const& files, std::string const& path, std::string const& json,
                        unsigned permissions) {
  std::string text;
  failure unread = read_zarr_metadata(files, path, text);
  if (unread && classify(unread.code) != errc::no_such_file) return unread;
  json::object group = *object_in(json);
  if (!unread) {
    auto const old = object_in(text);
    bool const same = old && is_group(*old) && old->contains("zarr_format") &&
                      old->at("zarr_format") == group.at("zarr_format");
    if (!same)
      return {errc::file_exists, "'" + path + "' is no group of version 3", "give another path"};
    if (json::object const* const members = members_in(*old))
      group["consolidated_metadata"] = consolidated(*members);
  }
  if (!files.has_directories())
    return {errc::unsupported, "this opener has no directories, and a group is one",
            "give an opener with directory_functions, such as io::posix_opener()"};
  if (auto const error = files.make_directory(path))
    return {error, "making the directory '" + path + "'"};
  if (failure f = write_small_file(files, zarr_json_path(path), json_text(group), permissions))
    return f;
  return renew_zarr_parents(files, path, {});
}

}  // namespace argosy::detail
