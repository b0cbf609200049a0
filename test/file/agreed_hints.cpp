// Hints of which rank 0's values count: how the other ranks get them, and what a lack of memory
// does.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <argosy/file/detail/protocol/agreed_hints.hpp>
#include <argosy/world/self.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace io = argosy;

namespace {

using io::detail::agreed_hints;
using io::detail::ask_first;

// Rank 0 of two ranks writes down what it broadcasts, and rank 1 receives that afterwards. Neither
// allocates memory for it.
class heard_rank : public io::self {
 public:
  struct messages {
    std::array<std::array<std::byte, 256>, 20> all = {};
    std::size_t said = 0, heard = 0, wrong = 0;
    // Refuses one allocation. The next message finds enough memory again.
    std::optional<io::refused_allocation> scarce = {};
    bool lacked = false;

    void end_of_scarcity() {
      if (!scarce || !scarce->happened()) return;
      lacked = true;
      scarce.reset();
    }
  };
  heard_rank(int rank, messages& m) : rank_(rank), messages_(&m) {}
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return 2; }
  void broadcast(std::span<std::byte> message, int root) const {
    messages& m = *messages_;
    m.end_of_scarcity();
    std::size_t const number = rank_ == 0 ? m.said++ : m.heard++;
    if (root != 0 || number >= m.said || message.size() != 256) return void(++m.wrong);
    auto& one = m.all.at(number);
    if (rank_ == 0)
      std::copy(message.begin(), message.end(), one.begin());
    else
      std::copy(one.begin(), one.end(), message.begin());
  }
  heard_rank duplicate() const { return *this; }
  heard_rank split(int, int) const { return *this; }
  heard_rank node() const { return *this; }

 private:
  int rank_;
  messages* messages_;
};

agreed_hints hints_with(std::int64_t bytes, std::size_t length_of_host) {
  io::hints h{.window_bytes = bytes};
  h.cb_config_list = "h" + std::string(length_of_host, 'h') + ":1";
  return {io::file_hints({}, {}, h)};
}

// Adopts rank 0's hints while one allocation is refused, by its number. Returns true if it was.
bool ask_without_memory(int rank, heard_rank::messages& m, agreed_hints& h, std::size_t refused) {
  heard_rank const world(rank, m);
  m.scarce.emplace(refused);
  ask_first(world, h);
  m.end_of_scarcity();
  m.scarce.reset();
  return m.lacked;
}

}  // namespace

TEST_CASE("all lines of rank 0's hints come to the other ranks, however long they are",
          "[file][hints]") {
  std::size_t wholes = 0;  // lines that fill their last part
  for (std::size_t length = 0; length < 300; ++length) {
    heard_rank::messages m;
    agreed_hints a = hints_with(4096, length), b = hints_with(8192, length);
    std::string const lines = a.mine.same_on_all();
    REQUIRE(b.mine.same_on_all() != lines);
    ask_first(heard_rank(0, m), a);
    ask_first(heard_rank(1, m), b);
    CHECK(m.said == lines.size() / 256 + 1);
    CHECK(m.heard == m.said);
    CHECK(m.wrong == 0);
    CHECK(a.mine.same_on_all() == lines);
    CHECK(b.mine.same_on_all() == lines);
    if (lines.size() % 256 == 0) ++wholes;
  }
  CHECK(wholes > 0);
}

TEST_CASE("a rank without memory for rank 0's hints keeps its own, and all ranks end",
          "[file][hints][memory]") {
  agreed_hints const of_first = hints_with(4096, 0), of_other = hints_with(8192, 0);
  REQUIRE(of_first.mine.same_on_all().size() > 512);  // three parts
  for (std::size_t const refused : {1u, 2u}) {
    CAPTURE(refused);
    heard_rank::messages m;
    agreed_hints a = of_first, b = of_other;
    ask_first(heard_rank(0, m), a);
    CHECK(ask_without_memory(1, m, b, refused));
    CHECK(m.heard == m.said);
    CHECK(m.wrong == 0);
    CHECK(b.mine == of_other.mine);
  }
  heard_rank::messages m;
  agreed_hints a = of_first, b = of_other;
  CHECK(ask_without_memory(0, m, a, 1));
  ask_first(heard_rank(1, m), b);
  CHECK(m.said == 1);
  CHECK(m.heard == 1);
  CHECK(a.mine == of_first.mine);
  CHECK(b.mine == of_other.mine);
}

TEST_CASE("a call begins once more if hints differ, and once otherwise", "[file][hints]") {
  for (bool const differ : {false, true}) {
    heard_rank::messages m;
    std::optional<heard_rank> world(std::in_place, 0, m);
    agreed_hints h = hints_with(4096, 0);
    int calls = 0;
    CHECK(io::detail::with_agreed_hints(world, h, [&] {
      CHECK_FALSE(h.differ);
      CHECK(h.of_first == (calls > 0));
      if (++calls == 1) h.differ = h.differ || differ;
      return io::extend::agreement();
    }));
    CHECK(calls == (differ ? 2 : 1));
    CHECK(h.of_first == differ);
    CHECK((m.said > 0) == differ);
  }
}
