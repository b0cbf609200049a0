// The mount of a simulated GPFS in a process, which is then a client node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>
#include <argosy/lab/gpfs/file_calls.hpp>

namespace argosy::lab::gpfs {

// Any thread may call. A thread of the mount, which makes no MPI calls, answers revocations and
// maintains the cache while the process computes. If the host dies, all calls under way and later
// ones fail with ESTALE.
//
// Copies are the same mount. It ends with the last copy and the last of its files. All member
// functions but is_mounted() need a mount.
class mount {
 public:
  static constexpr int any_node = -1;

  mount() = default;  // mounts nothing
  // Mounts as this node, and waits for the host's answer. Local. Fails with EBUSY if this node
  // number is in use, was used before, or is 2^20 or more. If it is any_node, the host chooses one.
  static mount to(std::string const& address, int node, std::error_code& error);

  bool is_mounted() const { return state_ != nullptr; }
  int node() const;
  machine const& hardware() const;
  client_counters counters() const;
  std::optional<std::int64_t> file_of(int instance) const;

  // Carries out a call, and waits for its end.
  detail::completion perform(detail::call c) const;
  // Asks the host, after a close, whether the ordinary file got its length when its last instance
  // was closed. Returns an errno, or 0. The host reports each error once, to the first that asks.
  // Returns ESTALE if the host is dead.
  int at_rest(std::string const& name) const;
  // Unmounts this node. Files that are still open become unusable, and their data that is not
  // flushed is lost.
  void leave() const;

  // Returns an opener. The host defines the meaning of names.
  opener files() const;

 private:
  class state;
  std::shared_ptr<state> state_;
};

// An open file. Closing it flushes, because the process may end then. The last close gives the
// ordinary file its length. The destructor closes, but cannot report an error.
class mounted_file : public file_calls<mounted_file> {
 public:
  mounted_file() = default;
  mounted_file(mounted_file&& o) noexcept { swap(o); }
  mounted_file& operator=(mounted_file&& o) noexcept {
    swap(o);
    return *this;
  }
  ~mounted_file() {
    if (is_open()) close();
  }

  static mounted_file open(mount const& where, std::string path, open_flags flags,
                           std::error_code& error);

  std::error_code close();
  bool is_open() const { return mount_.is_mounted(); }
  std::int64_t block_bytes() const { return is_open() ? mount_.hardware().block_bytes : 4096; }
  argosy::extend::storage storage() const {
    return is_open() ? mount_.hardware().storage() : argosy::extend::storage();
  }
  std::optional<file_identity> identity() const;
  int node() const { return is_open() ? mount_.node() : argosy::extend::unknown_node; }

 private:
  friend class file_calls<mounted_file>;
  detail::completion carry(detail::call c) {
    return is_open() ? mount_.perform(std::move(c)) : detail::completion{0, 0, EBADF, {}};
  }
  static std::int64_t owner();  // a number of this thread
  static bool is_hollow() { return false; }
  void swap(mounted_file& o) noexcept {
    std::swap(mount_, o.mount_);
    std::swap(instance_, o.instance_);
    std::swap(path_, o.path_);
  }

  mount mount_;
  std::string path_;
};

static_assert(takes_fcntl<mounted_file>);

}  // namespace argosy::lab::gpfs
