// A call that goes on after it returned. A request holds one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <argosy/error/agreement.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/file/request.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

class background_call {
 public:
  explicit background_call(operation what, std::shared_ptr<open_file> f)
      : call(what), file(std::move(f)) {}
  background_call(background_call const&) = delete;
  background_call& operator=(background_call const&) = delete;
  virtual ~background_call() = default;

  // Returns true if the call has ended.
  virtual bool test() = 0;
  virtual void wait() = 0;
  // Waits for this rank's file access when the request is dropped, never for other ranks.
  virtual void leave() = 0;
  // Ends the call with an error if this rank waits for it and it can never end.
  virtual void look() {}

  // Marks the request as dropped: if the call fails, close reports it.
  void abandon() noexcept { mark(abandoned); }
  // Marks that the result is there. Called by the thread that carries out the call.
  void has_result() noexcept { mark(ended); }

  // Adds time for which the program had to wait. Any thread.
  void add_waited(std::int64_t ns) {
    waited_ns_ += ns;
    if (file->seen_by().report()) file->seen_by().report()->add_waited(ns);
  }
  std::int64_t waited_ns() const noexcept { return waited_ns_; }
  std::string_view name() const noexcept { return row_of(call).name; }
  bool has_begun = true;  // false: its arguments were wrong

  // valid after the end of the call
  report done;
  agreement result;

  // Taken back by the thread that waits, if the call fails.
  pointer_move moved;

  operation const call;
  std::shared_ptr<open_file> const file;

 private:
  static constexpr int ended = 1, abandoned = 2;
  // Sets a mark. When both marks are set, reports the error, once.
  void mark(int one) noexcept {
    int const before = marks_.fetch_or(one);
    constexpr int both = ended | abandoned;
    if (before != both && (before | one) == both) file->late().add(name(), result);
  }
  std::atomic<int> marks_ = 0;
  std::atomic<std::int64_t> waited_ns_ = 0;
};

// While it lives, counts the time in which the program waits for a call.
class program_waits {
 public:
  explicit program_waits(background_call& o) : for_(o), since_(now_ns(o.file->seen_by().clock())) {}
  program_waits(program_waits const&) = delete;
  program_waits& operator=(program_waits const&) = delete;
  ~program_waits() { for_.add_waited(now_ns(for_.file->seen_by().clock()) - since_); }

 private:
  background_call& for_;
  std::int64_t since_;
};

// The file access of one rank, on another thread.
class background_access final : public background_call,
                                public std::enable_shared_from_this<background_access> {
 public:
  background_access(operation what, std::shared_ptr<open_file> f, job t)
      : background_call(what, std::move(f)), job_(std::move(t)) {
    job_.beside = true;
  }

  // Calls `then` once, on that thread, after the end of the access.
  void start(std::function<void()> then = {});

  bool test() override;
  void wait() override;
  void leave() override;

 private:
  void run();

  job job_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::function<void()> then_;
};

// A call that never began, because its arguments were wrong.
class background_failure final : public background_call {
 public:
  background_failure(operation what, std::shared_ptr<open_file> f, agreement a)
      : background_call(what, std::move(f)) {
    result = std::move(a);
    has_begun = false;
    has_result();
  }
  bool test() override { return true; }
  void wait() override {}
  void leave() override {}
};

// For libraries that make their own requests of these, such as the drop-in.
struct request_watch {
  // Checks whether the call can end. For a caller that waits by calling test() in a loop.
  static void look(request const& r) {
    if (r.operation_) r.operation_->look();
  }
  // Returns true if the arguments were wrong, so that no other rank is concerned.
  static bool never_began(request const& r) { return r.operation_ && !r.operation_->has_begun; }
  // Adds time for which the caller waited between two tests. Returns false if there is no call.
  static bool add_waited(request const& r, std::int64_t ns) {
    if (r.operation_) r.operation_->add_waited(ns);
    return r.operation_ != nullptr;
  }
};

}  // namespace argosy::detail
