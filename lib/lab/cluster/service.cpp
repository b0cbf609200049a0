// Implements services for scheduler.hpp. A request is a message without a receive, and a task of
// the answering rank runs when it arrives.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab::detail {

std::vector<service_answer> scheduler::ask(group const& g, int me,
                                           std::vector<std::shared_ptr<served>> const& sides,
                                           std::vector<parcel> const& requests) {
  std::vector<service_answer> answers(requests.size());
  for (parcel const& p : requests)
    if (p.rank < 0 || p.rank >= g.size())
      throw std::invalid_argument(
          fmt::format("argosy::extend::service: there is no rank {} among {}", p.rank, g.size()));
  if (requests.empty() || !begin(call_kind::ask)) return answers;
  task& t = now();
  picoseconds const began = t.time;
  auto const all = std::make_shared<inquiry>(inquiry{&t, requests.size(), t.time});
  struct given_up {
    inquiry& all;
    ~given_up() { all.who = nullptr; }
  } const when_left{*all};
  std::vector<std::shared_ptr<question>> questions;
  for (parcel const& p : requests) {
    auto const to = static_cast<std::size_t>(p.rank);
    questions.push_back(
        std::make_shared<question>(question{.from = g.members[static_cast<std::size_t>(me)],
                                            .to = g.members[to],
                                            .from_in_group = me,
                                            .whom = sides[to],
                                            .of = all,
                                            .content = p.content,
                                            .error = {}}));
    post(questions.back());
  }
  if (all->left > 0) {
    std::string const words =
        fmt::format("the answers of {} services, of rank {} first", all->left, requests[0].rank);
    block({.kind = call_kind::ask, .group = g.id, .words = &words});
  }
  t.time = std::max(t.time, all->at);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    question& q = *questions[i];
    answers[i].error = q.error;
    if (!q.error) answers[i].content = std::move(q.content);
  }
  record("service", "ask", began);
  return answers;
}

void scheduler::post(std::shared_ptr<question> q) {
  synchronize();
  virtual_network const& net = scenario_.network;
  auto const size = static_cast<std::int64_t>(q->content.size());
  int const from = q->is_answer ? q->to : q->from, to = q->is_answer ? q->from : q->to;
  charge(scaled(ps_of_ns(net.overhead_ns)));
  ++report.messages;
  report.message_bytes += size;
  picoseconds at = now().time;
  if (rank(from).node == rank(to).node)
    at += ps_of_ns(net.node_latency_ns) + ps_of_bytes(size, net.node_mb_per_s);
  else
    at = leave_node(rank(from).node, at, ps_of_bytes(size, net.adapter_mb_per_s)) +
         ps_of_ns(net.latency_ns);
  if (net.jitter_ns > 0)
    at += static_cast<picoseconds>(
        mixed(scenario_.seed + mixed(static_cast<std::uint64_t>(report.messages))) %
        static_cast<std::uint64_t>(ps_of_ns(net.jitter_ns)));
  put_in_flight({.from = from,
                 .to = to,
                 .group = ~std::uint64_t{0},  // belongs to no communicator
                 .bytes = q->content.size(),
                 .content = {},
                 .sender = {},
                 .about = std::move(q)},
                at);
}

void scheduler::arrive(std::shared_ptr<question> const& q) {
  int const from = q->is_answer ? q->to : q->from, to = q->is_answer ? q->from : q->to;
  rank_state& r = rank(to);
  virtual_network const& net = scenario_.network;
  picoseconds ready = now_;
  if (rank(from).node != r.node)
    ready =
        enter_node(r.node, now_,
                   ps_of_bytes(static_cast<std::int64_t>(q->content.size()), net.adapter_mb_per_s));
  if (q->is_answer) return finish(*q, q->error, ready + ps_of_ns(net.overhead_ns));
  if (r.dead)
    return finish(*q, errc::rank_failed,
                  std::max(now_, r.death + ps_of_ns(net.detection_us * 1000)));
  if (!q->whom->open) return finish(*q, errc::rank_failed, ready + ps_of_ns(net.latency_ns));
  r.questions.push_back(q);
  ++q->whom->under_way;
  task& t = make_task(r, true, [this, q] { answer(q); });
  r.services.push_back(&t);
  t.time = ready;
  push(ready, {.who = &t});
}

// If this rank dies meanwhile, the request stays among the unanswered ones.
void scheduler::answer(std::shared_ptr<question> const& q) {
  struct leaving {
    scheduler& s;
    served& side;
    ~leaving() {
      if (--side.under_way == 0 && side.last)
        s.wake(*std::exchange(side.last, nullptr), s.now().time);
    }
  } const at_the_end{*this, *q->whom};
  std::vector<std::byte> content;
  try {
    content = q->whom->answer(q->from_in_group, q->content);
  } catch (run_ended const&) {
    throw;
  } catch (...) {
    q->error = errc::io;
  }
  if (now().cancelled || q->done) return;
  q->content = std::move(content);
  q->is_answer = true;
  post(q);
  std::erase(me().questions, q);
}

void scheduler::finish(question& q, std::error_code error, picoseconds at) {
  if (std::exchange(q.done, true)) return;
  q.error = error;
  inquiry& all = *q.of;
  all.at = std::max(all.at, at);
  if (--all.left == 0 && all.who) wake(*all.who, all.at);
}

// Ends a service. Called by a destructor, so it does not throw.
void scheduler::end(served& side) {
  side.open = false;
  if (now().cancelled) return;
  try {
    while (side.under_way > 0) {
      side.last = &now();
      block({.kind = call_kind::ask});
    }
  } catch (run_ended const&) {  // thrown again at the next operation
  }
  side.last = nullptr;
}

}  // namespace argosy::lab::detail
