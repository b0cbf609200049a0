// The workloads of IOR: each task its own segment, or transfers of all tasks in turn. Open and close are in the time.
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "workloads.hpp"

namespace papers {

namespace io = argosy;

namespace {

// Each task makes its transfers, one after the other, at the offsets that `at` says.
void transfers(player& p, io::lab::hollow_memory const& memory, std::int64_t count,
               std::function<std::int64_t(std::int64_t)> const& at) {
  std::int64_t const each = p.s.what.transfer_bytes;
  for (io::access_kind const kind : {io::access_kind::write, io::access_kind::read}) {
    bool const writes = kind == io::access_kind::write;
    p.time(kind, each * count * p.world.size(), [&] {
      if (p.how().plain) {
        plain_file f(p);
        for (std::int64_t k = 0; k < count; ++k)
          if (writes)
            f.write(at(k), memory.bytes());
          else
            f.read(at(k), memory.bytes());
        f.close();
      } else {
        auto f = io::lab::virtual_file::open(p.world, player::path, p.amode(), {}, p.opener());
        bool const together = p.how().together;
        io::any_policy const policy = together ? p.policy() : io::independent{};
        for (std::int64_t k = 0; k < count; ++k)
          if (writes)
            together ? f.write_at_all(at(k), memory.bytes(), policy) : f.write_at(at(k), memory.bytes(), policy);
          else
            together ? f.read_at_all(at(k), memory.bytes(), policy) : f.read_at(at(k), memory.bytes(), policy);
        f.close();
      }
    });
  }
}

}  // namespace

rates segmented(setup const& s) {
  io::lab::hollow_memory const memory(static_cast<std::size_t>(s.what.transfer_bytes));
  std::int64_t const each = s.what.transfer_bytes, count = s.bytes(each) / each;
  return play(s, [&](player& p) {
    transfers(p, memory, count, [&](std::int64_t k) { return (p.world.rank() * count + k) * each; });
  });
}

rates strided(setup const& s) {
  io::lab::hollow_memory const memory(static_cast<std::size_t>(s.what.transfer_bytes));
  std::int64_t const each = s.what.transfer_bytes, count = s.bytes(each) / each;
  return play(s, [&](player& p) {
    transfers(p, memory, count, [&](std::int64_t k) { return (k * p.world.size() + p.world.rank()) * each; });
  });
}

}  // namespace papers
