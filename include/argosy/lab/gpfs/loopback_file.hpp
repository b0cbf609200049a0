// An open file of one node of a loopback, as a handle. Every call runs the simulation until the
// call is complete.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/handle.hpp>
#include <argosy/handle/hinting.hpp>
#include <argosy/lab/gpfs/file_calls.hpp>
#include <argosy/lab/gpfs/loopback.hpp>

namespace argosy::lab::gpfs {

// Throws std::logic_error for a lock that another instance holds, because nothing runs meanwhile
// that could release it.
class loopback_file : public file_calls<loopback_file> {
 public:
  loopback_file() = default;
  loopback_file(loopback_file&& o) noexcept { *this = std::move(o); }
  loopback_file& operator=(loopback_file&& o) noexcept {
    std::swap(host_, o.host_);
    std::swap(node_, o.node_);
    std::swap(instance_, o.instance_);
    return *this;
  }

  static loopback_file open(loopback& host, int node, std::string path, open_flags flags,
                            std::error_code& error) {
    detail::completion const done = host.perform(node, opening(std::move(path), flags));
    error = code(done);
    loopback_file f;
    if (error) return f;
    f.host_ = &host;
    f.node_ = node;
    f.instance_ = static_cast<int>(done.value);
    return f;
  }

  std::error_code close() {
    detail::completion const done = carry(make(detail::call_kind::close));
    host_ = nullptr;
    return code(done);
  }
  bool is_open() const { return host_ != nullptr; }
  std::int64_t block_bytes() const {
    return host_ != nullptr ? host_->hardware().block_bytes : 4096;
  }
  argosy::extend::storage storage() const {
    return host_ != nullptr ? host_->hardware().storage() : argosy::extend::storage();
  }

  loopback::ticket start(detail::call c) { return host_->start(node_, std::move(c)); }
  int node() const { return node_; }

 private:
  friend class file_calls<loopback_file>;
  detail::completion carry(detail::call c) {
    return host_ != nullptr ? host_->perform(node_, std::move(c))
                            : detail::completion{0, 0, EBADF, {}};
  }
  std::int64_t owner() const { return 0; }
  bool is_hollow() const { return host_ != nullptr && host_->client(node_).is_hollow(instance_); }

  loopback* host_ = nullptr;
  int node_ = 0;
};

static_assert(takes_fcntl<loopback_file>);

}  // namespace argosy::lab::gpfs
