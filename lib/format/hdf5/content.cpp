// Implements format/hdf5_content.hpp and format/hdf5_attribute.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/hdf5_content.hpp>

#include <algorithm>
#include <utility>

#include <argosy/agree/detail/arguments.hpp>
#include <argosy/format/detail/hdf5/hdf5_file.hpp>

#include "../literal.hpp"

namespace argosy {

hdf5_attribute::hdf5_attribute(std::string attribute_name, std::string_view text)
    : name(std::move(attribute_name)),
      type{.kind = 'S', .bytes = std::max<std::int64_t>(1, std::ssize(text)), .fields = {}} {
  auto const bytes = std::as_bytes(std::span(text));
  value.assign(bytes.begin(), bytes.end());
  value.resize(static_cast<std::size_t>(type.bytes));  // HDF5 has no text of no bytes
}

hdf5_attribute::hdf5_attribute(std::string attribute_name,
                               std::vector<std::string_view> const& texts)
    : name(std::move(attribute_name)), shape{std::ssize(texts)} {
  std::size_t longest = 1;
  for (std::string_view const one : texts) longest = std::max(longest, one.size());
  type = {.kind = 'S', .bytes = static_cast<std::int64_t>(longest), .fields = {}};
  value.resize(texts.size() * longest);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ranges::copy(std::as_bytes(std::span(texts[i])),
                      value.begin() + static_cast<std::ptrdiff_t>(i * longest));
}

std::optional<std::vector<std::string>> hdf5_attribute::texts() const {
  if (type.kind != 'S' || type.bytes < 1) return {};
  std::vector<std::string> all;
  auto const longest = static_cast<std::size_t>(type.bytes);
  for (std::span<std::byte const> left = value; left.size() >= longest;
       left = left.subspan(longest)) {
    auto const one = left.first(longest);
    auto const end = std::ranges::find(one, std::byte{0});
    all.emplace_back(reinterpret_cast<char const*>(one.data()),
                     static_cast<std::size_t>(end - one.begin()));
  }
  return all;
}

std::optional<std::string> hdf5_attribute::text() const {
  if (type.bytes != std::ssize(value)) return {};
  auto all = texts();
  return all ? std::optional(std::move(all->front())) : std::nullopt;
}

hdf5_content& hdf5_content::add(std::string name, array_part const& whole, hdf5_options how) {
  datasets.push_back({std::move(name), whole.shape(), whole.type(), std::move(how)});
  return *this;
}

hdf5_content& hdf5_content::add_group(std::string name, std::vector<hdf5_attribute> attributes) {
  auto const found = std::ranges::find(groups, name, &hdf5_group::name);
  if (found == groups.end())
    groups.push_back({std::move(name), std::move(attributes)});
  else
    std::ranges::move(attributes, std::back_inserter(found->attributes));
  return *this;
}

hdf5_dataset const* hdf5_content::find(std::string_view name) const {
  auto const found = std::ranges::find(datasets, name, &hdf5_dataset::name);
  return found == datasets.end() ? nullptr : &*found;
}

std::string to_string(hdf5_content const& c) {
  std::string all;
  for (hdf5_dataset const& d : c.datasets) {
    all += d.name + " " + to_string(d.type) + " " + detail::python_tuple(d.shape);
    hdf5_options const& how = d.options;
    if (how.most > 0) all += ", up to " + std::to_string(how.most) + " along the first dimension";
    if (!how.chunks.empty()) all += ", chunks " + detail::python_tuple(how.chunks);
    for (hdf5_filter const& f : how.filters) all += ", " + std::string(f.name());
    all += '\n';
  }
  return all;
}

namespace detail {

std::string lines_of(hdf5_attribute const& a, std::string const& of) {
  std::string_view const value(reinterpret_cast<char const*>(a.value.data()), a.value.size());
  return "attribute '" + of + "' '" + a.name + "' " + to_string(a.type) + " " +
         python_tuple(a.shape) + " sum " + std::to_string(fingerprint(value)) + "\n";
}

namespace {

std::string lines_of(std::vector<hdf5_attribute> const& all, std::string const& of) {
  std::string text;
  for (hdf5_attribute const& a : all) text += detail::lines_of(a, of);
  return text;
}

}  // namespace

std::string lines_of(hdf5_content const& c) {
  std::string text;
  for (hdf5_group const& g : c.groups)
    text += "group '" + g.name + "'\n" + lines_of(g.attributes, g.name);
  for (hdf5_dataset const& d : c.datasets) {
    text += "dataset '" + d.name + "' " + to_string(d.type) + " " + python_tuple(d.shape) + " " +
            python_tuple(d.options.chunks) + " " + std::to_string(d.options.most);
    for (hdf5_filter const& f : d.options.filters)
      text += " " + std::string(f.name()) + " " + std::to_string(f.level());
    for (std::string const& name : d.options.dimension_names) text += " " + python_text(name);
    text += "\n" + lines_of(d.options.attributes, d.name);
  }
  return text;
}

}  // namespace detail
}  // namespace argosy
