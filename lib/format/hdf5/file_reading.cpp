// The content of an HDF5 file: its superblock, and all objects that the root links to.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "objects.hpp"
#include "reader.hpp"

namespace argosy::detail {

using namespace hdf5;

namespace {

constexpr std::size_t most_objects = std::size_t{1} << 20;
constexpr int deepest_group = 64;

// Takes the superblock, and returns the address of the root's object header.
std::int64_t take_superblock(metadata const& file, hdf5_file& into) {
  constexpr std::string_view what = "the superblock", mark = "\x89HDF\r\n\x1a\n";
  auto const bytes = file.start_at(0, 128, what);
  if (bytes.size() < mark.size() ||
      !std::ranges::equal(std::span(bytes).first(8), std::as_bytes(std::span(mark))))
    throw unreadable{{errc::damaged, "this is no HDF5 file: it does not begin with \\x89HDF"}};
  taker from{std::span(bytes).subspan(8), what};
  std::uint64_t const version = from.number(1);
  if (version > 3) throw_unsupported("a superblock of version " + std::to_string(version));
  auto const sizes = [&] {
    std::uint64_t const offset = from.number(1), length = from.number(1);
    if (offset != 8 || length != 8) throw_unsupported("a file whose addresses have not 8 bytes");
  };
  std::int64_t base = 0, root = 0;
  if (version >= 2) {
    if (bytes.size() < 48) throw_damaged("the superblock ends too early");
    require_checksum(std::span(bytes).first(48), what);
    sizes();
    from.take(1);
    base = from.address();
    from.take(8);
    into.end = from.address();
    root = from.address();
  } else {
    from.take(4);
    sizes();
    from.take(version == 1 ? 13 : 9);
    base = from.address();
    from.take(8);
    into.end = from.address();
    from.take(16);  // a driver, and the name of the root
    root = from.address();
  }
  if (base != 0) throw_unsupported("a file with a user block");
  if (into.end > file.file_bytes())
    throw_damaged("the file has " + std::to_string(file.file_bytes()) +
                  " bytes; its superblock speaks of " + std::to_string(into.end));
  return root;
}

// A dataset as it was found, with what names its dimensions.
struct found_dataset {
  hdf5_dataset dataset;
  hdf5_place place;
  std::vector<std::int64_t> scales;  // addresses of object headers
  bool is_scale = false, has_values = true;
};

// Walks all groups, from the root on.
class walk {
 public:
  walk(metadata const& file, hdf5_file& into) : file_(file), into_(into) {}

  void group(std::string const& path, std::int64_t address, int depth) {
    // A link to a group that was found before, or is above, is not followed.
    if (!seen_.insert(address).second) return;
    if (depth > deepest_group)
      throw_unsupported("groups inside of each other beyond a depth of 64");
    auto const object = messages_at(file_, address);
    if (!is_group(object)) throw_damaged("'" + path + "' is no group");
    group(path, object, depth);
  }
  void finish();

 private:
  void group(std::string const& path, std::vector<found_message> const& object, int depth) {
    failure left_out;
    std::vector<hdf5_attribute> own;
    for (found_attribute& a : attributes_of(file_, object, left_out))
      if (a.what == file_type::special::none) own.push_back(std::move(a.value));
    if (!own.empty()) into_.content.groups.push_back({path, std::move(own)});
    bool any = false;
    for (found_link const& l : links_in(file_, object)) {
      if (++count_ > most_objects) throw_unsupported("a file of more than 1048576 objects");
      std::string const name = path.empty() ? l.name : path + "/" + l.name;
      any = true;
      if (l.address < 0)
        into_.unread.push_back({name,
                                {errc::unsupported, "'" + name + "' is " + l.what +
                                                        ", which this library does not follow"}});
      else
        child(name, l.address, depth);
    }
    if (!any && !path.empty() &&
        (into_.content.groups.empty() || into_.content.groups.back().name != path))
      into_.content.groups.push_back({path, {}});
  }
  void child(std::string const& name, std::int64_t address, int depth) {
    try {
      auto const object = messages_at(file_, address);
      if (find(object, message::layout))
        dataset(name, address, object);
      else if (is_group(object))
        group(name, address, depth + 1);
    } catch (unreadable& x) {
      if (x.why.code != errc::unsupported) throw;
      into_.unread.push_back(
          {name, {errc::unsupported, "'" + name + "' is or has " + x.why.detail}});
    }
  }
  void dataset(std::string const& name, std::int64_t address,
               std::vector<found_message> const& object);
  void take_scales(found_dataset& d, found_attribute const& a) const;

  metadata const& file_;
  hdf5_file& into_;
  std::vector<found_dataset> found_;
  std::map<std::int64_t, std::string> names_;  // names of scales, by address
  std::set<std::int64_t> seen_;
  std::size_t count_ = 0;
};

void walk::dataset(std::string const& name, std::int64_t address,
                   std::vector<found_message> const& object) {
  found_dataset d;
  d.dataset.name = name;
  d.place.header = address;
  names_.emplace(address, name.substr(name.rfind('/') + 1));
  if (failure why = failure_in([&] { take_dataset(file_, object, d.dataset, d.place); })) {
    if (why.code != errc::unsupported) throw unreadable{std::move(why)};
    d.place.unreadable = {errc::unsupported, "'" + name + "' is or has " + why.detail};
  }
  failure left_out;
  for (found_attribute& a : attributes_of(file_, object, left_out)) {
    std::string const& label = a.value.name;
    std::string const text = a.value.text().value_or("");
    if (label == "CLASS" && text == "DIMENSION_SCALE")
      d.is_scale = true;
    else if (label == "NAME" && text.starts_with(no_coordinates))
      d.has_values = false;
    else if (label == "DIMENSION_LIST" && a.what == file_type::special::list_of_references)
      take_scales(d, a);
    else if (label != "NAME" && a.what == file_type::special::none)
      d.dataset.options.attributes.push_back(std::move(a.value));
  }
  std::erase_if(d.dataset.options.attributes,
                [&](hdf5_attribute const& a) { return d.is_scale && a.name == "REFERENCE_LIST"; });
  found_.push_back(std::move(d));
}

void walk::take_scales(found_dataset& d, found_attribute const& a) const {
  taker from(a.value.value, "the scales of a dataset");
  while (from.left() >= 16) {
    std::uint64_t const count = from.number(4);
    std::int64_t const heap = from.address();
    std::uint64_t const index = from.number(4);
    std::int64_t scale = -1;
    if (count > 0 && heap >= 0) {
      auto const references = heap_object(file_, heap, index);
      scale = taker(references, "a reference to a scale").address();
    }
    d.scales.push_back(scale);
  }
}

// Names the dimensions, once the names of all scales are known.
void walk::finish() {
  for (found_dataset& d : found_) {
    if (d.is_scale && !d.has_values) continue;
    std::vector<std::string>& names = d.dataset.options.dimension_names;
    if (d.scales.size() == d.dataset.shape.size())
      for (std::int64_t const scale : d.scales) {
        auto const name = names_.find(scale);
        names.push_back(name == names_.end() ? std::string() : name->second);
      }
    else if (d.is_scale && d.dataset.shape.size() == 1)
      names.push_back(names_.at(d.place.header));
    if (std::ranges::find(names, "") != names.end()) names.clear();
    into_.content.datasets.push_back(std::move(d.dataset));
    into_.places.push_back(std::move(d.place));
  }
}

}  // namespace

failure find_hdf5(hdf5_read const& read, std::int64_t file_bytes, hdf5_file& into) {
  return failure_in([&] {
    into = {};
    metadata const file(read, file_bytes);
    walk all(file, into);
    all.group({}, take_superblock(file, into), 0);
    all.finish();
  });
}

}  // namespace argosy::detail
