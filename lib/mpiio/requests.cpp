// Implements requests.hpp, and MPI's functions that complete requests.
// SPDX-License-Identifier: BSD-3-Clause
#include "requests.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/file/detail/call/background_call.hpp>

#include "data.hpp"
#include "error_handler.hpp"
#include "next.hpp"
#include "opened_file.hpp"

namespace argosy::mpiio {
namespace {

struct pending {
  request of;
  MPI_File handle;
  std::shared_ptr<opened_file> file;
  int error_class;
  MPI_Request known_as = MPI_REQUEST_NULL;
  bool has_ended = false;
  bool is_told = false;  // true if its error was reported to the file's handler
  std::int64_t bytes = 0;
  int code = MPI_SUCCESS;  // set when it has ended

  // Completes it for MPI if it has ended. Returns true if it has.
  bool look() {
    if (has_ended || !of.test()) return has_ended;
    end();
    PMPI_Grequest_complete(known_as);
    return true;
  }

  void end() {
    std::error_code error;
    std::string text;
    try {
      bytes = of.wait(error).memory_bytes;
      text = of.what_failed();
    } catch (std::exception const& e) {  // thrown by the program's own code, in a representation
      error = errc::user_code;
      text = e.what();
    }
    if (error) code = code_of(class_of_call(error, error_class), text);
    has_ended = true;
  }
};
using held = std::shared_ptr<pending>;

std::atomic<int> pending_count{0};
std::mutex pending_mutex;
auto& all_pending() {
  // never destroyed, because MPI may free some while it is finalized
  static auto& all = *new std::map<MPI_Request, held, std::less<>>;
  return all;
}

bool none_pending() { return pending_count.load(std::memory_order_relaxed) == 0; }

held find(MPI_Request r) {
  if (r == MPI_REQUEST_NULL) return nullptr;
  std::lock_guard const guard(pending_mutex);
  auto const found = all_pending().find(r);
  return found == all_pending().end() ? nullptr : found->second;
}

void forget(pending const& p) {
  std::lock_guard const guard(pending_mutex);
  if (all_pending().erase(p.known_as) > 0) --pending_count;
}

int tell_result(void* state, MPI_Status* status) {
  tell_status(status, static_cast<pending*>(state)->bytes);
  return MPI_SUCCESS;  // errors go to the file's handler, not to that of a communicator
}
int free_result(void* state) {
  forget(*static_cast<pending*>(state));
  return MPI_SUCCESS;
}
int cannot_cancel(void*, int) { return MPI_SUCCESS; }

// Calls the file's handler, once for each request, and returns the code.
int told(held const& p) {
  if (!p || p->code == MPI_SUCCESS) return MPI_SUCCESS;
  if (std::exchange(p->is_told, true)) return p->code;
  on_error_of(p->handle).call(p->handle, p->code);
  return p->code;
}

// The requests of files in a list, by index; null for other requests.
class files_among {
 public:
  files_among(int count, MPI_Request const* requests) {
    for (int i = 0; i < count; ++i) all_.push_back(find(requests[i]));
    some_ = std::any_of(all_.begin(), all_.end(), [](held const& p) { return p != nullptr; });
  }
  bool some() const { return some_; }
  // Checks each, so that all that have ended are completed. Returns true if all have.
  bool all_ended() {
    bool all = true;
    for (held const& p : all_)
      if (p && !p->look()) all = false;
    return all;
  }
  // Returns the communicator of a file with several ranks, otherwise one of all ranks. Returns none
  // in a program of sessions only, whose files have one rank.
  MPI_Comm comm() const {
    int is_there = 0;
    PMPI_Initialized(&is_there);
    MPI_Comm found = is_there != 0 ? MPI_COMM_WORLD : MPI_COMM_NULL;
    for (held const& p : all_)
      if (p && p->file->of.is_open() && p->file->of.world().size() > 1)
        found = p->file->of.world().get();
    return found;
  }
  held const& operator[](int i) const { return all_[static_cast<std::size_t>(i)]; }
  std::vector<request*> requests() const {
    std::vector<request*> all;
    for (held const& p : all_)
      if (p) all.push_back(&p->of);
    return all;
  }

 private:
  std::vector<held> all_;
  bool some_ = false;
};

// Pauses between two checks: lets MPI move messages, and lets the thread that accesses the file
// have the processor. Every 200th pause searches for requests that cannot end because ranks are in
// different calls.
class breath {
 public:
  // `comm` has several ranks, if there is such a communicator, because MPI libraries move no
  // messages for a communicator of one rank.
  breath(std::vector<request*> awaited, MPI_Comm comm)
      : awaited_(std::move(awaited)), comm_(comm) {}
  void operator()() {
    auto const since = std::chrono::steady_clock::now();
    pause();
    auto const took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - since).count();
    for (request* const r : awaited_)
      if (detail::request_watch::add_waited(*r, took))
        return;  // if there are several, only the first counts the time
  }

 private:
  static constexpr int patient = 200;
  void pause() {
    int found = 0;
    if (comm_ != MPI_COMM_NULL)
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
    if (++times_ < patient) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (times_ % patient != 0) return;
    for (request* const r : awaited_) detail::request_watch::look(*r);
  }

  std::vector<request*> awaited_;
  MPI_Comm comm_;
  int times_ = 0;
};

// Copies errors of completed file requests into the statuses. `place(i)` is the index in the list
// of the i-th status.
template <class Place>
int with_errors(int code, files_among const& files, int count, MPI_Status* statuses,
                Place&& place) {
  bool wrong = false;
  for (int i = 0; i < count; ++i)
    if (files[place(i)] && files[place(i)]->code != MPI_SUCCESS) wrong = true;
  if (!wrong) return code;
  for (int i = 0; i < count; ++i) {
    int const own = told(files[place(i)]);
    if (statuses == MPI_STATUSES_IGNORE) continue;
    if (own != MPI_SUCCESS)
      statuses[i].MPI_ERROR = own;
    else if (code == MPI_SUCCESS)
      statuses[i].MPI_ERROR = MPI_SUCCESS;
  }
  return MPI_ERR_IN_STATUS;
}

int same_place(int i) { return i; }

// A list of requests that only asks for their status. MPICH 4.2 declares it without const.
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
template <class List>
List list_of(int (*)(int, List, int*, MPI_Status*));
using list_to_ask = decltype(list_of(&MPI_Request_get_status_all));
#else
using list_to_ask = MPI_Request const*;
#endif

}  // namespace

int pass_on(MPI_File file, request begun, int error_class, MPI_Request* result) {
  bool const refused = detail::request_watch::never_began(begun);
  auto p = std::make_shared<pending>(pending{std::move(begun), file, *find(file), error_class});
  if (refused) {
    p->end();
    return told(p);
  }
  int const code = PMPI_Grequest_start(tell_result, free_result, cannot_cancel, p.get(), result);
  if (code != MPI_SUCCESS) return code;
  p->known_as = *result;
  std::lock_guard const guard(pending_mutex);
  all_pending()[*result] = std::move(p);
  ++pending_count;
  return MPI_SUCCESS;
}

void settle(MPI_File file, opened_file& f) {
  std::vector<request> dropped;  // close reports their errors
  {
    std::lock_guard const guard(f.dropped_mutex);
    dropped.swap(f.dropped);
  }
  std::vector<held> of_file;
  if (!none_pending()) {
    std::lock_guard const guard(pending_mutex);
    for (auto const& [known_as, p] : all_pending())
      if (p->handle == file) of_file.push_back(p);
  }
  if (dropped.empty() && of_file.empty()) return;
  std::vector<request*> awaited;
  for (request& r : dropped) awaited.push_back(&r);
  for (held const& p : of_file) awaited.push_back(&p->of);
  breath between(std::move(awaited), f.of.world().get());
  auto const all_ended = [&] {
    return std::ranges::all_of(dropped, &request::test) &&
           std::ranges::all_of(of_file, &pending::look);
  };
  while (!all_ended()) between();
}

}  // namespace argosy::mpiio

using namespace argosy::mpiio;

extern "C" {

ARGOSY_MPIIO_FUNCTION(int, MPI_Wait, (MPI_Request * r, MPI_Status* status), (r, status)) {
  if (none_pending()) return real(r, status);
  held const p = find(*r);
  if (p) {
    files_among const file(1, r);
    for (breath between(file.requests(), file.comm()); !p->look();) between();
  }
  int const code = real(r, status);
  return code == MPI_SUCCESS ? told(p) : code;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Test, (MPI_Request * r, int* flag, MPI_Status* status),
                      (r, flag, status)) {
  if (none_pending()) return real(r, flag, status);
  held const p = find(*r);
  if (p) p->look();
  int const code = real(r, flag, status);
  return code == MPI_SUCCESS && *flag != 0 ? told(p) : code;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Request_get_status, (MPI_Request r, int* flag, MPI_Status* status),
                      (r, flag, status)) {
  if (none_pending()) return real(r, flag, status);
  if (held const p = find(r)) p->look();
  return real(r, flag, status);
}

// The forms for several requests of MPI 4.1. They complete no request of MPI.

ARGOSY_MPIIO_FUNCTION(int, MPI_Request_get_status_all,
                      (int count, list_to_ask list, int* flag, MPI_Status* statuses),
                      (count, list, flag, statuses)) {
  if (!none_pending()) files_among(count, list).all_ended();
  return real(count, list, flag, statuses);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Request_get_status_any,
                      (int count, list_to_ask list, int* index, int* flag, MPI_Status* status),
                      (count, list, index, flag, status)) {
  if (!none_pending()) files_among(count, list).all_ended();
  return real(count, list, index, flag, status);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Request_get_status_some,
                      (int count, list_to_ask list, int* ended, int* indices, MPI_Status* statuses),
                      (count, list, ended, indices, statuses)) {
  if (!none_pending()) files_among(count, list).all_ended();
  return real(count, list, ended, indices, statuses);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Request_free, (MPI_Request * r), (r)) {
  if (none_pending()) return real(r);
  if (held const p = find(*r); p && !p->has_ended) {
    // MPI's request ends here. The transfer continues, and close waits for it.
    MPI_Request const known_as = p->known_as;
    {
      std::lock_guard const guard(p->file->dropped_mutex);
      p->file->dropped.push_back(std::move(p->of));
    }
    p->has_ended = true;
    PMPI_Grequest_complete(known_as);
  }
  return real(r);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Waitall, (int count, MPI_Request* list, MPI_Status* statuses),
                      (count, list, statuses)) {
  if (none_pending()) return real(count, list, statuses);
  files_among files(count, list);
  for (breath between(files.requests(), files.comm()); !files.all_ended();) between();
  return with_errors(real(count, list, statuses), files, count, statuses, same_place);
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Testall,
                      (int count, MPI_Request* list, int* flag, MPI_Status* statuses),
                      (count, list, flag, statuses)) {
  if (none_pending()) return real(count, list, flag, statuses);
  files_among files(count, list);
  files.all_ended();
  int const code = real(count, list, flag, statuses);
  return *flag != 0 ? with_errors(code, files, count, statuses, same_place) : code;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Testany,
                      (int count, MPI_Request* list, int* index, int* flag, MPI_Status* status),
                      (count, list, index, flag, status)) {
  if (none_pending()) return real(count, list, index, flag, status);
  files_among files(count, list);
  files.all_ended();
  int const code = real(count, list, index, flag, status);
  return code == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED ? told(files[*index]) : code;
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Waitany,
                      (int count, MPI_Request* list, int* index, MPI_Status* status),
                      (count, list, index, status)) {
  if (none_pending()) return real(count, list, index, status);
  files_among files(count, list);
  if (!files.some()) return real(count, list, index, status);
  auto* const test = ARGOSY_MPIIO_NEXT(PMPI_Testany);
  for (breath between(files.requests(), files.comm());; between()) {
    files.all_ended();
    int flag = 0;
    int const code = test(count, list, index, &flag, status);
    if (code != MPI_SUCCESS) return code;
    if (flag != 0) return *index != MPI_UNDEFINED ? told(files[*index]) : MPI_SUCCESS;
  }
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Testsome,
                      (int count, MPI_Request* list, int* ended, int* indices,
                       MPI_Status* statuses),
                      (count, list, ended, indices, statuses)) {
  if (none_pending()) return real(count, list, ended, indices, statuses);
  files_among files(count, list);
  files.all_ended();
  int const code = real(count, list, ended, indices, statuses);
  int const n = *ended == MPI_UNDEFINED ? 0 : *ended;
  return with_errors(code, files, n, statuses, [&](int i) { return indices[i]; });
}

ARGOSY_MPIIO_FUNCTION(int, MPI_Waitsome,
                      (int count, MPI_Request* list, int* ended, int* indices,
                       MPI_Status* statuses),
                      (count, list, ended, indices, statuses)) {
  if (none_pending()) return real(count, list, ended, indices, statuses);
  files_among files(count, list);
  if (!files.some()) return real(count, list, ended, indices, statuses);
  auto* const test = ARGOSY_MPIIO_NEXT(PMPI_Testsome);
  for (breath between(files.requests(), files.comm());; between()) {
    files.all_ended();
    int const code = test(count, list, ended, indices, statuses);
    if (*ended == 0 && code == MPI_SUCCESS) continue;
    int const n = *ended == MPI_UNDEFINED ? 0 : *ended;
    return with_errors(code, files, n, statuses, [&](int i) { return indices[i]; });
  }
}

}  // extern "C"
