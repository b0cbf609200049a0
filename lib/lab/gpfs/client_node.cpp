// Implements lab/gpfs/detail/client_node.hpp: events, open instances, sizes, locks, and calls that
// move no data.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/client_node.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>

#include "client_state.hpp"

namespace argosy::lab::gpfs::detail {

client_node::client_node(node_id node, machine const& m)
    : state_(std::make_unique<state>(node, m)) {}
client_node::client_node(client_node&&) noexcept = default;
client_node& client_node::operator=(client_node&&) noexcept = default;
client_node::~client_node() = default;

std::int64_t client_node::submit(call c, instant now, outbox& out) {
  return state_->submit(std::move(c), now, out);
}
void client_node::interrupt(std::int64_t ticket, instant now, outbox& out) {
  state_->interrupt(ticket, now, out);
}
void client_node::receive(message const& m, instant now, outbox& out) {
  state_->receive(m, now, out);
}
client_counters const& client_node::counters() const { return state_->counters(); }
std::int64_t client_node::cached_blocks() const { return state_->cached_blocks(); }
std::int64_t client_node::dirty_blocks() const { return state_->dirty_blocks(); }
std::int64_t client_node::pinned_blocks() const { return state_->pinned_blocks(); }
token_mode client_node::token(file_id file, std::int64_t block) const {
  return state_->token(file, block);
}
std::vector<block_piece> client_node::unsaved(file_id file, bool on_its_way) const {
  return state_->unsaved(file, on_its_way);
}
known_size client_node::size(file_id file) const { return state_->size(file); }
bool client_node::is_hollow(int instance) const { return state_->is_hollow(instance); }
std::optional<file_id> client_node::file_of(int instance) const {
  return state_->file_of(instance);
}
void client_node::set_processors(processor_time f) { state_->set_processors(std::move(f)); }

token_mode client_node::state::token(file_id id, std::int64_t block) const {
  auto const f = files_.find(id);
  return f == files_.end() ? token_mode::none : f->second.tokens.at(block);
}

known_size client_node::state::size(file_id id) const {
  auto const f = files_.find(id);
  return f == files_.end() ? known_size{} : f->second.size;
}

std::optional<file_id> client_node::state::file_of(int number) const {
  auto const i = instances_.find(number);
  return i == instances_.end() ? std::nullopt : std::optional(i->second.file);
}

bool client_node::state::is_hollow(int number) const {
  auto const i = instances_.find(number);
  if (i == instances_.end()) return false;
  auto const f = files_.find(i->second.file);
  return f != files_.end() && f->second.hollow;
}

// --- Events --------------------------------------------------------------------------------------

std::int64_t client_node::state::submit(call c, instant now, outbox& out) {
  context_.begin(now, out);
  operation o;
  o.id = context_.next_id();
  o.instance = c.instance;
  o.asked = std::move(c);
  std::int64_t const ticket = operations_.add(std::move(o)).id;
  advance();
  return ticket;
}

void client_node::state::interrupt(std::int64_t ticket, instant now, outbox& out) {
  context_.begin(now, out);
  operation const* const o = operations_.find(ticket);
  if (o != nullptr && o->at == phase::directive)
    context_.tell_manager(ship_interrupt{o->file, o->instance}, now);
}

void client_node::state::receive(message const& m, instant now, outbox& out) {
  context_.begin(now, out);
  std::visit(
      [&](auto const& body) {
        if constexpr (requires { on(m.from.index, body); }) on(m.from.index, body);
      },
      m.body);
  advance();
}

// Calls run first, so that a token that has just arrived is used once before the next node gets it.
void client_node::state::advance() {
  do {
    context_.take_changed();  // this round includes all changes until now
    operations_.run_all([this](operation& o) { run(o); });
    for (auto& [id, f] : files_) {
      tokens_.run_revocations(id, f);
      shipping_.run_transition(id, f);
    }
  } while (context_.take_changed());
}

void client_node::state::remember_error(file_id id, writer const& w, int error) {
  if (error == EINTR || error == EAGAIN) error = EIO;  // a task must not retry
  file& f = files_[id];
  f.mode.note_error(error);
  if (w.first != context_.node())
    return context_.tell_node(w.first, late_error{id, w.second, error}, context_.now());
  if (auto const i = instances_.find(w.second); i != instances_.end()) {
    if (i->second.error == 0) i->second.error = error;
  } else {
    ++context_.counters().errors_after_close;
    f.orphan_error = error;
  }
}

void client_node::state::on(node_id, late_error const& m) {
  remember_error(m.file, {context_.node(), m.instance}, m.error);
}

// --- Calls ---------------------------------------------------------------------------------------

namespace {

bool is_by_name(call_kind k) {
  return k == call_kind::open || k == call_kind::remove || k == call_kind::rename;
}

// Hints do not report a late error: a failed hint is ignored, and the error would be lost with it.
bool reports_late_error(call_kind k) {
  return !is_by_name(k) && k != call_kind::size && k != call_kind::lock && k != call_kind::unlock &&
         k != call_kind::fcntl;
}

}  // namespace

void client_node::state::begin_call(operation& o, instance* i) {
  o.begun = true;
  ++context_.counters().calls;
  bool const writes = o.asked.kind == call_kind::write,
             accesses = writes || o.asked.kind == call_kind::read;
  double const more_pieces = static_cast<double>(o.asked.pieces - 1);
  double const takes =
      1e-6 * (context_.machine().call_us + (writes ? context_.machine().write_call_us : 0) +
              context_.machine().segment_us * more_pieces);
  o.ready = context_.compute(takes, o.asked.owner);
  if (i == nullptr) return;
  o.file = i->file;
  // Reads and writes hold the file's lock of this node, for any number of processors.
  if (accesses)
    o.ready = std::max(o.ready, files_[o.file].callers.take(context_.now(), duration_of(takes)));
}

void client_node::state::run(operation& o) {
  if (o.kind == operation::what::hint) return fcntl_.run_hint(o);
  if (o.kind == operation::what::serve) return shipping_.serve(o);
  bool const named = is_by_name(o.asked.kind);
  auto const i = instances_.find(o.instance);
  if (!named && i == instances_.end()) return finish(o, EBADF);
  if (!o.begun) {
    begin_call(o, named ? nullptr : &i->second);
    if (reports_late_error(o.asked.kind)) {
      int const error = std::exchange(i->second.error, 0);
      if (error != 0 && o.asked.kind != call_kind::close) return finish(o, error);
      o.error = error;
    }
  }
  switch (o.asked.kind) {
    case call_kind::open:
      return run_open(o);
    case call_kind::read:
    case call_kind::write:
      return run_access(o);
    case call_kind::sync:
      return run_sync(o);
    case call_kind::size:
      return run_size(o);
    case call_kind::resize:
      return run_resize(o);
    case call_kind::fcntl:
      return fcntl_.run(o);
    case call_kind::close:
      return run_close(o);
    case call_kind::lock:
    case call_kind::unlock:
      return run_lock(o);
    case call_kind::remove:
    case call_kind::rename:
      return run_name(o);
  }
}

void client_node::state::run_name(operation& o) {
  if (!std::exchange(o.started, true)) {
    if (o.asked.kind == call_kind::remove)
      context_.tell_manager(remove_request{o.id, o.asked.path}, o.ready);
    else
      context_.tell_manager(rename_request{o.id, o.asked.path, o.asked.to}, o.ready);
  }
  if (o.answered) finish(o, o.error);
}

void client_node::state::on(node_id, name_answer const& m) {
  operation* const o = operations_.find(m.call);
  if (o == nullptr) return;
  o->answered = true;
  o->error = m.error;
}

void client_node::state::on(node_id, ship_done const& m) {
  operation* const o = operations_.find(m.call);
  if (o == nullptr) return;
  o->answered = true;
  o->error = m.error;
}

void client_node::state::run_open(operation& o) {
  call const& c = o.asked;
  if (!c.for_reading && !c.for_writing) return finish(o, EINVAL);
  if (!o.started) {
    o.started = true;
    o.instance = next_instance_++;
    context_.tell_manager(
        open_request{o.id, c.path, o.instance, c.for_reading, c.for_writing, c.create, c.exclusive},
        o.ready);
  }
  if (o.answered) finish(o, o.error, o.error == 0 ? o.instance : 0);
}

void client_node::state::on(node_id, open_answer const& m) {
  operation* const o = operations_.find(m.call);
  if (o == nullptr) return;
  o->answered = true;
  o->error = m.error;
  if (m.error != 0) return;
  instance i;
  i.file = m.file;
  i.read = o->asked.for_reading;
  i.write = o->asked.for_writing;
  i.synchronous = o->asked.synchronous;
  file& f = files_[m.file];
  f.learn_from_manager(m.size);
  f.hollow = m.hollow;
  i.error = std::exchange(f.orphan_error, 0);
  instances_.emplace(o->instance, std::move(i));
}

// Dirty data may stay in the pool. If all data is on disk, closing the node's last instance drops
// all pages. If close flushes, no page is dropped, because a node may later read what it has
// written.
void client_node::state::run_close(operation& o) {
  file& f = file_of(o);
  if (context_.machine().close_flushes > 0 && !o.started &&
      !pool_.clean(o.file, {0, no_end}, false))
    return;
  bool const last = std::count_if(instances_.begin(), instances_.end(),
                                  [&](auto const& i) { return i.second.file == o.file; }) == 1;
  if (!o.started) {
    fcntl_.forget_hints(instances_.at(o.instance));
    o.started = context_.machine().close_flushes == 0 && last && !pool_.has_unsaved(o.file) &&
                f.mode.is_off() && !f.tokens.empty();
  }
  if (o.started) {
    block_range const all{0, no_end};
    if (locks_.against(o.file, all, token_mode::write) || !pool_.clean(o.file, all, true)) return;
    tokens_.release(o.file, f, all, o.ready);
  }
  int const error = o.error != 0 ? o.error : instances_.at(o.instance).error;
  context_.tell_manager(close_notice{o.file, o.instance, f.size}, o.ready);
  pool_.end_stream({context_.node(), o.instance});
  instances_.erase(o.instance);
  finish(o, error);
}

void client_node::state::run_sync(operation& o) {
  file const& f = file_of(o);
  if (o.at == phase::begin || o.at == phase::route) {
    if (f.mode.is_changing()) return;
    o.at = f.mode.is_on() ? phase::ship : phase::flush;
    if (o.at == phase::ship) shipping_.start(o);
  }
  if (o.at != phase::flush) return shipping_.run(o);
  if (!pool_.clean(o.file, {0, no_end}, false)) return;
  if (!sizes_.tell(o, f)) return;
  finish(o, std::exchange(instances_.at(o.instance).error, 0));
}

void client_node::state::run_size(operation& o) {
  file const& f = file_of(o);
  if ((!sizes_.certain(f) || o.started) && !sizes_.learn(o)) return;
  finish(o, 0, f.size.bytes);
}

// Holds tokens for the whole file: other nodes have dropped their caches, so no node uses the old
// end.
void client_node::state::run_resize(operation& o) {
  file& f = file_of(o);
  instance& i = instances_.at(o.instance);
  if (o.at == phase::begin) {
    if (!i.write) return finish(o, EBADF);
    if (o.asked.offset < 0) return finish(o, EINVAL);
    o.at = phase::route;
  }
  if (o.at == phase::route) {
    if (f.mode.is_entering()) return;
    if (f.mode.is_on()) return finish(o, EPERM);
    block_range const all{0, no_end};
    if (!tokens_.need(o, f, all, token_mode::write, {all}, 0) || !locks_.take(o, {0, no_end}, true))
      return;
    o.at = phase::flush;
  }
  if (o.at == phase::flush) {
    if (!pool_.clean(o.file, {0, no_end}, true)) return;
    if (i.error != 0) return finish(o, std::exchange(i.error, 0));
    if (o.asked.only_grow && o.asked.offset <= f.size.bytes) return finish(o, 0);
    o.at = phase::resize_cut;
    o.awaited = context_.machine().servers;
    for (int s = 0; s < context_.machine().servers; ++s)
      context_.tell_server(s, cut_blocks{o.id, o.file, o.asked.offset}, o.ready);
  }
  if (o.at == phase::resize_cut) {
    if (o.awaited > 0) return;
    if (o.error != 0) return finish(o, o.error);
    o.at = phase::answer;
    f.resizing = true;
    context_.tell_manager(resize_request{o.id, o.file, o.asked.offset}, o.ready);
  }
  if (!o.answered) return;
  f.resizing = false;
  f.allocated.remove({blocks_of(0, o.asked.offset, block_bytes()).end, no_end});
  finish(o, 0);
}

void client_node::state::on(node_id, blocks_cut const& m) {
  operation* const o = operations_.find(m.id);
  if (o == nullptr) return;
  --o->awaited;
  if (m.error != 0) o->error = m.error;
}

void client_node::state::run_lock(operation& o) {
  std::int64_t const begin = o.asked.offset, length = o.asked.length;
  if (begin < 0 || length < 0) return finish(o, EINVAL);
  if (length == 0) return finish(o, 0);
  std::int64_t const end = begin > no_end - length ? no_end : begin + length;
  if (o.asked.kind == call_kind::unlock) {
    // Needs no answer: it cannot fail, and messages to the manager stay in order.
    ++context_.counters().unlocks;
    context_.tell_manager(unlock_notice{o.file, o.instance, o.asked.owner, begin, end}, o.ready);
    return finish(o, 0);
  }
  if (!std::exchange(o.started, true)) {
    ++context_.counters().lock_requests;
    context_.tell_manager(lock_request{o.id, o.file, o.instance, o.asked.owner, begin, end,
                                       o.asked.exclusive, o.asked.waits},
                          o.ready);
  }
  if (o.answered) finish(o, o.error);
}

void client_node::state::on(node_id, lock_answer const& m) {
  if (operation* const o = operations_.find(m.call)) {
    o->answered = true;
    if (m.refused) o->error = EWOULDBLOCK;
  }
}

void client_node::state::on(node_id, size_query const& m) {
  context_.tell_manager(size_report{m.query, m.file, files_[m.file].size}, context_.now());
}

void client_node::state::on(node_id, size_answer const& m) {
  files_[m.file].learn_from_manager(m.size);
  if (operation* const o = operations_.find(m.request)) o->answered = true;
}

// No operation waits for this node any more.
void client_node::state::on(node_id, node_failed const& m) {
  context_.bury(m.node);
  tokens_.forget(m.node);
  shipping_.forget(m.node);
}

}  // namespace argosy::lab::gpfs::detail
