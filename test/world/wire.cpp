// Frames over sockets. One page because all cases use the same peers on sockets.
// SPDX-License-Identifier: BSD-3-Clause
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/wire_peers.hpp"

using namespace argosy;
using namespace argosy::test;
using namespace std::chrono_literals;

namespace {

std::atomic<bool> none_accepted{false};
std::atomic<int> refused{0};

}  // namespace

// Replaces accept4 of the system, to simulate that there are no descriptors, not even the one in
// reserve.
extern "C" int accept4(int listener, sockaddr* name, socklen_t* length, int flags) {
  if (none_accepted) {
    ++refused;
    errno = EMFILE;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_accept4, listener, name, length, flags));
}

namespace {

std::int64_t available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string name, rest; lines >> name && std::getline(lines, rest);)
    if (name == "MemAvailable:") return std::stoll(rest) * 1024;
  return 0;
}

struct pair {
  explicit pair(wire::station::options o = {}) : other(o, error), mine(caller(o), {}, error) {
    REQUIRE_FALSE(error);
    to = mine.connect(other.station().where(), 0, in.events(), error);
    REQUIRE_FALSE(error);
  }
  static wire::station::options caller(wire::station::options o) {
    o.listens = false;
    return o;
  }
  std::error_code error;
  echo other;
  inbox in;
  wire::station mine;
  std::shared_ptr<wire::connection> to;
};

}  // namespace

TEST_CASE("frames arrive whole, in order, over local sockets and TCP", "[wire]") {
  bool const local = GENERATE(true, false);
  CAPTURE(local);
  pair p(only(local));
  std::vector<std::size_t> const sizes = {0, 1, 23, 24, 65535, 65536, 65537, 200000, 0, 1 << 20};
  for (std::size_t round = 0; round < 20; ++round)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      p.to->send({round, i, some_bytes(sizes[i], round + i)});
  REQUIRE(p.in.wait_frames(20 * sizes.size()));
  auto const frames = p.in.take();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    std::size_t const round = k / sizes.size(), i = k % sizes.size();
    REQUIRE(frames[k].kind == round);
    REQUIRE(frames[k].number == i);
    REQUIRE(frames[k].body == some_bytes(sizes[i], round + i));
  }
}

TEST_CASE("a connection between hosts sends small frames at once, and notices a host that has gone",
          "[wire]") {
  pair const p(only(false));
  int found = 0;
  for (int s = 0; s < 1024; ++s) {
    sockaddr_storage peer = {};
    socklen_t length = sizeof peer;
    if (::getpeername(s, reinterpret_cast<sockaddr*>(&peer), &length) != 0 ||
        peer.ss_family == AF_UNIX)
      continue;
    auto const option = [&](int level, int name) {
      int value = 0;
      socklen_t size = sizeof value;
      return ::getsockopt(s, level, name, &value, &size) == 0 ? value : -1;
    };
    ++found;
    CHECK(option(IPPROTO_TCP, TCP_NODELAY) > 0);
    CHECK(option(SOL_SOCKET, SO_KEEPALIVE) > 0);
    CHECK(option(IPPROTO_TCP, TCP_KEEPIDLE) <= 60);
    CHECK(option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT) <= 60);
    CHECK(option(IPPROTO_TCP, TCP_USER_TIMEOUT) > 0);
  }
  CHECK(found >= 1);
}

TEST_CASE("a frame may be longer than 2 GiB", "[wire]") {
  std::size_t const bytes = (std::size_t{2} << 30) + 12345;
  bool const small =
      argosy::test::sanitized || available_memory() < static_cast<std::int64_t>(5 * bytes);
  if (small) return skipped("needs 11 GB of memory, and no sanitizer");
  std::error_code error;
  inbox in, nothing;
  wire::station there({}, [&in](auto const&) { return in.events(); }, error);
  wire::station here(pair::caller({}), {}, error);
  auto const to = here.connect(there.where(), 0, nothing.events(), error);
  std::vector<std::byte> big(bytes);
  for (std::size_t at = 0; at < bytes; at += 4096) big[at] = static_cast<std::byte>(at / 4096 * 37);
  to->send(1, 2, big);
  REQUIRE(in.wait_frames(1));
  CHECK(in.take().front().body == big);
}

TEST_CASE("a station has a thread, and one for each of its workers", "[wire]") {
  auto const threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  std::error_code error;
  std::thread([] {}).join();  // a sanitizer makes a thread of its own with the first thread
  auto const before = threads();
  wire::station const plain(pair::caller({}), {}, error);
  CHECK(threads() == before + 1);
  wire::station const works(
      {.workers = 3}, [](auto const&) { return wire::connection::events(); }, error);
  CHECK(threads() == before + 1 + 4);
}

TEST_CASE("a frame longer than allowed ends the connection", "[wire]") {
  wire::station::options o;
  o.most_bytes = 1000;
  pair p(o);
  p.to->send({0, 0, some_bytes(1000)});
  REQUIRE(p.in.wait_frames(1));
  p.to->send({0, 0, some_bytes(1001)});
  CHECK(p.in.wait_end().has_value());
}

TEST_CASE("many threads send at the same time", "[wire]") {
  pair p;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&p, t] {
      for (std::uint64_t i = 0; i < 500; ++i) p.to->send({t, i, some_bytes((i * 977) % 5000, i)});
    });
  for (auto& t : threads) t.join();
  REQUIRE(p.in.wait_frames(2000));
  std::vector<std::uint64_t> next(4);
  for (auto const& f : p.in.take()) {
    REQUIRE(f.number == next.at(f.kind)++);
    REQUIRE(f.body == some_bytes((f.number * 977) % 5000, f.number));
  }
}

TEST_CASE("the end of a peer is an error, at once and for ever", "[wire]") {
  auto p = std::make_unique<pair>();
  p->to->send({0, 0, some_bytes(10)});
  REQUIRE(p->in.wait_frames(1));
  auto const where = p->other.station().where();
  p->other.station().stop();
  CHECK(p->in.wait_end().has_value());
  p->to->send({0, 1, some_bytes(10)});  // to a peer that has ended
  inbox again;
  std::error_code error;
  CHECK(p->mine.connect(where, 0, again.events(), error) == nullptr);
  CHECK(error);
}

TEST_CASE("who has left the network is reached on its machine only, however often it leaves",
          "[wire]") {
  std::error_code error;
  echo other({}, error);
  wire::address const before = other.station().where();
  REQUIRE(before.port != 0);
  other.station().leave_network();
  other.station().leave_network();
  CHECK(other.station().where().port == 0);
  inbox in;
  wire::station mine(pair::caller({}), {}, error);
  wire::address from_afar = before;
  from_afar.local = {};
  CHECK(mine.connect(from_afar, 0, in.events(), error) == nullptr);
  CHECK(error);
  auto const to = mine.connect(before, 0, in.events(), error);
  REQUIRE(to);
  to->send({0, 0, some_bytes(10)});
  CHECK(in.wait_frames(1));
}

TEST_CASE("what was sent before the end arrives", "[wire]") {
  std::error_code error;
  echo other({}, error);
  inbox in;
  {
    wire::station mine(pair::caller({}), {}, error);
    auto const to = mine.connect(other.station().where(), 0, in.events(), error);
    for (int i = 0; i < 100; ++i) to->send({0, 0, some_bytes(100000)});
    to->finish();
    CHECK(in.wait_end().has_value());
  }
  // A client that never reads must not block others.
  stranger deaf(other.station().where());
  REQUIRE(deaf.say(stranger::greeting(other.station().where())));
  for (int i = 0; i < 20; ++i) REQUIRE(deaf.say(stranger::frame(0, 0, some_bytes(100000))));
  other.station().stop();
  CHECK(deaf.is_left());
}

TEST_CASE("strangers are turned away", "[wire]") {
  wire::station::options o;
  o.patience = 200ms;
  std::error_code error;
  echo other(o, error);
  auto const where = other.station().where();
  auto const right = stranger::greeting(where);
  SECTION("with the wrong cookie, in any place") {
    for (std::size_t at : {0u, 7u, 8u, 20u, 39u}) {
      auto wrong = right;
      wrong[at] ^= std::byte{1};
      stranger s(where);
      REQUIRE(s.connected());
      s.say(wrong);
      CHECK(s.is_left());
    }
  }
  SECTION("who says nothing, or not enough") {
    stranger silent(where), slow(where);
    slow.say(std::span(right).first(right.size() - 1));
    CHECK(silent.is_left());
    CHECK(slow.is_left());
  }
  SECTION("who has the cookie is not") {
    stranger s(where);
    s.say(right);
    std::vector<std::byte> greeting(right.size());
    REQUIRE(s.hear(greeting));
    CHECK(std::equal(where.answered.begin(), where.answered.end(), greeting.begin() + 8));
    std::this_thread::sleep_for(300ms);
    REQUIRE(s.say(stranger::frame(5, 6, some_bytes(3))));
    std::vector<std::byte> back(27);
    REQUIRE(s.hear(back));
    CHECK(back == stranger::frame(5, 6, some_bytes(3)));
  }
  SECTION("a listener without the answer is not talked to") {
    wire::address imposter = where;
    imposter.answered[3] ^= std::byte{1};
    inbox in;  // outlives the station, whose thread may still report frames
    wire::station mine(pair::caller({}), {}, error);
    auto const to = mine.connect(imposter, 0, in.events(), error);
    REQUIRE(to);
    to->send({0, 0, some_bytes(1)});
    auto const end = in.wait_end();
    REQUIRE(end);
    CHECK(*end == std::errc::permission_denied);
    CHECK(in.take().empty());
  }
}

TEST_CASE("random bytes, and frames cut off or changed, end the connection and no more", "[wire]") {
  CAPTURE(seed());
  std::mt19937_64 random(seed());
  std::error_code error;
  wire::station::options o;
  o.most_bytes = 1 << 20;
  echo other(o, error);
  auto const where = other.station().where();
  for (int round = 0; round < 300; ++round) {
    stranger s(where);
    REQUIRE(s.connected());
    std::vector<std::byte> talk = stranger::greeting(where, random());
    for (std::uint64_t i = random() % 4; i > 0; --i) {
      auto const f = stranger::frame(random(), random(), some_bytes(random() % 3000));
      talk.insert(talk.end(), f.begin(), f.end());
    }
    switch (random() % 3) {
      case 0:
        talk.resize(random() % (talk.size() + 1));
        break;
      case 1:
        for (std::uint64_t i = random() % 8; i > 0; --i)
          talk[random() % talk.size()] = static_cast<std::byte>(random());
        break;
      default:
        for (std::uint64_t i = random() % 200; i > 0; --i)
          talk.push_back(static_cast<std::byte>(random()));
    }
    for (std::size_t at = 0; at < talk.size();) {
      std::size_t const n = std::min<std::size_t>(1 + random() % 1000, talk.size() - at);
      if (!s.say(std::span(talk).subspan(at, n))) break;
      at += n;
    }
    s.stop_talking();
    REQUIRE(s.is_left());
  }
  // The station must still serve.
  inbox in;  // outlives the station, whose thread may still report frames
  wire::station mine(pair::caller({}), {}, error);
  auto const to = mine.connect(where, 0, in.events(), error);
  REQUIRE(to);
  to->send({1, 2, some_bytes(100)});
  CHECK(in.wait_frames(1));
}

TEST_CASE("a process that is killed is noticed", "[wire]") {
  std::error_code error;
  inbox in;
  wire::station here({}, [&in](auto const&) { return in.events(); }, error);
  int const how = in_child([&] {
    std::error_code e;
    inbox nothing;
    wire::station child(pair::caller({}), {}, e);
    auto const to = child.connect(here.where(), 0, nothing.events(), e);
    to->send({0, 0, some_bytes(10)});
    to->send({0, 0, some_bytes(50 << 20)});
    std::this_thread::sleep_for(50ms);
    std::raise(SIGKILL);
    return true;
  });
  CHECK(how == 1000 + SIGKILL);
  CHECK(in.wait_end().has_value());
}

TEST_CASE("signals do not disturb", "[wire]") {
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &before);  // without SA_RESTART
  itimerval const often{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  {
    pair p(only(GENERATE(true, false)));
    for (int i = 0; i < 50; ++i) p.to->send({0, 0, some_bytes(1 << 20)});
    CHECK(p.in.wait_frames(50));
  }
  itimerval const never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

TEST_CASE("without descriptors, who connects is told", "[wire]") {
  std::error_code error;
  echo other({}, error);
  auto const where = other.station().where();
  stranger first(where), second(where);  // their descriptors exist before there are none
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  REQUIRE(first.say(stranger::greeting(where)));
  std::vector<std::byte> greeting(48);
  REQUIRE(first.hear(greeting));
  REQUIRE(second.say(stranger::greeting(where)));
  REQUIRE(second.hear(greeting));
  int const third = ::socket(AF_UNIX, SOCK_STREAM, 0);
  timeval const patience{100, 0};
  ::setsockopt(third, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(third) + 20;
  setrlimit(RLIMIT_NOFILE, &few);
  std::vector<int> all;
  for (int d = 0; (d = ::open("/dev/null", O_RDONLY)) >= 0;) all.push_back(d);
  bool const none_left = errno == EMFILE;
  sockaddr_storage name = {};
  name.ss_family = AF_UNIX;
  std::string const text = where.local.data();
  std::memcpy(reinterpret_cast<char*>(&name) + 3, text.data(), text.size());
  auto const length = static_cast<socklen_t>(3 + text.size());
  bool const connected = ::connect(third, reinterpret_cast<sockaddr*>(&name), length) == 0;
  std::byte b;
  bool const told = ::recv(third, &b, 1, 0) == 0;
  for (int const d : all) ::close(d);
  // Checked only now, because Catch needs descriptors under sanitizers.
  CHECK(none_left);
  CHECK(connected);
  CHECK(told);
  setrlimit(RLIMIT_NOFILE, &before);
  ::close(third);
  REQUIRE(first.say(stranger::frame(1, 1, some_bytes(5))));
  std::vector<std::byte> back(29);
  CHECK(first.hear(back));
}

TEST_CASE("where nobody can even be turned away, it is tried again until somebody can", "[wire]") {
  std::error_code error;
  none_accepted = true;
  refused = 0;
  echo other({}, error);
  auto const where = other.station().where();
  stranger late(where);
  CHECK(late.say(stranger::greeting(where)));
  for (int i = 0; refused < 6 && i < 60'000; ++i) std::this_thread::sleep_for(1ms);
  none_accepted = false;
  CHECK(refused >= 6);
  std::vector<std::byte> greeting(48);
  CHECK(late.hear(greeting));
  REQUIRE(late.say(stranger::frame(1, 1, some_bytes(5))));
  std::vector<std::byte> back(29);
  CHECK(late.hear(back));
}

TEST_CASE("where nobody can be turned away for long, the door is closed, and no peer waits",
          "[wire]") {
  std::error_code error;
  wire::station::options o;
  o.patience = 200ms;
  none_accepted = true;
  echo other(o, error);
  auto const where = other.station().where();
  stranger waits(where);
  CHECK(waits.connected());
  CHECK(waits.is_left());
  none_accepted = false;
  stranger late(where);
  CHECK_FALSE(late.connected());
}

TEST_CASE("connections without a greeting are few, and the oldest go first", "[wire]") {
  std::error_code error;
  wire::station::options o;
  o.patience = 1h;
  echo other(o, error);
  auto const where = other.station().where();
  std::vector<std::byte> const greeting = stranger::greeting(where);
  std::vector<std::byte> answer(greeting.size()), back(29);
  stranger friendly(where);
  REQUIRE(friendly.say(greeting));
  REQUIRE(friendly.hear(answer));
  std::deque<stranger> silent;
  for (std::size_t i = 0; i < 3 * o.most_newcomers; ++i) {
    silent.emplace_back(where);
    REQUIRE(silent.back().connected());
    if (i % 2 == 1) silent.back().say(std::span(greeting).first(5));
  }
  auto const gone = [&] {
    return static_cast<std::size_t>(
        std::count_if(silent.begin(), silent.end(), [](stranger const& s) { return s.is_gone(); }));
  };
  for (int i = 0; gone() < 2 * o.most_newcomers && i < 10'000; ++i)
    std::this_thread::sleep_for(1ms);
  CHECK(gone() == 2 * o.most_newcomers);
  for (stranger* const s : {&silent.back(), &friendly}) {  // both must still be served
    if (s != &friendly) {
      REQUIRE(s->say(std::span(greeting).subspan(5)));
      REQUIRE(s->hear(answer));
    }
    REQUIRE(s->say(stranger::frame(1, 1, some_bytes(5))));
    CHECK(s->hear(back));
  }
}

TEST_CASE("a process of another user is cut off before it greets", "[wire]") {
  if (::geteuid() != 0) return skipped("needs root, to become another user");
  std::error_code error;
  wire::station::options o;
  o.patience = 1h;
  echo other(o, error);
  auto const where = other.station().where();
  pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::alarm(60);
    if (::setuid(65534) != 0) ::_exit(2);
    stranger s(where);
    ::_exit(s.connected() && s.is_left() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("peers that come and go leave nothing behind", "[wire]") {
  std::error_code error;
  wire::station::options o;
  o.patience = 1h;
  echo other(o, error);
  auto const where = other.station().where();
  auto const used = [] { return static_cast<std::int64_t>(::mallinfo2().uordblks); };
  auto const come = [&](int times) {
    for (int i = 0; i < times; ++i) stranger(where).connected();
  };
  come(100);
  std::int64_t const before = used();
  come(10000);
  constexpr std::int64_t little = 1 << 18;
  for (int i = 0; used() - before > little && i < 10'000; ++i) std::this_thread::sleep_for(1ms);
  CHECK(used() - before < little);
}

TEST_CASE("work is done several at a time, and before the end", "[wire]") {
  std::error_code error;
  wire::station::options o;
  o.workers = 2;
  std::atomic<int> now{0}, most{0}, done{0};
  {
    wire::station s(o, {}, error);
    for (int i = 0; i < 20; ++i)
      s.work([&] {
        int const n = ++now;
        for (int m = most; m < n && !most.compare_exchange_weak(m, n);) {
        }
        std::this_thread::sleep_for(2ms);
        --now;
        ++done;
      });
  }
  CHECK(done == 20);
  CHECK(most == 2);
}

TEST_CASE("timers ring, and do not hold up the end", "[wire]") {
  std::error_code error;
  std::atomic<bool> rang{false}, late{false};
  {
    wire::station s({}, {}, error);
    s.after(1ms, [&] { rang = true; });
    s.after(1h, [&] { late = true; });
    while (!rang) std::this_thread::sleep_for(1ms);
  }
  CHECK_FALSE(late);
}

TEST_CASE("addresses as text", "[wire]") {
  std::error_code error;
  wire::station s({}, {}, error);
  std::string const text = wire::to_text(s.where());
  CHECK(wire::address_from(text, error) == s.where());
  CHECK_FALSE(error);
  for (std::size_t cut = 0; cut + 1 < text.size(); ++cut) {
    static_cast<void>(wire::address_from(text.substr(0, cut), error));
    CHECK(error);
  }
  CAPTURE(seed());
  std::mt19937_64 random(seed());
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    for (int k = 0; k < 3; ++k) changed[random() % changed.size()] = static_cast<char>(random());
    // Reading must end, and an accepted address must print and read back.
    wire::address const a = wire::address_from(changed, error);
    if (!error) CHECK(wire::address_from(wire::to_text(a), error) == a);
  }
  // There is room for hosts_max hosts.
  for (std::size_t hosts = 0; hosts < 12; ++hosts) {
    std::string many = "argosy 1\nport 77\n";
    for (std::size_t h = 0; h < hosts; ++h) many += "host 10.0.0." + std::to_string(h) + "\n";
    for (std::string const key : {"shown ", "answered "})
      many += text.substr(text.find(key), text.find('\n', text.find(key)) - text.find(key) + 1);
    wire::address const a = wire::address_from(many + "end\n", error);
    CHECK(!error == (hosts <= wire::address::hosts_max));
    CHECK(a.host_count == std::min(hosts, wire::address::hosts_max));
  }
  // A second name, or a malformed port, must be refused. It could be that of another process.
  auto const with = [&](std::string const& line) {
    return "argosy 1\n" + line + "\n" + text.substr(text.find('\n') + 1);
  };
  static_cast<void>(wire::address_from(text, error));
  REQUIRE_FALSE(error);
  std::string const twice = text.substr(text.find("shown"), 6 + 64);
  for (std::string const& line :
       {twice, std::string("port 12x"), std::string("port -1"), "local " + std::string(48, 'a'),
        "machine " + std::string(64, 'a')}) {
    CAPTURE(line);
    static_cast<void>(wire::address_from(with(line), error));
    CHECK(error);
  }
  std::string nul = text;
  nul[nul.find("machine") + 9] = '\0';
  static_cast<void>(wire::address_from(nul, error));
  CHECK(error);
}

TEST_CASE("no descriptor is left open", "[wire]") {
  std::size_t const before = open_descriptors();
  for (int i = 0; i < 3; ++i) {
    pair p;
    p.to->send({0, 0, some_bytes(10)});
    CHECK(p.in.wait_frames(1));
  }
  CHECK(open_descriptors() == before);
}
