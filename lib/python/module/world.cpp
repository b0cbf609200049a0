// Implements world.hpp: communicators, messages, and memory that ranks share.
// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "mpi4py.hpp"
#include "world/serve_by_sockets.hpp"
#include "world/share_segment.hpp"

namespace argosy::python {

std::size_t largest_count = std::size_t{1} << 30;
bool shares_memory = true;

ranks::ranks(nb::object const& c) {
  if (c.is_none()) return;
  if (!nb::isinstance(c, mpi4py().attr("Intracomm")))
    throw nb::type_error(
        "argosy: a communicator is an mpi4py.MPI.Intracomm, such as MPI.COMM_WORLD, or None for "
        "one rank without MPI");
  *this = ranks(std::make_shared<communicator const>(c, false));
}

ranks::ranks(std::shared_ptr<communicator const> made) : comm_(std::move(made)) {
  rank_ = nb::cast<int>(comm_->attr("Get_rank")());
  size_ = nb::cast<int>(comm_->attr("Get_size")());
}

template <class Make>
ranks ranks::made_by(Make&& make) const {
  return call("making a communicator", [&] {
    nb::object c = make();
    // Errors of communication are fatal, since other ranks would wait for this one.
    c.attr("Set_errhandler")(mpi4py().attr("ERRORS_ARE_FATAL"));
    return ranks(std::make_shared<communicator const>(std::move(c), true));
  });
}

ranks ranks::duplicate() const {
  if (!comm_) return {};
  return made_by([&] { return comm_->attr("Dup")(); });
}

ranks ranks::split(int colour, int key) const {
  if (!comm_) return {};
  return made_by([&] { return comm_->attr("Split")(colour, key); });
}

ranks ranks::node() const {
  if (!comm_) return {};
  return made_by(
      [&] { return comm_->attr("Split_type")(mpi4py().attr("COMM_TYPE_SHARED"), rank_); });
}

void ranks::give_up(char const* why) const noexcept {
  std::fprintf(stderr, "argosy: rank %d: %s\n", rank_, why);
  if (comm_) {
    nb::gil_scoped_acquire const lock;
    try {
      comm_->attr("Abort")(EXIT_FAILURE);
    } catch (nb::python_error const&) {
    }
  }
  std::abort();
}

// --- Messages ---

void ranks::send(std::span<std::byte const> message, int to, int tag) const {
  if (!comm_) return alone_.send(message, to, tag);
  call("Send", [&] { comm_->attr("Send")(out(message).parts(), to, tag); });
}

std::size_t ranks::receive(std::span<std::byte> message, int from, int tag) const {
  if (!comm_) return alone_.receive(message, from, tag);
  return call("Recv", [&] {
    nb::object const status = mpi4py().attr("Status")();
    comm_->attr("Recv")(in(message).parts(), from, tag, status);
    return bytes_of(status);
  });
}

ranks::request ranks::start_send(std::span<std::byte const> message, int to, int tag) const {
  if (!comm_) return request(alone_.start_send(message, to, tag));
  return call("Isend",
              [&] { return request(comm_->attr("Isend")(out(message).parts(), to, tag), false); });
}

ranks::request ranks::start_receive(std::span<std::byte> message, int from, int tag) const {
  if (!comm_) return request(alone_.start_receive(message, from, tag));
  return call("Irecv",
              [&] { return request(comm_->attr("Irecv")(in(message).parts(), from, tag), true); });
}

struct ranks::request::handle {
  nb::object object;  // null if the request is done
  bool is_receive;
};

ranks::request::request(nb::object const& started, bool is_receive)
    : handle_(new handle{started, is_receive}) {}

ranks::request& ranks::request::operator=(request&& other) noexcept {
  if (this == &other) return *this;
  drop();
  handle_ = std::move(other.handle_);
  alone_ = std::move(other.alone_);
  received_ = other.received_;
  return *this;
}

void ranks::request::drop() noexcept {
  if (!handle_ || !handle_->object) return;
  if (!Py_IsInitialized()) {
    handle_->object.release();
    return;
  }
  nb::gil_scoped_acquire const lock;
  try {
    if (!is_finalized()) {
      if (handle_->is_receive) {
        handle_->object.attr("Cancel")();
        handle_->object.attr("Wait")();  // local after the cancellation
      } else {
        handle_->object.attr("Free")();
      }
    }
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("argosy");
  }
  handle_->object.reset();
}

bool ranks::request::end(bool waits) {
  if (!handle_ || !handle_->object) return true;
  return call(waits ? "Wait" : "Test", [&] {
    nb::object const status = mpi4py().attr("Status")();
    bool const done = nb::cast<bool>(handle_->object.attr(waits ? "Wait" : "Test")(status));
    if (!done) return false;
    if (handle_->is_receive) received_ = bytes_of(status);
    handle_->object.reset();
    return true;
  });
}

void ranks::wait_all(std::span<request> requests) {
  // All were started before, so they advance in any order of waiting.
  for (request& r : requests) {
    self::wait_all({&r.alone_, 1});
    r.end(true);
  }
}

// --- Memory that ranks share ---

extend::shared_memory ranks::share(std::size_t bytes, std::error_code& error) const {
  if (!comm_) return alone_.share(bytes, error);
  if (shares_memory) return detail::share_segment(*this, bytes, error);
  error = std::make_error_code(std::errc::operation_not_supported);
  return {};
}

extend::shared_memory ranks::share(std::size_t bytes) const {
  std::error_code error;
  extend::shared_memory result = share(bytes, error);
  if (error) throw std::system_error(error, "argosy: sharing " + std::to_string(bytes) + " bytes");
  return result;
}

void ranks::wait(std::uint32_t& word, std::uint32_t seen) noexcept {
  extend::memory_world::wait(word, seen);
}

void ranks::wait(std::uint32_t& word, std::uint32_t seen, std::span<request> meanwhile) {
  std::atomic_ref<std::uint32_t> const w(word);
  auto next = meanwhile.begin();
  while (w.load(std::memory_order_acquire) == seen) {
    if (next == meanwhile.end()) return wait(word, seen);
    if (next->end(false))  // a test of one request advances all messages
      ++next;
    else
      yield();
  }
}

void ranks::wake(std::uint32_t& word) noexcept { extend::memory_world::wake(word); }

void ranks::meet_in(extend::shared_memory m) {
  // A rank that waits lets messages advance, which other ranks may need before they arrive.
  auto const meanwhile = [comm = comm_](unsigned times) {
    if (times % 4 == 1)
      call("Iprobe", [&] { comm->attr("Iprobe")(); });
    else
      yield();
  };
  auto const near =
      std::make_shared<extend::memory_world const>(std::move(m), rank_, size_, meanwhile);
  constexpr int looks_of_many = 20, looks = 2000;
  near->set_looks(detail::processors_for(*near) < size_ ? looks_of_many : looks);
  near_ = near;
}

std::unique_ptr<extend::service> ranks::serve(extend::serve_function f,
                                              std::error_code& error) const {
  if (!comm_) return alone_.serve(std::move(f), error);
  return detail::serve_by_sockets(*this, std::move(f), error);
}

}  // namespace argosy::python
