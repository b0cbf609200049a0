// Opens a file on virtual ranks, and shows what each rank has then and for what it waited.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>
#include <argosy/file/detail/protocol/open_steps.hpp>
#include <argosy/file/detail/ranks/crew_meeting.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/lab/cluster/virtual_cluster.hpp>
#include <argosy/lab/cluster/virtual_files.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace opens {

namespace io = argosy;
using Catch::Contains;
using io::errc;
using io::file_call;
using io::mode;
using io::extend::agreement;
using io::extend::any_handle;
using io::extend::handle_call;
using io::extend::io_result;
using io::lab::virtual_rank;
using io::test::scratch;
using steps = std::vector<std::string>;

constexpr mode created = mode::create | mode::read_write;

// A virtual rank that names each collective operation before it begins and after it has ended.
class watched_rank : public virtual_rank {
 public:
  using told = std::function<void(std::string_view operation, bool begins)>;
  watched_rank(virtual_rank inner, told t) : virtual_rank(std::move(inner)), told_(std::move(t)) {}

  static inline bool several_threads = false;
  static bool calls_from_threads() { return several_threads; }
  void note(std::string_view what, io::extend::source_location where) const {
    told_("note of " + std::string(what), true);
    virtual_rank::note(what, where);
  }
  void barrier() const {
    within("barrier", [&] { virtual_rank::barrier(); });
  }
  template <io::extend::reducible T>
  void all_reduce(T& value) const {
    within("all_reduce", [&] { virtual_rank::all_reduce(value); });
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
    within("all_gather", [&] { virtual_rank::all_gather(mine, all); });
  }
  void broadcast(std::span<std::byte> message, int root) const {
    within("broadcast", [&] { virtual_rank::broadcast(message, root); });
  }
  watched_rank duplicate() const {
    told_("duplicate", true);
    return {virtual_rank::duplicate(), told_};
  }
  watched_rank split(int colour, int key) const {
    return {virtual_rank::split(colour, key), told_};
  }
  watched_rank node() const { return {virtual_rank::node(), told_}; }
  watched_rank beside() const { return {virtual_rank::beside(), told_}; }

 private:
  template <class Act>
  void within(std::string_view operation, Act&& act) const {
    told_(operation, true);
    act();
    told_(operation, false);
  }
  told told_;
};

using crew = io::detail::crew<watched_rank>;

// How a rank opens its file.
struct opening {
  std::string path;
  mode how;
  io::opener files;
  io::hints hints = {};
};

// A handle that is asked before each call, and that may say that it lies elsewhere.
struct changes {
  std::function<std::error_code(file_call)> before = {};
  std::optional<std::int64_t> size = {};
  bool over_network = false, locks_are_seen = true;
};
class changed : public io::extend::forwarding<changed, any_handle> {
 public:
  changed(any_handle inner, changes c) : forwarding(std::move(inner)), is_(std::move(c)) {}
  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    if (is_.before)
      if (std::error_code const e = is_.before(call.kind)) return {0, e};
    return act();
  }
  std::int64_t size(std::error_code& error) {
    std::int64_t const found = forwarding::size(error);
    return is_.size.value_or(found);
  }
  io::extend::storage storage() const {
    io::extend::storage s = forwarding::storage();
    s.over_network = is_.over_network;
    return s;
  }
  std::optional<bool> is_locked(std::int64_t offset, std::int64_t length) const {
    return is_.locks_are_seen ? forwarding::is_locked(offset, length) : false;
  }

 private:
  changes is_;
};
inline io::opener with(changes c, io::opener const& files) {
  return files.wrapping([c](any_handle h) { return any_handle(changed(std::move(h), c)); });
}

// Opens a file on ranks that have a node each. `given` says how a rank opens it, and `look` sees
// what the rank has then. Returns the operations of rank 0.
template <class Given, class Look>
steps open_on(
    int ranks, Given const& given, Look const& look,
    std::function<void(int, std::string_view, bool, virtual_rank const&)> const& at = {}) {
  steps all;
  io::lab::virtual_cluster({.ranks = ranks, .ranks_per_node = 1},
                           {.stack_bytes = std::size_t{1} << 20})
      .run([&](virtual_rank const& world) {
        int const rank = world.rank();
        bool opens = true;
        watched_rank const mine(world, [&](std::string_view operation, bool begins) {
          if (at) at(rank, operation, begins, world);
          if (opens && begins && rank == 0) all.emplace_back(operation);
        });
        opening const o = given(rank);
        crew c;
        agreement const result =
            io::detail::open_steps<watched_rank>(c, o.path, o.how, o.hints).run(mine, o.files);
        opens = false;
        look(rank, c, result);
        if (c.world) c.disband();
        c.file->abandon(false);
      });
  return all;
}

inline void succeeds(int, crew const& c, agreement const& result) {
  CHECK(result);
  CHECK(c.world);
}

inline steps operator+(steps a, steps const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
// The operations after the ranks have agreed on the arguments: rank 0 tells its number, all have
// opened the file, they make the shared pointer, and find out the storage. If rank 0 keeps the
// pointer, they find out whether all can ask it.
inline steps opened(bool enters = true, bool asks = false) {
  return (enters ? steps{"broadcast"} : steps()) + steps{"all_reduce", "all_reduce", "broadcast"} +
         (asks ? steps{"all_reduce"} : steps()) + steps{"all_reduce"};
}
inline steps const begun{"note of open", "duplicate"};
inline steps const same{"all_reduce"};                                // the arguments are equal
inline steps const differ{"all_reduce", "all_reduce", "all_gather"};  // they are not
inline steps const hints_differ = differ + steps(4, "broadcast");     // the lines that differ

// A variable of the environment.
class setting {
 public:
  setting(char const* name, std::string const& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  setting(setting const&) = delete;
  setting& operator=(setting const&) = delete;
  ~setting() { ::unsetenv(name_); }

 private:
  char const* name_;
};

}  // namespace opens
