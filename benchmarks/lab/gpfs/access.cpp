// The ways in which ranks write their pieces to the file and read them.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/lab/cluster/file.hpp>

#include "directives.hpp"
#include "experiment.hpp"

namespace shapes {

namespace io = argosy;

namespace {

using bytes = std::vector<std::byte>;

// The pieces, one behind the other in memory.
struct pieces {
  pieces(std::vector<std::int64_t> at, std::int64_t length, bool is_write, std::uint64_t salt)
      : offsets(std::move(at)),
        piece_bytes(length),
        memory(offsets.size() * static_cast<std::size_t>(length)) {
    if (is_write)
      for (std::size_t i = 0; i < offsets.size(); ++i) fill(piece(i), offsets[i], salt);
  }
  std::span<std::byte> piece(std::size_t i) {
    return std::span(memory).subspan(i * static_cast<std::size_t>(piece_bytes),
                                     static_cast<std::size_t>(piece_bytes));
  }
  void check(std::uint64_t salt) {
    for (std::size_t i = 0; i < offsets.size(); ++i) require(piece(i), offsets[i], salt);
  }

  std::vector<std::int64_t> offsets;
  std::int64_t piece_bytes;
  bytes memory;
};

void require_all(io::extend::io_result const& r, std::span<std::byte const> memory) {
  require(r.error, "transfer");
  if (r.bytes != static_cast<std::int64_t>(memory.size()))
    throw std::runtime_error("a short transfer");
}

}  // namespace

measured through_file(stage& s, access_kind kind, file_access const& how, std::uint64_t salt,
                      std::int64_t piece_bytes,
                      std::function<std::vector<std::int64_t>(int rank)> const& pieces_of) {
  bool const is_write = kind == access_kind::write;
  return s.run([&](player& p) {
    pieces mine(pieces_of(p.rank()), piece_bytes, is_write, salt);
    io::hints const h = how.served ? io::hints{.largeblock_io = io::largeblock::off} : io::hints{};
    auto f = io::basic_file<io::lab::virtual_rank>::open(
        p.world(), stage::path, io::mode::create | io::mode::read_write, h, s.files.opener());
    f.set_view(0, {io::bytes(1), io::table(mine.offsets, piece_bytes)});
    io::report all;
    auto const move = [&](std::int64_t position, std::span<std::byte> memory) {
      io::report const r = is_write ? (how.together ? f.write_at_all(position, memory, how.policy)
                                                    : f.write_at(position, memory, how.policy))
                                    : (how.together ? f.read_at_all(position, memory, how.policy)
                                                    : f.read_at(position, memory, how.policy));
      if (r.bytes != static_cast<std::int64_t>(memory.size()))
        throw std::runtime_error("a short transfer");
      all.messages += r.messages;
    };
    p.start();
    if (how.each)
      for (std::size_t i = 0; i < mine.offsets.size(); ++i)
        move(static_cast<std::int64_t>(i) * piece_bytes, mine.piece(i));
    else
      move(0, mine.memory);
    if (is_write) f.sync();
    p.stop(all);
    f.close();
    if (!is_write) mine.check(salt);
  });
}

measured by_calls(stage& s, access_kind kind, std::uint64_t salt, std::int64_t piece_bytes,
                  std::function<std::vector<std::int64_t>(int rank)> const& pieces_of,
                  bool partitioned) {
  bool const is_write = kind == access_kind::write;
  return s.run([&](player& p) {
    pieces mine(pieces_of(p.rank()), piece_bytes, is_write, salt);
    io::lab::virtual_gpfs_handle f = opened(p);
    p.start();
    if (partitioned) {
      start_partitioning all;
      all.start.numInstances = s.ranks();
      require(f.fcntl(all), "start of partitioning");
    }
    for (std::size_t i = 0; i < mine.offsets.size(); ++i)
      require_all(is_write ? f.write(mine.offsets[i], mine.piece(i))
                           : f.read(mine.offsets[i], mine.piece(i)),
                  mine.piece(i));
    if (partitioned) {
      stop_partitioning all;
      require(f.fcntl(all), "stop of partitioning");
    }
    if (is_write) require(f.sync(), "sync");
    p.stop();
    require(f.close(), "close");
    if (!is_write) mine.check(salt);
  });
}

}  // namespace shapes
