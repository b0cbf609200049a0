// Data with views of its own: what read_views_all() and write_views_all() take.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>

#include <argosy/error/source_location.hpp>
#include <argosy/file/data.hpp>
#include <argosy/view/view.hpp>

namespace argosy {

// Data that a call writes, and the view through which it writes this data. The data begins at etype
// 0 of the view.
struct viewed_source {
  view through;
  source data;
};
// Data that a call reads into, and the view through which it reads this data.
struct viewed_target {
  view through;
  target data;
};

namespace detail {

// The views and the data of a call. It refers to both.
class view_list {
 public:
  view_list(view_list const&) = delete;
  view_list& operator=(view_list const&) = delete;

  std::size_t size() const noexcept { return size_; }
  view const& through(std::size_t i) const { return *item_(first_, i).through; }
  source const& data(std::size_t i) const { return *item_(first_, i).data; }
  // No data; it has the place of the call in the program.
  source& none() noexcept { return none_; }

 protected:
  struct item {
    view const* through;
    source const* data;
  };
  template <class Viewed>
  view_list(std::span<Viewed const> all, source_location where)
      : first_(all.data()),
        size_(all.size()),
        item_([](void const* first, std::size_t i) {
          Viewed const& one = static_cast<Viewed const*>(first)[i];
          return item{&one.through, &one.data};
        }),
        none_(where) {}
  ~view_list() = default;

 private:
  void const* first_;
  std::size_t size_;
  item (*item_)(void const*, std::size_t);
  source none_;
};

// Users write the list in braces, or give a container:
//   f.write_views_all({{of_pressure, pressure}, {of_speed, speed}});
//   f.write_views_all(variables);         std::vector<io::viewed_source> variables
//   f.write_views_all({});                no data, on a rank that has none
// An argument only: it must not outlive the call.
template <class Viewed>
class views : public view_list {
 public:
  views(std::initializer_list<Viewed> all, source_location where = source_location::current())
      : view_list(std::span<Viewed const>(all.begin(), all.size()), where) {}
  // A plan of a read may be asked for with the data of the read.
  template <std::ranges::contiguous_range All>
    requires std::same_as<std::ranges::range_value_t<All>, Viewed> ||
             std::same_as<std::ranges::range_value_t<All>, viewed_target>
  views(All const& all, source_location where = source_location::current())
      : view_list(std::span<std::ranges::range_value_t<All> const>(all), where) {}
};

}  // namespace detail

}  // namespace argosy
