// Implements socket_service.hpp: connections on first use, requests, answers.
// SPDX-License-Identifier: BSD-3-Clause
#include "socket_service.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <argosy/error/errc.hpp>

namespace argosy::detail {

socket_service::socket_service(int rank, int size, serve_function f, wire::station::options o,
                               std::error_code& error)
    : rank_(rank),
      size_(size),
      function_(std::move(f)),
      station_(
          o, [this](std::shared_ptr<wire::connection> const& c) { return welcome(c); }, error) {}

void socket_service::meet(std::vector<wire::address> everybody) {
  everybody_ = std::move(everybody);
  if (std::all_of(everybody_.begin(), everybody_.end(),
                  [](wire::address const& a) { return a.local[0] != 0 && a.is_here(); }))
    station_.leave_network();
}

// --- Answering -----------------------------------------------------------------------------------

wire::connection::events socket_service::welcome(std::shared_ptr<wire::connection> const& c) {
  int const from = static_cast<int>(c->introduction());
  if (c->introduction() >= static_cast<std::uint64_t>(size_)) c->close();
  return {[this, from, weak = std::weak_ptr(c)](wire::frame f) {
            if (f.kind != request) return;
            // shared, because std::function copies what it captures
            auto const shared = std::make_shared<wire::frame>(std::move(f));
            station_.work([this, weak, from, shared] { serve(weak, from, std::move(*shared)); });
          },
          [](std::error_code) {}};
}

service_answer socket_service::answer_to(int from, std::span<std::byte const> what) const {
  try {
    return {{}, function_(from, what)};
  } catch (...) {
    return {errc::io, {}};
  }
}

void socket_service::serve(std::weak_ptr<wire::connection> const& c, int from, wire::frame f) {
  service_answer a = answer_to(from, f.body);
  if (auto const held = c.lock())
    held->send({a.error ? failure : answer, f.number, std::move(a.content)});
}

// --- Asking --------------------------------------------------------------------------------------

std::vector<service_answer> socket_service::call(std::vector<parcel> const& requests) {
  std::vector<service_answer> answers(requests.size());
  waiting_call mine;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].rank == rank_) continue;
    std::error_code error;
    try {
      error = ask(requests[i], mine, answers[i]);
    } catch (...) {  // requests that were sent must be waited for
      error = std::make_error_code(std::errc::not_enough_memory);
    }
    if (error) answers[i].error = error;
  }
  for (std::size_t i = 0; i < requests.size(); ++i)  // while the other ranks work
    if (requests[i].rank == rank_) answers[i] = answer_to(rank_, requests[i].content);
  std::unique_lock lock(mutex_);
  mine.done.wait(lock, [&] { return mine.missing == 0; });
  return answers;
}

std::error_code socket_service::ask(parcel const& p, waiting_call& call, service_answer& into) {
  if (p.rank < 0 || p.rank >= size_) return errc::argument;
  std::unique_lock lock(mutex_);
  link& l = links_[p.rank];
  if (!l.to) {
    lock.unlock();
    if (std::error_code const error = make(l, p.rank)) return error;
    lock.lock();
    if (!l.to) return errc::rank_failed;
  }
  auto const to = l.to;  // a copy, because the connection may end meanwhile
  std::uint64_t const number = next_++;
  pending_.emplace(number, pending{&call, &into, p.rank, l.number});
  ++call.missing;
  lock.unlock();
  to->send(request, number, p.content);
  return {};
}

std::error_code socket_service::make(link& l, int rank) {
  std::lock_guard const alone(l.making);
  std::unique_lock lock(mutex_);
  if (l.to) return {};
  std::uint64_t const number = l.number = ++next_link_;
  lock.unlock();
  std::error_code error;
  wire::connection::events e{
      [this, rank, number](wire::frame f) { take(rank, number, std::move(f)); },
      [this, rank, number](std::error_code) { lose(rank, number); },
      [this, rank, number](std::uint64_t question) { leave(rank, number, question); }};
  auto made = station_.connect(everybody_[static_cast<std::size_t>(rank)],
                               static_cast<std::uint64_t>(rank_), std::move(e), error);
  lock.lock();
  if (error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system)
    return error;
  // the connection may have ended already
  if (error || l.number != number) return errc::rank_failed;
  l.to = std::move(made);
  return {};
}

// Returns the request with this number to that rank over that link, or the end if there is none.
auto socket_service::find(std::uint64_t question, int rank, std::uint64_t number)
    -> pendings::iterator {
  auto const found = pending_.find(question);
  bool const is_it =
      found != pending_.end() && found->second.rank == rank && found->second.link == number;
  return is_it ? found : pending_.end();
}

// Accepts an answer. Ignores it if the rank was not asked.
void socket_service::take(int rank, std::uint64_t number, wire::frame f) {
  std::lock_guard const lock(mutex_);
  auto const found = find(f.number, rank, number);
  if (found == pending_.end() || found->second.end) return;
  found->second.into->content = std::move(f.body);
  found->second.end = f.kind == answer ? std::error_code() : errc::io;
  end_if_done(found);
}

void socket_service::leave(int rank, std::uint64_t number, std::uint64_t question) {
  std::lock_guard const lock(mutex_);
  auto const found = find(question, rank, number);
  if (found == pending_.end()) return;
  found->second.has_left = true;
  end_if_done(found);
}

// Ends a request when its answer has come and the request was sent completely. A peer may answer
// before it has read all of the request, which lies in the caller's memory.
void socket_service::end_if_done(pendings::iterator p) {
  if (!p->second.has_left || !p->second.end) return;
  end(p->second, *p->second.end);
  pending_.erase(p);
}

void socket_service::lose(int rank, std::uint64_t number) {
  std::lock_guard const lock(mutex_);
  link& l = links_[rank];
  if (l.number == number) {
    l.to.reset();
    l.number = 0;
  }
  std::erase_if(pending_, [&](auto const& entry) {
    pending const& p = entry.second;
    if (p.rank != rank || p.link != number) return false;
    // a request that was answered gets its answer, others an error
    end(p, p.end.value_or(errc::rank_failed));
    return true;
  });
}

void socket_service::end(pending const& p, std::error_code error) {
  p.into->error = error;
  --p.call->missing;
  p.call->done.notify_all();
}

}  // namespace argosy::detail
