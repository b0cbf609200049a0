// Implements post_office.hpp: the heading of a request, and the delivery of messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "post_office.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include <argosy/world/rank_failure.hpp>

namespace argosy::detail {
namespace {

enum class kind : std::uint32_t {
  question,  // for the function that listens in the world, whose number is `group`
  message,
  taken,  // the receiver has accepted a message that had a ticket
  parted  // the sender leaves the world `group`, because the rank in the address cannot be reached
};

// Longer messages wait for their receive. Otherwise the receiver would need memory for all messages
// that other ranks can send.
constexpr std::size_t longest_in_advance = 16 << 10;

}  // namespace

// Precedes every request to another rank's service.
struct post_office::heading {
  address where = {};
  // not 0: the sender waits until the receiver has accepted the message
  std::uint64_t ticket = 0;
  kind what = kind::question;
  std::uint32_t unused = 0;
};

std::vector<std::byte> post_office::sealed(heading const& h, std::span<std::byte const> content) {
  std::vector<std::byte> all(sizeof h + content.size());
  std::memcpy(all.data(), &h, sizeof h);
  if (!content.empty()) std::memcpy(all.data() + sizeof h, content.data(), content.size());
  return all;
}

// --- Requests of other ranks ---

std::vector<std::byte> post_office::answer(int from, std::span<std::byte const> request) {
  heading h;
  if (request.size() < sizeof h) return {};
  std::memcpy(&h, request.data(), sizeof h);
  auto const content = request.subspan(sizeof h);
  switch (h.what) {
    case kind::question:
      return answer_of_world(h.where.group, from, content);
    case kind::message:
      return std::vector<std::byte>(put(h, from, content) ? 1 : 0);
    case kind::taken: {
      {
        std::lock_guard const guard(mutex_);
        not_taken_.erase(h.ticket);
      }
      arrived_.notify_all();
      break;
    }
    case kind::parted:
      part(h.where.group, {h.where.from, from});
  }
  return {};
}

// Returns an empty answer if no function listens yet, or any more.
std::vector<std::byte> post_office::answer_of_world(std::uint64_t world, int from,
                                                    std::span<std::byte const> request) {
  std::unique_lock guard(mutex_);
  auto const found = worlds_.find(world);
  if (found == worlds_.end() || !found->second.answers) return {};
  one_world& w = found->second;
  ++w.under_way;
  guard.unlock();
  struct ends {
    post_office& office;
    one_world& w;
    ~ends() {
      {
        std::lock_guard const again(office.mutex_);
        --w.under_way;
      }
      office.arrived_.notify_all();
    }
  } const at_last{*this, w};
  return w.answers(from, request);
}

// Returns true if the receiver has accepted the message.
bool post_office::put(heading const& h, int from, std::span<std::byte const> content) {
  {
    std::lock_guard const guard(mutex_);
    box& b = boxes_[h.where];
    if (b.receives.empty()) {
      b.messages.push_back({{content.begin(), content.end()}, h.ticket, from});
      return false;
    }
    take(*b.receives.front(), content);
    b.receives.pop_front();
    remove_if_empty(h.where);
  }
  arrived_.notify_all();
  return true;
}

void post_office::take(awaited& e, std::span<std::byte const> content) {
  e.fits = content.size() <= e.into.size();
  e.received = std::min(content.size(), e.into.size());
  if (e.received > 0) std::memcpy(e.into.data(), content.data(), e.received);
  e.has_come = true;
}

// --- This rank ---

void post_office::listen(std::uint64_t world, serve_function f) {
  std::lock_guard const guard(mutex_);
  worlds_[world].answers = std::move(f);
}

void post_office::leave(std::uint64_t world) {
  std::unique_lock guard(mutex_);
  auto const found = worlds_.find(world);
  parted_.erase(world);
  if (found == worlds_.end()) return;
  arrived_.wait(guard, [&] { return found->second.under_way == 0; });
  worlds_.erase(found);
}

std::vector<service_answer> post_office::ask(std::uint64_t world, std::vector<parcel> requests) {
  for (parcel& p : requests) p.content = sealed({{world}}, p.content);
  return service_->call(requests);
}

std::vector<std::byte> post_office::reach(int rank, std::vector<std::byte> message) {
  std::vector<parcel> one(1);
  one[0] = {rank, std::move(message)};
  service_answer answer = std::move(service_->call(one)[0]);
  if (answer.error)
    throw rank_failure(
        rank, "rank " + std::to_string(rank) + " cannot be reached: " + answer.error.message());
  return std::move(answer.content);
}

std::uint64_t post_office::send(std::uint64_t world, address const& where, int to,
                                std::span<std::byte const> content, bool in_advance) {
  std::uint64_t ticket = 0;
  {
    std::lock_guard const guard(mutex_);
    require_together(world);
    if (content.size() > longest_in_advance && !in_advance) {
      ticket = ++last_ticket_;
      not_taken_.insert(ticket);
    }
  }
  bool const was_taken = !reach(to, sealed({where, ticket, kind::message}, content)).empty();
  if (ticket != 0 && was_taken) {
    std::lock_guard const guard(mutex_);
    not_taken_.erase(ticket);
    return 0;
  }
  return ticket;
}

void post_office::expect(std::uint64_t world, std::shared_ptr<awaited> e) {
  early first;
  {
    std::lock_guard const guard(mutex_);
    require_together(world);
    box& b = boxes_[e->of];
    if (b.messages.empty()) {
      b.receives.push_back(std::move(e));
      return;
    }
    first = std::move(b.messages.front());
    b.messages.pop_front();
    remove_if_empty(e->of);
    take(*e, first.content);
  }
  if (first.ticket != 0) reach(first.from, sealed({{}, first.ticket, kind::taken}, {}));
}

void post_office::wait(std::uint64_t world, awaited const& e) {
  std::unique_lock guard(mutex_);
  arrived_.wait(guard, [&] { return e.has_come || parted_.contains(world); });
  if (!e.has_come) {
    forget(e);
    require_together(world);
  }
  if (!e.fits)
    throw std::length_error(
        "argosy: a message is longer than the memory that its receiver has for it");
}

void post_office::wait(std::uint64_t world, std::uint64_t ticket) {
  std::unique_lock guard(mutex_);
  arrived_.wait(guard, [&] { return !not_taken_.contains(ticket) || parted_.contains(world); });
  if (not_taken_.erase(ticket) > 0) require_together(world);
}

void post_office::drop(awaited const& e) noexcept {
  std::lock_guard const guard(mutex_);
  if (!e.has_come) forget(e);
}

void post_office::forget(awaited const& e) noexcept {
  std::erase_if(boxes_[e.of].receives, [&](auto const& one) { return one.get() == &e; });
  remove_if_empty(e.of);
}

void post_office::remove_if_empty(address const& a) {
  auto const found = boxes_.find(a);
  if (found != boxes_.end() && found->second.messages.empty() && found->second.receives.empty())
    boxes_.erase(found);
}

std::vector<std::vector<std::byte>> post_office::take_all(address const& a) {
  std::lock_guard const guard(mutex_);
  std::vector<std::vector<std::byte>> all;
  for (early& m : boxes_[a].messages) all.push_back(std::move(m.content));
  boxes_.erase(a);
  return all;
}

// --- Ranks that cannot reach each other ---

bool post_office::part(std::uint64_t world, parting why) {
  {
    std::lock_guard const guard(mutex_);
    if (!parted_.emplace(world, why).second) return false;
  }
  arrived_.notify_all();
  return true;
}

void post_office::tell_of_parting(std::uint64_t world, int unreachable,
                                  std::vector<int> const& ranks) {
  std::vector<parcel> all;
  for (int r : ranks) all.push_back({r, sealed({{world, unreachable}, 0, kind::parted}, {})});
  service_->call(all);
}

void post_office::check(std::uint64_t world) {
  std::lock_guard const guard(mutex_);
  require_together(world);
}

void post_office::require_together(std::uint64_t world) const {
  auto const found = parted_.find(world);
  if (found == parted_.end()) return;
  auto const [unreachable, by] = found->second;
  throw rank_failure(unreachable, "rank " + std::to_string(unreachable) +
                                      " could not be reached by rank " + std::to_string(by) +
                                      ", so no rank goes on");
}

}  // namespace argosy::detail
