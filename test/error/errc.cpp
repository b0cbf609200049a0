// Error codes, their classes, and messages.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/agree/detail/agree.hpp>
#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/error/error.hpp>
#include <argosy/error/mpi.hpp>

#include <mpi.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "error/error_cases.hpp"
#include "support/catch.hpp"

namespace io = argosy;
using Catch::Matchers::ContainsSubstring;
using io::errc;
using io::extend::agreement;
using io::extend::failure;
using namespace io::test;

namespace {

std::vector<errc> const all_errcs = [] {
  std::vector<errc> all;
  for (int i = static_cast<int>(errc::access); i <= static_cast<int>(errc::rank_failed); ++i)
    all.push_back(static_cast<errc>(i));
  return all;
}();

}  // namespace

TEST_CASE("every errc has words and a remedy of its own", "[agree][errc]") {
  CHECK(std::string(io::category().name()) == "argosy");
  std::set<std::string> words;
  for (errc e : all_errcs) {
    std::error_code const code = e;
    INFO(code.value() << " " << code.message());
    CHECK(code.category() == io::category());
    CHECK(code.message() != "unknown error");
    CHECK(words.insert(code.message()).second);
    CHECK_FALSE(io::remedy(e).empty());
    CHECK(io::remedy(e) != "report it");
    CHECK(io::classify(code) == e);
  }
  CHECK(io::make_error_code(static_cast<errc>(999)).message() == "unknown error");
}

TEST_CASE("an errno has the class that MPI gives it", "[agree][errc]") {
  std::map<int, errc> const classes{{EACCES, errc::access},
                                    {EPERM, errc::access},
                                    {EISDIR, errc::bad_file},
                                    {ENOTDIR, errc::bad_file},
                                    {ENAMETOOLONG, errc::bad_file},
                                    {ELOOP, errc::bad_file},
                                    {EBADF, errc::file},
                                    {ESTALE, errc::file},
                                    {EEXIST, errc::file_exists},
                                    {EBUSY, errc::file_in_use},
                                    {ETXTBSY, errc::file_in_use},
                                    {ENOSPC, errc::no_space},
                                    {ENOENT, errc::no_such_file},
                                    {EDQUOT, errc::quota},
                                    {EROFS, errc::read_only},
                                    {EFBIG, errc::file_too_large},
                                    {EOVERFLOW, errc::file_too_large},
                                    {EMFILE, errc::too_many_files},
                                    {ENFILE, errc::too_many_files},
                                    {ENOLCK, errc::no_locks},
                                    {EINVAL, errc::argument},
                                    {EOPNOTSUPP, errc::unsupported},
                                    {ENOSYS, errc::unsupported},
                                    {EIO, errc::io},
                                    {EAGAIN, errc::io},
                                    {ENXIO, errc::io},
                                    {ETIMEDOUT, errc::io},
                                    {EREMOTEIO, errc::io},
                                    {ENOMEM, errc::no_memory}};
  for (auto const& [number, expected] : classes) {
    INFO(os(number).message());
    CHECK(io::classify(os(number)) == expected);
    CHECK(io::classify({number, std::generic_category()}) == expected);
  }
  CHECK(io::classify({ENOSPC, strange}) == errc::io);
}

TEST_CASE("error classes have MPI's numbers", "[agree][errc]") {
  std::map<errc, int> const numbers{
      {errc::access, MPI_ERR_ACCESS},
      {errc::bad_file, MPI_ERR_BAD_FILE},
      {errc::file, MPI_ERR_FILE},
      {errc::file_exists, MPI_ERR_FILE_EXISTS},
      {errc::file_in_use, MPI_ERR_FILE_IN_USE},
      {errc::io, MPI_ERR_IO},
      {errc::no_space, MPI_ERR_NO_SPACE},
      {errc::no_such_file, MPI_ERR_NO_SUCH_FILE},
      {errc::quota, MPI_ERR_QUOTA},
      {errc::read_only, MPI_ERR_READ_ONLY},
      {errc::file_too_large, MPI_ERR_IO},
      {errc::too_many_files, MPI_ERR_OTHER},
      {errc::no_memory, MPI_ERR_NO_MEM},
      {errc::no_locks, MPI_ERR_UNSUPPORTED_OPERATION},
      {errc::truncated, MPI_ERR_IO},
      {errc::damaged, MPI_ERR_IO},
      {errc::amode, MPI_ERR_AMODE},
      {errc::argument, MPI_ERR_ARG},
      {errc::datatype, MPI_ERR_TYPE},
      {errc::representation, MPI_ERR_UNSUPPORTED_DATAREP},
      {errc::duplicate_representation, MPI_ERR_DUP_DATAREP},
      {errc::conversion, MPI_ERR_CONVERSION},
      {errc::user_code, MPI_ERR_OTHER},
      {errc::hint, MPI_ERR_INFO_VALUE},
      {errc::not_same, MPI_ERR_NOT_SAME},
      {errc::unsupported, MPI_ERR_UNSUPPORTED_OPERATION},
      {errc::error_on_another_rank, MPI_ERR_OTHER},
      {errc::rank_failed, MPI_ERR_OTHER},
  };
  CHECK(numbers.size() == all_errcs.size());
  for (auto const& [e, number] : numbers) {
    INFO(io::make_error_code(e).message());
    CHECK(io::to_mpi_class(e) == number);
  }
  CHECK(io::to_mpi_class({}) == MPI_SUCCESS);
  CHECK(io::to_mpi_class(os(EDQUOT)) == MPI_ERR_QUOTA);
  CHECK(io::to_mpi_class(os(ENOSPC)) == MPI_ERR_NO_SPACE);
}

TEST_CASE("error codes compare with std::errc", "[agree][errc]") {
  std::map<errc, std::errc> const conditions{
      {errc::access, std::errc::permission_denied},
      {errc::bad_file, std::errc::is_a_directory},
      {errc::file, std::errc::bad_file_descriptor},
      {errc::file_exists, std::errc::file_exists},
      {errc::file_in_use, std::errc::device_or_resource_busy},
      {errc::io, std::errc::io_error},
      {errc::no_space, std::errc::no_space_on_device},
      {errc::no_such_file, std::errc::no_such_file_or_directory},
      {errc::read_only, std::errc::read_only_file_system},
      {errc::file_too_large, std::errc::file_too_large},
      {errc::too_many_files, std::errc::too_many_files_open},
      {errc::no_memory, std::errc::not_enough_memory},
      {errc::no_locks, std::errc::no_lock_available},
      {errc::amode, std::errc::invalid_argument},
      {errc::argument, std::errc::invalid_argument},
      {errc::datatype, std::errc::invalid_argument},
      {errc::conversion, std::errc::result_out_of_range},
      {errc::unsupported, std::errc::operation_not_supported},
      {errc::rank_failed, std::errc::owner_dead},
  };
  for (errc e : all_errcs) {
    std::error_code const code = e;
    INFO(code.message());
    if (auto const found = conditions.find(e); found != conditions.end())
      CHECK(code == found->second);
    else
      CHECK(code.default_error_condition().category() == io::category());
  }
}

TEST_CASE("a message says call, file, rank, cause and remedy", "[agree][message]") {
  agreement const own{errc::no_space, 3, os(ENOSPC), "5 of 8 bytes were written before", {}};
  std::string const here = io::detail::message_of(own, "write_at_all", "state.dat", 3);
  CHECK_THAT(here,
             ContainsSubstring("write_at_all of 'state.dat' failed on rank 3: no space left"));
  CHECK_THAT(here, ContainsSubstring("ENOSPC") || ContainsSubstring("errno 28"));
  CHECK_THAT(here, ContainsSubstring("5 of 8 bytes"));
  CHECK_THAT(here, ContainsSubstring(std::string(io::remedy(errc::no_space))));
  CHECK_FALSE(contains(here, "this is rank"));

  agreement other = own;
  other.code = errc::error_on_another_rank;
  std::string const there = io::detail::message_of(other, "write_at_all", "state.dat", 0);
  CHECK_THAT(there, ContainsSubstring("failed on rank 3 (this is rank 0): no space left"));

  // Two ranks have two reasons. The cause is that of the lowest rank, and this rank's own is
  // reported, too.
  agreement both = own;
  both.code = errc::quota;
  CHECK_THAT(io::detail::message_of(both, "write_at_all", "state.dat", 5),
             ContainsSubstring("on this rank: quota exceeded"));

  // A rank that failed itself reports its own numbers, and which rank failed first.
  agreement mine = own;
  mine.own = {os(ENOSPC), "7 of 8 bytes were written before"};
  std::string const fifth = io::detail::message_of(mine, "write_at_all", "state.dat", 5);
  CHECK_THAT(fifth, ContainsSubstring("failed on rank 5, and first on rank 3: no space left"));
  CHECK_THAT(fifth, ContainsSubstring("7 of 8 bytes"));
  CHECK_FALSE(contains(fifth, "5 of 8 bytes"));
  mine.own.code = os(EDQUOT);
  mine.code = errc::quota;
  CHECK_THAT(io::detail::message_of(mine, "write_at_all", "state.dat", 5),
             ContainsSubstring(
                 "failed on rank 5, and first on rank 3 (no space left on the file system): quota "
                 "exceeded (") &&
                 ContainsSubstring(std::string(io::remedy(errc::quota))));

  // Words that begin with those of their class are not repeated.
  agreement const thrown =
      io::detail::local_agreement(3, {errc::user_code, "code of the program threw: my own words"});
  CHECK_THAT(
      io::detail::message_of(thrown, "open", "f", 3),
      ContainsSubstring("failed on rank 3: code of the program threw: my own words. What to do: "));

  io::error const e(own, "write_at_all", "state.dat", 3), copy = e;
  CHECK(copy.code() == errc::no_space);
  CHECK(copy.failed_rank() == 3);
  CHECK(copy.cause() == os(ENOSPC));
  CHECK(std::string(copy.what()) == here);

  agreement const unknown{errc::io, 0, {7, strange}, "", {}};
  std::string const words = io::detail::message_of(unknown, "sync", "state.dat", 0);
  CHECK_THAT(words, ContainsSubstring("the arm is stuck") && ContainsSubstring("tape robot"));
  CHECK_FALSE(contains(words, "E2BIG"));
}

TEST_CASE("a message has one remedy: its own, or that of the class, or none where all is said",
          "[agree][message]") {
  auto const words = [](errc e, std::string detail, std::string advice = {}) {
    io::extend::failure f(e, std::move(detail), std::move(advice));
    return io::detail::message_of(io::detail::local_agreement(0, std::move(f)), "set_view",
                                  "state.dat", 0);
  };
  CHECK(words(errc::unsupported, "requests are pending", "wait for them first") ==
        "argosy: set_view of 'state.dat' failed on rank 0: unsupported operation; requests are "
        "pending. What to do: wait "
        "for them first.");
  CHECK_THAT(words(errc::unsupported, "something"),
             ContainsSubstring("something. What to do: choose another mode"));
  for (errc const said : {errc::datatype, errc::argument}) {
    CHECK_FALSE(contains(words(said, "the data has 12 bytes"), "What to do"));
    CHECK(words(said, "the data has 12 bytes").ends_with("the data has 12 bytes."));
    CHECK_THAT(words(said, ""), ContainsSubstring("What to do: "));
  }
  // Words in a path are not mistaken for advice.
  std::string const remedy = "What to do: " + std::string(io::remedy(errc::io)) + ".";
  CHECK(words(errc::io, "renaming '/data/What to do: nothing'").ends_with(remedy));
  CHECK(words(errc::io, "renaming '" + remedy + "'", "save again")
            .ends_with("What to do: save again."));
}

TEST_CASE("an error inside another one brings its advice, once", "[agree][message]") {
  io::error const inner(
      io::detail::local_agreement(0, {errc::file, "the file is not open", "open it first"}), "read",
      "f", 0);
  CHECK(io::detail::words_without_advice(inner) ==
        "argosy: read of 'f' failed on rank 0: the file handle is no longer valid; the file is not "
        "open");
  CHECK(io::detail::words_without_advice(
            io::error(io::detail::local_agreement(0, errc::io), "sync", "f", 0)) ==
        "argosy: sync of 'f' failed on rank 0: " + io::make_error_code(errc::io).message());
  io::error const said(io::detail::local_agreement(0, {errc::argument, "the offset is -1"}),
                       "read_at", "f", 0);
  CHECK(io::detail::words_without_advice(said).ends_with("the offset is -1"));
  for (io::extend::failure const& f :
       {io::detail::failure_of(errc::io, [&] { throw inner; }),
        io::detail::failure_of(errc::io, [&]() -> io::extend::failure {
          try {
            throw inner;
          } catch (...) {
            return io::detail::failure_by("a policy");
          }
        })}) {
    std::string const outer =
        io::detail::message_of(io::detail::local_agreement(0, f), "load", "c", 0);
    CHECK(outer.ends_with("the file is not open. What to do: open it first."));
    CHECK(outer.find("What to do") == outer.rfind("What to do"));
  }
}

TEST_CASE("each rank that failed tells its own failure, the others that of the first",
          "[agree][message]") {
  auto const world = everyone();
  int const rank = world.rank();
  bool const failed = rank % 2 == 1 || world.size() == 1;
  io::extend::failure const mine =
      failed ? io::extend::failure(os(ENOSPC), std::to_string(rank) + " of 9 bytes")
             : io::extend::failure();
  agreement const a = io::detail::agree_on_outcome(world, mine);
  int const first = world.size() == 1 ? 0 : 1;
  CHECK(a.failed_rank == first);
  CHECK(a.detail == std::to_string(first) + " of 9 bytes");
  CHECK(static_cast<bool>(a.own) == (failed && rank != first));
  CHECK_THAT(io::detail::message_of(a, "write_all", "f", rank),
             ContainsSubstring(std::to_string(failed ? rank : first) + " of 9 bytes"));
}

TEST_CASE("a call of one rank fails on that rank", "[agree]") {
  CHECK(io::detail::local_agreement(4, {}));
  agreement const a = io::detail::local_agreement(4, {os(EDQUOT), "here"});
  CHECK_FALSE(a);
  CHECK(a.code == errc::quota);
  CHECK(a.cause == os(EDQUOT));
  CHECK(a.failed_rank == 4);
  CHECK(a.detail == "here");
}
