// What a request stands for: a call that goes on after it returned.
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
#include <argosy/file/detail/open_file.hpp>
#include <argosy/file/request.hpp>
#include <argosy/plan/report.hpp>

namespace argosy::detail {

class operation {
 public:
  explicit operation(std::string_view name, std::shared_ptr<open_file> f) : call(name), file(std::move(f)) {}
  operation(operation const&) = delete;
  operation& operator=(operation const&) = delete;
  virtual ~operation() = default;

  virtual bool test() = 0;   // has it ended?
  virtual void wait() = 0;   // until it has
  virtual void leave() = 0;  // the request goes: waits for file access, never for other ranks
  virtual void look() {
  }  // this rank goes on only after the end: can that come? If not, it comes at once, with an error

  // Nobody will ask what became of it: if it fails, close tells. Who carries it out says when the result is there.
  void abandon() noexcept { mark(abandoned); }
  void has_result() noexcept { mark(ended); }

  // Adds time in which the program could not go on. Any thread.
  void add_waited(std::int64_t ns) {
    waited_ns_ += ns;
    if (file->used) file->used->add_waited(ns);
  }
  std::int64_t waited_ns() const noexcept { return waited_ns_; }
  bool has_begun = true;  // false: its arguments were wrong

  // After the end.
  report done;
  agreement result;

  // Taken back by the thread that waits, if the call fails.
  pointer_move moved;

  std::string_view const call;
  std::shared_ptr<open_file> const file;

 private:
  static constexpr int ended = 1, abandoned = 2;
  // Whoever brings the second of them tells, and nobody does twice.
  void mark(int one) noexcept {
    int const before = marks_.fetch_or(one);
    if (before != (ended | abandoned) && (before | one) == (ended | abandoned)) file->untold.add(call, result);
  }
  std::atomic<int> marks_ = 0;
  std::atomic<std::int64_t> waited_ns_ = 0;
};

// While it lives the program waits for the operation.
class program_waits {
 public:
  explicit program_waits(operation& o) : for_(o), since_(now_ns(o.file->clock)) {}
  program_waits(program_waits const&) = delete;
  program_waits& operator=(program_waits const&) = delete;
  ~program_waits() { for_.add_waited(now_ns(for_.file->clock) - since_); }

 private:
  operation& for_;
  std::int64_t since_;
};

// One rank's file access on a thread of its own.
class file_operation final : public operation, public std::enable_shared_from_this<file_operation> {
 public:
  file_operation(std::string_view name, std::shared_ptr<open_file> f, job t)
      : operation(name, std::move(f)), job_(std::move(t)) {
    job_.beside = true;
  }

  // `then` is called once, on the thread, when the access has ended.
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

// One that ended before it began: its arguments were wrong.
class ended_operation final : public operation {
 public:
  ended_operation(std::string_view name, std::shared_ptr<open_file> f, agreement a) : operation(name, std::move(f)) {
    result = std::move(a);
    has_begun = false;
    has_result();
  }
  bool test() override { return true; }
  void wait() override {}
  void leave() override {}
};

// For those who make requests of another library of these.
struct request_watch {
  // While they wait by test() and something of their own between two tests.
  static void look(request const& r) {
    if (r.operation_) r.operation_->look();
  }
  // Its arguments were wrong, and no other rank is concerned.
  static bool never_began(request const& r) { return r.operation_ && !r.operation_->has_begun; }
  // Adds time in which they waited for it between two tests. False if there is nothing to wait for.
  static bool add_waited(request const& r, std::int64_t ns) {
    if (r.operation_) r.operation_->add_waited(ns);
    return r.operation_ != nullptr;
  }
};

}  // namespace argosy::detail
