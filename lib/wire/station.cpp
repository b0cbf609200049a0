// Implements station.hpp: doors, threads, timers, and the orderly stop.
// SPDX-License-Identifier: BSD-3-Clause
#include "station.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include <argosy/error/detail/memory_reserve.hpp>

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include "raw_socket.hpp"

namespace argosy::wire {

namespace {

constexpr std::chrono::milliseconds pause{50}, stuck{2000};

// Blocks signals, because threads of the library must not get the program's signals.
struct no_signals {
  no_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  ~no_signals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  no_signals(no_signals const&) = delete;
  no_signals& operator=(no_signals const&) = delete;
  sigset_t before;
};

}  // namespace

station::station(options o, connection::welcome accepted, std::error_code& error)
    : options_(o), accepted_(std::move(accepted)) {
  error.clear();
  try {
    context_ = std::make_shared<boost::asio::io_context>();
    guard_.emplace(context_->get_executor());
    if (options_.listens) open_doors();
    start_threads();
  } catch (boost::system::system_error const& e) {  // std::system_error only since Boost 1.83
    error.assign(e.code().value(), std::system_category());
  } catch (std::system_error const& e) {
    error = e.code();
  } catch (std::bad_alloc const&) {
    error = std::make_error_code(std::errc::not_enough_memory);
  } catch (std::exception const&) {
    error = std::make_error_code(std::errc::io_error);
  }
  if (error) stop();
}

// NOLINTNEXTLINE(bugprone-exception-escape): only a mutex that is no mutex throws here
station::~station() { stop(); }

// --- Beginning and end ---------------------------------------------------------------------------

void station::open_doors() {
  where_ = new_address();
  std::error_code error;
  std::lock_guard const lock(mutex_);
  auto const open = [&](int descriptor, bool of_network) {
    if (error) throw std::system_error(error);
    add_door(descriptor, of_network);
  };
  if (options_.local)
    open(listen_local(where_.local.data(), error), false);
  else
    where_.local = {};
  if (options_.network) open(listen_network(where_.port, error), true);
}

void station::add_door(int descriptor, bool of_network) {
  auto const d = std::make_shared<door>(*context_, of_network);
  boost::system::error_code error;
  d->socket.assign(descriptor, error);
  if (error) {
    close_descriptor(descriptor);
    throw boost::system::system_error(error);
  }
  doors_.push_back(d);
  wait_at(d);
}

void station::start_threads() {
  [[maybe_unused]] no_signals const masked;
  for (int i = 0; i < options_.workers + 1; ++i)
    threads_.emplace_back([c = context_] {
      // used because ranks wait for the answers of these threads
      [[maybe_unused]] detail::memory_reserve const kept;
      c->run();
    });
}

void station::leave_network() {
  std::lock_guard const lock(mutex_);
  if (where_.port == 0) return;
  where_.port = 0;
  boost::system::error_code ignored;
  std::erase_if(doors_, [&](auto const& d) {
    if (d->of_network) d->socket.close(ignored);
    return d->of_network;
  });
}

void station::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  boost::system::error_code ignored;
  for (auto const& d : doors_) d->socket.close(ignored);
  doors_.clear();
  for (auto const& t : timers_) t->cancel();
  if (threads_.empty()) connections_.clear();  // no thread was ever started
  changed_.wait(lock, [this] { return working_ == 0; });

  auto const progress = [this] {
    return std::accumulate(connections_.begin(), connections_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, auto const& c) { return sum + c->progress(); });
  };
  for (auto const& c : connections_) c->finish();
  for (std::uint64_t before = progress();;) {
    if (changed_.wait_for(lock, stuck, [this] { return connections_.empty(); })) break;
    std::uint64_t const now = progress();
    if (now == before)
      for (auto const& c : connections_) c->close();
    before = now;
  }
  lock.unlock();
  guard_.reset();
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

// --- Accepting -----------------------------------------------------------------------------------

void station::wait_at(std::shared_ptr<door> const& d) {
  auto constexpr readable = boost::asio::posix::stream_descriptor::wait_read;
  d->socket.async_wait(readable, [this, d](boost::system::error_code const& e) {
    std::lock_guard const lock(mutex_);
    if (e || stopping_ || !d->socket.is_open()) return;
    if (accept_all(*d)) {
      d->failures = 0;
      return wait_at(d);
    }
    if (++d->failures * pause > options_.patience) return close_door(d);
    wait_later(d);
  });
}

// Tries again later if even turning peers away fails, because a descriptor may be closed meanwhile.
void station::wait_later(std::shared_ptr<door> const& d) {
  auto const timer = std::make_shared<boost::asio::steady_timer>(*context_, pause);
  timers_.insert(timer);
  timer->async_wait([this, timer, d](boost::system::error_code const&) {
    std::lock_guard const lock(mutex_);
    timers_.erase(timer);
    if (!stopping_ && d->socket.is_open()) wait_at(d);
  });
}

// Closes the listener. The kernel resets all peers that wait to be accepted, and refuses later
// ones.
void station::close_door(std::shared_ptr<door> const& d) {
  boost::system::error_code ignored;
  d->socket.close(ignored);
  std::erase(doors_, d);
}

bool station::accept_all(door& d) {
  constexpr int at_a_time = 64;  // limits how long a flood of peers occupies the mutex
  std::error_code error;
  for (int i = 0; i < at_a_time && !error; ++i) {
    int const s = accept_next(d.socket.native_handle(), error);
    if (s < 0) break;
    if (!is_of_same_user(s)) {
      close_descriptor(s);
      continue;
    }
    auto const c = add(s, where_);
    if (!c) continue;
    c->start(accepted_);
    expect_greeting(c);
  }
  // A peer that can neither be accepted nor turned away would wait without end.
  return !error || drop_newcomer() || turn_away(d.socket.native_handle());
}

// Limits the number of peers that have not greeted. Any process that reaches the listener may
// connect, and must not use up the descriptors of the program.
void station::expect_greeting(std::shared_ptr<connection> const& c) {
  std::erase_if(newcomers_, [](newcomer const& n) {
    auto const held = n.who.lock();
    return !held || !held->is_awaited();
  });
  if (newcomers_.size() >= options_.most_newcomers) drop_newcomer();
  newcomers_.push_back({c, std::chrono::steady_clock::now() + options_.patience});
  if (!watches_newcomers_) watch_newcomers();
}

// Closes the oldest connection that has not greeted. One whose greeting has come but is not read
// yet is closed only if all are like that. Returns false if none was closed.
bool station::drop_newcomer() {
  auto found = std::find_if(newcomers_.begin(), newcomers_.end(), [](newcomer const& n) {
    auto const held = n.who.lock();
    return held && held->is_awaited() && !held->has_unread();
  });
  if (found == newcomers_.end()) found = newcomers_.begin();
  if (found == newcomers_.end()) return false;
  auto const held = found->who.lock();
  newcomers_.erase(found);
  if (!held || !held->is_awaited()) return false;
  held->close();
  return true;
}

void station::watch_newcomers() {
  watches_newcomers_ = true;
  auto const timer =
      std::make_shared<boost::asio::steady_timer>(*context_, newcomers_.front().until);
  timers_.insert(timer);
  timer->async_wait([this, timer](boost::system::error_code const&) {
    std::lock_guard const lock(mutex_);
    timers_.erase(timer);
    watches_newcomers_ = false;
    if (stopping_) return;
    auto const now = std::chrono::steady_clock::now();
    for (; !newcomers_.empty(); newcomers_.pop_front()) {
      auto const held = newcomers_.front().who.lock();
      if (!held || !held->is_awaited()) continue;
      if (newcomers_.front().until > now) return watch_newcomers();
      held->close();
    }
  });
}

std::shared_ptr<connection> station::add(int descriptor, address const& where) {
  std::shared_ptr<connection> c(new connection(context_, where, options_.most_bytes));
  boost::system::error_code e;
  c->socket_.assign(boost::asio::generic::stream_protocol(family_of(descriptor), 0), descriptor, e);
  if (e) {
    close_descriptor(descriptor);
    return {};
  }
  c->gone_ = [this, c = c.get()] {
    std::lock_guard const lock(mutex_);
    connections_.erase(c->shared_from_this());
    changed_.notify_all();
  };
  connections_.insert(c);
  return c;
}

auto station::connect(address const& to, std::uint64_t introduction, connection::events e,
                      std::error_code& error) -> std::shared_ptr<connection> {
  int s = -1;
  error = std::make_error_code(std::errc::connection_refused);
  bool const here = to.is_here();
  if (options_.local && here && to.local[0] != 0)
    s = connect_local(to.local.data(), options_.patience, error);
  for (std::uint32_t i = 0; s < 0 && options_.network && to.port != 0 && i < to.host_count; ++i)
    if (here || !is_loopback(to.hosts[i]))
      s = connect_network(to.hosts[i], to.port, options_.patience, error);
  if (s < 0) return {};
  std::lock_guard const lock(mutex_);
  std::shared_ptr<connection> c;
  if (!stopping_) c = add(s, to);
  if (!c) {
    if (stopping_) close_descriptor(s);
    error = std::make_error_code(std::errc::connection_aborted);
    return {};
  }
  c->start(std::move(e), introduction);
  return c;
}

// --- Work ----------------------------------------------------------------------------------------

// One thread never runs pieces of work, so that frames are always read and written.
void station::work(std::function<void()> piece) {
  std::lock_guard const lock(mutex_);
  if (stopping_) return;
  if (working_ == options_.workers) return waiting_.push_back(std::move(piece));
  ++working_;
  boost::asio::post(*context_, [this, p = std::move(piece)] { run_work(p); });
}

void station::run_work(std::function<void()> piece) {
  for (;;) {
    piece();
    piece = nullptr;
    std::lock_guard const lock(mutex_);
    if (waiting_.empty()) {
      --working_;
      changed_.notify_all();
      return;
    }
    piece = std::move(waiting_.front());
    waiting_.pop_front();
  }
}

void station::after(std::chrono::nanoseconds time, std::function<void()> what) {
  std::lock_guard const lock(mutex_);
  if (stopping_) return;
  auto const timer = std::make_shared<boost::asio::steady_timer>(
      *context_, std::chrono::duration_cast<std::chrono::steady_clock::duration>(time));
  timers_.insert(timer);
  timer->async_wait([this, timer, w = std::move(what)](boost::system::error_code const& e) {
    if (!e) w();
    std::lock_guard const again(mutex_);
    timers_.erase(timer);
  });
}

}  // namespace argosy::wire
