// Implements lab/gpfs/mount.hpp: a client node in this process, and its connection to the host.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/mount.hpp>

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "codec.hpp"
#include "process_frames.hpp"
#include "timeless.hpp"
#include "wire/station.hpp"

namespace argosy::lab::gpfs {

using namespace detail;

class mount::state {
 public:
  state() : station_(calling(), {}, error_) {}
  ~state() {
    leave();
    station_.stop();
  }

  std::error_code start(std::string const& address, node_id node);
  completion perform(call c);
  int at_rest(std::string const& name);  // returns an errno
  void leave();

  node_id number_ = any_node;
  machine hardware_;
  mutable std::mutex mutex_;
  std::optional<client_node> node_;  // empty until the first message of the host

 private:
  struct waiter {
    std::optional<completion> done;
    std::condition_variable changed;
  };

  static wire::station::options calling() {
    wire::station::options o;
    o.listens = false;
    return o;
  }
  void arrived(wire::frame f);
  void take_welcome(wire::frame const& f);
  void take_at_rest(wire::frame const& f);
  void ended(std::error_code error);
  void post(outbox& out);  // needs the mutex
  instant now() const {
    return std::chrono::duration_cast<instant>(std::chrono::steady_clock::now() - start_);
  }

  std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
  std::condition_variable welcomed_;
  std::shared_ptr<wire::connection> host_;
  // if set, the host is out of reach, and the node is not used any more
  std::error_code error_;
  std::map<std::int64_t, waiter*> waiting_;  // by ticket
  std::map<std::uint64_t, waiter*> asking_;  // requests to the host, by number
  std::uint64_t next_question_ = 0;
  wire::station station_;
};

std::error_code mount::state::start(std::string const& address, node_id node) {
  if (error_) return error_;
  std::error_code error;
  wire::address const where = wire::address_from(address, error);
  if (error) return error;
  std::unique_lock lock(mutex_);  // the frame may need an answer
  host_ = station_.connect(
      where, process_frames::introduction(node),
      {[this](wire::frame f) { arrived(std::move(f)); }, [this](std::error_code e) { ended(e); }},
      error);
  if (error) return error;
  welcomed_.wait(lock, [this] { return node_ || error_; });
  return error_;
}

void mount::state::arrived(wire::frame f) {
  std::lock_guard const lock(mutex_);
  if (error_) return;
  if (!node_) return take_welcome(f);
  if (f.kind == process_frames::at_rest) return take_at_rest(f);
  std::optional<message> m;
  if (f.kind == process_frames::one_message) m = decode(f.body);
  if (!m || m->to != address{role::client, number_} || !makes_sense(*m, hardware_))
    throw std::runtime_error("not a message");
  outbox out;
  node_->receive(*m, now(), out);
  post(out);
}

void mount::state::take_welcome(wire::frame const& f) {
  constexpr std::uint64_t most_errno = 4095;
  if (f.kind == process_frames::refused && f.number > 0 && f.number <= most_errno) {
    error_.assign(static_cast<int>(f.number), std::system_category());
  } else if (f.kind == process_frames::welcome && f.number <= static_cast<std::uint64_t>(INT_MAX)) {
    std::istringstream text(
        std::string(reinterpret_cast<char const*>(f.body.data()), f.body.size()));
    hardware_ = read_machine(text);
    number_ = static_cast<node_id>(f.number);
    node_.emplace(number_, timeless(hardware_));
  } else {
    throw std::runtime_error("no welcome");
  }
  welcomed_.notify_all();
}

void mount::state::ended(std::error_code error) {
  std::lock_guard const lock(mutex_);
  // Before the welcome, reports the reason. Afterwards all files become unusable, for any reason.
  if (!error_) error_ = node_ ? std::error_code(ESTALE, std::system_category()) : error;
  welcomed_.notify_all();
  for (auto const& [ticket, w] : waiting_) w->changed.notify_all();
  for (auto const& [number, w] : asking_) w->changed.notify_all();
}

void mount::state::take_at_rest(wire::frame const& f) {
  auto const w = asking_.find(f.number);
  completion done;
  if (w == asking_.end() || f.body.size() != sizeof done.error)
    throw std::runtime_error("no answer");
  std::memcpy(&done.error, f.body.data(), sizeof done.error);
  w->second->done = done;
  w->second->changed.notify_all();
}

void mount::state::post(outbox& out) {
  for (outbox::outgoing const& o : out.messages)
    host_->send({process_frames::one_message, 0, encode(o.what)});
  for (completion const& c : out.completions)
    if (auto const w = waiting_.find(c.ticket); w != waiting_.end()) {
      w->second->done = c;
      w->second->changed.notify_all();
    }
}

completion mount::state::perform(call c) {
  std::unique_lock lock(mutex_);
  completion lost;
  lost.error = ESTALE;
  if (error_) return lost;
  outbox out;
  std::int64_t const ticket = node_->submit(std::move(c), now(), out);
  waiter mine;
  waiting_[ticket] = &mine;
  post(out);
  mine.changed.wait(lock, [&] { return mine.done || error_; });
  waiting_.erase(ticket);
  return mine.done ? *mine.done : lost;
}

int mount::state::at_rest(std::string const& name) {
  std::unique_lock lock(mutex_);
  if (error_) return ESTALE;
  std::uint64_t const number = next_question_++;
  waiter mine;
  asking_[number] = &mine;
  auto const bytes = std::as_bytes(std::span(name));
  host_->send({process_frames::at_rest, number, {bytes.begin(), bytes.end()}});
  mine.changed.wait(lock, [&] { return mine.done || error_; });
  asking_.erase(number);
  return mine.done ? mine.done->error : ESTALE;
}

void mount::state::leave() {
  std::lock_guard const lock(mutex_);
  if (error_ || !node_) return;
  host_->send({process_frames::leaves, 0, {}});
  host_->finish();
}

// --- The mount -----------------------------------------------------------------------------------

mount mount::to(std::string const& address, node_id node, std::error_code& error) {
  error.clear();
  mount m;
  m.state_ = std::make_shared<state>();
  error = m.state_->start(address, node);
  if (error) m.state_.reset();
  return m;
}

node_id mount::node() const { return state_->number_; }
machine const& mount::hardware() const { return state_->hardware_; }
client_counters mount::counters() const {
  std::lock_guard const lock(state_->mutex_);
  return state_->node_->counters();
}
std::optional<file_id> mount::file_of(int instance) const {
  std::lock_guard const lock(state_->mutex_);
  return state_->node_->file_of(instance);
}
completion mount::perform(call c) const { return state_->perform(std::move(c)); }
int mount::at_rest(std::string const& name) const { return state_->at_rest(name); }
void mount::leave() const { state_->leave(); }

opener mount::files() const {
  auto const rename = [where = *this](std::string const& from,
                                      std::string const& to) -> std::error_code {
    call c;
    c.kind = call_kind::rename;
    c.path = from;
    c.to = to;
    return {where.perform(std::move(c)).error, std::system_category()};
  };
  return {[where = *this](std::string const& path, open_flags flags,
                          std::error_code& error) -> any_handle {
            mounted_file f = mounted_file::open(where, path, flags, error);
            if (error) return {};
            return any_handle(std::move(f));
          },
          [where = *this](std::string const& path) -> std::error_code {
            call c;
            c.kind = call_kind::remove;
            c.path = path;
            completion const done = where.perform(std::move(c));
            return {done.error, std::system_category()};
          },
          rename, [rename](std::string const& path) { return rename(path, path); }};
}

// --- Files ---------------------------------------------------------------------------------------

mounted_file mounted_file::open(mount const& where, std::string path, open_flags flags,
                                std::error_code& error) {
  completion const done = where.perform(opening(path, flags));
  error = code(done);
  mounted_file f;
  if (error) return f;
  f.mount_ = where;
  f.path_ = std::move(path);
  f.instance_ = static_cast<int>(done.value);
  return f;
}

std::error_code mounted_file::close() {
  if (!is_open()) return code({0, 0, EBADF, {}});
  std::error_code const flushed = sync();
  std::error_code const closed = code(carry(make(call_kind::close)));
  std::error_code const rests = code({0, 0, mount_.at_rest(path_), {}});
  mount_ = {};
  instance_ = 0;
  return flushed ? flushed : closed ? closed : rests;
}

std::optional<file_identity> mounted_file::identity() const {
  auto const file = is_open() ? mount_.file_of(instance_) : std::nullopt;
  if (!file) return std::nullopt;
  return file_identity{.number = static_cast<std::uint64_t>(*file)};
}

std::int64_t mounted_file::owner() {
  static std::atomic<std::int64_t> threads{0};
  thread_local std::int64_t const mine = ++threads;
  return mine;
}

}  // namespace argosy::lab::gpfs
