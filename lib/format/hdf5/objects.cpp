// Implements objects.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "objects.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "../literal.hpp"
#include "bytes.hpp"

namespace argosy::detail::hdf5 {

namespace {

[[noreturn]] void refuse(std::string words, std::string advice = {}) {
  throw unreadable{{errc::argument, std::move(words), std::move(advice)}};
}

void require_name(std::string_view name, std::string_view whole) {
  if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos ||
      !is_utf8(name) || name.size() > 0xfff)
    refuse("'" + std::string(whole) + "' is no name of HDF5",
           "give names of up to 4095 bytes of UTF-8, with one / between groups");
}

// Makes the objects, and finds them by their paths.
class tree {
 public:
  tree() : all_(1) { by_path_[""] = 0; }

  // Returns the group, and makes it, and all groups that it is in, if they are missing.
  std::size_t group(std::string const& path) {
    if (auto const found = by_path_.find(path); found != by_path_.end()) {
      if (all_[found->second].what != object::kind::group)
        refuse("'" + path + "' is a dataset and a group");
      return found->second;
    }
    return add(path, object::kind::group);
  }
  std::size_t dataset(std::string const& path) {
    if (path.empty()) require_name(path, path);
    if (by_path_.contains(path)) refuse("'" + path + "' is there twice");
    return add(path, object::kind::dataset);
  }
  // Returns the object of this path, or -1.
  std::ptrdiff_t find(std::string const& path) const {
    auto const found = by_path_.find(path);
    return found == by_path_.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
  }
  std::size_t add(std::string const& path, object::kind what) {
    std::size_t const slash = path.rfind('/');
    require_name(std::string_view(path).substr(slash + 1), path);
    std::size_t const parent = group(slash == path.npos ? "" : path.substr(0, slash));
    object o;
    o.what = what;
    o.path = path;
    all_.push_back(std::move(o));
    all_[parent].children.push_back(all_.size() - 1);
    by_path_[path] = all_.size() - 1;
    return all_.size() - 1;
  }
  std::vector<object>& all() noexcept { return all_; }

 private:
  std::vector<object> all_;
  std::map<std::string, std::size_t> by_path_;
};

// Returns the scale of a dimension, and makes it if no dataset has its name.
std::size_t scale_for(tree& t, hdf5_content const& c, hdf5_dataset const& d, std::size_t k) {
  std::size_t const slash = d.name.rfind('/');
  std::string const path =
      (slash == d.name.npos ? "" : d.name.substr(0, slash + 1)) + d.options.dimension_names[k];
  if (d.options.dimension_names[k].find('/') != std::string::npos)
    refuse("the name of a dimension, '" + d.options.dimension_names[k] + "', has a /");
  std::int64_t const length = d.shape[k];
  std::ptrdiff_t const found = t.find(path);
  if (found < 0) {
    std::size_t const made = t.add(path, object::kind::scale);
    t.all()[made].length = length;
    return made;
  }
  auto const there = static_cast<std::size_t>(found);
  object& o = t.all()[there];
  if (o.what == object::kind::group)
    refuse("'" + path + "' is a group and the name of a dimension");
  bool const grows = k == 0 && d.options.most > 0;
  if (o.what == object::kind::dataset) {
    std::vector<std::int64_t> const& shape = c.datasets[o.number].shape;
    if (shape.size() != 1 || (shape[0] != length && !grows))
      refuse("'" + path + "' has not the shape of the dimension of '" + d.name + "' that it names",
             "give a dataset of one dimension with " + std::to_string(length) + " elements");
  } else if (grows) {
    o.length = std::max(o.length, length);
  } else if (o.length != length) {
    refuse("the dimension '" + path + "' has " + std::to_string(o.length) + " elements, and " +
           std::to_string(length) + " in '" + d.name + "'");
  }
  return there;
}

void add_scales(tree& t, hdf5_content const& c, std::size_t user) {
  hdf5_dataset const& d = c.datasets[t.all()[user].number];
  std::vector<std::string> const& names = d.options.dimension_names;
  if (names.empty()) return;
  if (names.size() != d.shape.size())
    refuse("'" + d.name + "' has " + std::to_string(d.shape.size()) + " dimensions and " +
           std::to_string(names.size()) + " names of dimensions");
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::size_t const scale = scale_for(t, c, d, k);
    if (scale == user) {  // it is its own scale
      t.all()[user].uses.push_back({user, 0});
      return;
    }
    t.all()[user].scales.push_back(scale);
    t.all()[scale].uses.push_back({user, static_cast<std::int64_t>(k)});
  }
}

void require_attributes(std::vector<hdf5_attribute> const& all, std::string const& of) {
  std::vector<std::string_view> names;
  for (hdf5_attribute const& a : all) {
    if (a.name.empty() || a.name.find('\0') != a.name.npos || !is_utf8(a.name) ||
        a.name.size() > 0xfff)
      refuse("'" + a.name + "' is no name of an attribute");
    std::int64_t bytes = a.type.bytes;
    bool fits = true;
    for (std::int64_t const n : a.shape)
      fits = fits && n >= 0 && !__builtin_mul_overflow(bytes, n, &bytes);
    if (!fits || bytes != std::ssize(a.value))
      refuse("the attribute '" + a.name + "' of '" + of +
             "' has another value than its type and shape say");
    for (std::string_view const kept : {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"})
      if (a.name == kept)
        refuse("the attribute '" + a.name + "' belongs to dimension scales",
               "give dimension_names");
    names.push_back(a.name);
  }
  std::ranges::sort(names);
  if (auto const twice = std::ranges::adjacent_find(names); twice != names.end())
    refuse("'" + of + "' has the attribute '" + std::string(*twice) + "' twice");
}

}  // namespace

// The order of objects depends on their names only, so that the metadata of a file can be written
// again from its content.
std::vector<object> objects_of(hdf5_content const& c) {
  std::map<std::string, std::size_t> groups, datasets;
  for (std::size_t i = 0; i < c.groups.size(); ++i) {
    if (!groups.emplace(c.groups[i].name, i).second)
      refuse("the group '" + c.groups[i].name + "' is there twice");
    require_attributes(c.groups[i].attributes, c.groups[i].name);
  }
  for (std::size_t i = 0; i < c.datasets.size(); ++i) {
    if (!datasets.emplace(c.datasets[i].name, i).second)
      refuse("'" + c.datasets[i].name + "' is there twice");
    require_attributes(c.datasets[i].options.attributes, c.datasets[i].name);
  }
  std::set<std::string> all_groups;
  for (auto const& [name, number] : groups) all_groups.insert(name);
  for (auto const& [name, number] : datasets)
    if (std::size_t const slash = name.rfind('/'); slash != name.npos)
      all_groups.insert(name.substr(0, slash));
  tree t;
  for (std::string const& name : all_groups) {
    object& o = t.all()[t.group(name)];
    auto const found = groups.find(name);
    o.has_number = found != groups.end();
    if (o.has_number) o.number = found->second;
  }
  std::vector<std::size_t> made;
  for (auto const& [name, number] : datasets) {
    made.push_back(t.dataset(name));
    t.all()[made.back()].number = number;
  }
  for (std::size_t const d : made) add_scales(t, c, d);
  return std::move(t.all());
}

}  // namespace argosy::detail::hdf5
