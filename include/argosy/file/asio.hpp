// Files for programs on Boost.Asio: nonblocking calls that end in a completion token. Opt-in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/call/asio.hpp>

namespace argosy {

//   io::report r = co_await io::async_write_at(f, 0, u, boost::asio::use_awaitable);
//   std::future<io::report> r = io::async_read(f, u, boost::asio::use_future);
//   io::async_write(f, u, io::independent{},
//                   boost::asio::bind_executor(context, [](auto error, io::report r) { ... }));
// The nonblocking calls of a file for Boost.Asio. After the data comes a policy, which may be left
// out: then the hints choose it. The last argument is any completion token of the signature
//   void(boost::system::error_code, argosy::report)
// The error is Boost's error_code, because Boost.Asio throws no other one out of co_await and of a
// future. It holds the errc of the call: `error == io::errc::no_space`. std::error_code(error) is
// what the error_code& form returns.
//
// - Local, like the calls that return a request. The completion also reports errors of the
//   arguments. Pointers move when the operation begins: at once, or when the program awaits it, if
//   the token is co_await or deferred.
// - The completion runs on its associated executor, never inside the initiating call and never on
//   the file's own threads. Until then the executor has outstanding work. Without an associated
//   executor the completion runs on Asio's system executor.
// - An operation cannot be cancelled: a transfer that has begun goes on to its end. Cancellation
//   slots are ignored. If the transfer fails, the pointer stays where the operation has moved it.
// - The file, its data and the objects that the datatype refers to must outlive the operation. The
//   operation begins on the thread that calls or awaits. Several threads may begin operations.
//   close() waits for the transfers. Their completions may run after close().
// - If code of the program throws (a datatype's function, a representation), the completion gets
//   errc::user_code, or errc::no_memory for std::bad_alloc. The exception itself is lost.
template <communicator World, class... PolicyAndToken>
auto async_read_at(basic_file<World>& f, std::int64_t offset, target into,
                   PolicyAndToken&&... rest) {
  return detail::launcher::initiate(f, {detail::operation::async_read_at, offset}, std::move(into),
                                    std::forward<PolicyAndToken>(rest)...);
}

template <communicator World, class... PolicyAndToken>
auto async_write_at(basic_file<World>& f, std::int64_t offset, source from,
                    PolicyAndToken&&... rest) {
  return detail::launcher::initiate(f, {detail::operation::async_write_at, offset}, std::move(from),
                                    std::forward<PolicyAndToken>(rest)...);
}

// Read and write at the individual pointer.
template <communicator World, class... PolicyAndToken>
auto async_read(basic_file<World>& f, target into, PolicyAndToken&&... rest) {
  return detail::launcher::initiate(f, {detail::operation::async_read, 0}, std::move(into),
                                    std::forward<PolicyAndToken>(rest)...);
}

template <communicator World, class... PolicyAndToken>
auto async_write(basic_file<World>& f, source from, PolicyAndToken&&... rest) {
  return detail::launcher::initiate(f, {detail::operation::async_write, 0}, std::move(from),
                                    std::forward<PolicyAndToken>(rest)...);
}

}  // namespace argosy
