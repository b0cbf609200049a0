// The snippets of docs/use/files.md and of the pages that it lists, and of data_shipping.md.
// Assertions check what the pages claim.
// Run: mpiexec -n 4 snippets_files
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/asio.hpp>
#include <argosy/file/file.hpp>
#include <argosy/handle/counting.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/throttled.hpp>
#include <argosy/policy.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/mpi/collectives/all_reduce.hpp>
#include <boost/mpi/collectives/broadcast.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace io = argosy;
using namespace std::chrono_literals;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  boost::mpi::environment::abort(1);
}
#define REQUIRE(...) require((__VA_ARGS__), #__VA_ARGS__)

void opening(boost::mpi::communicator const& world) {
  // [open]
  auto f = io::file::open(world, "state.dat", io::mode::create | io::mode::read_write);
  std::vector<double> u(1000, world.rank());
  f.write_at_all(8000 * world.rank(), u);  // offsets are bytes until a view is set
  f.close();
  // [open]
  REQUIRE(std::filesystem::file_size("state.dat") ==
          static_cast<std::uintmax_t>(8000 * world.size()));
}

void views(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "steps.dat", io::mode::create | io::mode::read_write);
  // [view]
  // 32 bytes of header, then an 8 x 8 array of ints for each time step, in blocks on the ranks.
  io::darray<int, 2> const tile({8, 8}, io::distribute::block, io::process_grid(world.size(), 2),
                                world.rank());
  f.set_view(32, tile);
  // [view]
  std::vector<int> mine(static_cast<std::size_t>(tile.form().size()) / sizeof(int), world.rank());
  // [steps]
  f.write_all(mine);                    // time step 0; moves the pointer
  f.write_all(mine);                    // time step 1, because the filetype repeats
  auto const in_etypes = f.position();  // 2 x this rank's ints
  f.seek(0);
  f.read_all(mine);
  // [steps]
  auto const one = static_cast<std::int64_t>(mine.size());
  REQUIRE(in_etypes == 2 * one && f.position() == one && f.size() == 32 + 2 * 256);
  REQUIRE(f.byte_offset(one) == f.byte_offset(0) + 256);
  // [own_tiles]
  // Rank 0 has other work, and the other ranks share 12 rows of 8 in any way. A part may be empty.
  std::int64_t const others = world.size() - 1, rank = world.rank();
  std::int64_t const first = rank > 0 ? 12 * (rank - 1) / others : 0,
                     behind = rank > 0 ? 12 * rank / others : 0;
  // empty on rank 0
  std::vector<int> const rows(static_cast<std::size_t>(8 * (behind - first)), world.rank());
  f.set_view(0, io::subarray({12, 8}, {behind - first, 8}, {first, 0}, io::type<int>));
  f.write_all(rows);
  // [own_tiles]
  f.set_view(0, io::type<int>);
  std::vector<int> all(96);
  f.read_at_all(0, all);
  REQUIRE(all.front() == 1 && all.back() == world.size() - 1);
  f.close();
}

void appending(boost::mpi::communicator const& world) {
  io::darray<int, 2> const tile({8, 8}, io::distribute::block, io::process_grid(world.size(), 2),
                                world.rank());
  std::vector<int> const mine(static_cast<std::size_t>(tile.form().size()) / sizeof(int),
                              world.rank());
  for (int run = 0; run < 2; ++run) {
    // [append]
    auto f = io::file::open(world, "runs.dat",
                            io::mode::create | io::mode::read_write | io::mode::append);
    f.set_view(0, tile);            // sets the pointer to 0 again
    f.seek(0, io::seek_from::end);  // and this sets it to the end, behind the last step
    f.write_all(mine);
    // Or a view that begins at the end. All ranks must have called size() before any rank writes.
    f.set_view(f.size(), tile);
    f.write_all(mine);
    f.close();
    // [append]
  }
  REQUIRE(std::filesystem::file_size("runs.dat") == 4 * 256);
}

void steps_with_headers(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "headers.dat", io::mode::create | io::mode::read_write);
  io::darray<double, 2> const tile({8, 8}, io::distribute::block, io::process_grid(world.size(), 2),
                                   world.rank());
  std::vector<double> const u(static_cast<std::size_t>(tile.form().size()) / sizeof(double),
                              world.rank());
  // [headers]
  // Each step: 64 bytes for its header, then the array.
  std::int64_t const step_bytes = 64 + tile.form().extent();
  std::array<double, 2> head{};  // number and time
  for (int step = 0; step < 3; ++step) {
    head = {1.0 * step, 0.1 * step};
    io::view const of_head(step * step_bytes, io::type<double[2]>);
    io::view const of_u(step * step_bytes + 64, tile);
    f.write_views_all({{of_head, world.rank() == 0 ? io::source(head) : io::source()}, {of_u, u}});
  }
  // [headers]
  // [variables]
  std::vector<double> back(u.size());
  std::vector<io::viewed_target> variables;
  variables.push_back({io::view(0, io::type<double[2]>), head});
  variables.push_back({io::view(64, tile), back});
  f.read_views_all(variables);
  // [variables]
  REQUIRE(back == u && head[0] == 0);
  f.set_view(0, io::type<double>);
  std::array<double, 9> second{};
  f.read_at_all(step_bytes / 8, second);
  REQUIRE(f.size() == 3 * step_bytes && second[0] == 1 && second[1] == 0.1 && second[8] == 0);
  f.close();
}

void later(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "split.dat", io::mode::create | io::mode::read_write);
  f.set_view(4 * world.rank(), {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
  std::vector<int> mine(100, world.rank());
  auto const compute = [] {};
  // [later]
  io::request step = f.iwrite_all(mine);  // collective
  // Meanwhile the ranks exchange the data and write it.
  compute();
  step.wait();
  f.begin_write_all(mine);  // Split: one at a time on a file, and without a request.
  compute();
  f.end();
  // [later]
  REQUIRE(f.size() == 800 * world.size());
  f.close();
}

void data(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "data.dat", io::mode::create | io::mode::read_write);
  std::array<double, 64> matrix{};
  std::vector<double> u(64);
  // [data]
  f.write_at(0, u);  // anything that io::memory accepts
  f.write_at(512, {matrix, io::vector(8, 1, 8, io::type<double>)});  // in a container: a column
  f.write_at(576, {matrix, io::type<double>, 8});                    // and a count
  f.write_at(640, {matrix, [] { return io::type<double>; }, 1});     // the result of a function
  f.write_at(640, {matrix.data(), io::type<double>, 1});             // at an address, as in MPI
  f.write_at(648, {});  // no data; an empty std::span is no data, too
  // [data]
  world.barrier();
  REQUIRE(f.size() == 648);
  // [short]
  std::vector<double> tail(100, -1);
  io::report const r = f.read_at(600, tail);  // only 48 bytes are there
  // [short]
  REQUIRE(r.bytes == 48 && tail[4] == 0 && tail[6] == -1);
  f.close();
}

void shared(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "log.dat", io::mode::create | io::mode::read_write);
  f.set_view(0, io::type<int>);
  std::vector<int> const some(static_cast<std::size_t>(world.rank() + 1), world.rank());
  // [shared]
  f.write_shared(some);   // in any order of the ranks: the first to call writes first
  f.write_ordered(some);  // collective: rank 0's data, then rank 1's, ...
  f.seek_shared(0);       // collective: sets the shared pointer to the start
  // [shared]
  int const each = world.size() * (world.size() + 1) / 2;
  REQUIRE(f.size() == 2 * each * 4);
  std::vector<int> back(some.size());
  f.seek_shared(each);
  f.read_ordered(back);
  REQUIRE(back == some);
  f.close();
}

void requests(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "later.dat", io::mode::create | io::mode::read_write);
  std::vector<double> u(1000, 1.5);
  int computed = 0;
  auto const compute = [&] { ++computed; };
  // [requests]
  io::request r = f.iwrite_at(8000 * world.rank(), u);
  while (!r.test()) compute();       // u must not change and must live
  io::report const done = r.wait();  // throws the error of the call
  // [requests]
  REQUIRE(done.bytes == 8000 && !r.pending());
  // [several]
  std::vector<io::request> several;
  for (std::size_t i = 0; i < 4; ++i) {
    std::span<double const> const quarter = std::span(u).subspan(250 * i, 250);
    several.push_back(f.iwrite_at(8000 * world.rank() + 2000 * static_cast<int>(i), quarter));
  }
  io::wait_all(several);  // for all of them, also if some fail; then throws the first error
  // [several]
  REQUIRE(!several[3].pending());
  f.close();
}

void asio(boost::mpi::communicator const& world) {
  namespace asio = boost::asio;
  auto f = io::file::open(world, "asio.dat", io::mode::create | io::mode::read_write);
  std::vector<double> u(1000, 2.5);
  bool ended = false;
  // [asio]
  asio::io_context context;
  auto const save = [&]() -> asio::awaitable<void> {
    io::report const r =
        co_await io::async_write_at(f, 8000 * world.rank(), u, asio::use_awaitable);
    ended = r.bytes == 8000;
  };
  asio::co_spawn(context, save, asio::detached);
  context.run();  // in the thread that uses the file
  // [asio]
  REQUIRE(ended);
  f.close();
}

void visible(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "visible.dat", io::mode::create | io::mode::read_write);
  f.set_view(0, io::type<int>);
  int const mine = world.rank() + 100;
  int theirs = 0;
  // [atomic]
  f.set_atomic(true);
  f.write_at(world.rank(), mine);
  world.barrier();
  f.read_at((world.rank() + 1) % world.size(), theirs);
  // [atomic]
  REQUIRE(theirs == (world.rank() + 1) % world.size() + 100);
  f.set_atomic(false);
  // [sync]
  f.write_at(world.rank(), mine);
  f.sync();
  world.barrier();
  f.sync();
  f.read_at((world.rank() + 1) % world.size(), theirs);
  // [sync]
  REQUIRE(theirs == (world.rank() + 1) % world.size() + 100);
  f.close();
}

void policies(boost::mpi::communicator const& world) {
  auto f = io::file::open(world, "columns.dat", io::mode::create | io::mode::read_write);
  f.set_view(8 * world.rank(), io::resized(io::type<double>, 0, 8 * world.size()));
  std::vector<double> u(1000, world.rank());
  // [policy]
  f.write_all(u, io::independent{});  // a call for each piece
  f.seek(0);
  f.read_all(u, io::sieving{.read_window_bytes = 1 << 20});  // windows of at most 1 MiB
  // [policy]
  REQUIRE(u[999] == world.rank());
  f.close();
}

void agents(boost::mpi::communicator const& world) {
  auto const openly = io::mode::create | io::mode::read_write;
  std::vector<int> const u(1000, world.rank());
  std::vector<int> back(1000);
  // [agents]
  auto f =
      io::file::open(world, "shipped.dat", openly, io::hints{.largeblock_io = io::largeblock::off});
  // Every rank has its own column.
  f.set_view(4 * world.rank(), io::resized(io::type<int>, 0, 4 * world.size()));
  f.write_at(0, u);  // Local: the other ranks may be anywhere except in close.
  // [agents]
  f.read_at(0, back);
  REQUIRE(back == u);
  f.close();
}

void handles(boost::mpi::communicator const& world) {
  auto const openly = io::mode::create | io::mode::read_write;
  double const number = 3;
  // [opener]
  auto const counts = std::make_shared<io::call_counts>();
  auto const disk =
      std::make_shared<io::throttle>(io::throttle_rates{.latency = 1ms, .bytes_per_second = 1e9});
  io::opener const slow_and_counted =
      io::with_counting(io::with_throttle(io::posix_opener(), disk), counts);
  auto f = io::file::open(world, "counted.dat", openly, {}, slow_and_counted);
  f.write_at_all(8 * world.rank(), number);
  // [opener]
  f.close();
  // Calls of a millisecond are expensive, so the ranks may combine their data.
  std::int64_t const mine = counts->bytes_written();
  REQUIRE(boost::mpi::all_reduce(world, mine, std::plus<std::int64_t>()) == 8 * world.size());

  // [faults]
  auto const script = std::make_shared<io::fault_script>();
  if (world.rank() == 1)
    script->add(io::fail_at(io::file_call::write, 3, std::errc::no_space_on_device));
  io::opener const failing = io::with_faults(io::posix_opener(), script);
  // [faults]
  // [more_faults]
  auto const more = std::make_shared<io::fault_script>();
  using enum io::file_call;
  more->add(io::fail_from(write, 10, std::errc::io_error));  // the tenth write and all later ones
  more->add(io::write_partly_at(write, 2, 100, std::errc::no_space_on_device));  // after 100 bytes
  more->add(io::delay_at(sync, 1, 5ms));
  more->add(io::interrupt_at(read, 1));   // EINTR,
  more->add(io::shorten_at(read, 2, 8));  // and a short count, which no call of a file reports
  io::opener const below_the_retries = io::with_raw_faults(more);
  // [more_faults]
  REQUIRE(more->struck() == 0);
  auto g = io::file::open(world, "failing.dat", openly, {}, failing);
  std::error_code error;
  for (int i = 0; i < 3; ++i) g.write_at(8 * (3 * world.rank() + i), number, error);
  g.close();
  REQUIRE((error == io::errc::no_space) == (world.rank() == 1));
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
  opening(world);
  views(world);
  appending(world);
  steps_with_headers(world);
  later(world);
  data(world);
  shared(world);
  requests(world);
  asio(world);
  visible(world);
  policies(world);
  agents(world);
  handles(world);
  world.barrier();
  if (world.rank() == 0) std::filesystem::remove_all(directory);
}
