// Implements world/detail/served_world.hpp: collective calls made of messages of a post office, and
// revocation.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/served_world.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "post_office.hpp"
#include "share_segment.hpp"

namespace argosy::detail {
namespace {

constexpr int delivery_tags[] = {-2, -3};  // a rank may be one delivery ahead

// Calls f for each rank to which this rank sends in collective calls.
template <class F>
void for_each_neighbour(int rank, int size, F&& f) {
  int step = 1;
  for (; step < size && (rank & step) == 0; step *= 2)
    if (rank + step < size) f(rank + step);
  if (step < size) f(rank - step);
}

}  // namespace

// --- Messages ---

std::shared_ptr<post_office> served_world::new_office(std::uint64_t number) {
  return std::make_shared<post_office>(number);
}
std::uint64_t served_world::number_of(post_office const& office) { return office.number; }
std::uint64_t served_world::next_office() {
  static std::atomic<std::uint64_t> made{0};
  return ++made;
}
std::uint64_t served_world::next_group(post_office& office) { return ++office.groups_made; }
serve_function served_world::answers(post_office& office) {
  return [&office](int from, std::span<std::byte const> request) {
    return office.answer(from, request);
  };
}
void served_world::open(post_office& office, std::unique_ptr<service> s) {
  office.open(std::move(s));
}

void served_world::close(post_office& office) { office.close(); }
bool served_world::is_open(post_office const& office) { return office.is_open(); }

bool served_world::reaches_neighbours(post_office& office, int rank, int size) {
  std::vector<parcel> greetings;
  for_each_neighbour(rank, size, [&](int r) { greetings.push_back({r, {}}); });
  auto const answers = office.ask(0, std::move(greetings));
  return std::none_of(answers.begin(), answers.end(),
                      [](service_answer const& a) { return static_cast<bool>(a.error); });
}

std::unique_ptr<served_world> served_world::made(std::shared_ptr<setting> all, int rank, int size) {
  all->number *= static_cast<std::uint64_t>(size);  // numbered like a group of split()
  group g{std::move(all), 0, rank, {}};
  g.number = g.all->number;
  for (int r = 0; r < size; ++r) g.ranks.push_back(r);
  return std::unique_ptr<served_world>(new served_world(std::move(g)));
}

served_world::setting::~setting() {
  if (office && number != 0) office->leave(number);
}

void served_world::request::drop() noexcept { office_->drop(*awaited_); }

void served_world::request::wait() {
  if (ticket_ != 0) office_->wait(world_, std::exchange(ticket_, 0));
  if (!awaited_) return;
  auto const e = std::move(awaited_);
  awaited_ = {};
  office_->wait(world_, *e);
  received_ = e->received;
}

void served_world::send(std::span<std::byte const> message, int to, int tag) const {
  start_send(message, to, tag).wait();
}

served_world::request served_world::start_send(std::span<std::byte const> message, int to,
                                               int tag) const {
  request r;
  r.office_ = group_->all->office;
  r.world_ = group_->all->number;
  r.ticket_ = office().send(r.world_, {group_->number, rank(), tag},
                            group_->ranks[static_cast<std::size_t>(to)], message);
  return r;
}

served_world::request served_world::start_receive(std::span<std::byte> message, int from,
                                                  int tag) const {
  request r;
  r.office_ = group_->all->office;
  r.world_ = group_->all->number;
  r.awaited_ =
      std::make_shared<request::awaited>(request::awaited{{group_->number, from, tag}, message});
  office().expect(r.world_, r.awaited_);
  return r;
}

std::size_t served_world::receive(std::span<std::byte> message, int from, int tag) const {
  request r = start_receive(message, from, tag);
  r.wait();
  return r.received();
}

void served_world::wait_all(std::span<request> requests) {
  for (request& r : requests) r.wait();
}

void served_world::listen(serve_function answers) const {
  office().listen(group_->all->number, std::move(answers));
}

std::vector<service_answer> served_world::ask(std::vector<parcel> requests) const {
  return office().ask(group_->all->number, std::move(requests));
}

void served_world::wait(std::uint32_t& word, std::uint32_t seen) const {
  memory_world::wait(word, seen, longest_wait);
  if (std::atomic_ref(word).load(std::memory_order_acquire) == seen)
    office().check(group_->all->number);
}

// The rank that finds the failure notifies all. A rank that is notified passes the notice on to a
// few ranks, because the finder may not reach them: some far away, and those with which it has had
// connections since the beginning.
void served_world::revoke(int unreachable) const {
  setting const& all = *group_->all;
  int const me = group_->ranks[static_cast<std::size_t>(rank())],
            n = static_cast<int>(all.first_of_node.size());
  bool const finds = all.office->part(all.number, {unreachable, me});
  std::vector<int> others;
  for (int step = 1; step < n; step = finds ? step + 1 : 2 * step)
    others.push_back((me + step) % n);
  if (!finds) for_each_neighbour(me, n, [&](int r) { others.push_back(r); });
  all.office->tell_of_parting(all.number, unreachable, others);
}

void served_world::check() const { office().check(group_->all->number); }

// --- Collective calls ---

void served_world::barrier() const {
  std::byte nothing{}, other{};
  reduce(std::span(&nothing, 1), std::span(&other, 1), [] {});
}

void served_world::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  auto const ranks = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank()),
             bytes = mine.size();
  if (all.size() != ranks * bytes)
    throw std::invalid_argument("argosy: an all_gather of " + std::to_string(bytes) + " bytes on " +
                                std::to_string(ranks) + " ranks has " + std::to_string(all.size()));
  if (all.empty()) return;
  if (mine.data() != all.data() + me * bytes)
    std::memmove(all.data() + me * bytes, mine.data(), bytes);
  // The parts of a subtree are adjacent.
  auto const part = [&](std::size_t first, std::size_t step) {
    return all.subspan(first * bytes, std::min(step, ranks - first) * bytes);
  };
  for (std::size_t step = 1; step < ranks; step *= 2) {
    if ((me & step) != 0) {
      send(part(me, step), static_cast<int>(me - step), tree_tag);
      break;
    }
    if (me + step < ranks) receive(part(me + step, step), static_cast<int>(me + step), tree_tag);
  }
  broadcast(all, 0);
}

void served_world::broadcast(std::span<std::byte> message, int root) const {
  int const n = size(), me = (rank() - root + n) % n;
  auto const rank_at = [&](int place) { return (place + root) % n; };
  int step = 1;
  while (step < n && (me & step) == 0) step *= 2;
  if (step < n) receive(message, rank_at(me - step), tree_tag);
  for (step /= 2; step > 0; step /= 2)
    if (me + step < n) send(message, rank_at(me + step), tree_tag);
}

std::int64_t served_world::exclusive_sum(std::int64_t mine) const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size()));
  all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::int64_t before = 0;
  for (int r = 0; r < rank(); ++r) before += all[static_cast<std::size_t>(r)];
  return before;
}

std::vector<parcel> served_world::deliver(std::vector<parcel> const& out) const {
  int const tag = delivery_tags[group_->deliveries++ % std::size(delivery_tags)];
  for (parcel const& p : out)
    office().send(group_->all->number, {group_->number, rank(), tag},
                  group_->ranks[static_cast<std::size_t>(p.rank)], p.content, true);
  barrier();  // now all parcels have arrived
  std::vector<parcel> result;
  for (int r = 0; r < size(); ++r)
    for (std::vector<std::byte>& content : office().take_all({group_->number, r, tag}))
      result.push_back({r, std::move(content)});
  return result;
}

// --- Groups ---

served_world served_world::split(int colour, int key) const {
  struct place {
    int colour, key, rank;
  } const mine{colour, key, rank()};
  std::vector<place> all(static_cast<std::size_t>(size()));
  all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::erase_if(all, [&](place const& p) { return p.colour != colour; });
  std::sort(all.begin(), all.end(), [](place const& a, place const& b) {
    return std::pair(a.key, a.rank) < std::pair(b.key, b.rank);
  });
  // A rank is in only one of the new groups, so messages of different groups cannot be confused,
  // and one number is enough for all.
  std::uint64_t number = 0;
  if (rank() == 0)
    number = next_group(office()) * group_->all->first_of_node.size() +
             static_cast<std::uint64_t>(group_->ranks[0]);
  broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
  group g{group_->all, number, 0, {}};
  for (place const& p : all) {
    if (p.rank == rank()) g.rank = static_cast<int>(g.ranks.size());
    g.ranks.push_back(group_->ranks[static_cast<std::size_t>(p.rank)]);
  }
  return served_world(std::move(g));
}

served_world served_world::node() const {
  auto const me = static_cast<std::size_t>(group_->ranks[static_cast<std::size_t>(rank())]);
  return split(group_->all->first_of_node[me], rank());
}

shared_memory served_world::share(std::size_t bytes, std::error_code& error) const {
  return share_segment(*this, bytes, error);
}

shared_memory served_world::share(std::size_t bytes) const {
  std::error_code error;
  shared_memory m = share(bytes, error);
  if (error) throw std::system_error(error, "argosy: sharing memory");
  return m;
}

}  // namespace argosy::detail
