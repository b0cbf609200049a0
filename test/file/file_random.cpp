// Every flavour of call on random views, memory and policies. Compared with one plain pwrite per
// item, and with MPI's own files. One page because the oracle, MPI and argosy carry out the same
// script.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/world/self.hpp>

#include "file/random_script.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/seed.hpp"

namespace io = argosy;
using namespace io::test;

namespace {

// --- The oracle ---

// Converts item `i` of an element between memory and file.
void swap_item(std::byte* at, item const& i, bool external) {
  if (external) std::reverse(at, at + i.size);
}

// Writes element by element, item by item, with a pwrite each.
void write_plainly(plain_file& file, script const& s, part const& p, call const& c) {
  bytes const memory = random_bytes(c.seed, c.where.bytes);
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::array<std::byte, 16> one;
      std::copy_n(memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset, i.size,
                  one.begin());
      swap_item(one.data(), i, s.external);
      file.write(one.data(), i.size, p.place(c.offset + e, s.displacement, *s.k) + i.offset);
    }
}

// Computes the content of `memory` after a read of `file`. Returns the number of bytes read.
std::int64_t read_plainly(bytes const& file, script const& s, part const& p, call const& c,
                          bytes& memory) {
  std::int64_t count = 0;
  auto const size = static_cast<std::int64_t>(file.size());
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::int64_t const from = p.place(c.offset + e, s.displacement, *s.k) + i.offset;
      std::int64_t const there = std::clamp<std::int64_t>(size - from, 0, i.size);
      count += there;
      // Half an item cannot be converted.
      if (there == 0 || (there < i.size && s.external)) continue;
      std::array<std::byte, 16> one;
      std::copy_n(file.begin() + from, there, one.begin());
      swap_item(one.data(), i, s.external);
      std::copy_n(one.begin(), there,
                  memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset);
    }
  return count;
}

// Returns true if the elements from `offset` on are those that the call wrote.
bool holds(bytes const& file, script const& s, part const& p, call const& c, std::int64_t offset,
           bytes const& memory) {
  for (std::int64_t e = 0; e < c.count; ++e)
    for (item const& i : s.k->items) {
      std::int64_t const at = p.place(offset + e, s.displacement, *s.k) + i.offset;
      if (at + i.size > static_cast<std::int64_t>(file.size())) return false;
      std::array<std::byte, 16> one;
      std::copy_n(file.begin() + at, i.size, one.begin());
      swap_item(one.data(), i, s.external);
      if (!std::equal(one.begin(), one.begin() + i.size,
                      memory.begin() + c.where.at[static_cast<std::size_t>(e)] + i.offset))
        return false;
    }
  return true;
}

// Finds the place that each call at the shared pointer got. Calls of one rank are in order, those
// of several ranks in any order. Returns false if the calls do not fit the file.
bool find_order(script& s, bytes const& file) {
  std::vector<std::size_t> next(s.parts.size(), 0);
  std::int64_t at = 0;
  for (;;) {
    bool more = false, found = false;
    for (std::size_t r = 0; r < s.parts.size() && !found; ++r) {
      if (next[r] == s.parts[r].calls.size()) continue;
      more = true;
      call& c = s.parts[r].calls[next[r]];
      if (!holds(file, s, s.parts[r], c, at, random_bytes(c.seed, c.where.bytes))) continue;
      c.offset = at;
      at += c.count;
      ++next[r];
      found = true;
    }
    if (!more) return true;
    if (!found) return false;
  }
}

// --- MPI's own files ---

class mpi_file {
 public:
  mpi_file(std::string const& path, int mode) {
    REQUIRE(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_) ==
            MPI_SUCCESS);
  }
  mpi_file(mpi_file const&) = delete;
  mpi_file& operator=(mpi_file const&) = delete;
  ~mpi_file() { MPI_File_close(&file_); }
  MPI_File get() const { return file_; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

// Built from the lists, not from argosy's layouts.
struct mpi_view {
  mpi_view(kind const& k, part const& p) {
    MPI_Type_contiguous(k.mpi_count, k.mpi_basic(), &etype);
    MPI_Type_commit(&etype);
    if (p.starts.empty()) {
      MPI_Type_dup(etype, &filetype);
      return;
    }
    std::vector<int> lengths;
    std::vector<MPI_Aint> starts;
    for (std::size_t i = 0; i < p.file.lengths.size(); ++i) {
      lengths.push_back(static_cast<int>(p.file.lengths[i]));
      starts.push_back(p.file.starts[i] * k.extent);
    }
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), starts.data(), etype,
                             &blocks);
    MPI_Type_create_resized(blocks, 0, p.file.extent * k.extent, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_free(&blocks);
  }
  mpi_view(mpi_view const&) = delete;
  mpi_view& operator=(mpi_view const&) = delete;
  ~mpi_view() {
    MPI_Type_free(&etype);
    MPI_Type_free(&filetype);
  }
  void use(MPI_File f, script const& s, part const& p) const {
    same("MPI_File_set_view",
         MPI_File_set_view(f, s.displacement + p.file.shift * s.k->extent, etype, filetype,
                           s.external ? "external32" : "native", MPI_INFO_NULL),
         MPI_SUCCESS);
  }

  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
};

// Lets MPI read with the view what argosy has written, and checks that every element is at the
// place that the view names.
void check_by_mpi(std::string const& path, script const& s, part const& p) {
  bytes const file = whole_file(path);
  std::int64_t count = 0;
  for (call const& c : p.calls)
    if (c.count > 0) count = std::max(count, c.offset + c.count);
  bytes got(static_cast<std::size_t>(count * s.k->extent)), expected = got;
  got.reserve(1);  // see below
  for (std::int64_t e = 0; e < count; ++e)
    for (item const& i : s.k->items) {
      std::byte* const one = expected.data() + e * s.k->extent + i.offset;
      std::copy_n(file.begin() + p.place(e, s.displacement, *s.k) + i.offset, i.size, one);
      swap_item(one, i, s.external);
    }
  mpi_file const f(path, MPI_MODE_RDONLY);
  mpi_view const v(*s.k, p);
  v.use(f.get(), s, p);
  MPI_File_read_at_all(f.get(), 0, got.data(), static_cast<int>(count), v.etype, MPI_STATUS_IGNORE);
  same("what MPI reads", got, expected);
}

// Lets MPI write the data of the calls.
void write_by_mpi(std::string const& path, script const& s, part const& p) {
  mpi_file const f(path, MPI_MODE_WRONLY);
  mpi_view const v(*s.k, p);
  v.use(f.get(), s, p);
  for (call const& c : p.calls) {
    bytes const memory = random_bytes(c.seed, c.where.bytes);
    bytes packed;       // memory types of MPI are tested elsewhere
    packed.reserve(1);  // in external32, MPICH ends the program if no data has a null address
    for (std::int64_t at : c.where.at)
      packed.insert(packed.end(), &memory[static_cast<std::size_t>(at)],
                    &memory[static_cast<std::size_t>(at)] + s.k->extent);
    same("MPI_File_write_at_all",
         MPI_File_write_at_all(f.get(), c.offset, packed.data(), static_cast<int>(c.count), v.etype,
                               MPI_STATUS_IGNORE),
         MPI_SUCCESS);
  }
}

// --- argosy ---

template <class World>
io::report run_now(io::basic_file<World>& f, script const& s, call const& c, io::buffer const& b) {
  bool const all = s.how == manner::collective;
  switch (s.by) {
    case pointer::at:
      if (s.writes)
        return all ? f.write_at_all(c.offset, b, c.policy) : f.write_at(c.offset, b, c.policy);
      return all ? f.read_at_all(c.offset, b, c.policy) : f.read_at(c.offset, b, c.policy);
    case pointer::individual:
      if (s.writes) return all ? f.write_all(b, c.policy) : f.write(b, c.policy);
      return all ? f.read_all(b, c.policy) : f.read(b, c.policy);
    case pointer::shared:
      break;
  }
  if (s.writes) return all ? f.write_ordered(b, c.policy) : f.write_shared(b, c.policy);
  return all ? f.read_ordered(b, c.policy) : f.read_shared(b, c.policy);
}

template <class World>
io::request run_later(io::basic_file<World>& f, script const& s, call const& c,
                      io::buffer const& b) {
  switch (s.by) {
    case pointer::at:
      return s.writes ? f.iwrite_at(c.offset, b, c.policy) : f.iread_at(c.offset, b, c.policy);
    case pointer::individual:
      return s.writes ? f.iwrite(b, c.policy) : f.iread(b, c.policy);
    case pointer::shared:
      break;
  }
  return s.writes ? f.iwrite_shared(b, c.policy) : f.iread_shared(b, c.policy);
}

struct outcome {
  bytes memory;
  io::report report;
};

template <class World>
std::vector<outcome> run(World const& world, std::string const& path, script const& s) {
  using io::mode;
  part const& mine = s.parts[static_cast<std::size_t>(world.rank())];
  mode m = !s.one_way ? mode::read_write : s.writes ? mode::write : mode::read;
  if (s.unique) m = m | mode::unique_open;
  std::vector<outcome> done;
  for (call const& c : mine.calls) done.push_back({random_bytes(c.seed, c.where.bytes), {}});
  auto f = io::basic_file<World>::open(world, path, m, s.hints);
  if (s.atomic) f.set_atomic(true);
  f.set_view(s.k->view(s.displacement, mine.file, s.external ? io::external32 : io::native));
  world.barrier();
  std::string failed;
  {
    std::vector<io::request> requests;
    for (std::size_t i = 0; i < mine.calls.size(); ++i) {
      call const& c = mine.calls[i];
      io::buffer const b = s.k->buffer(done[i].memory.data(), c.where);
      try {
        if (c.seeks && s.by == pointer::individual) f.seek(c.offset);
        if (s.how == manner::request)
          requests.push_back(run_later(f, s, c, b));
        else
          done[i].report = run_now(f, s, c, b);
      } catch (std::exception const& e) {
        failed = e.what();
      }
    }
    for (std::size_t i = requests.size(); i-- > 0;) try {
        if (i % 2 == 1) requests[i].test();
        done[i].report = requests[i].wait();
      } catch (std::exception const& e) {
        failed = e.what();
      }
  }
  passed("calls throw nothing: " + failed, failed.empty());
  if (s.by == pointer::individual && !mine.calls.empty())
    same("the pointer", f.position(), mine.calls.back().offset + mine.calls.back().count);
  world.barrier();
  if (s.by == pointer::shared) {
    std::int64_t all = 0;
    for (part const& p : s.parts)
      for (call const& c : p.calls) all += c.count;
    same("the shared pointer", f.position_shared(), all);
    world.barrier();
  }
  f.close();
  return done;
}

// --- Rounds ---

struct count_of_failures {
  std::int64_t value = 0;
  void combine(count_of_failures const& other) { value += other.value; }
};

template <class World>
void check_writing(World const& world, std::string const& path, script s, bool by_mpi) {
  part const& mine = s.parts[static_cast<std::size_t>(world.rank())];
  if (by_mpi) {
    write_by_mpi(path, s, mine);
  } else {
    std::vector<outcome> const done = run(world, path, s);
    for (std::size_t i = 0; i < done.size(); ++i) {
      call const& c = mine.calls[i];
      same("bytes written", done[i].report.bytes, c.count * s.k->size());
      same("memory of a write", done[i].memory, random_bytes(c.seed, c.where.bytes));
    }
  }
  world.barrier();
  bytes const got = whole_file(path);
  if (s.by == pointer::shared && s.how != manner::collective) {
    passed("calls come one after the other", find_order(s, got));
  }
  if (world.rank() == 0) {
    std::string const oracle = path + ".oracle";
    fill(oracle, s.before);
    {
      plain_file file(oracle);
      for (part const& p : s.parts)
        for (call const& c : p.calls) write_plainly(file, s, p, c);
    }
    same("the file", got, whole_file(oracle));
  }
  world.barrier();
}

template <class World>
void check_reading(World const& world, std::string const& path, script s) {
  part& mine = s.parts[static_cast<std::size_t>(world.rank())];
  bytes const file = whole_file(path);
  std::vector<outcome> const done = run(world, path, s);
  if (s.by == pointer::shared && s.how != manner::collective) {
    // Finds the place of each read. Every place must have been given once.
    std::array<std::int64_t, 8> found{};
    std::int64_t at = 0, all = 0;
    for (part const& p : s.parts)
      for (call const& c : p.calls) all += c.count;
    for (std::size_t i = 0; i < mine.calls.size(); ++i) {
      call& c = mine.calls[i];
      if (c.count == 0) continue;
      while (at + c.count <= all && !holds(file, s, mine, c, at, done[i].memory)) ++at;
      c.offset = at;
      found[2 * i] = at;
      found[2 * i + 1] = c.count;
      at += c.count;
    }
    std::vector<std::int64_t> everyone(found.size() * static_cast<std::size_t>(world.size()));
    world.all_gather(std::as_bytes(std::span(found)), std::as_writable_bytes(std::span(everyone)));
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    for (std::size_t i = 0; i < everyone.size(); i += 2)
      if (everyone[i + 1] > 0) places.emplace_back(everyone[i], everyone[i + 1]);
    std::sort(places.begin(), places.end());
    std::int64_t end = 0;
    for (auto const& [start, count] : places) {
      same("start of a read", start, end);
      end = start + count;
    }
    same("all reads", end, all);
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    call const& c = mine.calls[i];
    bytes expected = random_bytes(c.seed, c.where.bytes);
    std::int64_t const count = read_plainly(file, s, mine, c, expected);
    same("bytes read", done[i].report.bytes, count);
    same("memory", done[i].memory, expected);
  }
}

template <class World>
void random_rounds(World const& world, std::string const& path, int number,
                   std::uint64_t first_seed) {
  constexpr bool is_mpi = std::same_as<World, io::mpi>;
  for (int i = 0; i < number; ++i) {
    script s = make_script(first_seed + static_cast<std::uint64_t>(i), world.size());
    CAPTURE(seed(), i, s.describe());
    if (world.rank() == 0) fill(path, s.before);
    world.barrier();
    failures = 0;
    if (s.writes) {
      check_writing(world, path, s, is_mpi && s.by_mpi);
      if constexpr (is_mpi)
        if (s.with_mpi && s.by != pointer::shared)
          check_by_mpi(path, s, s.parts[static_cast<std::size_t>(world.rank())]);
      // argosy must read what was written, by itself or by MPI.
      if (s.by != pointer::shared) {
        script back = s;
        back.writes = false;
        check_reading(world, path, back);
      }
    } else {
      check_reading(world, path, s);
    }
    count_of_failures failed{failures};
    world.all_reduce(failed);
    if (failed.value > 0) break;  // one failure is enough
    world.barrier();
  }
}

}  // namespace

TEST_CASE(
    "whatever ranks read and write, files and memory hold what one plain write per item gives",
    "[file][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  std::optional<scratch> here;
  std::string const directory = shared_directory(world, here);
  random_rounds(world, directory + "/data", rounds(400), seed());
  world.barrier();
}

TEST_CASE("the same without MPI, a file for each rank", "[file][random]") {
  io::mpi const world(MPI_COMM_WORLD);
  scratch const here;
  random_rounds(io::self(), here / "data", rounds(100),
                seed() + 1000000 + static_cast<std::uint64_t>(world.rank()));
  world.barrier();
}
