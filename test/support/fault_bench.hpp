// Tools for tests that break calls on purpose: faults, the three places where faults strike, and a
// watchdog that names the call that hangs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <argosy/error/errc.hpp>
#include <argosy/error/error.hpp>
#include <argosy/handle/fault_script.hpp>
#include <argosy/handle/faulty.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/mpi.hpp>

#include "catch.hpp"
#include "fault_shim.hpp"
#include "files.hpp"

namespace argosy::test {

using namespace extend;

// --- Watchdog: names the call that hangs ---------------------------------------------------------

// Ends the process, and with it the job, if a cell takes longer than `patience_seconds`.
class watchdog {
 public:
  static constexpr unsigned patience_seconds = 30;

  watchdog() {
    struct sigaction how{};
    how.sa_handler = bark;
    ::sigaction(SIGALRM, &how, nullptr);
  }
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;
  ~watchdog() { ::alarm(0); }

  void watch(std::string_view cell, int rank) {
    std::snprintf(words, sizeof words, "hangs for %u seconds on rank %d: %.*s\n", patience_seconds,
                  rank, static_cast<int>(cell.size()), cell.data());
    ::alarm(patience_seconds);
  }

 private:
  static inline char words[1024] = "hangs\n";
  static void bark(int) {
    [[maybe_unused]] auto const told = ::write(2, words, std::strlen(words));
    ::_exit(75);
  }
};

// --- Faults --------------------------------------------------------------------------------------

enum class place : unsigned { decorator = 1, raw = 2, system = 4, below = 6, everywhere = 7 };

struct trouble {
  char const* name;
  file_call kind;
  int number;                      // errno; 0 if none
  std::int64_t first = 1;          // the k-th call of the kind on a rank
  std::int64_t times = 1;          // 0: for ever
  std::int64_t bytes = -1;         // bytes that are moved nevertheless; -1: none
  std::optional<errc> gives = {};  // the error that the caller gets; empty: none
  place where = place::everywhere;

  std::error_code code() const { return {number, std::system_category()}; }
};

inline std::string to_text(trouble const& t) {
  return std::string(t.name) + " at " + std::string(to_string(t.kind)) + " " +
         std::to_string(t.first) +
         (t.times == 0   ? " and on"
          : t.times == 1 ? ""
                         : " (" + std::to_string(t.times) + " times)");
}

// Breaks file calls at one of three places: above the retries of a handle, below the retries, or in
// the system calls.
class breaker {
 public:
  virtual ~breaker() = default;
  virtual char const* name() const = 0;
  virtual place where() const = 0;
  virtual opener files() const = 0;
  virtual void arm(trouble const& t) = 0;  // on this rank
  virtual bool disarm() = 0;               // returns true if the fault struck
  bool takes(trouble const& t) const {
    return (static_cast<unsigned>(t.where) & static_cast<unsigned>(where())) != 0;
  }
};

class scripted : public breaker {
 public:
  explicit scripted(place p) : where_(p) {}
  char const* name() const override {
    return where_ == place::raw ? "below the retries" : "decorator";
  }
  place where() const override { return where_; }
  opener files() const override {
    return where_ == place::raw ? with_raw_faults(script_) : with_faults(posix_opener(), script_);
  }
  void arm(trouble const& t) override {
    script_->clear();
    before_ = script_->struck();
    script_->add({.kind = t.kind,
                  .first = t.first,
                  .times = t.times == 0 ? fault::forever : t.times,
                  .error = t.number == 0 ? std::error_code() : t.code(),
                  .most_bytes = t.bytes < 0 ? fault::all_bytes : t.bytes});
  }
  bool disarm() override {
    bool const did = script_->struck() > before_;
    script_->clear();
    return did;
  }
  fault_script& script() { return *script_; }

 private:
  place where_;
  std::shared_ptr<fault_script> script_ = std::make_shared<fault_script>();
  std::int64_t before_ = 0;
};

// The paths of all files that are broken contain `part`, and no other paths do.
class system_calls : public breaker {
 public:
  explicit system_calls(std::string part) : part_(std::move(part)) {}
  char const* name() const override { return "system calls"; }
  place where() const override { return place::system; }
  opener files() const override { return posix_opener(); }
  void arm(trouble const& t) override {
    static constexpr std::array<char const*, argosy::detail::file_call_count> names{
        "open",      "read",      "write", "lock",  "unlock", "fstat",
        "ftruncate", "fallocate", "fsync", "close", "fcntl"};
    std::string text =
        std::string(names[static_cast<std::size_t>(t.kind)]) + "@" + std::to_string(t.first);
    if (t.times == 0) text += "+";
    if (t.times > 1) text += "x" + std::to_string(t.times);
    text += t.bytes < 0     ? "=" + std::to_string(t.number)
            : t.number == 0 ? "=short:" + std::to_string(t.bytes)
                            : "=torn:" + std::to_string(t.bytes);
    if (argosy_faults(part_.c_str(), text.c_str()) != 0) std::abort();
  }
  bool disarm() override {
    bool const did = argosy_faults_struck() > 0;
    argosy_faults(nullptr, nullptr);
    return did;
  }

 private:
  std::string part_;
};

// Returns the three breakers. Files whose calls shall break have "broken" in their path.
inline std::vector<std::unique_ptr<breaker>> tiers() {
  std::vector<std::unique_ptr<breaker>> all;
  all.push_back(std::make_unique<scripted>(place::decorator));
  all.push_back(std::make_unique<scripted>(place::raw));
  all.push_back(std::make_unique<system_calls>("broken"));
  return all;
}

// --- A directory of all ranks --------------------------------------------------------------------

class common_directory {
 public:
  explicit common_directory(
      mpi const& world, std::filesystem::path const& in = std::filesystem::temp_directory_path())
      : world_(world) {
    std::array<char, 1024> name{};
    if (world.rank() == 0) {
      mine_.emplace(in);
      mine_->string().copy(name.data(), name.size() - 1);
    }
    world.broadcast(std::as_writable_bytes(std::span(name)), 0);
    path_ = name.data();
  }
  ~common_directory() { world_.barrier(); }
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }
  std::string const& string() const { return path_; }

 private:
  mpi world_;
  std::optional<scratch> mine_;
  std::string path_;
};

// --- The outcome of a call on one rank -----------------------------------------------------------

// The result that a rank must return, derived from the fault that struck it. All ranks gather it.
struct promise {
  std::int32_t gives = 0;   // an errc; 0: success
  std::int32_t number = 0;  // the errno that caused it
};

class promises {
 public:
  promises(mpi const& world, promise mine)
      : all_(static_cast<std::size_t>(world.size())), rank_(world.rank()) {
    world.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all_)));
    for (std::size_t r = all_.size(); r-- > 0;)
      if (all_[r].gives != 0) lowest_ = static_cast<int>(r);
  }
  bool any() const { return lowest_ >= 0; }
  promise const& mine() const { return all_[static_cast<std::size_t>(rank_)]; }
  promise const& of(int r) const { return all_[static_cast<std::size_t>(r)]; }
  int lowest() const { return lowest_; }

  // Returns the code that this rank must report. In a local call only its own fault counts.
  std::error_code code(bool collective) const {
    if (mine().gives != 0) return static_cast<errc>(mine().gives);
    if (collective && any()) return errc::error_on_another_rank;
    return {};
  }
  int failed_rank(bool collective) const { return collective ? lowest_ : rank_; }

 private:
  std::vector<promise> all_;
  int rank_;
  int lowest_ = -1;
};

// The result of a call.
struct outcome {
  std::error_code code = {};
  std::string words = {};
  std::optional<int> failed_rank = {};
  std::error_code cause = {};
  std::string surprise = {};  // an exception that is not argosy::error
};

template <class Call>
outcome thrown_by(Call&& call) {
  outcome o;
  try {
    call();
  } catch (argosy::error const& e) {
    o = {e.code(), e.what(), e.failed_rank(), e.cause(), {}};
  } catch (std::exception const& e) {
    o.surprise = e.what();
  } catch (...) {
    o.surprise = "no std::exception";
  }
  return o;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
// Returns true if `text` has `part` with `next` right behind it.
inline bool contains(std::string_view text, std::string_view part, std::string_view next) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    if (text.substr(at + part.size()).starts_with(next)) return true;
  return false;
}

// Runs a call in one of its two forms: `call(f)` throws, `call(f, e)` sets e.
template <class File, class Call>
outcome outcome_of(File& f, Call const& call, bool throwing) {
  outcome o;
  if (throwing) return thrown_by([&] { call(f); });
  std::error_code e;
  o = thrown_by([&] { call(f, e); });
  o.code = e;
  o.words = f.what_failed();
  return o;
}

inline void make_file(std::string const& path, std::int64_t bytes, char letter = 'o') {
  std::ofstream(path, std::ios::binary) << std::string(static_cast<std::size_t>(bytes), letter);
}

// --- Cells ---------------------------------------------------------------------------------------

// One table of test cells. It counts the cells, collects the mistakes of each, and prints the
// number of cells at the end.
class table {
 public:
  table(mpi const& world, std::string name) : world_(world), name_(std::move(name)) {}
  table(table const&) = delete;
  table& operator=(table const&) = delete;
  ~table() {
    if (world_.rank() == 0)
      std::printf("%-58s %6d cells, %d ranks\n", name_.c_str(), cells_, world_.size()),
          std::fflush(stdout);
  }

  void begin(std::string cell) {
    ++cells_;
    cell_ = std::move(cell);
    dog_.watch(name_ + ": " + cell_, world_.rank());
  }
  // restarts the watchdog for the same cell
  void again() { dog_.watch(name_ + ": " + cell_, world_.rank()); }
  void expect(bool kept, std::string_view what) {
    if (!kept) wrong_ += (wrong_.empty() ? "" : "; ") + std::string(what);
  }
  void expect_code(outcome const& o, std::error_code promised) {
    expect(o.surprise.empty(), "threw " + o.surprise);
    expect(o.code == promised, "returned " + shown(o.code) + ", promised " + shown(promised) +
                                   (o.words.empty() ? "" : " (" + o.words + ")"));
  }
  // Expects words that name the call, the path, the rank and the cause. If a second rank failed,
  // too, its words name itself and the first one.
  void expect_words(std::string_view words, std::string_view call, std::string_view path, int rank,
                    errc why) {
    std::string const first = fmt::format("failed on rank {}", rank);
    std::string const here = fmt::format(" (this is rank {})", world_.rank());
    std::string const too =
        fmt::format("failed on rank {}, and first on rank {}", world_.rank(), rank);
    bool const mine = rank == world_.rank();
    bool const named =
        mine ? contains(words, first, ":") : contains(words, first, here) || contains(words, too);
    bool const all = contains(words, call) && contains(words, path) && named &&
                     contains(words, make_error_code(why).message());
    expect(all, "says \"" + std::string(words) + "\"");
  }
  void end() {
    if (!wrong_.empty()) {
      if (++failed_ <= 20) {
        UNSCOPED_INFO("rank " << world_.rank() << ", " << name_ << ": " << cell_);
        FAIL_CHECK(wrong_);
      }
    }
    wrong_.clear();
  }
  int cells() const { return cells_; }
  bool clean() const { return failed_ == 0; }
  std::string const& cell() const { return cell_; }

  static std::string shown(std::error_code const& e) {
    return e ? "'" + e.message() + "'" : "success";
  }

 private:
  mpi world_;
  std::string name_, cell_, wrong_;
  watchdog dog_;
  int cells_ = 0, failed_ = 0;
};

// Calls f(struck here, words) for each rank alone, then for all ranks.
template <class F>
void for_each_set_of_ranks(mpi const& world, F&& f) {
  for (int r = 0; r < world.size(); ++r) f(world.rank() == r, "on rank " + std::to_string(r));
  if (world.size() > 1) f(true, "on all ranks");
}

}  // namespace argosy::test
