// The ranks of a world mount one simulated GPFS, which rank 0 hosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/lab/gpfs/host.hpp>
#include <argosy/lab/gpfs/mount.hpp>
#include <argosy/world/communicator.hpp>
#include <argosy/world/detail/first_failure.hpp>

namespace argosy::lab::gpfs {

//   std::error_code error;
//   auto fs = argosy::lab::gpfs::mount_together(world, {.directory = "data"}, error);
//   auto f = argosy::file::open(world, "state.dat", mode, {}, fs.files());
//   ...
//   fs.unmount(world);
class mounted_together {
 public:
  opener files() const { return mine_.files(); }
  mount const& node() const { return mine_; }             // its number is the rank
  gpfs::host const* host() const { return host_.get(); }  // null on other ranks than 0

  // Unmounts. Collective: the host stays until all ranks are done. If it is not called, calls of
  // other ranks fail with ESTALE when rank 0 destroys this.
  template <argosy::extend::agreeing World>
  void unmount(World const& world) {
    world.barrier();
    mine_.leave();
    mine_ = {};
    world.barrier();
    host_.reset();
  }

 private:
  template <argosy::extend::agreeing World>
  friend mounted_together mount_together(World const& world, host_options o,
                                         std::error_code& error);

  std::unique_ptr<gpfs::host> host_;
  mount mine_;
};

// Hosts a simulated GPFS on rank 0, and mounts it on all ranks. Collective. Fails on all ranks or
// on none, with the error of the lowest rank that failed. Rank 0's options are used. Costs two
// broadcasts and a reduction.
template <argosy::extend::agreeing World>
mounted_together mount_together(World const& world, host_options o, std::error_code& error) {
  mounted_together made;
  error.clear();
  std::string address;
  if (world.rank() == 0) {
    made.host_ = std::make_unique<host>(std::move(o), error);
    if (!error) address = made.host_->address();
  }
  std::size_t length = address.size();
  world.broadcast(std::as_writable_bytes(std::span(&length, 1)), 0);
  address.resize(length);
  world.broadcast(std::as_writable_bytes(std::span(address)), 0);
  if (!error && !address.empty()) made.mine_ = mount::to(address, world.rank(), error);
  error = argosy::detail::first_failure(world, error.value());
  if (error) return {};
  return made;
}

}  // namespace argosy::lab::gpfs
