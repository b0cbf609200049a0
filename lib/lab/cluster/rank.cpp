// Implements lab/cluster/rank.hpp: virtual_rank as a thin layer above the scheduler.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/cluster/rank.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "group.hpp"
#include "scheduler.hpp"

namespace argosy::lab {

using namespace detail;

namespace {

// Runs nonblocking calls as tasks of the scheduler.
class virtual_background final : public background {
 public:
  explicit virtual_background(scheduler& s) : scheduler_(s) {}

  void start(std::function<void()> work) override {
    if (!scheduler_.begin(call_kind::background)) return;
    scheduler_.start_service([&s = scheduler_, work = std::move(work), keep = state_]() mutable {
      work();
      work = nullptr;  // `work` may hold the last reference to this object
      keep->wake(s);
    });
  }
  void wait(std::function<bool()> const& ended) override {
    if (over() || !scheduler_.begin(call_kind::background)) return;
    while (!ended()) {
      state_->waiting.push_back(&scheduler_.now());
      scheduler_.block({.kind = call_kind::background});
    }
  }
  void wake() override {
    if (!over()) state_->wake(scheduler_);
  }
  // Pauses one microsecond at first and one millisecond in the end, because other ranks may take
  // seconds, and each attempt is an event.
  void pause(int tries) override {
    if (over() || !scheduler_.begin(call_kind::pause)) return;
    scheduler_.charge(ps_of_ns(1000) << std::min(tries / 32, 10));
    scheduler_.synchronize();
  }

 private:
  struct state {
    std::vector<task*> waiting;
    void wake(scheduler& s) {
      for (task* t : std::exchange(waiting, {})) s.wake(*t, s.now().time);
    }
  };
  bool over() const { return scheduler::running() != &scheduler_; }

  scheduler& scheduler_;
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

class virtual_service final : public service {
 public:
  virtual_service(scheduler& s, std::shared_ptr<group> g, int me)
      : scheduler_(s), group_(std::move(g)), me_(me) {}
  ~virtual_service() override {
    if (scheduler::running() == &scheduler_)
      scheduler_.end(*group_->sides[static_cast<std::size_t>(me_)]);
  }
  std::vector<service_answer> call(std::vector<parcel> const& requests) override {
    return scheduler_.ask(*group_, me_, group_->sides, requests);
  }

 private:
  scheduler& scheduler_;
  std::shared_ptr<group> group_;
  int me_;
};

std::vector<int> none() { return {}; }

}  // namespace

int virtual_rank::size() const noexcept { return group_->size(); }
int virtual_rank::number() const noexcept {
  return group_->members[static_cast<std::size_t>(rank_)];
}
std::string virtual_rank::host_name() const { return "node" + std::to_string(node_number()); }

int virtual_rank::node_number() const noexcept {
  scheduler* const s = scheduler::running();
  return s ? s->rank(number()).node : 0;
}

double virtual_rank::now() const {
  return static_cast<double>(scheduler::here().now().time) * 1e-12;
}

void virtual_rank::compute(double seconds) const {
  scheduler& s = scheduler::here();
  if (!(seconds >= 0)) throw std::invalid_argument("argosy::lab::virtual_rank: negative time");
  picoseconds const began = s.now().time;
  s.work(s.scaled(std::llround(seconds * 1e12)));
  s.record("compute", "compute", began);
}

void virtual_rank::charge(std::int64_t bytes, std::int64_t pieces) const {
  scheduler& s = scheduler::here();
  virtual_network const& net = s.scenario().network;
  if ((net.pack_mb_per_s <= 0 && net.piece_ns <= 0) || !s.begin(call_kind::compute)) return;
  picoseconds const began = s.now().time;
  picoseconds const copying = net.pack_mb_per_s > 0 ? ps_of_bytes(bytes, net.pack_mb_per_s) : 0;
  s.work(s.scaled(copying + ps_of_ns(pieces * net.piece_ns)));
  s.record("compute", "copy", began, bytes);
  s.synchronize();  // other ranks see the effects in shared memory only from now on
}

bool virtual_rank::has_contents() const { return scheduler::here().has_contents(); }

void virtual_rank::pause() const {
  scheduler& s = scheduler::here();
  if (!s.begin(call_kind::pause)) return;
  s.charge(1'000'000);
  s.synchronize();
}

void virtual_rank::note(std::string_view what, place where) const {
  std::string const at = text_of(where);
  scheduler::here().me().last_note = fmt::format("{}{}{}", what, at.empty() ? "" : " at ", at);
}

void virtual_rank::barrier(place where) const {
  scheduler::here();
  group::arrival a{.kind = call_kind::barrier, .where = where};
  group_->meet(rank_, a);
}

void virtual_rank::all_reduce(std::span<std::byte> value, combine_function* combine,
                              place where) const {
  scheduler::here();
  group::arrival a{.kind = call_kind::all_reduce,
                   .bytes = value.size(),
                   .where = where,
                   .out = value.data(),
                   .combine = combine};
  group_->meet(rank_, a);
}

void virtual_rank::all_gather(std::span<std::byte const> mine, std::span<std::byte> all,
                              place where) const {
  scheduler::here();
  auto const n = static_cast<std::size_t>(size());
  if (all.size() / n != mine.size() || all.size() % n != 0)
    throw std::invalid_argument(
        fmt::format("argosy::lab::virtual_rank::all_gather: {} bytes are not {} times {}",
                    all.size(), n, mine.size()));
  group::arrival a{.kind = call_kind::all_gather,
                   .bytes = mine.size(),
                   .where = where,
                   .in = mine.data(),
                   .out = all.data()};
  group_->meet(rank_, a);
}

void virtual_rank::broadcast(std::span<std::byte> message, int root, place where) const {
  scheduler::here();
  if (root < 0 || root >= size())
    throw std::invalid_argument(
        fmt::format("argosy::lab::virtual_rank::broadcast: no rank {}", root));
  group::arrival a{.kind = call_kind::broadcast,
                   .bytes = message.size(),
                   .root = root,
                   .where = where,
                   .out = message.data()};
  group_->meet(rank_, a);
}

std::int64_t virtual_rank::exclusive_sum(std::int64_t mine, place where) const {
  scheduler::here();
  group::arrival a{.kind = call_kind::exclusive_sum, .where = where, .number = mine};
  return group_->meet(rank_, a) ? a.number : 0;
}

std::vector<parcel> virtual_rank::deliver(std::vector<parcel> const& out, place where) const {
  scheduler::here();
  for (parcel const& p : out)
    if (p.rank < 0 || p.rank >= size())
      throw std::invalid_argument(
          fmt::format("argosy::lab::virtual_rank::deliver: no rank {}", p.rank));
  std::vector<parcel> in;
  group::arrival a{.kind = call_kind::deliver, .where = where, .parcels = &out, .delivered = &in};
  group_->meet(rank_, a);
  return in;
}

void virtual_rank::send(std::span<std::byte const> message, int to, int tag, place where) const {
  scheduler& s = scheduler::here();
  s.wait(s.start_send(*group_, rank_, message, to, tag, where), call_kind::send, where);
}

std::size_t virtual_rank::receive(std::span<std::byte> message, int from, int tag,
                                  place where) const {
  scheduler& s = scheduler::here();
  return s.wait(s.start_receive(*group_, rank_, message, from, tag, where), call_kind::receive,
                where);
}

virtual_rank::request virtual_rank::start_send(std::span<std::byte const> message, int to, int tag,
                                               place where) const {
  return request(scheduler::here().start_send(*group_, rank_, message, to, tag, where));
}

virtual_rank::request virtual_rank::start_receive(std::span<std::byte> message, int from, int tag,
                                                  place where) const {
  return request(scheduler::here().start_receive(*group_, rank_, message, from, tag, where));
}

void virtual_rank::wait_all(std::span<request> requests, place where) {
  if (!requests.empty()) scheduler::here().wait_all(requests, where);
}

void virtual_rank::request::drop() noexcept {
  if (scheduler* const s = scheduler::running()) s->drop(operation_);
}

virtual_rank virtual_rank::duplicate(place where) const {
  scheduler& s = scheduler::here();
  std::shared_ptr<group> made;
  group::arrival a{
      .kind = call_kind::duplicate, .where = where, .number = 0, .second = rank_, .made = &made};
  if (!group_->meet(rank_, a)) made = std::make_shared<group>(s, none());
  return {std::move(made), static_cast<int>(a.number)};
}

virtual_rank virtual_rank::split(int colour, int key, place where) const {
  scheduler& s = scheduler::here();
  if (colour < 0)
    throw std::invalid_argument("argosy::lab::virtual_rank::split: a colour is not negative");
  std::shared_ptr<group> made;
  group::arrival a{
      .kind = call_kind::split, .where = where, .number = colour, .second = key, .made = &made};
  if (!group_->meet(rank_, a)) made = std::make_shared<group>(s, none());
  return {std::move(made), static_cast<int>(a.number)};
}

virtual_rank virtual_rank::node(place where) const {
  scheduler& s = scheduler::here();
  std::shared_ptr<group> made;
  group::arrival a{.kind = call_kind::node,
                   .where = where,
                   .number = node_number(),
                   .second = rank_,
                   .made = &made};
  if (!group_->meet(rank_, a)) made = std::make_shared<group>(s, none());
  return {std::move(made), static_cast<int>(a.number)};
}

shared_memory virtual_rank::share(std::size_t bytes, std::error_code& error, place where) const {
  scheduler::here();
  error.clear();
  std::shared_ptr<std::byte> memory;
  group::arrival a{.kind = call_kind::share, .bytes = bytes, .where = where, .memory = &memory};
  group_->meet(rank_, a);
  if (a.error != 0) {
    error.assign(a.error, std::system_category());
    return {};
  }
  if (!memory) return {};
  return {std::move(memory), bytes};
}

shared_memory virtual_rank::share(std::size_t bytes, place where) const {
  std::error_code error;
  shared_memory result = share(bytes, error, where);
  if (error)
    throw std::system_error(
        error, "argosy::lab::virtual_rank::share: " + std::to_string(bytes) + " bytes");
  return result;
}

void virtual_rank::wait(std::uint32_t const& word, std::uint32_t seen, place where) const {
  scheduler::here().wait(*group_, word, seen, where);
}

// Messages advance without help of the receiver.
void virtual_rank::wait(std::uint32_t const& word, std::uint32_t seen, std::span<request>,
                        place where) const {
  wait(word, seen, where);
}

void virtual_rank::wake(std::uint32_t const& word) const { scheduler::here().wake(word); }

int virtual_rank::revoke() const {
  scheduler& s = scheduler::here();
  if (!s.now().cancelled) s.revoke(*group_);
  return group_->dead_member;
}

virtual_rank virtual_rank::beside() const {
  if (!group_->beside) {
    group_->beside = std::make_shared<group>(scheduler::here(), group_->members);
    group_->beside->revoked = group_->revoked;
    group_->beside->made.push_back(group_);  // a rank that revokes one of them revokes both
    group_->made.push_back(group_->beside);
  }
  return {group_->beside, rank_};
}

std::shared_ptr<background> virtual_rank::make_background() const {
  return std::make_shared<virtual_background>(scheduler::here());
}

std::unique_ptr<service> virtual_rank::serve(serve_function f, std::error_code& error,
                                             place where) const {
  error.clear();
  virtual_rank const apart = duplicate(where);
  apart.group_->sides.resize(apart.group_->members.size());
  if (!apart.group_->members.empty())
    apart.group_->sides[static_cast<std::size_t>(apart.rank_)] =
        std::make_shared<served>(served{.answer = std::move(f)});
  auto result = std::make_unique<virtual_service>(scheduler::here(), apart.group_, apart.rank_);
  apart.barrier(where);  // afterwards all ranks can receive requests
  return result;
}

std::uint64_t virtual_rank::unique_number() const { return ++scheduler::here().next_number; }

}  // namespace argosy::lab
