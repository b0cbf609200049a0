// Frames in both directions over one stream socket.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include "address.hpp"

namespace argosy::wire {

// The users define `kind` and `number`.
struct frame {
  std::uint64_t kind = 0, number = 0;
  std::vector<std::byte> body;
};

// Any thread may call, and no call waits. Frames to send go to a queue without limit, so two peers
// that only send cannot block each other. If an error occurs or the peer ends, the connection ends
// for good.
class connection : public std::enable_shared_from_this<connection> {
 public:
  // Functions called on a thread of the station, one at a time. They live until `ended` has
  // returned.
  struct events {
    // Called for each frame, in the order of sending. If it throws, the connection ends.
    std::function<void(frame)> arrived;
    std::function<void(std::error_code)> ended;  // called once, as the last function
    // Called when the body that the caller owns was sent. Called with the connection's mutex, and
    // on any thread of the station.
    std::function<void(std::uint64_t number)> left = {};
  };

  void send(frame f);
  // Sends a body that the caller owns. The caller does not change it until `left` is called, or the
  // connection has ended: a peer may answer before it has read the body.
  void send(std::uint64_t kind, std::uint64_t number, std::span<std::byte const> body);
  void finish();  // ends the connection when all frames are sent
  void close();   // ends the connection now

  // Returns the number by which the connecting side introduced itself.
  std::uint64_t introduction() const { return introduction_; }

 private:
  friend class station;
  using socket = boost::asio::generic::stream_protocol::socket;
  // The greeting before frames. Peers with another byte order or version have another mark.
  struct hello {
    std::uint64_t mark = 0;
    cookie proof = {};
    std::uint64_t introduction = 0;
  };
  struct header {
    std::uint64_t bytes = 0, kind = 0, number = 0;
  };
  struct outgoing {
    std::array<std::byte, sizeof(hello)> head = {};
    std::size_t head_bytes = 0;
    std::span<std::byte const> body;
    std::vector<std::byte> owned;
    std::optional<std::uint64_t> kept;  // the number of a frame whose body the caller owns
  };
  static constexpr std::uint64_t mark = 0x0179736f67726100;  // "argosy", version 1
  static constexpr std::size_t buffer_bytes = 64 * 1024;
  static constexpr std::size_t growth_bytes = std::size_t{64} << 20;

  enum class stage { greeting, header, body };
  // Called for an accepted connection whose cookie is right. Empty if this side connected.
  using welcome = std::function<events(std::shared_ptr<connection> const&)>;

  connection(std::shared_ptr<boost::asio::io_context> c, address const& where,
             std::uint64_t most_bytes)
      : context_(std::move(c)), socket_(*context_), where_(where), most_bytes_(most_bytes) {}
  void start(events e, std::uint64_t introduction);  // sends the greeting
  void start(welcome w);                             // receives the greeting
  bool is_awaited() const;                           // true if it has neither greeted nor ended
  bool has_unread();               // true if the peer has sent bytes that no thread has read
  std::uint64_t progress() const;  // number of bytes sent

  void queue(outgoing o);
  void read_some();   // needs the mutex
  void write_some();  // needs the mutex
  void on_read(std::error_code error, std::size_t bytes);
  void on_written(std::error_code error, std::size_t bytes);
  void take(std::span<std::byte const> bytes);
  void take_of_greeting(std::size_t bytes);
  void take_greeting();
  void grow_body();
  void deliver();
  void fail(std::error_code error);
  void shut(std::error_code error);  // needs the mutex

  std::shared_ptr<boost::asio::io_context> context_;  // must outlive the socket
  mutable std::mutex mutex_;
  socket socket_;
  address where_;
  std::uint64_t most_bytes_;
  events events_;
  welcome welcome_;
  std::function<void()> gone_;  // removes the connection from the station

  std::deque<outgoing> queue_;
  std::size_t sent_ = 0;  // bytes sent of the first frame in the queue
  std::uint64_t progress_ = 0;
  std::vector<boost::asio::const_buffer> gather_;
  bool writing_ = false, finishing_ = false, shut_ = false, greeted_ = false;
  std::error_code reason_;
  std::uint64_t introduction_ = 0;

  // used only by the thread that reads
  stage stage_ = stage::greeting;
  std::vector<std::byte> buffer_;  // allocated after the greeting, so strangers get no memory
  std::array<std::byte, sizeof(hello)> head_ = {};
  std::size_t head_got_ = 0, head_wanted_ = 0;
  std::uint64_t body_bytes_ = 0;
  std::size_t body_got_ = 0;
  frame incoming_;
};

}  // namespace argosy::wire
