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

#include <argosy/extend.hpp>
#include <argosy/world/parcel.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy {

namespace extend {

// A value that ranks reduce. `combine` adds the value of another rank. It must be associative and
// commutative, and must not throw. Values are sent as bytes.
template <class T>
concept reducible =
    std::is_trivially_copyable_v<T> && requires(T mine, T const& other) { mine.combine(other); };

}  // namespace extend

namespace detail {

// The archetype that the concepts below are checked with.
struct reducible_sum {
  std::int64_t value = 0;
  constexpr void combine(reducible_sum const& other) { value += other.value; }
};

}  // namespace detail

namespace extend {

template <class C>
concept ranked = requires(C const& c) {
  { c.rank() } -> std::convertible_to<int>;
  { c.size() } -> std::convertible_to<int>;
};

// Collective calls: all ranks make them in the same order, with the same lengths and root. Lengths
// are 64-bit and may be 0.
template <class C>
concept collective = requires(C const& c, detail::reducible_sum& value,
                              std::span<std::byte const> out, std::span<std::byte> in) {
  c.barrier();
  c.all_reduce(value);  // in place, for any reducible type
  // `in` holds size() times the bytes of `out`, in the order of the ranks. `out` may be this rank's
  // place in `in`.
  c.all_gather(out, in);
  c.broadcast(in, 0);  // from rank 0, the root
  // Returns the sum over the ranks before this one.
  { c.exclusive_sum(std::int64_t{}) } -> std::convertible_to<std::int64_t>;
};

// The operations that an agreement needs.
template <class C>
concept agreeing = std::copyable<C> && ranked<C> && collective<C>;

// Messages between two ranks.
//
// Order: messages with one tag arrive in the order of sending. They match receives in the order in
// which the receives were started.
//
// Lengths: 64-bit, may be 0. A receive accepts any message that fits into its memory. A longer
// message is a communication error.
//
// Requests: memory belongs to a request from its start until `wait_all` has returned. A
// default-constructed request is done. After `wait_all`, `received` returns the length of the
// message of a receive.
//
// Destroying a request that is not done waits for no rank. A receive is cancelled, and its memory
// is free. A send continues, and its memory must live until the message has been received.
//
// `deliver` sends parcels to any ranks. It returns the parcels sent to this rank, sorted by sender,
// and for each sender in the order of sending. Collective. Receivers need not know the senders.
// Cost: that of this rank's own parcels, and a barrier.
template <class C>
concept messaging =
    std::movable<typename C::request> && std::default_initializable<typename C::request> &&
    requires(C const& c, std::span<std::byte const> out, std::span<std::byte> in, int peer, int tag,
             std::span<typename C::request> requests, typename C::request const& ended,
             std::vector<parcel> const& parcels) {
      c.send(out, peer, tag);
      // Returns the bytes received.
      { c.receive(in, peer, tag) } -> std::convertible_to<std::size_t>;
      { c.start_send(out, peer, tag) } -> std::same_as<typename C::request>;
      { c.start_receive(in, peer, tag) } -> std::same_as<typename C::request>;
      // Waits in any order. Afterwards all requests are done, and may be waited for again.
      C::wait_all(requests);
      { ended.received() } -> std::convertible_to<std::size_t>;
      { c.deliver(parcels) } -> std::same_as<std::vector<parcel>>;
    };

// Makes other groups of ranks, which have messages of their own. Collective.
//
// - `duplicate` returns the same ranks.
// - `split` returns the ranks with the same colour, which is not negative, in the order of the key.
// - `node` returns the ranks that can share memory with this one.
template <class C>
concept groupable = requires(C const& c) {
  { c.duplicate() } -> std::same_as<C>;
  { c.split(0, 0) } -> std::same_as<C>;
  { c.node() } -> std::same_as<C>;
};

}  // namespace extend

// Copies of a communicator are the same communicator, as with std::shared_ptr.
//
// Communication errors are fatal: a program cannot handle them. Only errors of files are reported.
//
// A receive, or a collective call that depends on other ranks, orders shared memory. Afterwards
// this rank sees the writes that those ranks made before they sent or called.
template <class C>
concept communicator = extend::agreeing<C> && extend::messaging<C> && extend::groupable<C>;

namespace extend {

// A world whose ranks may share memory. `share` gives all ranks of a node communicator the same
// zeroed bytes. Collective.
//
// If a rank fails, all ranks get the error of the lowest rank that failed. Causes are no space, too
// many files, ranks that are not on one node (no_such_file_or_directory), and sizes that differ
// (invalid_argument). The form without `error` throws std::system_error. If `bytes` is 0, the
// result is empty, and that is not an error.
template <class C>
concept node_sharing =
    agreeing<C> && requires(C const& c, std::size_t bytes, std::error_code& error) {
      { c.share(bytes) } -> std::same_as<shared_memory>;
      { c.share(bytes, error) } -> std::same_as<shared_memory>;
    };

// A world whose ranks can wait until a word in shared memory changes. It works like
// std::atomic::wait, but also between processes. A call of `wait` returns when the word differs
// from `seen`, or earlier. A call of `wake` makes all waiting ranks look at the word again. Neither
// calls MPI, and any thread may call them.
//
// A rank that has started messages passes their requests to `wait`, because other ranks may need
// these messages before they can change the word.
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

}  // namespace extend

}  // namespace argosy
