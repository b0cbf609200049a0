// Implements lab/gpfs/host.hpp: manager and servers for other processes, and the ordinary files
// that hold the data.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/host.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <argosy/handle/opener.hpp>
#include <argosy/handle/posix.hpp>
#include <argosy/lab/gpfs/detail/block_server.hpp>
#include <argosy/lab/gpfs/detail/block_store.hpp>
#include <argosy/lab/gpfs/detail/token_manager.hpp>

#include "codec.hpp"
#include "errno_of.hpp"
#include "process_frames.hpp"
#include "timeless.hpp"
#include "wire/station.hpp"

namespace argosy::lab::gpfs {

using namespace detail;

class host::state {
 public:
  state(host_options o, std::error_code& error)
      : options_(std::move(o)),
        hardware_(options_.hardware),
        store_(std::make_shared<handle_store>(hardware_.block_bytes)),
        manager_(timeless(hardware_), 0),
        station_(listening(options_), [this](auto const& c) { return welcome(c); }, error) {
    std::lock_guard const lock(mutex_);
    for (int k = 0; k < hardware_.servers; ++k)
      servers_.emplace_back(k, timeless(hardware_), store_);
    if (!error) address_ = wire::to_text(station_.where());
  }
  ~state() { station_.stop(); }

  static wire::station::options listening(host_options const& o) {
    wire::station::options s;
    s.network = o.network;
    return s;
  }

  // --- Nodes come and go
  wire::connection::events welcome(std::shared_ptr<wire::connection> const& c);
  void arrived(node_id node, wire::frame f);
  void ended(node_id node);

  // --- Messages, with the mutex
  void deliver(message m);
  void carry_out();  // delivers pending messages, and those that follow from them
  void to_manager(message m);
  void post(outbox& out);
  void open(message m);
  void remove(message m);
  void rename(message m);
  void settle();
  void say_at_rest(node_id node, wire::frame const& f);
  std::optional<std::string> place_of_file(std::string const& name) const;
  // Returns false for a file number that no open has returned. Notes for it would go to the next
  // file that gets the number.
  template <class Body>
  bool names_a_file(Body const& body) const {
    if constexpr (requires { body.file; }) return manager_.knows(body.file);
    return true;
  }
  void answer(node_id node, message_body body) {
    deliver({{role::manager, 0}, {role::client, node}, std::move(body)});
  }
  instant now() const {
    return std::chrono::duration_cast<instant>(std::chrono::steady_clock::now() - start_);
  }

  host_options const options_;
  machine const hardware_;
  std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
  std::string address_;
  mutable std::mutex mutex_;
  std::shared_ptr<handle_store> store_;
  token_manager manager_;
  std::vector<block_server> servers_;
  std::map<file_id, int> at_rest_;  // files to be settled, with the error to report
  std::map<node_id, std::shared_ptr<wire::connection>> nodes_;
  std::set<node_id> known_, leaving_;
  std::deque<message> to_deliver_;
  std::int64_t malformed_ = 0;
  wire::station station_;
};

// --- Nodes come and go ---------------------------------------------------------------------------

wire::connection::events host::state::welcome(std::shared_ptr<wire::connection> const& c) {
  std::lock_guard const lock(mutex_);
  constexpr std::uint64_t most = 1 << 20;
  node_id node = c->introduction() <= most ? static_cast<node_id>(c->introduction()) - 1 : 0;
  if (node < 0) node = known_.empty() ? 0 : *known_.rbegin() + 1;
  if (c->introduction() > most || !known_.insert(node).second) {
    c->send({process_frames::refused, EBUSY, {}});
    c->finish();
    return {[](wire::frame const&) {}, [](std::error_code) {}};
  }
  nodes_[node] = c;
  std::ostringstream text;
  text << hardware_;
  std::string const s = text.str();
  auto const* const first = reinterpret_cast<std::byte const*>(s.data());
  c->send({process_frames::welcome, static_cast<std::uint64_t>(node), {first, first + s.size()}});
  outbox out;
  manager_.admit(node, now(), out);
  post(out);
  carry_out();
  return {[this, node](wire::frame f) { arrived(node, std::move(f)); },
          [this, node](std::error_code) { ended(node); }};
}

void host::state::arrived(node_id node, wire::frame f) {
  std::lock_guard const lock(mutex_);
  if (f.kind == process_frames::leaves) {
    leaving_.insert(node);
    nodes_.at(node)->close();
    return;
  }
  if (f.kind == process_frames::at_rest) return say_at_rest(node, f);
  std::optional<message> m;
  if (f.kind == process_frames::one_message) m = decode(f.body);
  if (!m || m->from != gpfs::detail::address{role::client, node} || !makes_sense(*m, hardware_) ||
      !std::visit([this](auto const& body) { return names_a_file(body); }, m->body)) {
    ++malformed_;
    throw std::runtime_error("not a message");
  }
  // Messages between nodes are forwarded unchanged.
  if (m->to.who == role::client) {
    if (auto const to = nodes_.find(m->to.index); to != nodes_.end())
      to->second->send(std::move(f));
    return;
  }
  deliver(std::move(*m));
  carry_out();
}

// Handles the end of a node. If the node left properly it cannot write any more, so there is no
// lease to wait for, and no write to refuse.
void host::state::ended(node_id node) {
  std::lock_guard const lock(mutex_);
  nodes_.erase(node);
  outbox out;
  if (leaving_.contains(node))
    manager_.dismiss(node, now(), out);
  else
    out.send({role::manager, 0}, {role::manager, 0}, node_lost{node}, now());
  post(out);
  carry_out();
  settle();
}

// --- Messages ------------------------------------------------------------------------------------

void host::state::deliver(message m) { to_deliver_.push_back(std::move(m)); }

void host::state::post(outbox& out) {
  for (outbox::outgoing& o : out.messages) deliver(std::move(o.what));
  for (outbox::timer const& t : out.timers)
    station_.after(t.at - now(), [this, id = t.id] {
      std::lock_guard const lock(mutex_);
      outbox later;
      manager_.expire(id, now(), later);
      post(later);
      carry_out();
      settle();
    });
}

void host::state::carry_out() {
  while (!to_deliver_.empty()) {
    message m = std::move(to_deliver_.front());
    to_deliver_.pop_front();
    if (m.to.who == role::manager) {
      to_manager(std::move(m));
    } else if (m.to.who == role::server) {
      outbox out;
      servers_[static_cast<std::size_t>(m.to.index)].receive(m, now(), out);
      post(out);
    } else if (auto const to = nodes_.find(m.to.index); to != nodes_.end()) {
      to->second->send({process_frames::one_message, 0, encode(m)});
    }
  }
}

void host::state::to_manager(message m) {
  if (std::holds_alternative<open_request>(m.body)) return open(std::move(m));
  if (std::holds_alternative<remove_request>(m.body)) return remove(std::move(m));
  if (std::holds_alternative<rename_request>(m.body)) return rename(std::move(m));
  outbox out;
  manager_.receive(m, now(), out);
  post(out);
  if (std::holds_alternative<close_notice>(m.body)) settle();
}

// --- Data at rest --------------------------------------------------------------------------------

std::optional<std::string> host::state::place_of_file(std::string const& name) const {
  // The operating system would end a name at a zero byte.
  if (name.find('\0') != std::string::npos) return {};
  if (options_.directory.empty()) return name;
  std::filesystem::path const path(name);
  if (name.empty() || path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
    return {};
  return (options_.directory / path).string();
}

// The manager has the names that have been opened. Other names are looked up in the directory.
void host::state::open(message m) {
  auto& request = std::get<open_request>(m.body);
  auto const refuse = [&](int error) {
    answer(m.from.index, open_answer{request.call, error, 0, {}});
  };
  if (!manager_.find(request.path)) {
    auto const place = place_of_file(request.path);
    if (!place) return refuse(EACCES);
    std::error_code error;
    open_flags flags{
        .read = true, .write = true, .create = request.create, .exclusive = request.exclusive};
    posix file = posix::open(*place, flags, error);
    // Opens a read-only file for reading.
    bool const read_only =
        (error == std::errc::permission_denied || error == std::errc::read_only_file_system) &&
        !request.write && !request.create;
    if (read_only) {
      flags.write = false;
      file = posix::open(*place, flags, error);
    }
    if (error) return refuse(errno_of(error));
    std::int64_t const bytes = file.size(error);
    if (error) return refuse(errno_of(error));
    file_id const id = manager_.adopt(request.path, bytes);
    at_rest_[id] = 0;
    store_->attach(id, any_handle(std::move(file)));
    request.exclusive = false;  // the check is done
  } else if (int const error = std::exchange(at_rest_[*manager_.find(request.path)], 0);
             error != 0) {
    return refuse(error);
  }
  outbox out;
  manager_.receive(m, now(), out);
  post(out);
}

void host::state::remove(message m) {
  auto const& request = std::get<remove_request>(m.body);
  auto const place = place_of_file(request.path);
  if (!place) return answer(m.from.index, name_answer{request.call, EACCES});
  std::error_code error;
  bool const was_there = std::filesystem::remove(*place, error);
  if (error) return answer(m.from.index, name_answer{request.call, errno_of(error)});
  if (!was_there || !manager_.find(request.path))
    return answer(m.from.index, name_answer{request.call, was_there ? 0 : ENOENT});
  outbox out;
  manager_.receive(m, now(), out);
  post(out);
}

void host::state::rename(message m) {
  rename_request const request = std::get<rename_request>(m.body);
  auto const from = place_of_file(request.path), to = place_of_file(request.to);
  if (!from || !to) return answer(m.from.index, name_answer{request.call, EACCES});
  auto const error =
      *from == *to ? argosy::detail::settle_names(*to) : argosy::detail::rename_file(*from, *to);
  if (error || *from == *to)
    return answer(m.from.index, name_answer{request.call, error ? errno_of(error) : 0});
  if (!manager_.find(request.path)) {
    if (!manager_.find(request.to)) return answer(m.from.index, name_answer{request.call, 0});
    // the next open finds the other file in the directory
    m.body = remove_request{request.call, request.to};
  }
  outbox out;
  manager_.receive(m, now(), out);
  post(out);
}

// Sets the length of ordinary files when no node has them open. Flushes of pieces of blocks and
// holes do not set the length.
void host::state::settle() {
  for (auto& [file, error] : at_rest_)
    if (manager_.open_instances(file) == 0)
      if (int const e = store_->set_size(file, manager_.size(file).bytes); e != 0) error = e;
}

// Sends the result after all earlier messages of the node were handled.
void host::state::say_at_rest(node_id node, wire::frame const& f) {
  std::string const name(reinterpret_cast<char const*>(f.body.data()), f.body.size());
  int error = 0;
  if (auto const file = manager_.find(name)) error = std::exchange(at_rest_[*file], 0);
  auto const bytes = std::as_bytes(std::span(&error, 1));
  nodes_.at(node)->send({process_frames::at_rest, f.number, {bytes.begin(), bytes.end()}});
}

// --- The host ------------------------------------------------------------------------------------

host::host(host_options o, std::error_code& error) {
  error.clear();
  state_ = std::make_unique<state>(std::move(o), error);
}
host::~host() = default;

std::string const& host::address() const { return state_->address_; }

int host::nodes() const {
  std::lock_guard const lock(state_->mutex_);
  return static_cast<int>(state_->nodes_.size());
}
std::int64_t host::malformed() const {
  std::lock_guard const lock(state_->mutex_);
  return state_->malformed_;
}
manager_counters host::manager() const {
  std::lock_guard const lock(state_->mutex_);
  return state_->manager_.counters();
}
server_counters host::servers() const {
  std::lock_guard const lock(state_->mutex_);
  server_counters all;
  for (block_server const& s : state_->servers_) {
    server_counters const& c = s.counters();
    all.reads += c.reads;
    all.hole_reads += c.hole_reads;
    all.writes += c.writes;
    all.bytes_read += c.bytes_read;
    all.bytes_written += c.bytes_written;
    all.errors += c.errors;
    all.refused += c.refused;
    all.longest_queue = std::max(all.longest_queue, c.longest_queue);
    all.overloaded += c.overloaded;
  }
  return all;
}

}  // namespace argosy::lab::gpfs
