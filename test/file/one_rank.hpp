// The part of one rank of an open file, with its memory, clock, workers and world, for tests of the
// steps of a call by themselves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/file/detail/protocol/collective_steps.hpp>
#include <argosy/file/detail/protocol/shared_pointer.hpp>
#include <argosy/file/detail/ranks/together.hpp>
#include <argosy/file/detail/state/open_file.hpp>
#include <argosy/handle/forwarding.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/world/background.hpp>
#include <argosy/world/rank_failure.hpp>
#include <argosy/world/self.hpp>

#include "support/catch.hpp"
#include "support/memory_handle.hpp"

namespace argosy::test {

// The world of one rank. It counts reductions, and dies in one of them.
class mortal_world : public self {
 public:
  struct life {
    int reductions = 0;
    int dies_in = 0;  // 0: in none
    std::function<void()> in_reduction = [] {};
  };
  explicit mortal_world(std::shared_ptr<life> l) : life_(std::move(l)) {}
  template <reducible T>
  void all_reduce(T&) const {
    life_->in_reduction();
    if (++life_->reductions == life_->dies_in) throw rank_failure(0, "the rank died");
  }
  mortal_world duplicate() const { return *this; }
  mortal_world split(int, int) const { return *this; }
  mortal_world node() const { return *this; }

 private:
  std::shared_ptr<life> life_;
};
static_assert(communicator<mortal_world>);

// Workers that do nothing before they are waited for. They write down what they are asked for.
class noted_workers : public background {
 public:
  std::vector<std::string> asked;

  void start(std::function<void()> work) override {
    asked.push_back("start");
    work_.push_back(std::move(work));
  }
  void wait(std::function<bool()> const& ended) override {
    asked.push_back("wait");
    while (!ended()) work();
  }
  void wake() override { asked.push_back("wake"); }
  void pause(int) override { asked.push_back("pause"); }
  void work() {
    REQUIRE_FALSE(work_.empty());
    auto const next = std::move(work_.front());
    work_.pop_front();
    next();
  }

 private:
  std::deque<std::function<void()>> work_;
};

// The file of one rank, in memory.
struct one_rank {
  static constexpr std::int64_t ns_of_access = 1000;  // a read or write of the file

  std::int64_t clock = 5000;
  std::vector<file_call> asked = {};  // calls of the file
  std::function<std::error_code(extend::handle_call const&)> before_call = {};
  std::shared_ptr<memory_file> bytes = std::make_shared<memory_file>();
  std::shared_ptr<mortal_world::life> life = std::make_shared<mortal_world::life>();
  mortal_world world{life};
  std::shared_ptr<detail::open_file> file = std::make_shared<detail::open_file>();
  std::shared_ptr<detail::shared_pointer> pointer =
      std::make_shared<detail::shared_pointer>(self().share(detail::shared_pointer::memory_bytes));
  std::shared_ptr<detail::team<mortal_world>> ranks =
      std::make_shared<detail::team<mortal_world>>(world);

  // `of`: the number of ranks that the file is said to have.
  explicit one_rank(hints const& h = {}, int of = 1, mode more = mode::none) {
    mode const how = mode::create | mode::read_write | more;
    file->begin("f", how, 0, of, h,
                {opening(), [](std::string const&) { return std::error_code(); }});
    bool made = false, no_locks = false;
    REQUIRE_FALSE(file->create(1, made, no_locks));
    file->seen_by().tell_time_by({[this] { return clock; }});
    file->meet({}, true);
    asked.clear();
  }
  one_rank(one_rank const&) = delete;
  one_rank& operator=(one_rank const&) = delete;
  ~one_rank() { file->leave(); }

  detail::ranks_of_file<mortal_world> all() { return {world, *ranks, *file, *pointer}; }

 private:
  class timed_handle : public extend::forwarding<timed_handle, memory_handle> {
   public:
    timed_handle(memory_handle inner, one_rank& all) : forwarding(std::move(inner)), all_(&all) {}
    template <class Act>
    extend::io_result around(extend::handle_call const& call, Act&& act) {
      all_->asked.push_back(call.kind);
      if (all_->before_call)
        if (std::error_code const error = all_->before_call(call)) return {0, error};
      if (call.kind == file_call::read || call.kind == file_call::write)
        all_->clock += ns_of_access;
      return act();
    }

   private:
    one_rank* all_;
  };
  opener::open_function opening() {
    return [this](std::string const&, extend::open_flags, std::error_code&) {
      return extend::any_handle(timed_handle(memory_handle(bytes), *this));
    };
  }
};

}  // namespace argosy::test
