// The snippets of docs/use/extend.md, in its order. Assertions check what the page claims.
// Run: snippets_extend
// SPDX-License-Identifier: BSD-3-Clause
// [extend_headers]
#include <argosy/datatype.hpp>                  // types, views, data
#include <argosy/file/file.hpp>                 // io::file, on ranks of MPI
#include <argosy/handle/forwarding.hpp>         // the base of decorators
#include <argosy/handle/opener.hpp>             // how files are opened; brings any_handle and posix
#include <argosy/policy/collective_policy.hpp>  // the concepts of policies,
#include <argosy/policy/policy.hpp>
#include <argosy/policy/two_phase.hpp>  // and the policies that yours is based on
// [extend_headers]
#include <argosy/world/self.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace io = argosy;

namespace {

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}

}  // namespace

// [extend_policy]
// One block of the file after the other: a window is the requested part of one block.
struct block_by_block {
  static constexpr std::string_view name = "block_by_block";
  std::int64_t block_bytes = 1 << 20;

  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    std::int64_t const offset = io::extend::cursor(wanted.file, position).current().offset;
    std::int64_t const end = (offset / block_bytes + 1) * block_bytes;
    // The bytes of the stream that lie before the end of the block.
    std::int64_t const bytes = std::min(wanted.file.bytes_before(end), wanted.end()) - position;
    io::extend::window w = io::extend::window_of(wanted.file, position, bytes);
    if (w.pieces > 1 && wanted.sorted && wanted.kind == io::access_kind::read)
      w.how = io::transfer_mode::merged;
    return w;
  }
  std::int64_t buffer_for(io::access const&) const { return block_bytes; }
  std::string reason(io::access const&) const { return "a window for each block"; }
  bool operator==(block_by_block const&) const = default;
};
static_assert(
    io::extend::independent_policy<block_by_block>);  // the compiler names the missing member
// [extend_policy]

// [extend_slip]
struct hasty : block_by_block {
  static constexpr std::string_view name = "hasty";
  io::extend::window next(io::access const& wanted, std::int64_t position) const {
    return block_by_block::next(wanted, position + 4);  // skips four bytes of the stream
  }
  bool operator==(hasty const&) const = default;
};
// [extend_slip]

// [extend_collective]
// One aggregator for all ranks, the last rank, for files that only its node may write.
struct through_the_last {
  static constexpr std::string_view name = "through_the_last";
  io::two_phase how = {.aggregators = 1};

  io::collective_plan plan(io::access_kind kind, io::extend::access_summary const& all,
                           io::extend::rank_group const& ranks) const {
    io::collective_plan p = how.plan(kind, all, ranks);
    p.policy = name;
    int const last = static_cast<int>(ranks.size) - 1;
    io::extend::domain_list& domains = p.domains;
    for (io::extend::file_domain& d : domains.as_list()) d.rank = last;
    return p;
  }
  std::uint64_t key() const { return how.key(); }  // equal on ranks that plan in the same way
  bool operator==(through_the_last const&) const = default;
};
static_assert(io::extend::collective_policy<through_the_last>);
// [extend_collective]

// [extend_decorator]
// Prints slow calls, for any file, inside or outside of other decorators.
template <io::extend::handle H>
class watched : public io::extend::forwarding<watched<H>, H> {
 public:
  watched(H inner, std::ostream& out)
      : io::extend::forwarding<watched<H>, H>(std::move(inner)), out_(&out) {}

  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    auto const begin = std::chrono::steady_clock::now();
    io::extend::io_result const done = act();
    if (std::chrono::steady_clock::now() - begin >= limit)
      *out_ << to_string(call.kind) << " of " << (call.moves_data() ? call.bytes() : 0)
            << " bytes was slow\n";
    return done;
  }
  std::chrono::nanoseconds limit{0};

 private:
  std::ostream* out_;
};

io::opener with_watch(io::opener files, std::ostream& out) {
  return files.wrapping([&out](io::extend::any_handle opened) {
    return io::extend::any_handle(watched(std::move(opened), out));
  });
}
// [extend_decorator]

// [extend_slow]
// Adds the time of a device that takes 1 ms for each call and transfers 100 MB/s.
template <io::extend::handle H>
class far_away : public io::extend::forwarding<far_away<H>, H> {
 public:
  explicit far_away(H inner) : io::extend::forwarding<far_away<H>, H>(std::move(inner)) {}
  io::extend::storage storage() const {
    return io::extend::forwarding<far_away<H>, H>::storage().slowed(1e6, 10);
  }
};
// [extend_slow]

int main() {
  std::string const path =
      (std::filesystem::temp_directory_path() / ("snippets_extend." + std::to_string(::getpid())))
          .string();
  std::ostringstream out;
  using file = io::basic_file<io::self>;
  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  file f = file::open(io::self(), path, temporary, {}, with_watch(io::posix_opener(), out));
  f.set_view(0, {io::type<int>, io::resized(io::type<int>, 0, 64)});
  std::vector<int> const u(1000, 7);
  std::vector<int> back(1000);
  require(f.write(u, block_by_block{4096}).windows == 16, "16 blocks");
  require(f.read_at(0, back, block_by_block{4096}).read_calls == 16 && back == u,
          "what was written");
  require(f.write_at_all(0, u, through_the_last()).policy == "through_the_last", "together");
  require(f.read_at_all(0, back, through_the_last()).bytes == 4000 && back == u, "read together");
  require(out.str().find("read of 4036 bytes was slow\n") != std::string::npos, "calls are seen");
  // [extend_slip_call]
  std::error_code error;
  f.write_at(0, u, {hasty(), error});
  if (error == io::errc::argument) std::cout << f.what_failed() << "\n";
  // [extend_slip_call]
  require(error == io::errc::argument, "a slip is named");
  f.close();
  far_away const slow(
      io::posix_opener()(path, {.read = true, .write = true, .create = true}, error));
  require(slow.storage().name.ends_with(" slowed by 1000 us a call slowed to 100 MB/s"),
          "prices are told");
  std::filesystem::remove(path);
}
