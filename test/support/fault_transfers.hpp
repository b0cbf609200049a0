// All calls that read or write, broken in every way, on a file whose every byte is known. One page
// because each check needs the known file, the call and its fault.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <argosy/file/basic_file.hpp>
#include <argosy/file/hints.hpp>
#include <argosy/policy/independent.hpp>
#include <argosy/policy/sieving.hpp>

#include "fault_bench.hpp"
#include "support/sanitized.hpp"

namespace argosy::test {

using namespace extend;

// A file in tiles: rank r owns block r of each tile, and the last block of a tile is a gap.
class known_file {
 public:
  // bytes: those of each rank
  static constexpr std::int64_t block = 16, tiles = 24, bytes = block * tiles;

  known_file(std::string path, mpi const& world)
      : path_(std::move(path)), n_(world.size()), rank_(world.rank()), extent_(block * (n_ + 1)) {
    old_.resize(static_cast<std::size_t>(extent_ * tiles));
    for (std::size_t i = 0; i < old_.size(); ++i)
      old_[i] = static_cast<std::byte>((i * 7 + 3) & 0x7f);
    now_.resize(old_.size() + 1);
  }
  ~known_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  known_file(known_file const&) = delete;
  known_file& operator=(known_file const&) = delete;

  std::string const& path() const { return path_; }
  std::int64_t size() const { return static_cast<std::int64_t>(old_.size()); }
  layout own_tile() const { return resized(at(rank_ * block, argosy::bytes(block)), 0, extent_); }
  layout common_tile() const { return resized(argosy::bytes(block * n_), 0, extent_); }

  // Writes the initial content by plain calls, while no fault is set.
  void write_old() const { put(old_); }
  void look() {
    open();
    seen_ = ::pread(descriptor_, now_.data(), now_.size(), 0);
  }
  bool same_size() const { return seen_ == size(); }
  bool is_old(std::int64_t offset) const { return now_[index(offset)] == old_[index(offset)]; }
  bool gaps_are_old() const {
    for (std::int64_t i = 0; i < size(); ++i)
      if (i % extent_ >= block * n_ && !is_old(i)) return false;
    return true;
  }
  bool all_is_old() const {
    return same_size() && std::equal(old_.begin(), old_.end(), now_.begin());
  }

  std::byte old(std::int64_t offset) const { return old_[index(offset)]; }
  std::byte now(std::int64_t offset) const { return now_[index(offset)]; }
  static std::byte marker(int rank) { return static_cast<std::byte>(0x80 | rank); }
  // Returns the file offset of byte p of a rank's stream.
  std::int64_t own_offset(std::int64_t p) const {
    return p / block * extent_ + rank_ * block + p % block;
  }
  std::int64_t common_offset(std::int64_t p) const {
    return p / (block * n_) * extent_ + p % (block * n_);
  }
  std::int64_t count_of_marker(int rank) const {
    return std::count(now_.begin(), now_.begin() + std::min<std::ptrdiff_t>(seen_, size()),
                      marker(rank));
  }
  std::int64_t extent() const { return extent_; }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  void open() const {
    if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  }
  void put(std::vector<std::byte> const& all) const {
    open();
    if (::pwrite(descriptor_, all.data(), all.size(), 0) != static_cast<ssize_t>(all.size()) ||
        ::ftruncate(descriptor_, static_cast<off_t>(all.size())) != 0)
      std::perror("known_file");
  }

  std::string path_;
  std::int64_t n_, rank_, extent_;
  std::vector<std::byte> old_, now_;
  std::int64_t seen_ = 0;
  mutable int descriptor_ = -1;
};

enum class pointer { own, shared, ordered };

template <class File>
struct transfer {
  using memory = std::span<std::byte>;
  char const* name;
  bool writes, collective, request;
  pointer at;
  std::function<report(File&, memory, any_policy const&, std::error_code*)> run;
};

template <class File>
std::vector<transfer<File>> transfers(bool shared) {
  using memory = std::span<std::byte>;
  std::vector<transfer<File>> all;
  auto const add = [&](char const* name, auto call) {
    std::string_view const n = name;
    bool const ordered = n.ends_with("_ordered"), at_shared = n.ends_with("_shared");
    all.push_back({name, contains(n, "write"), ordered || n.ends_with("_all"), n.starts_with("i"),
                   ordered     ? pointer::ordered
                   : at_shared ? pointer::shared
                               : pointer::own,
                   [call](File& f, memory m, any_policy const& p, std::error_code* e) {
                     return e ? call(f, m, p, *e) : call(f, m, p);
                   }});
  };
  if (shared) {
    add("read_shared", [](File& f, memory m, auto&... p) { return f.read_shared(m, {p...}); });
    add("write_shared", [](File& f, memory m, auto&... p) { return f.write_shared(m, {p...}); });
    add("iread_shared", [](File& f, memory m, any_policy const& p, auto&... e) {
      return f.iread_shared(m, p).wait(e...);
    });
    add("iwrite_shared", [](File& f, memory m, any_policy const& p, auto&... e) {
      return f.iwrite_shared(m, p).wait(e...);
    });
    add("read_ordered", [](File& f, memory m, auto&... p) { return f.read_ordered(m, {p...}); });
    add("write_ordered", [](File& f, memory m, auto&... p) { return f.write_ordered(m, {p...}); });
    return all;
  }
  add("read_at", [](File& f, memory m, auto&... p) { return f.read_at(0, m, {p...}); });
  add("write_at", [](File& f, memory m, auto&... p) { return f.write_at(0, m, {p...}); });
  add("read", [](File& f, memory m, auto&... p) { return f.read(m, {p...}); });
  add("write", [](File& f, memory m, auto&... p) { return f.write(m, {p...}); });
  add("iread_at", [](File& f, memory m, any_policy const& p, auto&... e) {
    return f.iread_at(0, m, p).wait(e...);
  });
  add("iwrite_at", [](File& f, memory m, any_policy const& p, auto&... e) {
    return f.iwrite_at(0, m, p).wait(e...);
  });
  add("iread",
      [](File& f, memory m, any_policy const& p, auto&... e) { return f.iread(m, p).wait(e...); });
  add("iwrite",
      [](File& f, memory m, any_policy const& p, auto&... e) { return f.iwrite(m, p).wait(e...); });
  add("read_at_all", [](File& f, memory m, auto&... p) { return f.read_at_all(0, m, {p...}); });
  add("write_at_all", [](File& f, memory m, auto&... p) { return f.write_at_all(0, m, {p...}); });
  add("read_all", [](File& f, memory m, auto&... p) { return f.read_all(m, {p...}); });
  add("write_all", [](File& f, memory m, auto&... p) { return f.write_all(m, {p...}); });
  add("read_views_all",
      [](File& f, memory m, auto&... p) { return f.read_views_all({{f.view(), m}}, {p...}); });
  add("write_views_all",
      [](File& f, memory m, auto&... p) { return f.write_views_all({{f.view(), m}}, {p...}); });
  return all;
}

// Faults in the first, a middle and the last window, once and for ever, with and without bytes
// moved, and faults that must not be visible to the caller.
inline std::vector<trouble> const& transfer_troubles() {
  using enum file_call;
  static std::vector<trouble> const all{
      {.name = "EIO", .kind = read, .number = EIO, .gives = errc::io},
      {.name = "EIO", .kind = read, .number = EIO, .first = 2, .gives = errc::io},
      {.name = "ESTALE",
       .kind = read,
       .number = ESTALE,
       .first = 3,
       .times = 0,
       .gives = errc::file},
      {.name = "torn, EIO", .kind = read, .number = EIO, .bytes = 5, .gives = errc::io},
      {.name = "EINTR", .kind = read, .number = EINTR, .times = 3, .where = place::below},
      {.name = "EAGAIN",
       .kind = read,
       .number = EAGAIN,
       .first = 2,
       .times = 2,
       .where = place::below},
      {.name = "short", .kind = read, .number = 0, .times = 4, .bytes = 7, .where = place::below},
      {.name = "EIO", .kind = write, .number = EIO, .gives = errc::io},
      {.name = "ENOSPC",
       .kind = write,
       .number = ENOSPC,
       .first = 2,
       .times = 0,
       .gives = errc::no_space},
      {.name = "EDQUOT", .kind = write, .number = EDQUOT, .first = 3, .gives = errc::quota},
      {.name = "EFBIG", .kind = write, .number = EFBIG, .times = 0, .gives = errc::file_too_large},
      {.name = "torn, EIO", .kind = write, .number = EIO, .bytes = 5, .gives = errc::io},
      {.name = "EINTR", .kind = write, .number = EINTR, .times = 3, .where = place::below},
      {.name = "EAGAIN",
       .kind = write,
       .number = EAGAIN,
       .first = 2,
       .times = 2,
       .where = place::below},
      {.name = "short", .kind = write, .number = 0, .times = 4, .bytes = 7, .where = place::below},
      {.name = "EIO", .kind = lock, .number = EIO, .gives = errc::io},
      {.name = "ENOLCK", .kind = lock, .number = ENOLCK, .times = 0, .gives = errc::no_locks},
      {.name = "EINTR", .kind = lock, .number = EINTR, .times = 3, .where = place::below},
      {.name = "EINTR", .kind = unlock, .number = EINTR, .times = 2, .where = place::below},
      {.name = "EDQUOT", .kind = sync, .number = EDQUOT, .gives = errc::quota},
      {.name = "EINTR", .kind = sync, .number = EINTR, .times = 3, .where = place::below},
  };
  return all;
}

inline std::vector<any_policy> small_policies(std::int64_t extent) {
  // The policies split each call into three windows.
  sieving const windows{.read_window_bytes = 8 * extent,
                        .write_window_bytes = 8 * extent,
                        .reads = sieving_mode::always,
                        .writes = sieving_mode::always};
  return {independent{.buffer_bytes = 8 * known_file::block}, windows};
}

// Runs the table for one breaker and one world. `hidden`: the shared pointer lies in a file, whose
// calls break, too. `merges`: `enable` lets each rank merge by itself although ranks are on several
// nodes; all writes then need locks.
template <communicator World>
void break_transfers(mpi const& mpi, World const& world, breaker& tier,
                     std::string const& directory, bool shared, bool hidden,
                     std::vector<bool> const& atomic_modes, tristate merges = tristate::enable) {
  using file = basic_file<World>;
  int const me = mpi.rank(), last = mpi.size() - 1;
  known_file known(directory + "/broken.dat", mpi);
  table cells(
      mpi, std::string(tier.name()) +
               (shared ? hidden ? ", hidden shared pointer" : ", shared pointer" : ", transfers"));
  if (me == 0) known.write_old();
  mpi.barrier();
  std::error_code error;
  bool const nodes = hidden || on_several_nodes(mpi),
             all_lock = nodes && merges == tristate::enable;
  hints const asked{.ds_write = nodes ? merges : tristate::automatic};
  file f = file::open(world, known.path(), mode::read_write, {asked, error}, tier.files());
  if (!error)
    f.set_view(view(0, layout(bytes(1)), shared ? known.common_tile() : known.own_tile()), error);
  CHECK_FALSE(error);
  if (error) return;  // on all ranks

  // With one or two ranks the whole table runs. With more ranks only every `stride`-th cell runs.
  // With sanitizers, which take ten times as long, it is every 7th of those. The stride has no
  // factor in common with the number of sets of ranks, so every call and fault still runs on every
  // rank.
  int const stride = (mpi.size() <= 2 ? 1 : mpi.size() <= 4 ? 3 : 9) * (sanitized ? 7 : 1);
  int number = 0;

  constexpr std::int64_t n = known_file::bytes;
  constexpr std::int64_t guard = 8;
  constexpr std::byte untouched{0xee};
  std::vector<std::byte> memory(n + guard);

  for (bool const atomic : atomic_modes) {
    f.set_atomic(atomic);
    for (any_policy const& policy : small_policies(known.extent()))
      for (transfer<file> const& call : transfers<file>(shared)) {
        bool const uses_pointer =
            call.at == pointer::shared || (call.at == pointer::ordered && me == last);

        if (me == 0) known.write_old();

        for (trouble const& t : transfer_troubles()) {
          if (!tier.takes(t)) continue;
          // Skips faults in file calls that this call never makes.
          if (t.kind == file_call::write && !call.writes && !hidden) continue;
          if (t.kind == file_call::read && call.writes && !hidden &&
              policy.name() == independent::name)
            continue;
          bool const locks = atomic || hidden || call.writes;
          if ((t.kind == file_call::lock || t.kind == file_call::unlock) && !locks) continue;
          if (t.kind == file_call::sync && !hidden) continue;

          for_each_set_of_ranks(mpi, [&](bool struck_here, std::string const& where) {
            if (number++ % stride != 0) return;
            cells.begin(std::string(call.name) + ", " + std::string(policy.name()) +
                        (atomic ? ", atomic, " : ", ") + to_text(t) + " " + where);
            // with an error_code; throwing; after the fault is removed
            for (int form = 0; form < 3; ++form) {
              bool const throwing = form == 1, broken = form < 2;
              cells.again();
              if (call.writes && me == 0) known.write_old();
              std::fill(memory.begin(), memory.end(),
                        call.writes ? known_file::marker(me) : untouched);
              std::error_code seek_error;
              if (call.at == pointer::own)
                f.seek(0, seek_from::start, seek_error);
              else
                f.seek_shared(0, seek_from::start, seek_error);
              cells.expect(!seek_error, "seeking failed");
              mpi.barrier();

              if (broken && struck_here) tier.arm(t);
              report r;
              std::error_code returned;
              outcome o = thrown_by([&] {
                r = call.run(f, std::span(memory).first(n), policy, throwing ? nullptr : &returned);
              });
              if (!throwing) o.code = returned;
              bool const struck = broken && struck_here && tier.disarm();

              promise mine;
              // A rank that gets no lock writes piece by piece and succeeds, unless the call cannot
              // do without the lock.
              bool const falls_back = t.number == ENOLCK && !atomic && !(hidden && uses_pointer) &&
                                      !(all_lock && call.writes);
              if (struck && t.gives && !falls_back)
                mine = {static_cast<std::int32_t>(*t.gives), t.number};
              promises const all(mpi, mine);
              std::error_code const promised = all.code(call.collective);
              bool const failed = mine.gives != 0;

              cells.expect_code(o, promised);
              if (promised) {
                int const culprit = all.failed_rank(call.collective);
                promise const& theirs = all.of(culprit);
                errc const why = static_cast<errc>(theirs.gives);
                if (throwing) {
                  cells.expect_words(o.words, call.name, known.path(), culprit, why);
                  cells.expect(o.failed_rank == culprit,
                               "names rank " + std::to_string(o.failed_rank.value_or(-1)));
                  cells.expect(o.cause == std::error_code(theirs.number, std::system_category()) ||
                                   o.cause == why,
                               "its cause is " + table::shown(o.cause));
                } else if (!call.request) {
                  cells.expect_words(f.what_failed(), call.name, known.path(), culprit, why);
                }
              }
              // A collective call has moved all data of a rank that did not fail, unless the shared
              // pointer could not be fetched.
              bool const complete =
                  !failed && !(call.at == pointer::ordered && promised && r.bytes == 0);
              cells.expect(failed                  ? r.bytes <= n
                           : !complete || throwing ? true
                                                   : r.bytes == n,
                           "reports " + std::to_string(r.bytes) + " bytes");
              cells.expect(std::all_of(memory.end() - guard, memory.end(),
                                       [&](std::byte b) {
                                         return b ==
                                                (call.writes ? known_file::marker(me) : untouched);
                                       }),
                           "memory behind the data changed");

              // Looks at the file from outside. All ranks have left the call, because the promises
              // were gathered after it.
              known.look();
              cells.expect(known.same_size(), "the size of the file changed");
              cells.expect(known.gaps_are_old(), "bytes that nobody wrote changed");
              bool const counted = !throwing || !promised;  // an exception carries no report
              std::int64_t const done = counted ? r.bytes : complete ? n : 0;
              if (!call.writes) {
                cells.expect(known.all_is_old(), "a read changed the file");
                for (std::int64_t p = 0; p < n && call.at != pointer::shared; ++p) {
                  std::int64_t const offset = call.at == pointer::own
                                                  ? known.own_offset(p)
                                                  : known.common_offset(me * n + p);
                  std::byte const b = memory[static_cast<std::size_t>(p)];
                  if (p < done ? b != known.old(offset)
                               : b != known.old(offset) && b != untouched) {
                    cells.expect(false, "byte " + std::to_string(p) + " of " +
                                            std::to_string(done) + " is wrong");
                    break;
                  }
                }
              } else if (call.at == pointer::shared) {
                cells.expect(known.count_of_marker(me) >= done, "less was written than reported");
              } else {
                // If strict, exactly the reported bytes have been written.
                bool const strict = counted && (!failed || t.bytes < 0);
                for (std::int64_t p = 0; p < n; ++p) {
                  std::int64_t const offset = call.at == pointer::own
                                                  ? known.own_offset(p)
                                                  : known.common_offset(me * n + p);
                  std::byte const b = known.now(offset);
                  bool const is_new = b == known_file::marker(me), is_old = b == known.old(offset);
                  if (p < done ? !is_new : strict ? !is_old : !is_new && !is_old) {
                    cells.expect(false, "byte " + std::to_string(p) + " of " +
                                            std::to_string(done) + " is wrong in the file");
                    break;
                  }
                }
              }
              mpi.barrier();
            }
            cells.end();
          });
        }
      }
  }
  f.close(error);
  CHECK_FALSE(error);
}

}  // namespace argosy::test
