// The file pointer that all ranks of an open file share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/file/detail/protocol/pointer_lock.hpp>
#include <argosy/handle/any_handle.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/service.hpp>
#include <argosy/world/shared_memory.hpp>

namespace argosy::detail {

// The state of add_together(), which ranks share. In call number n, `stage` has three values: 2n
// while it is free, 2n + 1 while one rank adds, and 2n + 2 when `before` is valid.
struct pointer_turn {
  std::uint64_t stage;
  std::int64_t before;
};

// The shared pointer, in etypes. If all ranks share memory, it is stored there. Otherwise it is in
// a hidden file next to the data, under a lock, created by the first rank that needs it. If no file
// can be used, rank 0 keeps it and answers the others. Every open of a file has its own. Any
// thread.
class shared_pointer {
 public:
  shared_pointer() = default;
  static constexpr std::size_t memory_bytes = sizeof(std::int64_t) + sizeof(pointer_turn);
  explicit shared_pointer(shared_memory m) : memory_(std::move(m)) {}
  shared_pointer(opener files, std::string path)
      : files_(std::move(files)), path_(std::move(path)) {}

  // Returns the function by which rank 0 answers other ranks. It is given to a service, which all
  // ranks then give to `ask`.
  serve_function answers() {
    return [kept = kept_](int, std::span<std::byte const> request) {
      std::int64_t n = 0;
      if (request.size() == sizeof n) std::memcpy(&n, request.data(), sizeof n);
      std::int64_t const before = add_to(std::atomic_ref<std::int64_t>(*kept), n);
      std::vector<std::byte> answer(sizeof before);
      std::memcpy(answer.data(), &before, sizeof before);
      return answer;
    };
  }
  void ask(std::unique_ptr<service> all) { asked_ = std::move(all); }
  // Refuses calls: there is no service, and a file must not be used.
  void refuse(std::error_code why) { refused_ = why; }
  void wait_beside(std::shared_ptr<background> b) { mutex_->wait_beside(std::move(b)); }

  bool is_in_file() const noexcept { return memory_.bytes().empty() && !asked_; }

  // Adds `n` unless the result would be beyond 2^63. Returns the value before. Local: waits for no
  // rank that computes.
  std::int64_t add(std::int64_t n, failure& f) {
    if (!memory_.bytes().empty()) return add_to(in_memory(), n);
    if (asked_) return ask(n, f);
    std::lock_guard const guard(*mutex_);
    return in_file(n, f);
  }
  std::int64_t get(failure& f) { return add(0, f); }
  // Adds to a pointer in memory when all ranks know the sum of what they ask for. The first rank to
  // come adds it, once; every rank gets the value before. Between two such calls the ranks must
  // synchronise.
  std::int64_t add_together(std::int64_t all);
  // Returns the pointer. `file_was_used`: some rank has used the hidden file since the pointer was
  // set.
  std::int64_t get(bool file_was_used, failure& f) {
    if (!is_in_file() || file_was_used) return get(f);
    std::lock_guard const guard(*mutex_);
    return start_;
  }
  bool file_was_used() const {
    std::lock_guard const guard(*mutex_);
    return used_;
  }

  // Sets the pointer. Called on every rank, between two agreements.
  void set(std::int64_t value, int rank) {
    std::lock_guard const guard(*mutex_);
    put(value, rank);
  }

  // For a collective call that moves the pointer of a hidden file without the file. While this
  // object lives, no other thread of this rank moves the pointer. If no rank has used the file
  // since the pointer was set, all ranks know its value.
  class held {
   public:
    explicit held(shared_pointer& p) : pointer_(p), guard_(*p.mutex_) {}
    bool file_was_used() const noexcept { return pointer_.used_; }
    std::int64_t known() const noexcept { return pointer_.start_; }
    std::int64_t get(failure& f) { return pointer_.in_file(0, f); }
    void set(std::int64_t value, int rank) { pointer_.put(value, rank); }  // called on every rank

   private:
    shared_pointer& pointer_;
    std::lock_guard<pointer_lock> guard_;
  };

  // Removes the hidden file when no rank needs it any more. Local; called by one rank. Succeeds if
  // there is no hidden file.
  void remove();
  void close() {
    if (handle_.is_open()) handle_.close();
  }

 private:
  // The contents of the hidden file, which has two of these. The newer one is valid, and the older
  // one is overwritten, so a torn write leaves the pointer unchanged. Setting the pointer does not
  // access the file: it begins a new epoch, and values of an earlier epoch are ignored.
  struct stored {
    std::int64_t number = 0;  // number of the write
    std::int64_t epoch = 0;
    std::int64_t value = 0;
    std::uint64_t check = 0;

    std::uint64_t sum() const {
      std::uint64_t h = 14695981039346656037u;
      for (std::int64_t const x : {number, epoch, value})
        h = (h ^ static_cast<std::uint64_t>(x)) * 1099511628211u;
      return h;
    }
  };

  static std::size_t newer_of(std::array<stored, 2>& slots) {
    for (stored& s : slots)
      if (s.check != s.sum()) s = {};  // never written, or torn
    return slots[1].number > slots[0].number ? 1 : 0;
  }
  std::int64_t value_of(stored const& s) const { return s.epoch == epoch_ ? s.value : start_; }
  bool has_failed(std::error_code e, char const* what, failure& f) const {
    if (e) f.keep({e, std::string(what) + " the shared pointer in '" + path_ + "'"});
    return static_cast<bool>(e);
  }

  static std::int64_t add_to(std::atomic_ref<std::int64_t> value, std::int64_t n) {
    std::int64_t before = value.load(std::memory_order_relaxed);
    while (n <= INT64_MAX - before &&
           !value.compare_exchange_weak(before, before + n, std::memory_order_relaxed)) {
    }
    return before;
  }
  std::atomic_ref<std::int64_t> in_memory() const {
    return std::atomic_ref<std::int64_t>(
        *static_cast<std::int64_t*>(static_cast<void*>(memory_.bytes().data())));
  }
  pointer_turn& turn() const {
    return *static_cast<pointer_turn*>(
        static_cast<void*>(memory_.bytes().data() + sizeof(std::int64_t)));
  }
  void put(std::int64_t value, int rank) {
    ++epoch_;
    start_ = value;
    used_ = false;
    if (rank != 0) return;
    if (!memory_.bytes().empty()) in_memory().store(value, std::memory_order_relaxed);
    std::atomic_ref<std::int64_t>(*kept_).store(value, std::memory_order_relaxed);
  }

  std::int64_t ask(std::int64_t n, failure& f);
  std::int64_t in_file(std::int64_t n, failure& f);
  std::int64_t only_read(failure& f) const;
  static std::error_code lock_slots(any_handle& h, lock_kind kind);

  shared_memory memory_;
  std::shared_ptr<std::int64_t> kept_ = std::make_shared<std::int64_t>(0);  // on rank 0
  std::unique_ptr<service> asked_;  // null: there is no service
  // protects the members below
  std::unique_ptr<pointer_lock> mutex_ = std::make_unique<pointer_lock>();
  std::optional<opener> files_;
  std::string path_;
  std::error_code refused_;  // set if rank 0 cannot be asked and no file may be used instead
  any_handle handle_;
  std::int64_t epoch_ = 0;
  std::int64_t start_ = 0;
  bool used_ = false;        // whether this rank has used the file in this epoch
  std::uint64_t turns_ = 0;  // number of calls of add_together
};

inline std::int64_t shared_pointer::add_together(std::int64_t all) {
  std::uint64_t const free = 2 * turns_++, ready = free + 2;
  std::atomic_ref<std::uint64_t> const stage(turn().stage);
  std::uint64_t now = stage.load(std::memory_order_acquire);
  if (now == free && stage.compare_exchange_strong(now, free + 1, std::memory_order_acquire)) {
    turn().before = add_to(in_memory(), all);
    stage.store(ready, std::memory_order_release);
  } else {
    constexpr int looks = 200;
    for (int i = 0; stage.load(std::memory_order_acquire) != ready; ++i)
      if (i > looks) std::this_thread::yield();
  }
  return turn().before;
}

inline std::int64_t shared_pointer::ask(std::int64_t n, failure& f) {
  std::vector<std::byte> question(sizeof n);
  std::memcpy(question.data(), &n, sizeof n);
  std::vector<service_answer> const answers = asked_->call({{0, std::move(question)}});
  std::int64_t before = 0;
  if (answers.size() != 1 || answers[0].error || answers[0].content.size() != sizeof before) {
    f.keep({answers.size() == 1 && answers[0].error ? answers[0].error : make_error_code(errc::io),
            "asking rank 0 for the shared pointer"});
    return 0;
  }
  std::memcpy(&before, answers[0].content.data(), sizeof before);
  return before;
}

// Reads the pointer from the hidden file, and adds `n`. The file is created even to read it,
// because a client may have cached that the name does not exist. If this rank may not create a
// file, another rank may have done so. If there is still no file, no rank has moved the pointer.
inline std::int64_t shared_pointer::in_file(std::int64_t n, failure& f) {
  auto const failed = [&](std::error_code e, char const* what) { return has_failed(e, what, f); };
  if (!files_) {  // the file is not open
    f.keep({errc::file, "the file is closed"});
    return 0;
  }
  if (refused_) {
    f.keep(
        {refused_,
         "asking rank 0 for the shared pointer, which no file can keep where bytes are read late",
         "use collective calls (read_ordered), or explicit offsets"});
    return 0;
  }
  if (!handle_.is_open()) {
    std::error_code e;
    handle_ =
        (*files_)(path_, {.read = true, .write = true, .create = true, .permissions = 0600}, e);
    if (e && (classify(e) == errc::access || classify(e) == errc::read_only)) {
      if (n == 0) return only_read(f);
      f.keep({e,
              "between nodes the shared pointer is a file, '" + path_ + "', which cannot be made",
              "use a directory that all ranks can write to, collective calls (read_ordered), or "
              "explicit offsets"});
      return 0;
    }
    if (failed(e, "opening")) return 0;
  }
  std::array<stored, 2> slots;
  if (failed(lock_slots(handle_, lock_kind::exclusive), "locking")) return 0;
  std::int64_t before = 0;
  if (!failed(handle_.read(0, std::as_writable_bytes(std::span(slots))).error, "reading")) {
    std::size_t const newer = newer_of(slots), older = 1 - newer;
    stored s = slots[newer];
    before = value_of(s);
    s = {s.number + 1, epoch_, n > INT64_MAX - before ? before : before + n, 0};
    s.check = s.sum();
    if (s.value != before) {
      used_ = true;  // even if the write fails
      io_result const put = handle_.write(static_cast<std::int64_t>(older * sizeof s),
                                          std::as_bytes(std::span(&s, 1)));
      bool const cut = put.bytes < static_cast<std::int64_t>(sizeof s);
      // If the write were lost later, the next rank would get the same place before any error is
      // reported.
      if (!failed(cut && !put.error ? make_error_code(errc::io) : put.error, "writing"))
        failed(handle_.sync(), "syncing");
    }
  }
  // A lock that stayed would stop all other ranks. Closing the handle releases it.
  if (failed(handle_.unlock(0, sizeof slots), "unlocking")) handle_.close();
  return before;
}

// Locks the hidden file. A handle may give up before many ranks have synced. So this waits as long
// as other ranks make progress: the number of the newest write changes.
inline std::error_code shared_pointer::lock_slots(any_handle& h, lock_kind kind) {
  for (std::int64_t before = -1;;) {
    std::array<stored, 2> slots;
    std::error_code const error = h.lock(0, sizeof slots, kind);
    if (!error || classify(error) != errc::file_in_use) return error;
    if (h.reconcile() || h.read(0, std::as_writable_bytes(std::span(slots))).error) return error;
    std::int64_t const now = slots[newer_of(slots)].number;
    if (now == before) return error;
    before = now;
  }
}

inline void shared_pointer::remove() {
  close();
  if (!files_ || asked_) return;
  std::error_code e;
  auto const found = files_->find(path_, e);
  if (classify(e) != errc::no_such_file) files_->remove(path_, found);
}

inline std::int64_t shared_pointer::only_read(failure& f) const {
  std::error_code e;
  any_handle h = (*files_)(path_, {.read = true}, e);
  if (e && classify(e) == errc::no_such_file) return start_;
  std::array<stored, 2> slots;
  if (has_failed(e, "opening", f) || has_failed(lock_slots(h, lock_kind::shared), "locking", f))
    return 0;
  std::int64_t now = 0;
  if (!has_failed(h.read(0, std::as_writable_bytes(std::span(slots))).error, "reading", f))
    now = value_of(slots[newer_of(slots)]);
  has_failed(h.unlock(0, sizeof slots), "unlocking", f);
  h.close();
  return now;
}

}  // namespace argosy::detail
