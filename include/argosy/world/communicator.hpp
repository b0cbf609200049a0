// The concept of a world: the few operations between ranks that the library uses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <type_traits>
#include <vector>

#include <argosy/world/parcel.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

// A value that ranks reduce: `combine` adds another rank's value; it is associative and
// commutative, and does not throw. Values are sent as bytes.
template <class T>
concept reducible =
    std::is_trivially_copyable_v<T> && requires(T mine, T const& other) { mine.combine(other); };

namespace detail {

// The archetype against which the concept below is checked.
struct reducible_sum {
  std::int64_t value = 0;
  constexpr void combine(reducible_sum const& other) { value += other.value; }
};

}  // namespace detail

template <class C>
concept ranked = requires(C const& c) {
  { c.rank() } -> std::convertible_to<int>;
  { c.size() } -> std::convertible_to<int>;
};

// All ranks make these calls in the same order, with the same lengths and root. Lengths are 64-bit
// and may be 0.
template <class C>
concept collective = requires(C const& c, detail::reducible_sum& value,
                              std::span<std::byte const> out, std::span<std::byte> in) {
  c.barrier();
  c.all_reduce(value);  // in place, any reducible
  // `in` holds size() times `out`, by rank; `out` may be this rank's place in it
  c.all_gather(out, in);
  c.broadcast(in, 0);  // from a root
  // over the ranks before this one
  { c.exclusive_sum(std::int64_t{}) } -> std::convertible_to<std::int64_t>;
};

// The operations that an agreement needs.
template <class C>
concept agreeing = std::copyable<C> && ranked<C> && collective<C>;

// Messages between two ranks with one tag arrive in the order of sending, and match receives in the
// order in which these were started. Lengths are 64-bit and may be 0; a receive takes any message
// that fits, a longer one is a communication error. Memory belongs to a request from its start
// until wait_all has returned. A default-constructed request is done; `received` is the length of
// the message that a receive got, after wait_all. Dropping a request that is not done waits for no
// rank: a receive is taken back, and its memory is free; a send goes on, and its memory must live
// until the message was received. `deliver` is collective: it sends parcels to any ranks, and
// returns those sent to this rank, sorted by sender, each sender's in its order. Receivers need not
// know who sends: the cost is that of the own parcels, and a barrier.
template <class C>
concept messaging =
    std::movable<typename C::request> && std::default_initializable<typename C::request> &&
    requires(C const& c, std::span<std::byte const> out, std::span<std::byte> in, int peer, int tag,
             std::span<typename C::request> requests, typename C::request const& ended,
             std::vector<parcel> const& parcels) {
      c.send(out, peer, tag);
      // bytes received
      { c.receive(in, peer, tag) } -> std::convertible_to<std::size_t>;
      { c.start_send(out, peer, tag) } -> std::same_as<typename C::request>;
      { c.start_receive(in, peer, tag) } -> std::same_as<typename C::request>;
      // any order; afterwards they are done, and may be waited for again
      C::wait_all(requests);
      { ended.received() } -> std::convertible_to<std::size_t>;
      { c.deliver(parcels) } -> std::same_as<std::vector<parcel>>;
    };

// Other groups of ranks, made collectively, with messages of their own. `duplicate` gives the same
// ranks, `split` those of one colour (not negative) in the order of the key, `node` those that can
// share memory.
template <class C>
concept groupable = requires(C const& c) {
  { c.duplicate() } -> std::same_as<C>;
  { c.split(0, 0) } -> std::same_as<C>;
  { c.node() } -> std::same_as<C>;
};

// Copies of a communicator are the same communicator, as with std::shared_ptr. Communication errors
// are fatal: they throw nothing that could be handled; only what happens to files is reported. A
// rank that waits for others (a receive, a collective call that depends on them) sees afterwards
// what they had written to shared memory before.
template <class C>
concept communicator = agreeing<C> && messaging<C> && groupable<C>;

// A world may be able to share memory: `share` gives every rank of a node communicator the same
// zeroed bytes, or every rank the same error, that of the lowest rank which failed: no space, too
// many files, ranks that are not on one node (no_such_file_or_directory), sizes that differ
// (invalid_argument). Collective; the form without `error` throws std::system_error. No bytes are
// no error, and no memory.
template <class C>
concept node_sharing =
    agreeing<C> && requires(C const& c, std::size_t bytes, std::error_code& error) {
      { c.share(bytes) } -> std::same_as<shared_memory>;
      { c.share(bytes, error) } -> std::same_as<shared_memory>;
    };

// Ranks that share memory may wait for a word of it to change, as std::atomic::wait does, and not
// only threads of one process: `wait` returns when the word is not `seen` any more, or earlier;
// `wake` lets all who wait look again. Neither makes a call of MPI: any thread may use them. A rank
// that has begun messages gives them to its `wait`: other ranks may need them to go on before the
// word can change.
template <class C>
concept node_waiting = node_sharing<C> &&
                       requires(C const& c, std::uint32_t& word, std::uint32_t seen) {
                         c.wait(word, seen);
                         c.wake(word);
                       } &&
                       (!messaging<C> || requires(C const& c, std::uint32_t& word,
                                                  std::span<typename C::request> meanwhile) {
                         c.wait(word, 0u, meanwhile);
                       });

}  // namespace argosy
