// Requests when the system gives the process no more threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/files.hpp"

namespace io = argosy;
using io::mode;
using io::test::scratch;

namespace {

std::atomic<int> threads_left{1 << 20};

}  // namespace

// The version of clang's sanitizers. They are part of the program, and must see all threads.
extern "C" int __interceptor_pthread_create(pthread_t*, pthread_attr_t const*, void* (*)(void*),
                                            void*) __attribute__((weak));

// Replaces pthread_create of libc.
extern "C" int pthread_create(pthread_t* made, pthread_attr_t const* how, void* (*body)(void*),
                              void* argument) {
  using create = int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);
  static auto const real = __interceptor_pthread_create
                               ? &__interceptor_pthread_create
                               : reinterpret_cast<create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return real(made, how, body, argument);
}

namespace {

template <class World>
void check_requests(World const& world, std::string const& path) {
  auto f = io::basic_file<World>::open(world, path, mode::create | mode::read_write);
  int const me = world.rank();
  std::array<int, 4> const mine = {me, me + 1, me + 2, me + 3};
  std::array<int, 4> a{}, b{}, c{};
  std::vector<io::request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(f.iwrite_at(64 * me + 16 * i, mine));
  io::wait_all(requests);
  requests.push_back(f.iread_at(64 * me + 48, a));
  while (!requests.back().test()) std::this_thread::yield();
  CHECK(requests.back().wait().bytes == 16);
  CHECK(a == mine);
  // Collective requests end by wait, by test, and by close.
  f.iwrite_at_all(16 * me, mine).wait();
  auto q = f.iread_at_all(16 * me, b);
  while (!q.test()) std::this_thread::yield();
  CHECK(q.wait().bytes == 16);
  CHECK(b == mine);
  f.begin_read_at_all(16 * me, c);
  CHECK(f.end().bytes == 16);
  CHECK(c == mine);
  auto last = f.iwrite_at_all(1000 + 16 * me, mine);
  f.close();
  CHECK(last.wait().bytes == 16);
  std::error_code error;
  f = io::basic_file<World>::open(world, path, mode::read);
  auto wrong = f.iwrite_at(0, mine);  // reported at wait, as always
  wrong.wait(error);
  CHECK(error == io::errc::read_only);
  f.close();
}

}  // namespace

TEST_CASE("without threads requests are carried out all the same", "[request][threads]") {
  scratch const here;
  threads_left = 0;
  check_requests(io::self(), here / "data");
  CHECK_THROWS_AS(std::thread([] {}), std::system_error);  // no thread was left
  threads_left = 1 << 20;
}

TEST_CASE("with fewer threads than asked for the others do their work", "[request][threads]") {
  scratch const here;
  io::hints h;
  h.io_threads = 8;
  threads_left = 2;
  auto f =
      io::basic_file<io::self>::open(io::self(), here / "data", mode::create | mode::read_write, h);
  std::vector<int> data(100);
  for (int i = 0; i < 100; ++i) data[static_cast<std::size_t>(i)] = i;
  std::vector<io::request> requests;
  for (int i = 0; i < 100; ++i)
    requests.push_back(f.iwrite_at(4 * i, data[static_cast<std::size_t>(i)]));
  io::wait_all(requests);
  std::vector<int> got(100);
  f.read_at(0, got);
  CHECK(got == data);
  f.close();
  threads_left = 1 << 20;
}
