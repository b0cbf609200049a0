// Implements connection.hpp: the greeting, then frames, read and written by Boost.Asio.
// SPDX-License-Identifier: BSD-3-Clause
#include "connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace argosy::wire {

namespace {

std::error_code code(boost::system::error_code const& e) {
  if (!e) return {};
  // Returns an errno. The end of a stream has none.
  if (e.category() != boost::system::system_category())
    return std::make_error_code(std::errc::connection_reset);
  return {e.value(), std::system_category()};
}

// A sequence of buffers for Asio that refers to buffers elsewhere.
struct buffers {
  using value_type = boost::asio::const_buffer;
  using const_iterator = value_type const*;
  const_iterator first, last;
  const_iterator begin() const { return first; }
  const_iterator end() const { return last; }
};

}  // namespace

// --- Beginning and end ---------------------------------------------------------------------------

void connection::start(events e, std::uint64_t introduction) {
  std::lock_guard const lock(mutex_);
  events_ = std::move(e);
  introduction_ = introduction;
  head_wanted_ = sizeof(hello);
  outgoing o;
  hello const h{mark, where_.shown, introduction};
  std::memcpy(o.head.data(), &h, sizeof h);
  o.head_bytes = sizeof h;
  queue_.push_back(std::move(o));
  write_some();
  read_some();
}

void connection::start(welcome w) {
  std::lock_guard const lock(mutex_);
  welcome_ = std::move(w);
  head_wanted_ = sizeof(hello);
  read_some();
}

bool connection::is_awaited() const {
  std::lock_guard const lock(mutex_);
  return !greeted_ && !shut_;
}

bool connection::has_unread() {
  std::lock_guard const lock(mutex_);
  std::byte b;
  return !shut_ && ::recv(socket_.native_handle(), &b, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

std::uint64_t connection::progress() const {
  std::lock_guard const lock(mutex_);
  return progress_;
}

void connection::finish() {
  std::lock_guard const lock(mutex_);
  finishing_ = true;
  if (queue_.empty()) shut({});
}

void connection::close() {
  std::lock_guard const lock(mutex_);
  shut({});
}

void connection::fail(std::error_code error) {
  std::lock_guard const lock(mutex_);
  shut(error);
}

// Shuts the socket down. The pending read then returns, and reports the end.
void connection::shut(std::error_code error) {
  if (std::exchange(shut_, true)) return;
  reason_ = error ? error : std::make_error_code(std::errc::connection_aborted);
  // needed because a child of this process may have the socket, too
  ::shutdown(socket_.native_handle(), SHUT_RDWR);
  boost::system::error_code ignored;
  socket_.close(ignored);
  queue_.clear();
}

// --- Sending -------------------------------------------------------------------------------------

void connection::send(frame f) {
  outgoing o;
  header const h{f.body.size(), f.kind, f.number};
  std::memcpy(o.head.data(), &h, sizeof h);
  o.head_bytes = sizeof h;
  o.owned = std::move(f.body);
  o.body = o.owned;
  queue(std::move(o));
}

void connection::send(std::uint64_t kind, std::uint64_t number, std::span<std::byte const> body) {
  outgoing o;
  header const h{body.size(), kind, number};
  std::memcpy(o.head.data(), &h, sizeof h);
  o.head_bytes = sizeof h;
  o.body = body;
  o.kept = number;
  queue(std::move(o));
}

void connection::queue(outgoing o) {
  std::lock_guard const lock(mutex_);
  if (shut_ || finishing_) return;
  try {
    queue_.push_back(std::move(o));
    if (!writing_) write_some();
    // ends the connection, so that a caller waiting for an answer gets an error
  } catch (std::bad_alloc const&) {
    shut(std::make_error_code(std::errc::not_enough_memory));
  }
}

void connection::write_some() {
  constexpr std::size_t frames_at_once = 32;
  gather_.clear();
  std::size_t skip = sent_;
  for (std::size_t i = 0; i < std::min(queue_.size(), frames_at_once); ++i) {
    outgoing const& o = queue_[i];
    for (std::span<std::byte const> part : {std::span(o.head).first(o.head_bytes), o.body}) {
      std::size_t const skipped = std::min(skip, part.size());
      skip -= skipped;
      part = part.subspan(skipped);
      if (!part.empty()) gather_.emplace_back(part.data(), part.size());
    }
  }
  writing_ = true;
  socket_.async_write_some(
      buffers{gather_.data(), gather_.data() + gather_.size()},
      [self = shared_from_this()](boost::system::error_code const& e, std::size_t bytes) {
        self->on_written(code(e), bytes);
      });
}

void connection::on_written(std::error_code error, std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  writing_ = false;
  if (shut_) return;
  if (error) return shut(error);
  sent_ += bytes;
  progress_ += bytes;
  while (!queue_.empty() && sent_ >= queue_.front().head_bytes + queue_.front().body.size()) {
    sent_ -= queue_.front().head_bytes + queue_.front().body.size();
    if (queue_.front().kept && events_.left) events_.left(*queue_.front().kept);
    queue_.pop_front();
  }
  if (!queue_.empty())
    write_some();
  else if (finishing_)
    shut({});
}

// --- Receiving -----------------------------------------------------------------------------------

void connection::read_some() {
  auto into = stage_ == stage::greeting
                  ? boost::asio::buffer(head_.data() + head_got_, head_wanted_ - head_got_)
                  : boost::asio::buffer(buffer_);
  // A long body is read directly into its frame.
  if (stage_ == stage::body && incoming_.body.size() - body_got_ >= buffer_bytes)
    into =
        boost::asio::buffer(incoming_.body.data() + body_got_, incoming_.body.size() - body_got_);
  socket_.async_read_some(
      into, [self = shared_from_this()](boost::system::error_code const& e, std::size_t bytes) {
        self->on_read(code(e), bytes);
      });
}

void connection::on_read(std::error_code error, std::size_t bytes) {
  try {
    if (error) {
      fail(error);
    } else if (stage_ == stage::greeting) {
      take_of_greeting(bytes);
    } else if (stage_ == stage::body && incoming_.body.size() - body_got_ >= buffer_bytes) {
      body_got_ += bytes;
      deliver();
    } else {
      take(std::span(buffer_).first(bytes));
    }
  } catch (std::bad_alloc const&) {
    fail(std::make_error_code(std::errc::not_enough_memory));
  } catch (...) {
    fail(std::make_error_code(std::errc::bad_message));
  }
  {
    std::lock_guard const lock(mutex_);
    if (!shut_) return read_some();
  }
  if (events_.ended) events_.ended(reason_);
  events_ = {};
  welcome_ = {};
  gone_();
}

void connection::take(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    {
      std::lock_guard const lock(mutex_);
      if (shut_) return;
    }
    if (stage_ == stage::body) {
      std::size_t const n = std::min(bytes.size(), incoming_.body.size() - body_got_);
      std::copy_n(bytes.begin(), n,
                  incoming_.body.begin() + static_cast<std::ptrdiff_t>(body_got_));
      body_got_ += n;
      bytes = bytes.subspan(n);
      deliver();
      continue;
    }
    std::size_t const n = std::min(bytes.size(), head_wanted_ - head_got_);
    std::copy_n(bytes.begin(), n, head_.begin() + static_cast<std::ptrdiff_t>(head_got_));
    head_got_ += n;
    bytes = bytes.subspan(n);
    if (head_got_ < head_wanted_) return;
    head_got_ = 0;
    header h;
    std::memcpy(&h, head_.data(), sizeof h);
    if (h.bytes > most_bytes_) return fail(std::make_error_code(std::errc::message_size));
    incoming_ = {h.kind, h.number, {}};
    body_bytes_ = h.bytes;
    body_got_ = 0;
    stage_ = stage::body;
    deliver();
  }
}

// Grows the body with the data, so that a wrong length costs at most twice the memory of the data
// that has arrived.
void connection::grow_body() {
  std::size_t const most = std::max(growth_bytes, 2 * body_got_);
  incoming_.body.resize(static_cast<std::size_t>(std::min<std::uint64_t>(body_bytes_, most)));
}

void connection::deliver() {
  if (body_got_ < body_bytes_) {
    if (body_got_ == incoming_.body.size()) grow_body();
    return;
  }
  stage_ = stage::header;
  head_wanted_ = sizeof(header);
  events_.arrived(std::exchange(incoming_, {}));
}

void connection::take_of_greeting(std::size_t bytes) {
  head_got_ += bytes;
  if (head_got_ < head_wanted_) return;
  head_got_ = 0;
  take_greeting();
}

void connection::take_greeting() {
  hello h;
  std::memcpy(&h, head_.data(), sizeof h);
  if (h.mark != mark) return fail(std::make_error_code(std::errc::protocol_error));
  if (h.proof != (welcome_ ? where_.shown : where_.answered))
    return fail(std::make_error_code(std::errc::permission_denied));
  buffer_.resize(buffer_bytes);
  {
    std::lock_guard const lock(mutex_);
    greeted_ = true;
    if (welcome_) introduction_ = h.introduction;
  }
  stage_ = stage::header;
  head_wanted_ = sizeof(header);
  if (!welcome_) return;
  outgoing o;
  hello const mine{mark, where_.answered, 0};
  std::memcpy(o.head.data(), &mine, sizeof mine);
  o.head_bytes = sizeof mine;
  queue(std::move(o));
  events_ = std::exchange(welcome_, {})(shared_from_this());
}

}  // namespace argosy::wire
