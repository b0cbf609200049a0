// argosy calibrate: measures the prices of calls in a directory, from which `automatic` chooses,
// and writes them as hints.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include <argosy/argosy.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/layout/detail/counted.hpp>
#include <layout/axis.hpp>

#include "../arguments/arguments.hpp"
#include "commands.hpp"
#include "crowd.hpp"
#include "json.hpp"
#include "mpi_session.hpp"
#include "work_file.hpp"

namespace argosy::tool {
namespace {

using clock = std::chrono::steady_clock;

struct price {
  std::string hint;
  double ns = 0;
  std::string what;
};

void require(std::error_code error, std::string const& what) {
  if (error) throw std::system_error(error, what);
}
void require(io_result const& done, std::int64_t bytes, char const* what) {
  require(done.error, what);
  if (done.bytes != bytes) throw std::runtime_error(std::string(what) + ": the call was cut short");
}

// Returns the median time of a call over some turns, in nanoseconds. A turn makes `times` calls, or
// as many as fit into half a second. `before` runs before each turn.
template <class F, class B = decltype([] {})>
double median_ns(int times, F&& call, B&& before = {}) {
  std::array<double, 7> turns{};
  for (double& t : turns) {
    before();
    auto const begin = clock::now();
    auto const passed = [&] {
      return std::chrono::duration<double, std::nano>(clock::now() - begin).count();
    };
    int done = 0;
    do call(done++);
    while (done < times && (done % 16 != 0 || passed() < 5e8));
    t = passed() / done;
  }
  std::ranges::nth_element(turns, turns.begin() + turns.size() / 2);
  return turns[turns.size() / 2];
}

// Measures the prices of this rank alone, as docs/develop/prices.md describes. Local.
std::vector<price> prices_of_file(std::string const& path) {
  constexpr std::int64_t file_bytes = 16 << 20, page = 4096, chunk = 256 << 10, small = 512;
  std::error_code error;
  any_handle f = posix_opener()(path, {.read = true, .write = true, .create = true}, error);
  require(error, "opening " + path);
  std::vector<std::byte> buffer(chunk, std::byte{1});
  for (std::int64_t at = 0; at < file_bytes; at += chunk)
    require(f.write(at, buffer), chunk, "writing");
  constexpr int pages = file_bytes / page, chunks = file_bytes / chunk;
  auto const few = std::span(buffer).first(small);
  // Drops the cache before reads. If each node has a cache of its own, the data that a collective
  // call reads is not in it.
  auto const drop = [&] { require(f.reconcile(), "dropping what is kept"); };
  double const read = median_ns(
      pages / 2, [&](int i) { require(f.read(i * 2 * page, few), small, "reading"); }, drop);
  double const write = median_ns(
      pages / 2, [&](int i) { require(f.write(i * 2 * page + 64, few), small, "writing"); });
  double const read_chunk =
      median_ns(chunks, [&](int i) { require(f.read(i * chunk, buffer), chunk, "reading"); }, drop);
  double const write_chunk =
      median_ns(chunks, [&](int i) { require(f.write(i * chunk, buffer), chunk, "writing"); });
  // A call costs its start and its bytes. A rank that rewrites a window pays both halves of a
  // byte's price, for reading and for writing.
  double const byte = std::max(
      0.0, (read_chunk - read + (write_chunk - write)) / 2 / static_cast<double>(chunk - small));
  std::vector<price> all{
      {"argosy_price_call_ns", std::max(1.0, read - small * byte), "a call that reads"},
      {"argosy_price_write_call_ns", std::max(1.0, write - small * byte), "a call that writes"},
      {"argosy_price_byte_ns", byte, "a byte between file and memory"}};
  if (std::error_code const refused = f.lock(0, page, lock_kind::exclusive); !refused) {
    require(f.unlock(0, page), "unlocking");
    all.push_back({"argosy_price_lock_ns",
                   median_ns(1000,
                             [&](int i) {
                               require(f.lock(i * page, page, lock_kind::exclusive), "locking");
                               require(f.unlock(i * page, page), "unlocking");
                             }),
                   "locking and unlocking a range"});
  }
  // The price of pieces of 64 bytes in a chunk, without the price of their bytes.
  layout const pieces = repeat(chunk / 128, 128, argosy::bytes(64));
  std::vector<std::byte> out(static_cast<std::size_t>(pieces.size()));
  double const packing =
      median_ns(50, [&](int) { pack(pieces, buffer.data(), 0, pieces.size(), out.data()); });
  double const copying =
      median_ns(50, [&](int) { std::memcpy(out.data(), buffer.data(), out.size()); });
  all.push_back({"argosy_price_piece_ns",
                 std::max(0.0, packing - copying) / static_cast<double>(pieces.pieces()),
                 "picking one piece out of a buffer"});
  require(f.close(), "closing");
  return all;
}

// Measures the prices of ranks together: the wait in a round of an exchange, and the transfer of a
// byte.
std::vector<price> prices_of_messages(mpi const& world) {
  constexpr int times = 50;
  constexpr std::size_t chunk = 256 << 10;
  std::vector<std::byte> out(chunk, std::byte{1}), in(chunk);
  largest copied{median_ns(times,
                           [&](int i) {
                             out[static_cast<std::size_t>(i)] = std::byte{2};
                             std::memcpy(in.data(), out.data(), chunk);
                           }) /
                 static_cast<double>(chunk)};
  world.all_reduce(copied);
  auto const measured = detail::measure_messages(world, 201);
  if (!measured)
    throw std::runtime_error("a rank has no memory for messages that are measured; give it more");
  detail::message_prices const& messages = *measured;
  // Bytes between nodes travel as messages.
  double const byte =
      world.node().size() < world.size() ? std::max(copied.value, messages.byte_ns) : copied.value;
  return {{"argosy_price_message_ns", messages.round_ns,
           "ranks that wait for each other, once a round"},
          {"argosy_price_message_byte_ns", byte, "a byte between ranks"}};
}

// The time of a piece, and the factor by which the storage says that a crowd is slower.
struct new_pieces {
  double piece_ns = 0, factor = 1;
};

// The first `writers` ranks write small pieces into a new file, which lie between each other's.
// Returns the time of the slowest rank for a piece, in nanoseconds: the median over some new files.
// `path` is a file of all ranks, which rank 0 removes. Collective.
new_pieces time_new_pieces(mpi const& world, std::string const& path, int writers) {
  constexpr std::int64_t piece = 8 << 10, most_pieces = 64 << 10;  // all ranks together
  std::int64_t const pieces = std::clamp<std::int64_t>(most_pieces / world.size(), 32, 512);
  static constexpr std::array<std::byte, piece>
      buffer{};  // no rank may fail before the others meet
  new_pieces result;
  std::array<double, 7> turns{};
  largest bad{0};
  std::string why;
  auto const on_this_rank = [&](auto const& work) {
    if (why.empty()) try {
        work();
      } catch (std::exception const& e) {
        why = e.what();
        bad.value = 1;
      }
  };
  any_handle f;
  for (double& t : turns) {
    std::error_code error;
    if (world.rank() == 0) ::unlink(path.c_str());
    world.barrier();
    on_this_rank([&] {
      f = posix_opener()(path, {.read = true, .write = true, .create = true}, error);
      require(error, "opening " + path);
      result.factor = f.storage().exchange.crowd;
    });
    world.barrier();
    auto const begin = clock::now();
    on_this_rank([&] {
      for (std::int64_t i = 0; i < pieces && world.rank() < writers; ++i)
        require(f.write((i * world.size() + world.rank()) * piece, buffer), piece, "writing");
    });
    largest passed{std::chrono::duration<double, std::nano>(clock::now() - begin).count()};
    on_this_rank([&] { require(f.close(), "closing"); });
    world.all_reduce(passed);
    t = passed.value / static_cast<double>(pieces);
  }
  world.all_reduce(bad);
  if (bad.value != 0) throw std::runtime_error(why.empty() ? "another rank could not write" : why);
  std::ranges::nth_element(turns, turns.begin() + turns.size() / 2);
  result.piece_ns = turns[turns.size() / 2];
  return result;
}

// Measures the price of a writing call while other ranks write the file. `automatic` adds it for
// each call of all ranks, after it has multiplied the time of a rank by the factor of a crowd.
price price_of_crowd(mpi const& world, std::string const& path) {
  new_pieces const alone = time_new_pieces(world, path, 1);
  new_pieces const crowded = time_new_pieces(world, path, world.size());
  return {"argosy_price_crowd_call_ns",
          std::max(0.0, crowded.piece_ns - alone.factor * alone.piece_ns) /
              static_cast<double>(world.size()),
          "a call that writes while other ranks write the file"};
}

// Adds the prices of ranks together. Collective.
void add_prices_of_ranks(mpi const& world, std::string const& path, std::vector<price>& prices) {
  std::vector<price> const more = prices_of_messages(world);
  prices.insert(prices.end(), more.begin(), more.end());
  prices.push_back(price_of_crowd(world, path));
}

}  // namespace

int run_calibrate(arguments const& given, std::ostream& out, std::ostream& err) {
  begin_mpi();
  mpi const world(MPI_COMM_WORLD);
  std::uint64_t number = detail::random_name();
  world.broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
  std::string const& directory = given.operands()[0];
  bool const first = world.rank() == 0;
  std::vector<price> prices;
  std::string failed_text;
  if (first) try {  // the other ranks wait, so these are prices of an idle machine
      work_file const scratch(directory + fmt::format("/argosy-calibrate-{:016x}", number), true);
      prices = prices_of_file(scratch.path());
    } catch (std::exception const& e) {
      failed_text = e.what();
    }
  int bad = failed_text.empty() ? 0 : 1;
  world.broadcast(std::as_writable_bytes(std::span(&bad, 1)), 0);
  if (bad != 0) throw std::runtime_error(first ? failed_text : "rank 0 could not measure");
  std::string const crowd = words_of_crowd(world);
  if (world.size() > 1 && crowd.empty()) {
    std::string const name = directory + fmt::format("/argosy-calibrate-{:016x}.shared", number);
    add_prices_of_ranks(world, work_file(name, first).path(), prices);
  }
  if (!first) return success;

  std::string text = fmt::format("# Prices measured by argosy calibrate in {}, {}, nanoseconds.\n",
                                 directory, detail::counted(world.size(), "rank"));
  // the name of a directory may contain any characters, and a comment is one line
  for (char& c : text)
    if (c == '\n' && &c != &text.back()) c = ' ';
  for (price const& p : prices)
    text += fmt::format("{:<32} {:<12} # {}\n", p.hint, argosy::detail::plain_number(p.ns), p.what);
  if (world.size() == 1)
    text += "# Messages are measured if several ranks do it: mpiexec -n 4 argosy calibrate ...\n";
  if (!crowd.empty()) text += fmt::format("# {}: messages were not measured\n", crowd);
  std::string const path = given.value("--output", "argosy.hints");
  write_file(path, text);
  // Checks that the library accepts the file just written.
  file_hints const read(read_hints_file(path), {}, {});
  for (price const& p : prices)
    if (hint_state const* const s = read.find(p.hint); !s || s->status != hint_status::accepted)
      throw std::runtime_error("hint " + p.hint + " of " + path + " is not accepted" +
                               (s ? ": " + s->why : ""));
  if (given.json()) {
    json_writer j(out);
    j.open('{').member("file", path).member("ranks", world.size()).key("prices").open('{');
    for (price const& p : prices) j.member(p.hint, p.ns);
    j.close('}').close('}');
    out << "\n";
  } else {
    out << text << "\nwritten to " << path
        << "; it counts where the environment says ARGOSY_HINTS=" << path << "\n";
  }
  if (!crowd.empty())
    err << "argosy: " << crowd << ", so messages between ranks were not measured\n";
  if (std::ranges::find(prices, "argosy_price_lock_ns", &price::hint) == prices.end())
    err << "argosy: there are no locks in " << directory << ", so they have no price\n";
  return success;
}

}  // namespace argosy::tool
