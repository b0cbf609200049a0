// A handle that records the errors that it returned to the library, and the bytes that were
// touched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/gpfs_fcntl.hpp>
#include <argosy/handle/opener.hpp>

#include "files.hpp"
#include "session.hpp"

namespace argosy::explore {

using namespace extend;

class witness : public forwarding<witness, any_handle> {
 public:
  witness(any_handle inner, session& s, int rank, bool of_pointer, std::shared_ptr<watch> w)
      : forwarding(std::move(inner)),
        session_(&s),
        rank_(rank),
        of_pointer_(of_pointer),
        watch_(std::move(w)) {}

  template <class Act>
  io_result around(handle_call const& call, Act&& act) {
    touch(call);
    for (write_part const& p : call.writes)
      if (watch_) watch_->writes(p.offset, p.memory);
    io_result const r = watched(call, act);
    if (watch_ && call.kind == file_call::write) watch_->wrote(call.writes, r.bytes);
    return r;
  }
  // Errors of fcntl need not be reported, except if stopping a partitioning fails.
  std::error_code fcntl(std::span<std::byte> argument) {
    std::error_code const error = inner().fcntl(argument);
    if (error)
      session_->saw(rank_, {.call = file_call::fcntl,
                            .error = error,
                            .of_pointer = of_pointer_,
                            .harmless = !is_stop(argument)});
    return error;
  }

 private:
  template <class Act>
  io_result watched(handle_call const& call, Act&& act) {
    std::int64_t const owed = watch_ ? watch_->begin() : 0;
    if (session_->called(rank_, !of_pointer_ && call.moves_data())) {
      // Other ranks get an error without a name.
      for (errc const e : {errc::user_code, errc::io})
        session_->saw(rank_, {.call = call.kind, .error = e, .thrown = true});
      throw thrown_on_purpose("a handle of the program");
    }
    io_result const r = act();
    if (r.error)
      session_->saw(rank_, {.call = call.kind, .error = r.error, .of_pointer = of_pointer_});
    if (watch_) watch_->end(call.kind, owed, r.error, tells(call));
    session_->call_ended();
    return r;
  }
  // Returns true for calls that report losses since the last such call.
  static bool tells(handle_call const& call) {
    if (call.moves_data()) return call.bytes() > 0;
    return call.kind != file_call::lock && call.kind != file_call::unlock &&
           call.kind != file_call::size;
  }
  static bool is_stop(std::span<std::byte const> argument) {
    gpfs::gpfsStructHeader_t first;
    if (argument.size() < sizeof(gpfs::gpfsFcntlHeader_t) + sizeof first) return false;
    std::memcpy(&first, argument.data() + sizeof(gpfs::gpfsFcntlHeader_t), sizeof first);
    return first.structType == gpfs::data_ship_stop;
  }
  void touch(handle_call const& call) {
    if (of_pointer_) return;
    if (call.kind == file_call::lock) session_->touched(rank_, call.offset);
    for (read_part const& p : call.reads) session_->touched(rank_, p.offset);
    for (write_part const& p : call.writes) session_->touched(rank_, p.offset);
  }
  session* session_;
  int rank_;
  bool of_pointer_;
  std::shared_ptr<watch> watch_;
};
static_assert(handle<witness>);

inline opener with_witness(opener inner, session& s, int rank) {
  return inner.opening([inner, &s, rank](std::string const& path, open_flags flags,
                                         std::error_code& error) -> any_handle {
    bool const of_pointer = path != s.path(0) && path != s.path(1);
    std::int64_t const began = s.files().time();
    any_handle opened = inner(path, flags, error);
    if (error) {
      s.saw(rank, {.call = file_call::open, .error = error, .of_pointer = of_pointer});
      return {};
    }
    s.call_ended();
    return any_handle(witness(std::move(opened), s, rank, of_pointer,
                              s.files().opened(rank, path, flags, began)));
  });
}

}  // namespace argosy::explore
