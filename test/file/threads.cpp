// The library on several threads, under stress: requests, nonblocking collective calls,
// completions, services. The tests check little themselves; races are found by the thread sanitizer
// (preset tsan).
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype.hpp>
#include <argosy/file/asio.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/policy/data_shipping.hpp>
#include <argosy/world/self.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/file_on_threads.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
namespace asio = boost::asio;
using io::test::scratch;
using io::test::seed;
using io::test::thread_world;
using namespace std::chrono_literals;

namespace {

constexpr auto created = io::mode::create | io::mode::read_write;
constexpr std::int64_t cells = 4000;  // cells of each rank

// Calls of one rank on its own cells of a file. Many are pending at a time, but no two on one cell.
template <class World>
class caller {
 public:
  caller(World const& world, std::string const& path, io::hints const& h, std::uint64_t number)
      : world_(world),
        file_(io::basic_file<World>::open(world, path, created, h)),
        common_(number),
        own_(number * 1000 + static_cast<std::uint64_t>(world.rank()) + 1) {
    file_.set_view(4 * world.rank(),
                   {io::type<int>, io::resized(io::type<int>, 0, 4 * world.size())});
    std::vector<int> const zeros(cells);
    wrong += file_.write_at_all(0, zeros).bytes != 4 * cells;
  }

  void run(int steps) {
    for (int k = 0; k < steps; ++k) {
      // All ranks begin the same collective calls, and each makes any local calls.
      for (std::size_t n = below(own_, 4); n > 0; --n) alone();
      together();
    }
    if (below(common_, 2) == 0) {
      while (!pending_.empty()) end(below(own_, pending_.size()));
      auto const all = numbers(0, cells);
      std::vector<int> got(cells, -1);
      wrong += file_.read_at_all(0, got).bytes != 4 * cells;
      wrong += got != all;
    }
    file_.close();  // while calls are pending
    while (!pending_.empty()) end(below(own_, pending_.size()));
  }

  int wrong = 0;

 private:
  struct call {
    std::int64_t first;
    std::vector<int> data, expected;  // expected: for reads
    io::request under_way;
  };

  static std::size_t below(std::mt19937_64& random, std::size_t n) {
    return static_cast<std::size_t>(random() % n);
  }
  std::vector<int> numbers(std::int64_t first, std::int64_t n) const {
    auto const at = model_.begin() + first;
    return {at, at + n};
  }

  void alone() {
    std::size_t const what = below(own_, 8);
    if (what < 4 && begin(below(own_, 2) == 0, false)) return;
    if (what == 4) wrong += file_.size() < 0;
    if (what == 5 && !pending_.empty()) pending_[below(own_, pending_.size())].under_way.test();
    if (what == 6) at_once();
    if (!pending_.empty() && what != 5) end(below(own_, pending_.size()));
  }
  void together() {
    std::size_t const what = below(common_, 4);
    bool const writes = below(common_, 2) == 0;
    if (what < 3) {
      // Every rank must begin the call; a rank without free cells moves nothing.
      if (!begin(writes, true)) begin_nothing(writes);
    } else if (writes) {
      while (!pending_.empty()) end(below(own_, pending_.size()));
    } else {
      file_.sync();
    }
  }

  std::optional<std::int64_t> free_place(std::int64_t n) {
    std::int64_t const first =
        static_cast<std::int64_t>(below(own_, static_cast<std::size_t>(cells - n)));
    for (call const& c : pending_)
      if (c.first < first + n && first < c.first + static_cast<std::int64_t>(c.data.size()))
        return {};
    return first;
  }
  bool begin(bool writes, bool collective) {
    auto const n = static_cast<std::int64_t>(1 + below(own_, 300));
    auto const first = free_place(n);
    if (!first) return false;
    call c{*first, std::vector<int>(static_cast<std::size_t>(n), -1), {}, {}};
    if (writes) {
      std::iota(c.data.begin(), c.data.end(), static_cast<int>(below(own_, 1'000'000)));
      std::copy(c.data.begin(), c.data.end(), model_.begin() + c.first);
    } else {
      c.expected = numbers(c.first, n);
    }
    pending_.push_back(std::move(c));
    call& p = pending_.back();
    if (collective)
      p.under_way =
          writes ? file_.iwrite_at_all(p.first, p.data) : file_.iread_at_all(p.first, p.data);
    else
      p.under_way = writes ? file_.iwrite_at(p.first, p.data) : file_.iread_at(p.first, p.data);
    return true;
  }
  void begin_nothing(bool writes) {
    call c{0, {}, {}, {}};
    c.under_way = writes ? file_.iwrite_at_all(0, c.data) : file_.iread_at_all(0, c.data);
    pending_.push_back(std::move(c));
  }
  void at_once() {
    std::vector<int> data(50, 7);
    auto const first = free_place(50);
    if (!first) return;
    std::copy(data.begin(), data.end(), model_.begin() + *first);
    wrong += file_.write_at(*first, data).bytes != 200;
    std::fill(data.begin(), data.end(), 0);
    wrong += file_.read_at(*first, data).bytes != 200;
    wrong += data != std::vector<int>(50, 7);
  }
  void end(std::size_t k) {
    call c = std::move(pending_[k]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(k));
    while (below(own_, 3) == 0 && !c.under_way.test()) std::this_thread::yield();
    wrong += c.under_way.wait().bytes != static_cast<std::int64_t>(4 * c.data.size());
    if (!c.expected.empty()) wrong += c.data != c.expected;
  }

  World world_;
  io::basic_file<World> file_;
  std::mt19937_64 common_, own_;
  std::vector<int> model_ = std::vector<int>(cells);
  std::vector<call> pending_;
};

}  // namespace

TEST_CASE("requests of one rank, in any order, until after the file was closed",
          "[threads][request]") {
  CAPTURE(seed());
  scratch const dir;
  std::atomic<int> wrong{0};
  // Several files of one process are used at the same time, each by its own thread.
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 4; ++round) {
        caller c(io::self(), dir / ("f" + std::to_string(t)), {},
                 seed() + static_cast<std::uint64_t>(10 * t + round));
        c.run(40);
        wrong += c.wrong;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("ranks of one process: collective calls beside all others", "[threads][request]") {
  CAPTURE(seed());
  scratch const dir;
  for (int const ranks : {2, 3}) {
    for (bool const ships : {false, true}) {
      CAPTURE(ranks, ships);
      std::atomic<int> wrong{0};
      std::string const path = dir / (std::to_string(ranks) + (ships ? "ships" : ""));
      thread_world::run(ranks, [&](thread_world const& world) {
        io::hints h;
        if (ships) h.largeblock_io = io::largeblock::off;
        for (std::uint64_t round = 0; round < 2; ++round) {
          caller c(world, path, h, seed() + round);
          c.run(25);
          wrong += c.wrong;
        }
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("completions come on a pool of threads while the file is used and closed",
          "[threads][asio]") {
  scratch const dir;
  std::atomic<int> ended{0}, wrong{0};
  int begun = 0;
  constexpr std::int64_t length = 100;
  std::vector<std::vector<int>> data;
  for (int k = 0; k < 60; ++k) data.emplace_back(static_cast<std::size_t>(length), k);
  for (int round = 0; round < 5; ++round) {
    auto const script = std::make_shared<io::fault_script>();
    script->add(io::delay_at(io::file_call::write, 30, 5ms));
    asio::thread_pool pool(2);
    auto f = io::basic_file<io::self>::open(io::self(), dir / "data", created, {},
                                            io::with_faults(io::posix_opener(), script));
    f.set_view(0, io::type<int>);
    std::vector<std::future<io::report>> futures;
    for (std::size_t k = 0; k < data.size(); ++k) {
      auto const at = static_cast<std::int64_t>(k) * length;
      if (k % 3 == 0) {
        futures.push_back(io::async_write_at(f, at, data[k], asio::use_future));
        continue;
      }
      ++begun;
      io::async_write_at(f, at, data[k], asio::bind_executor(pool, [&](auto error, io::report r) {
                           if (error || r.bytes != 4 * length) ++wrong;
                           ++ended;
                         }));
    }
    if (round % 2 == 0)
      for (auto& one : futures) wrong += one.get().bytes != 4 * length;
    f.close();
    if (round % 2 == 1)
      for (auto& one : futures) wrong += one.get().bytes != 4 * length;
    pool.join();
  }
  CHECK(ended == begun);
  CHECK(wrong == 0);
}

TEST_CASE("threads of all ranks ask all ranks, and services end meanwhile", "[threads][service]") {
  std::atomic<int> wrong{0}, answered{0};
  for (int round = 0; round < 3; ++round)
    thread_world::run(3, [&](thread_world const& world) {
      std::error_code error;
      std::atomic<std::int64_t> served{0};
      std::int64_t plain = 0;  // used by the handler, under a mutex of its own
      std::mutex mutex;
      auto s = world.serve(
          [&](int from, std::span<std::byte const> what) {
            ++served;
            {
              std::lock_guard const lock(mutex);
              plain += from;
            }
            return std::vector<std::byte>(what.begin(), what.end());
          },
          error);
      if (error) return void(++wrong);
      std::vector<std::thread> asking;
      for (int t = 0; t < 2; ++t)
        asking.emplace_back([&, t] {
          for (int k = 0; k < 30; ++k) {
            std::vector<io::extend::parcel> questions;
            for (int r = 0; r < world.size(); ++r)
              questions.push_back(
                  {r, std::vector<std::byte>(static_cast<std::size_t>(1 + 997 * k), std::byte(t))});
            auto const answers = s->call(questions);
            for (std::size_t r = 0; r < answers.size(); ++r) {
              if (answers[r].error) continue;  // the service has ended
              ++answered;
              wrong += answers[r].content != questions[r].content;
            }
          }
        });
      for (auto& t : asking) t.join();
      if (round % 2 == 0) world.barrier();
      s.reset();  // other ranks may still ask
      wrong += served == 0;
    });
  CHECK(wrong == 0);
  CHECK(answered > 3 * 3 * 2 * 30);
}

namespace {

// A value that is exchanged in short form if its second half has the default value.
struct short_or_long {
  std::int64_t always = 0, sometimes = 0;
  std::size_t telling_bytes() const { return sometimes == 0 ? sizeof always : sizeof *this; }
  void combine(short_or_long const& other) {
    always += other.always;
    sometimes += other.sometimes;
  }
};

}  // namespace

TEST_CASE("ranks meet in memory, step after step", "[threads][world]") {
  CAPTURE(seed());
  constexpr int ranks = 4;
  std::atomic<int> wrong{0};
  auto const memory = std::make_shared<io::extend::shared_memory>(
      io::extend::shared_memory::private_zeros(io::extend::memory_world::bytes_for(ranks)));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      io::extend::memory_world const world(memory->part(0, memory->bytes().size()), r, ranks);
      std::mt19937_64 random(seed());
      for (int k = 0; k < 400; ++k) {
        std::size_t const bytes = random() % 3000;
        auto const salt = static_cast<unsigned char>(random());
        auto const of = [&](int rank) {
          return std::vector<std::byte>(bytes, std::byte(salt + rank));
        };
        switch (random() % 5) {
          case 0: {
            std::vector<std::byte> all(bytes * ranks);
            world.all_gather(of(r), all);
            for (int other = 0; other < ranks; ++other) {
              auto const first = all.begin() + static_cast<std::ptrdiff_t>(
                                                   static_cast<std::size_t>(other) * bytes);
              wrong +=
                  !std::equal(first, first + static_cast<std::ptrdiff_t>(bytes), of(other).begin());
            }
            break;
          }
          case 1: {
            int const root = static_cast<int>(random() % ranks);
            auto message = of(r);
            world.broadcast(message, root);
            wrong += message != of(root);
            break;
          }
          case 2: {
            io::detail::reducible_sum sum{r + 1};
            world.all_reduce(sum);
            wrong += sum.value != ranks * (ranks + 1) / 2;
            break;
          }
          case 3: {  // some ranks send the short form
            short_or_long of_all{r + 1, r % 2 == static_cast<int>(salt) % 2 ? 10 * r : 0};
            int const odd = static_cast<int>(salt) % 2 == 0 ? 0 + 2 : 1 + 3;
            int seen = 0;
            world.all_reduce(of_all, [&](short_or_long const& other, int who) {
              seen += other.always == who + 1;
            });
            wrong += seen != ranks || of_all.always != ranks * (ranks + 1) / 2 ||
                     of_all.sometimes != 10 * odd;
            break;
          }
          default:
            wrong += world.exclusive_sum(r + 1) != r * (r + 1) / 2;
        }
      }
    });
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
}
