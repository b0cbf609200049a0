// The state machines of the simulated GPFS get messages that make sense but fit no state. A lying
// node sends them to the manager, the servers and another node, or all of them send them to one
// node.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <argosy/lab/gpfs/detail/block_server.hpp>
#include <argosy/lab/gpfs/detail/block_store.hpp>
#include <argosy/lab/gpfs/detail/client_node.hpp>
#include <argosy/lab/gpfs/detail/token_manager.hpp>
#include <lab/gpfs/codec.hpp>

#include "any_message.hpp"

using namespace argosy;
using namespace argosy::lab::gpfs;
using namespace argosy::lab::gpfs::detail;

namespace {

machine small() {
  machine m;
  m.block_bytes = 512;
  m.servers = 2;
  m.disks_per_server = 1;
  m.pagepool_bytes = 16 * 512;
  m.lease_s = 1;
  m.ship_files_max = 2;
  m.ship_wait_s = 5;
  return m;
}

constexpr node_id good = 0, liar = 1;

class ensemble {
 public:
  ensemble(FuzzedDataProvider& in, bool all_lie) : in_(in), all_lie_(all_lie) {
    for (int k = 0; k < machine_.servers; ++k) servers_.emplace_back(k, machine_, store_);
  }

  void step() {
    switch (in_.ConsumeIntegralInRange(0, 7)) {
      case 0:
      case 1:
        return submit();
      case 2:
      case 3:
      case 4:
        return lie();
      case 5:
        return deliver(in_.ConsumeIntegralInRange(1, 6));
      case 6:
        return pass(in_.ConsumeIntegralInRange<std::int64_t>(0, 8'000'000'000));
      default:
        return come_or_go();
    }
  }
  void end() {
    deliver(100'000);
    FUZZ_CHECK(queue_.empty());  // no exchange may go on for ever
  }

 private:
  using file_call = argosy::lab::gpfs::detail::call;

  void submit() {
    constexpr call_kind kinds[] = {call_kind::open,  call_kind::read,   call_kind::write,
                                   call_kind::sync,  call_kind::size,   call_kind::resize,
                                   call_kind::fcntl, call_kind::close,  call_kind::remove,
                                   call_kind::lock,  call_kind::unlock, call_kind::rename};
    file_call c;
    c.kind = in_.PickValueInArray(kinds);
    c.instance = in_.ConsumeIntegralInRange(0, 4);
    c.offset = in_.ConsumeIntegralInRange<std::int64_t>(-1, 40 * 512);
    c.length = in_.ConsumeIntegralInRange<std::int64_t>(-1, 4096);
    c.owner = in_.ConsumeIntegralInRange(0, 2);
    c.path = in_.ConsumeBool() ? "a" : "b";
    if (c.kind == call_kind::rename) c.to = in_.ConsumeBool() ? "a" : "b";
    c.for_reading = in_.ConsumeBool();
    c.for_writing = in_.ConsumeBool();
    c.create = !in_.ConsumeBool();
    c.exclusive = in_.ConsumeBool();
    c.only_grow = in_.ConsumeBool();
    c.synchronous = in_.ConsumeBool();
    auto& memory = memory_.emplace_back(
        in_.ConsumeBytes<std::byte>(in_.ConsumeIntegralInRange<std::size_t>(0, 200)));
    if (c.kind != call_kind::fcntl) memory.resize(in_.ConsumeIntegralInRange<std::size_t>(0, 3000));
    c.into = c.argument = std::span(memory);
    c.from = c.into;
    outbox out;
    std::int64_t const ticket = node_.submit(std::move(c), now_, out);
    if (in_.ConsumeBool()) node_.interrupt(ticket, now_, out);
    post(out);
  }

  // Sends a message that the transport would let through.
  void lie() {
    message m;
    m.body = fuzz::any_message(in_, machine_);
    std::array<std::pair<address, address>, 5> const ways{{
        {{role::client, liar}, {role::manager, 0}},
        {{role::client, liar}, {role::server, in_.ConsumeIntegralInRange(0, 1)}},
        {{role::client, liar}, {role::client, good}},
        {{role::manager, 0}, {role::client, good}},
        {{role::server, in_.ConsumeIntegralInRange(0, 1)}, {role::client, good}},
    }};
    for (std::size_t k = 0; k < (all_lie_ ? ways.size() : 3); ++k) {
      std::tie(m.from, m.to) = ways[k];
      if (makes_sense(m, machine_)) return receive(m);
    }
  }

  void deliver(int most) {
    for (; most > 0 && !queue_.empty(); --most) {
      message const m = std::move(queue_.front());
      queue_.pop_front();
      receive(m);
    }
  }

  void receive(message const& m) {
    outbox out;
    if (m.to.who == role::manager)
      manager_.receive(m, now_, out);
    else if (m.to.who == role::server)
      servers_.at(static_cast<std::size_t>(m.to.index)).receive(m, now_, out);
    else if (m.to.index == good)
      node_.receive(m, now_, out);
    post(out);
  }

  void pass(std::int64_t ns) {
    now_ += instant(ns);
    for (auto t = timers_.begin(); t != timers_.end();) {
      if (t->at > now_) {
        ++t;
        continue;
      }
      std::int64_t const id = t->id;
      t = timers_.erase(t);
      outbox out;
      manager_.expire(id, now_, out);
      post(out);
    }
  }

  void come_or_go() {
    outbox out;
    if (int const node = in_.ConsumeIntegralInRange<int>(liar, 3); in_.ConsumeBool())
      manager_.admit(node, now_, out);
    else if (in_.ConsumeBool())
      manager_.dismiss(node, now_, out);
    else
      out.send({role::manager, 0}, {role::manager, 0}, node_lost{node}, now_);
    post(out);
  }

  void post(outbox& out) {
    for (auto& o : out.messages) queue_.push_back(std::move(o.what));
    for (auto const& t : out.timers) timers_.push_back(t);
  }

  FuzzedDataProvider& in_;
  machine const machine_ = small();
  bool const all_lie_;
  instant now_{};
  std::shared_ptr<memory_store> const store_ = std::make_shared<memory_store>(machine_.block_bytes);
  token_manager manager_{machine_, 2};
  std::vector<block_server> servers_;
  client_node node_{good, machine_};
  std::deque<message> queue_;
  std::list<outbox::timer> timers_;
  std::list<std::vector<std::byte>> memory_;
};

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  ensemble e(in, in.ConsumeBool());
  for (int k = 0; k < 200 && in.remaining_bytes() > 0; ++k) e.step();
  e.end();
  return 0;
}
