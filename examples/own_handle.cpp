// A handle of your own, which all calls of a file use. This one scrambles the bytes, so that the
// file on disk is unreadable. All calls, views and policies work with it.
// Run: mpiexec -n 4 build/release/bin/own_handle
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/posix.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace io = argosy;

// The concept io::extend::handle has 14 operations. This class inherits from io::posix those that
// it does not change. A hole in the file reads as the key instead of 0; a complete handle would
// record which bytes were written.
struct scrambled : io::posix {
  scrambled() = default;
  explicit scrambled(io::posix file) : io::posix(std::move(file)) {}
  static scrambled open(std::string const& path, io::extend::open_flags flags,
                        std::error_code& error) {
    return scrambled(io::posix::open(path, flags, error));
  }

  io::extend::io_result read(std::int64_t offset, std::span<std::byte> memory) {
    io::extend::io_result const done = io::posix::read(offset, memory);
    for (std::byte& b : memory.first(static_cast<std::size_t>(done.bytes))) b ^= key;
    return done;
  }
  io::extend::io_result write(std::int64_t offset, std::span<std::byte const> memory) {
    // a copy, because the caller's data must not change
    std::vector<std::byte> copy(memory.begin(), memory.end());
    for (std::byte& b : copy) b ^= key;
    return io::posix::write(offset, copy);
  }
  // Reads the parts one after the other, up to the first that is short. `bytes` is the sum over all
  // parts.
  io::extend::io_result read(std::span<io::read_part const> parts) {
    return each(parts, [this](auto... a) { return read(a...); });
  }
  io::extend::io_result write(std::span<io::write_part const> parts) {
    return each(parts, [this](auto... a) { return write(a...); });
  }

 private:
  static constexpr std::byte key{0x5a};
  template <class Part, class F>
  static io::extend::io_result each(std::span<Part const> parts, F&& transfer) {
    io::extend::io_result all;
    for (Part const& p : parts) {
      io::extend::io_result const one = transfer(p.offset, p.memory);
      all = {all.bytes + one.bytes, one.error};
      if (one.error || one.bytes < static_cast<std::int64_t>(p.memory.size())) break;
    }
    return all;
  }
};
static_assert(io::extend::openable<scrambled>);

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  auto f = io::file::open(world, "own_handle.dat", io::mode::create | io::mode::read_write, {},
                          io::extend::opener_of<scrambled>());
  // every size-th double
  f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
  std::vector<double> const u(100, 1.5 + world.rank());
  std::vector<double> back(100);
  f.write_all(u);
  f.read_at_all(0, back);
  f.close();

  double raw = 0;  // the bytes as a program without this handle reads them
  std::ifstream("own_handle.dat", std::ios::binary).read(reinterpret_cast<char*>(&raw), sizeof raw);
  if (world.rank() == 0)
    std::cout << "read through the handle: " << back[0] << "\nread from the disk: " << raw << "\n";
  return back == u && raw != 1.5 ? 0 : 1;
}
