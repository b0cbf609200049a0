// Implements lab/gpfs/detail/token_manager.hpp: names, tokens, sizes, locks.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/detail/token_manager.hpp>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <variant>

namespace argosy::lab::gpfs::detail {

token_manager::token_manager(machine const& m, int clients, contents kept)
    : machine_(m), kept_(kept) {
  for (node_id node = 0; node < clients; ++node) nodes_.insert(node);
}

std::optional<file_id> token_manager::find(std::string const& path) const {
  auto const name = names_.find(path);
  return name == names_.end() ? std::nullopt : std::optional(name->second);
}

std::vector<std::string> token_manager::names() const {
  std::vector<std::string> all;
  for (auto const& [name, id] : names_) all.push_back(name);
  return all;
}

bool token_manager::is_hollow(file_id id) const {
  auto const f = files_.find(id);
  return f != files_.end() && f->second.hollow;
}

known_size token_manager::size(file_id id) const {
  auto const f = files_.find(id);
  return f == files_.end() ? known_size{} : f->second.size;
}

std::size_t token_manager::open_instances(file_id id) const {
  auto const f = files_.find(id);
  return f == files_.end() ? 0 : f->second.instances.size();
}

std::size_t token_manager::token_count(file_id id) const {
  std::size_t n = 0;
  if (auto const f = files_.find(id); f != files_.end())
    for (auto const& [node, h] : f->second.holders) n += h.tokens.size();
  return n;
}

token_mode token_manager::mode_of(file_id id, node_id node, std::int64_t block) const {
  auto const f = files_.find(id);
  if (f == files_.end()) return token_mode::none;
  auto const h = f->second.holders.find(node);
  return h == f->second.holders.end() ? token_mode::none : h->second.tokens.at(block);
}

std::size_t token_manager::lock_count(file_id id) const {
  auto const f = files_.find(id);
  return f == files_.end() ? 0 : f->second.locks.size();
}

void token_manager::tell(node_id node, message_body body) {
  if (!dead_.contains(node))
    out_->send({role::manager, 0}, {role::client, node}, std::move(body), departs_);
}

void token_manager::receive(message const& m, instant now, outbox& out) {
  if (m.from.who == role::client && dead_.contains(m.from.index)) return;
  out_ = &out;
  now_ = now;
  departs_ = service_.take(now, duration_of(machine_.token_us * 1e-6));
  std::visit(
      [&](auto const& body) {
        using body_type = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<body_type, node_lost>) {
          lost(body.node);
        } else if constexpr (std::is_same_v<body_type, fenced>) {
          allocate(body.written);
          if (auto const f = fences_.find(body.node); f != fences_.end() && --f->second == 0) {
            fences_.erase(f);
            buried(body.node);
          }
        } else if constexpr (requires { on(m.from.index, body); }) {
          // Ignores a file number that no open has returned, because a later open may give it to
          // another file.
          if constexpr (requires { body.file; })
            if (!files_.contains(body.file)) return;
          on(m.from.index, body);
        }
      },
      m.body);
}

// --- Names ---------------------------------------------------------------------------------------

file_id token_manager::adopt(std::string path, std::int64_t bytes) {
  auto const [name, is_new] = names_.emplace(std::move(path), next_file_);
  if (!is_new) return name->second;
  file& f = files_[next_file_];
  f.path = name->first;
  f.size.bytes = bytes;
  f.allocated.add(blocks_of(0, bytes, machine_.block_bytes));
  return next_file_++;
}

void token_manager::on(node_id from, open_request const& m) {
  open_answer answer;
  answer.call = m.call;
  auto name = names_.find(m.path);
  if (name == names_.end() && !m.create)
    answer.error = ENOENT;
  else if (name != names_.end() && m.create && m.exclusive)
    answer.error = EEXIST;
  if (answer.error == 0) {
    bool const is_new = name == names_.end();
    if (is_new) {
      name = names_.emplace(m.path, next_file_).first;
      file& made = files_[next_file_++];
      made.path = m.path;
      made.hollow = !lab::detail::keeps_bytes(kept_, m.path);
    }
    file& f = files_.at(name->second);
    update_inode(f, is_new ? machine_.create_us : machine_.open_us);
    f.instances[{from, m.instance}] = {m.write, false};
    answer.file = name->second;
    answer.size = f.size;
    answer.hollow = f.hollow;
  }
  tell(from, answer);
}

void token_manager::on(node_id from, close_notice const& m) {
  file& f = files_.at(m.file);
  f.size.learn(m.size);
  update_inode(f, machine_.close_us);
  instance_id const id{from, m.instance};
  f.instances.erase(id);
  f.locks.forget(from, m.instance);
  tell_locked(f);
  shipping& s = f.ship;
  if (s.now == shipping::stage::gathering && s.starters.contains(id)) {
    fail_start(f, EINVAL);
  } else if (s.members.contains(id) && !s.stoppers.contains(id)) {
    s.stoppers[id] = -1;
    stop_ship_if_all(m.file, f);
  }
}

void token_manager::on(node_id from, remove_request const& m) {
  tell(from, name_answer{m.call, names_.erase(m.path) == 0 ? ENOENT : 0});
}

void token_manager::on(node_id from, rename_request const& m) {
  auto const name = names_.find(m.path);
  if (name == names_.end()) return tell(from, name_answer{m.call, ENOENT});
  if (m.path != m.to) {
    names_[m.to] = name->second;
    names_.erase(name);
  }
  tell(from, name_answer{m.call, 0});
}

// --- Tokens --------------------------------------------------------------------------------------

void token_manager::on(node_id from, token_request const& m) {
  file& f = files_.at(m.file);
  f.size.learn(m.size);
  for (surrender const& s : m.surrenders) {
    f.holders[s.holder].tokens.lower(s.range, s.kept, s.number);
    f.allocated.add(s.allocated);
  }
  auto const known = std::find_if(f.requests.begin(), f.requests.end(), [&](pending const& p) {
    return p.node == from && p.request.request == m.request;
  });
  if (known != f.requests.end()) {
    known->asking = false;
    known->request.renewed = true;
  } else {
    ++counters_.requests;
    f.requests.push_back({from, m, false});
    if (waits(f, std::prev(f.requests.end()))) ++counters_.waits;
  }
  serve(m.file, f);
}

bool token_manager::waits(file const& f, std::list<pending>::const_iterator p) const {
  return std::any_of(f.requests.begin(), p, [&](pending const& earlier) {
    return earlier.node != p->node && earlier.request.required.overlaps(p->request.required) &&
           conflict(earlier.request.mode, p->request.mode);
  });
}

// Returns the part of the desired range, around the required one, that conflicts with no token and
// with no waiting request.
block_range token_manager::grantable(file const& f, pending const& p) const {
  block_range const required = p.request.required;
  block_range range{std::min(p.request.desired.begin, required.begin),
                    std::max(p.request.desired.end, required.end)};
  if (range == required) return range;
  for (auto const& [node, h] : f.holders)
    if (node != p.node) range = h.tokens.free_around(required, range, p.request.mode);
  for (pending const& other : f.requests) {
    if (other.node == p.node || !conflict(other.request.mode, p.request.mode)) continue;
    block_range const theirs = other.request.required;
    if (!theirs.overlaps(range)) continue;
    if (theirs.begin >= required.end) range.end = std::min(range.end, theirs.begin);
    if (theirs.end <= required.begin) range.begin = std::max(range.begin, theirs.end);
  }
  return range;
}

// Returns true if the range conflicts with no token and no waiting request. A stride is granted
// only as a whole, because the node would request the rest again.
bool token_manager::has_no_conflict(file const& f, pending const& p, block_range range) const {
  return std::none_of(f.holders.begin(), f.holders.end(),
                      [&](auto const& h) {
                        return h.first != p.node &&
                               h.second.tokens.conflicting(range, p.request.mode) != nullptr;
                      }) &&
         std::none_of(f.requests.begin(), f.requests.end(), [&](pending const& other) {
           return other.node != p.node && conflict(other.request.mode, p.request.mode) &&
                  other.request.required.overlaps(range);
         });
}

void token_manager::serve(file_id id, file& f) {
  using stage = shipping::stage;
  stage const s = f.ship.now;
  if (s == stage::leaving) return;  // later, when all nodes have flushed
  for (auto p = f.requests.begin(); p != f.requests.end();) {
    if (s == stage::entering || s == stage::on) {
      if (p->asking) {
        ++p;  // refused when the request comes again
        continue;
      }
      ++counters_.refusals;
      tell(p->node, token_refusal{p->request.request, id});
      p = f.requests.erase(p);
      continue;
    }
    if (p->asking || waits(f, p)) {
      ++p;
      continue;
    }
    token_conflict in_the_way{p->request.request, id, {}};
    for (auto const& [node, h] : f.holders)
      if (node != p->node && h.tokens.conflicting(p->request.required, p->request.mode) != nullptr)
        in_the_way.holders.push_back({node, h.number});
    if (!in_the_way.holders.empty()) {
      ++counters_.conflicts;
      p->asking = true;
      tell(p->node, std::move(in_the_way));
      ++p;
      continue;
    }
    if (p->request.renewed && p->request.mode == token_mode::write)
      update_inode(f, machine_.tenure_us);
    block_range const range = grantable(f, *p);
    holder& h = f.holders[p->node];
    h.tokens.raise(range, p->request.mode, ++h.number);
    token_grant grant{p->request.request, id,     p->request.mode,          range,
                      h.number,           f.size, f.allocated.within(range)};
    for (block_range const& stride : p->request.strides.ranges) {
      if (!has_no_conflict(f, *p, stride)) continue;
      h.tokens.raise(stride, p->request.mode, h.number);
      grant.strides.add(stride);
      grant.allocated.add(f.allocated.within(stride));
    }
    ++counters_.grants;
    tell(p->node, std::move(grant));
    p = f.requests.erase(p);
  }
}

void token_manager::on(node_id from, token_release const& m) {
  file& f = files_.at(m.file);
  f.size.learn(m.size);
  f.holders[from].tokens.lower(m.range, token_mode::none, m.number);
  f.allocated.add(m.allocated);
  ++counters_.releases;
  serve(m.file, f);
}

// --- The size ------------------------------------------------------------------------------------

void token_manager::on(node_id from, size_request const& m) {
  file& f = files_.at(m.file);
  size_round round{from, m.request, m.file, {}};
  bool const ships = f.ship.now != shipping::stage::off && f.ship.now != shipping::stage::gathering;
  for (node_id const node : nodes_) {
    if (node == from || dead_.contains(node)) continue;
    auto const h = f.holders.find(node);
    bool const writes =
        h != f.holders.end() &&
        std::any_of(h->second.tokens.tokens().begin(), h->second.tokens.tokens().end(),
                    [](auto const& t) { return t.mode == token_mode::write; });
    if (ships || writes) round.awaited.insert(node);
  }
  std::int64_t const query = next_query_++;
  for (node_id const node : round.awaited) {
    ++counters_.size_queries;
    tell(node, size_query{query, m.file});
  }
  size_rounds_.emplace(query, std::move(round));
  finish_size(query);
}

void token_manager::on(node_id from, size_report const& m) {
  files_.at(m.file).size.learn(m.size);
  if (auto const r = size_rounds_.find(m.query); r != size_rounds_.end()) {
    r->second.awaited.erase(from);
    finish_size(m.query);
  }
}

void token_manager::finish_size(std::int64_t query) {
  auto const r = size_rounds_.find(query);
  if (r == size_rounds_.end() || !r->second.awaited.empty()) return;
  tell(r->second.node,
       size_answer{r->second.request, r->second.file, files_.at(r->second.file).size});
  size_rounds_.erase(r);
}

void token_manager::on(node_id from, size_notice const& m) {
  known_size& size = files_.at(m.file).size;
  size.learn(m.size);
  tell(from, size_answer{m.request, m.file, size});
}

void token_manager::on(node_id from, resize_request const& m) {
  file& f = files_.at(m.file);
  f.size = {m.bytes, f.size.generation + 1};
  f.allocated.remove({blocks_of(0, m.bytes, machine_.block_bytes).end, no_end});
  tell(from, size_answer{m.request, m.file, f.size});
}

// --- Locks ---------------------------------------------------------------------------------------

void token_manager::on(node_id from, lock_request const& m) {
  file& f = files_.at(m.file);
  if (!f.instances.contains({from, m.instance})) return;  // closed meanwhile, so no task waits
  if (!m.waits && f.locks.would_wait({from, m.instance, m.owner}, m.begin, m.end, m.exclusive))
    return tell(from, lock_answer{m.call, true});
  if (!f.locks.request({from, m.instance, m.owner}, m.begin, m.end, m.exclusive, m.call))
    ++counters_.lock_waits;
  tell_locked(f);
}

void token_manager::on(node_id from, unlock_notice const& m) {
  file& f = files_.at(m.file);
  ++counters_.unlocks;
  f.locks.unlock({from, m.instance, m.owner}, m.begin, m.end);
  tell_locked(f);
}

void token_manager::tell_locked(file& f) {
  for (auto const& [who, call] : f.locks.granted()) {
    ++counters_.locks;
    tell(who.node, lock_answer{call});
  }
}

}  // namespace argosy::lab::gpfs::detail
