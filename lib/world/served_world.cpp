// Implements world/detail/served_world.hpp: messages over a service, and collective calls made of them.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/world/detail/served_world.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include <argosy/world/rank_failure.hpp>

#include "share_segment.hpp"

namespace argosy::detail {
namespace {

// Where a message belongs.
struct address {
  std::uint64_t group = 0;
  std::int32_t from = 0;  // in the group
  std::int32_t tag = 0;

  auto operator<=>(address const&) const = default;
};

enum class kind : std::uint32_t {
  question,  // for who listens in the world, the group
  message,
  taken,  // of a message with a ticket
  parted  // the sender leaves the world, the group: a rank, that of the address, cannot be reached
};

// In front of every request to another rank's service.
struct heading {
  address where = {};
  std::uint64_t ticket = 0;  // not 0: the sender wants to know when the receiver has taken the message
  kind what = kind::question;
  std::uint32_t unused = 0;
};

// Longer messages wait for their receivers, which would otherwise need memory for all that others can send.
constexpr std::size_t longest_in_advance = 16 << 10;

std::vector<std::byte> sealed(heading const& h, std::span<std::byte const> content) {
  std::vector<std::byte> all(sizeof h + content.size());
  std::memcpy(all.data(), &h, sizeof h);
  if (!content.empty()) std::memcpy(all.data() + sizeof h, content.data(), content.size());
  return all;
}

constexpr int delivery_tags[] = {-2, -3};  // a rank may be one delivery ahead

}  // namespace

struct served_world::request::awaited {
  address of;
  std::span<std::byte> into;
  std::size_t received = 0;
  bool has_come = false;
  bool fits = true;
};

// One rank's part of the service: messages that nobody expected yet, and receives whose messages have not come.
class post_office {
 public:
  using awaited = served_world::request::awaited;
  // Ranks as the service counts them.
  struct parting {
    int unreachable, by;
  };

  explicit post_office(std::uint64_t n) : number(n) {}

  std::vector<std::byte> answer(int from, std::span<std::byte const> request) {
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
  // Who answers for this world; and that nobody does any more, when no answer is under way.
  void listen(std::uint64_t world, serve_function f) {
    std::lock_guard const guard(mutex_);
    worlds_[world].answers = std::move(f);
  }
  void leave(std::uint64_t world) {
    std::unique_lock guard(mutex_);
    auto const found = worlds_.find(world);
    parted_.erase(world);
    if (found == worlds_.end()) return;
    arrived_.wait(guard, [&] { return found->second.under_way == 0; });
    worlds_.erase(found);
  }

  void expect(std::uint64_t world, std::shared_ptr<awaited> e) {
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
  // Until it has come, or no more can come in this world.
  void wait(std::uint64_t world, awaited const& e) {
    std::unique_lock guard(mutex_);
    arrived_.wait(guard, [&] { return e.has_come || parted_.contains(world); });
    if (!e.has_come) {
      forget(e);
      require_together(world);
    }
    if (!e.fits) throw std::length_error("argosy: a message is longer than the memory that its receiver has for it");
  }
  // Until the receiver has taken the message.
  void wait(std::uint64_t world, std::uint64_t ticket) {
    std::unique_lock guard(mutex_);
    arrived_.wait(guard, [&] { return !not_taken_.contains(ticket) || parted_.contains(world); });
    if (not_taken_.erase(ticket) > 0) require_together(world);
  }
  void check(std::uint64_t world) {
    std::lock_guard const guard(mutex_);
    require_together(world);
  }
  void drop(awaited const& e) noexcept {
    std::lock_guard const guard(mutex_);
    if (!e.has_come) forget(e);
  }
  // Whoever waits in this world leaves it, and whoever comes later. False: they knew.
  bool part(std::uint64_t world, parting why) {
    {
      std::lock_guard const guard(mutex_);
      if (!parted_.emplace(world, why).second) return false;
    }
    arrived_.notify_all();
    return true;
  }
  // What cannot be told is lost.
  void tell_of_parting(std::uint64_t world, int unreachable, std::vector<int> const& ranks) {
    std::vector<parcel> all;
    for (int r : ranks) all.push_back({r, sealed({{world, unreachable}, 0, kind::parted}, {})});
    service_->call(all);
  }
  // All messages that are there, in their order.
  std::vector<std::vector<std::byte>> take_all(address const& a) {
    std::lock_guard const guard(mutex_);
    std::vector<std::vector<std::byte>> all;
    for (early& m : boxes_[a].messages) all.push_back(std::move(m.content));
    boxes_.erase(a);
    return all;
  }

  // Returns a ticket to wait with; 0: there is nothing to wait for. `in_advance`: the receiver need not expect it, however long.
  std::uint64_t send(std::uint64_t world, address const& where, int to, std::span<std::byte const> content,
                     bool in_advance = false) {
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
  std::vector<service_answer> ask(std::uint64_t world, std::vector<parcel> requests) {
    for (parcel& p : requests) p.content = sealed({{world}}, p.content);
    return service_->call(requests);
  }

  std::uint64_t const number;                 // at its rank 0
  std::atomic<std::uint64_t> groups_made{1};  // by this rank as their first
  void open(std::unique_ptr<service> s) { service_ = std::move(s); }
  void close() { service_ = {}; }
  bool is_open() const noexcept { return service_ != nullptr; }

 private:
  struct early {
    std::vector<std::byte> content;
    std::uint64_t ticket = 0;
    int from = 0;  // as the service counts
  };
  struct box {
    std::deque<early> messages;
    std::deque<std::shared_ptr<awaited>> receives;
  };

  std::vector<std::byte> reach(int rank, std::vector<std::byte> message) {
    std::vector<parcel> one(1);
    one[0] = {rank, std::move(message)};
    service_answer answer = std::move(service_->call(one)[0]);
    if (answer.error)
      throw rank_failure(rank, "rank " + std::to_string(rank) + " cannot be reached: " + answer.error.message());
    return std::move(answer.content);
  }

  // With the mutex.
  void require_together(std::uint64_t world) const {
    auto const found = parted_.find(world);
    if (found == parted_.end()) return;
    auto const [unreachable, by] = found->second;
    throw rank_failure(unreachable, "rank " + std::to_string(unreachable) + " could not be reached by rank " +
                                        std::to_string(by) + ", so no rank goes on");
  }
  void forget(awaited const& e) noexcept {
    std::erase_if(boxes_[e.of].receives, [&](auto const& one) { return one.get() == &e; });
    remove_if_empty(e.of);
  }

  struct one_world {
    serve_function answers;
    int under_way = 0;
  };

  // Where nobody listens yet, or any more, nothing is the answer.
  std::vector<std::byte> answer_of_world(std::uint64_t world, int from, std::span<std::byte const> request) {
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

  // True: the receiver has taken it.
  bool put(heading const& h, int from, std::span<std::byte const> content) {
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
  static void take(awaited& e, std::span<std::byte const> content) {
    e.fits = content.size() <= e.into.size();
    e.received = std::min(content.size(), e.into.size());
    if (e.received > 0) std::memcpy(e.into.data(), content.data(), e.received);
    e.has_come = true;
  }
  void remove_if_empty(address const& a) {
    auto const found = boxes_.find(a);
    if (found != boxes_.end() && found->second.messages.empty() && found->second.receives.empty()) boxes_.erase(found);
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<address, box> boxes_;
  std::uint64_t last_ticket_ = 0;
  std::set<std::uint64_t> not_taken_;  // messages of this rank
  std::map<std::uint64_t, one_world> worlds_;
  std::map<std::uint64_t, parting> parted_;  // of worlds that are not together any more
  std::unique_ptr<service> service_;         // ends before all that it uses
};

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
  return [&office](int from, std::span<std::byte const> request) { return office.answer(from, request); };
}
void served_world::open(post_office& office, std::unique_ptr<service> s) { office.open(std::move(s)); }

void served_world::close(post_office& office) { office.close(); }
bool served_world::is_open(post_office const& office) { return office.is_open(); }

// Those to which it sends in collective calls.
bool served_world::reaches_neighbours(post_office& office, int rank, int size) {
  std::vector<parcel> greetings;
  int step = 1;
  for (; step < size && (rank & step) == 0; step *= 2)
    if (rank + step < size) greetings.push_back({rank + step, {}});
  if (step < size) greetings.push_back({rank - step, {}});
  auto const answers = office.ask(0, std::move(greetings));
  return std::none_of(answers.begin(), answers.end(),
                      [](service_answer const& a) { return static_cast<bool>(a.error); });
}

std::unique_ptr<served_world> served_world::made(std::shared_ptr<setting> all, int rank, int size) {
  all->number *= static_cast<std::uint64_t>(size);  // as split counts them, of rank 0
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

served_world::request served_world::start_send(std::span<std::byte const> message, int to, int tag) const {
  request r;
  r.office_ = group_->all->office;
  r.world_ = group_->all->number;
  r.ticket_ =
      office().send(r.world_, {group_->number, rank(), tag}, group_->ranks[static_cast<std::size_t>(to)], message);
  return r;
}

served_world::request served_world::start_receive(std::span<std::byte> message, int from, int tag) const {
  request r;
  r.office_ = group_->all->office;
  r.world_ = group_->all->number;
  r.awaited_ = std::make_shared<request::awaited>(request::awaited{{group_->number, from, tag}, message});
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

void served_world::listen(serve_function answers) const { office().listen(group_->all->number, std::move(answers)); }

std::vector<service_answer> served_world::ask(std::vector<parcel> requests) const {
  return office().ask(group_->all->number, std::move(requests));
}

void served_world::wait(std::uint32_t& word, std::uint32_t seen) const {
  memory_world::wait(word, seen, longest_wait);
  if (std::atomic_ref(word).load(std::memory_order_acquire) == seen) office().check(group_->all->number);
}

// Who finds it tells all. Who is told passes it on to a few, as the one who found it may not reach them.
void served_world::revoke(int unreachable) const {
  setting const& all = *group_->all;
  int const me = group_->ranks[static_cast<std::size_t>(rank())], n = static_cast<int>(all.first_of_node.size());
  bool const finds = all.office->part(all.number, {unreachable, me});
  std::vector<int> others;
  for (int step = 1; step < n; step = finds ? step + 1 : 2 * step) others.push_back((me + step) % n);
  all.office->tell_of_parting(all.number, unreachable, others);
}

// --- Collective calls ---

void served_world::barrier() const {
  std::byte nothing{}, other{};
  reduce(std::span(&nothing, 1), std::span(&other, 1), [] {});
}

void served_world::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  auto const ranks = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank()), bytes = mine.size();
  if (all.size() != ranks * bytes)
    throw std::invalid_argument("argosy: an all_gather of " + std::to_string(bytes) + " bytes on " +
                                std::to_string(ranks) + " ranks has " + std::to_string(all.size()));
  if (all.empty()) return;
  if (mine.data() != all.data() + me * bytes) std::memmove(all.data() + me * bytes, mine.data(), bytes);
  // Those of a subtree lie side by side.
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
    office().send(group_->all->number, {group_->number, rank(), tag}, group_->ranks[static_cast<std::size_t>(p.rank)],
                  p.content, true);
  barrier();  // now all of them have arrived
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
  std::sort(all.begin(), all.end(),
            [](place const& a, place const& b) { return std::pair(a.key, a.rank) < std::pair(b.key, b.rank); });
  // A rank is in one of the new groups only, so their messages cannot meet, and one number does for all.
  std::uint64_t number = 0;
  if (rank() == 0)
    number = next_group(office()) * group_->all->first_of_node.size() + static_cast<std::uint64_t>(group_->ranks[0]);
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
