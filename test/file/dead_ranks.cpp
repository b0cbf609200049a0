// A rank, a real process, dies before, in and at the end of collective calls. The other ranks must
// get an error and go on without it, and open the file again. All bytes that no rank writes must
// survive.
//
// Each death is a test of its own, because mpiexec of Open MPI 5.0.11 sometimes believes that the
// job has ended if several ranks die. If MPI ends the job when a rank dies, the test is skipped
// (77).
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/argosy.hpp>
#include <argosy/handle/forwarding.hpp>

#include <unistd.h>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#if defined(OMPI_HAVE_MPI_EXT_FTMPI)

namespace io = argosy;
using io::errc;

namespace {

[[noreturn]] void die() {
  std::raise(SIGKILL);
  std::abort();
}

void require(bool kept, std::string const& what) {
  if (!kept) throw std::runtime_error(what);
}

// Counts accesses of one kind. The rank dies in the access at which `left` is 0.
struct trigger {
  io::file_call kind = io::file_call::write;
  int left = -1;
};

class mortal : public io::extend::forwarding<mortal, io::extend::any_handle> {
 public:
  mortal() = default;
  mortal(io::extend::any_handle inner, std::shared_ptr<trigger> t)
      : forwarding(std::move(inner)), trigger_(std::move(t)) {}
  template <class Act>
  io::extend::io_result around(io::extend::handle_call const& call, Act&& act) {
    if (trigger_ && call.kind == trigger_->kind && trigger_->left >= 0 && trigger_->left-- == 0)
      die();
    return act();
  }

 private:
  std::shared_ptr<trigger> trigger_;
};

// Each rank writes per_rank numbers. Of `every` numbers in the file, one belongs to a rank.
constexpr int per_rank = 40000, every = 3;

struct program {
  MPI_Comm comm = MPI_COMM_NULL;
  std::string path;
  std::shared_ptr<trigger> at = std::make_shared<trigger>();
  std::vector<int> mine, room;
  int rank = 0, ranks = 0;

  void count() {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mine.assign(per_rank, 1000 + rank);
    room.assign(per_rank, 0);
  }
  io::file open(std::error_code& error) const {
    io::opener const files =
        io::posix_opener().wrapping([t = at](io::extend::any_handle h) -> io::extend::any_handle {
          return mortal(std::move(h), t);
        });
    return io::file::open(
        comm, path, io::mode::create | io::mode::read_write,
        {io::hints{.cb_nodes = ranks, .policy = "two_phase", .window_bytes = 64 << 10}, error},
        files);
  }
  void set_view(io::file& f, std::error_code& error) const {
    f.set_view(rank * std::int64_t{4},
               {io::type<int>, io::resized(io::type<int>, 0, std::int64_t{4} * every * ranks)},
               error);
  }
};

using call = std::function<void(program&, io::file&, std::error_code&)>;

// A kind of death: a rank dies before a call, or in a file access of the call. All ranks aggregate,
// so each may die as an aggregator.
struct death {
  char const* name;
  call what;
  io::file_call in = io::file_call::write;
  int after = -1;  // number of accesses before it dies; -1: dies before the call
};

// test/CMakeLists.txt has a test for each and relies on their number.
std::vector<death> deaths() {
  call const write = [](program& p, io::file& f, std::error_code& e) { f.write_all(p.mine, e); };
  call const read = [](program& p, io::file& f, std::error_code& e) { f.read_all(p.room, e); };
  call const later = [](program& p, io::file& f, std::error_code& e) {
    f.iwrite_all(p.mine).wait(e);
  };
  call const ordered = [](program& p, io::file& f, std::error_code& e) {
    f.write_ordered(p.mine, e);
  };
  call const view = [](program& p, io::file& f, std::error_code& e) { p.set_view(f, e); };
  call const close = [](program&, io::file& f, std::error_code& e) { f.close(e); };
  return {
      {"before write_all", write},
      {"as aggregator of write_all", write, io::file_call::write, 1},
      {"before read_all", read},
      {"as aggregator of read_all", read, io::file_call::read, 1},
      {"as aggregator of iwrite_all", later, io::file_call::write, 0},
      {"before write_ordered", ordered},
      {"before set_view", view},
      {"before close", close},
      {"in close", close, io::file_call::close, 0},
  };
}

// Returns true if the numbers that no rank writes are unchanged.
bool is_background(std::vector<int> const& all, int ranks) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i) % (every * ranks) >= ranks && all[i] != -7) return false;
  return true;
}

// Waits until all ranks have left the call before. Otherwise a rank that dies early might die while
// others are still in it.
void everybody_is_here(program const& p, int who) {
  char word = 0;
  if (p.rank != who) MPI_Send(&word, 1, MPI_CHAR, who, 0, p.comm);
  for (int i = 1; p.rank == who && i < p.ranks; ++i)
    MPI_Recv(&word, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, p.comm, MPI_STATUS_IGNORE);
}

// Rank `who` dies. The others must get an error, close the file, and go on with a communicator of
// their own.
void without_one(program& p, death const& d, int who) {
  auto const background = [&] {
    std::vector<int> all(static_cast<std::size_t>(per_rank * every * p.ranks), -7);
    std::FILE* const f = std::fopen(p.path.c_str(), "w");
    std::fwrite(all.data(), 4, all.size(), f);
    std::fclose(f);
  };
  if (p.rank == 0) background();
  MPI_Barrier(p.comm);
  std::error_code error;
  io::file f = p.open(error);
  require(!error, "open: " + f.what_failed());
  p.set_view(f, error);
  require(!error, "set_view: " + f.what_failed());
  f.write_all(p.mine, error);
  require(!error, "write_all: " + f.what_failed());
  f.seek(0);
  everybody_is_here(p, who);
  if (p.rank == who) {
    if (d.after < 0) die();
    *p.at = {d.in, d.after};
  }
  d.what(p, f, error);
  if (p.rank == who) throw std::runtime_error("it was to die");
  require(error == errc::rank_failed, "the call says: " + error.message() + "; " + f.what_failed());
  if (f.is_open()) {
    f.write_all(p.mine, error);  // fails from now on
    require(error == errc::rank_failed, "the call after it says: " + error.message());
    f.close(error);
    require(error == errc::rank_failed, "close says: " + error.message());
  }
  int const before = p.ranks;
  MPI_Comm smaller = MPI_COMM_NULL;
  MPIX_Comm_shrink(p.comm, &smaller);
  MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
  p.comm = smaller;
  p.count();
  require(p.ranks == before - 1, "others died, too");

  // The survivors open the file again. Numbers that no rank writes must be unchanged, and the
  // survivors must read what they write.
  io::file again = p.open(error);
  require(!error, "open again: " + again.what_failed());
  std::vector<int> all(static_cast<std::size_t>(per_rank * every * before));
  again.read_at_all(0, all, error);
  require(!error && is_background(all, before), "bytes were lost");
  p.set_view(again, error);
  again.write_all(p.mine, error);
  require(!error, "write_all again: " + again.what_failed());
  again.seek(0);
  again.read_all(p.room, error);
  require(!error && p.room == p.mine, "what is written without it is not read");
  again.close(error);
  require(!error, "close again: " + again.what_failed());
}

}  // namespace

// dead_ranks first|middle|last [DEATH]: which rank dies, and the number of the death, from 0 on.
// Without a number, ranks die in every way, one after the other.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  program p;
  p.comm = MPI_COMM_WORLD;
  p.count();
  if (!io::mpi::survives_rank_death()) {
    if (p.rank == 0) std::puts("skipped: this job ends when a rank dies (mpiexec --with-ft ulfm)");
    MPI_Finalize();
    return 77;
  }
  std::string const which = argc > 1 ? argv[1] : "last";
  char const* const scratch = std::getenv("TMPDIR");
  p.path = std::string(scratch ? scratch : "/tmp") + "/dead_ranks.data";
  std::string now;
  try {
    std::vector<death> all = deaths();
    if (argc > 2) all = {all.at(std::stoul(argv[2]))};
    for (death const& d : all) {
      if (p.ranks == 1) break;
      now = d.name;
      without_one(p, d, which == "first" ? 0 : which == "middle" ? p.ranks / 2 : p.ranks - 1);
      if (p.rank == 0) std::printf("%s: %d go on\n", d.name, p.ranks);
    }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "rank %d of %d, death %s: %s\n", p.rank, p.ranks, now.c_str(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  MPI_Barrier(p.comm);
  if (p.rank == 0) std::puts("all deaths were told");
  std::fflush(stdout);
  ::_exit(
      // _exit, because MPI_Finalize of Open MPI 5.0.11 sometimes waits for ranks that died one
      // after the other, even without any file
      0);
}

#else

int main() {
  std::puts("skipped: this MPI library ends the job when a rank dies");
  return 77;
}

#endif
