// Snippets of pages in docs/use: policies, pointers, hints of MPI, traces and openers. Their claims
// are asserted. Run: mpiexec -n 4 snippets_calls
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/asio.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/hints_mpi.hpp>
#include <argosy/handle/gpfs_real.hpp>
#include <argosy/handle/retrying.hpp>
#include <argosy/handle/tracing.hpp>
#include <argosy/policy.hpp>
#include <argosy/world/share_of.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  boost::mpi::environment::abort(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

constexpr auto temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;

void policies(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "snippets_calls.policies", temporary);
  f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
  std::vector<double> u(1000, world.rank());
  // [all_policies]
  f.write_at_all(0, u, io::two_phase{.aggregators = 1});  // collective: one rank writes for all
  f.write_at_all(0, u, io::data_shipping{});              // collective: each agent its stripes
  f.write_at_all(0, u, io::automatic{});                  // one of these, or each rank by itself
  io::extend::any_policy const chosen = world.size() > 2 ? io::extend::any_policy(io::two_phase{})
                                                         : io::extend::any_policy(io::sieving{});
  f.read_at_all(0, u, chosen);  // a policy as a value that the program stores
  // [all_policies]
  REQUIRE(u[999] == world.rank());
  f.close();
}

void pointers(boost::mpi::communicator const& world) {
  namespace asio = boost::asio;
  auto f = io::file::open(world, "snippets_calls.pointers", temporary);
  std::vector<double> u(100, world.rank()), v(100);
  asio::io_context context;
  // [asio_pointers]
  auto const there_and_back = [&]() -> asio::awaitable<void> {
    f.seek(800 * world.rank());
    co_await io::async_write(f, u, asio::use_awaitable);  // at the individual pointer
    f.seek(800 * world.rank());
    co_await io::async_read(f, v, asio::use_awaitable);
    co_await io::async_read_at(f, 800 * world.rank(), v, asio::use_awaitable);
  };
  // [asio_pointers]
  asio::co_spawn(context, there_and_back, asio::detached);
  context.run();
  REQUIRE(v == u);
  f.close();
}

void sequential(boost::mpi::communicator const& world) {
  // [sequential]
  // Only the shared pointer: a log, whose records change their type where the pointer stands.
  auto f = io::file::open(world, "snippets_calls.log",
                          io::mode::create | io::mode::write | io::mode::sequential);
  std::vector<std::int32_t> const numbers(10, world.rank());
  f.write_ordered(numbers);
  f.set_view(io::extend::current_displacement, io::type<double>);
  std::vector<double> const values(10, 0.5);
  f.write_ordered(values);
  // [sequential]
  REQUIRE(f.size() == 120 * world.size());
  f.close();
}

void hints_of_mpi(boost::mpi::communicator const& world) {
  // [info]
  MPI_Info given = MPI_INFO_NULL;
  MPI_Info_create(&given);
  MPI_Info_set(given, "cb_nodes", "2");
  auto f = io::file::open(world, "snippets_calls.info", temporary, io::from_info(given));
  MPI_Info_free(&given);
  MPI_Info in_force = io::to_info(f.get_hints());
  char value[MPI_MAX_INFO_VAL + 1] = {};
  int found = 0;
  MPI_Info_get(in_force, "cb_nodes", MPI_MAX_INFO_VAL, value, &found);  // "2"
  MPI_Info_free(&in_force);
  // [info]
  REQUIRE(found != 0 && value == std::string("2"));
  f.close();
}

void openers(boost::mpi::communicator const& world) {
  std::int32_t const number = world.rank();
  // [traced]
  // A trace of this file only, without ARGOSY_TRACE.
  std::string complaint;
  std::shared_ptr<io::extend::tracer> const trace = io::extend::open_trace(
      {.mode = io::extend::trace_mode::calls, .directory = ".", .rank = world.rank()},
      &complaint);  // null if the file cannot be made
  auto f = io::file::open(world, "snippets_calls.traced", temporary, {},
                          io::with_tracing(io::posix_opener(), trace));
  // [traced]
  f.write_at_all(4 * world.rank(), number);
  f.close();
  // [openers]
  io::opener const plain = io::extend::opener_of<io::posix>();  // equals posix_opener()
  io::opener const raw = io::extend::opener_of<io::extend::retrying<io::extend::raw_posix>>();
  io::opener const gpfs = io::gpfs_real_opener();  // posix, and hints to a GPFS if there is one
  for (io::opener const& files : {plain, raw, gpfs}) {
    auto g = io::file::open(world, "snippets_calls.plain", temporary, {}, files);
    g.write_at_all(4 * world.rank(), number);
    g.close();
  }
  // [openers]
  REQUIRE(complaint.empty());
}

void shares(boost::mpi::communicator const& world) {
  // [shares]
  std::int64_t const mine = 10 * world.rank();  // elements of this rank
  io::extend::rank_share const share = io::share_of(world, mine);
  // share.first: where they begin; share.all: how many all ranks have
  // [shares]
  REQUIRE(share.all == 5 * world.size() * (world.size() - 1));
  REQUIRE(share.first == 5 * world.rank() * (world.rank() - 1));
}

}  // namespace

int main(int argc, char** argv) {
  boost::mpi::environment const environment(argc, argv);
  boost::mpi::communicator const world;
  std::string directory =
      (std::filesystem::temp_directory_path() / "argosy_snippets_XXXXXX").string();
  if (world.rank() == 0 && ::mkdtemp(directory.data()) == nullptr) environment.abort(1);
  boost::mpi::broadcast(world, directory, 0);
  std::filesystem::current_path(directory);
  policies(world);
  pointers(world);
  sequential(world);
  hints_of_mpi(world);
  openers(world);
  shares(world);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(directory);
}
