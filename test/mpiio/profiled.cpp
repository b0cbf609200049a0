// A plain MPI program under profiling tools, which are above the drop-in, behind it, or in the
// program. A tool must see each call once, and the drop-in must handle each call once.
//   profiled TOOL=WHAT...    TOOL is a function that counts (profiler.cpp); WHAT it must see:
//     all       each call
//     none      no call, since a tool before it goes on to the MPI library
//     around    calls that the drop-in passes on, as the tool would lead past it
// SPDX-License-Identifier: BSD-3-Clause
#include "checks.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace {

enum class expected { all, none, around };
// Handled by the drop-in alone, or with the help of the MPI library.
enum class kind { answered, other };

struct tool {
  std::string name;
  int (*count)(char const*);
  expected sees;

  int times(kind k, int called) const {
    if (sees == expected::none || (sees == expected::around && k == kind::answered)) return 0;
    return called;
  }
};
std::vector<tool> tools;

void add_tool(std::string_view argument) {
  auto const at = argument.find('=');
  std::string const name(argument.substr(0, at));
  std::string_view const what = argument.substr(at + 1);
  auto* const count = reinterpret_cast<int (*)(char const*)>(::dlsym(RTLD_DEFAULT, name.c_str()));
  CHECK(count != nullptr);
  expected const sees = what == "all"    ? expected::all
                        : what == "none" ? expected::none
                                         : expected::around;
  if (count) tools.push_back({name, count, sees});
}

// Makes `times` calls of `name` in `call`, and checks that each tool has seen them.
template <class Call>
void seen(char const* name, kind k, int times, Call&& call, int line = __builtin_LINE()) {
  std::vector<int> before;
  for (tool const& t : tools) before.push_back(t.count(name));
  call();
  for (std::size_t i = 0; i < tools.size(); ++i) {
    int const found = tools[i].count(name) - before[i], wanted = tools[i].times(k, times);
    check(found == wanted,
          tools[i].name + " sees " + std::to_string(found) + " of " + std::to_string(wanted) +
              " calls of " + name,
          line);
  }
}

int handler_calls = 0;
void count_errors(MPI_File*, int*, ...) { ++handler_calls; }

std::array<char, 8> data{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};

MPI_Request begun(MPI_File f) {
  MPI_Request r = MPI_REQUEST_NULL;
  seen("MPI_File_iwrite_at", kind::answered, 1,
       [&] { CHECK_OK(MPI_File_iwrite_at(f, 8 * rank_of_world(), data.data(), 8, MPI_CHAR, &r)); });
  return r;
}

void test_one_request(MPI_File f) {
  MPI_Request r = begun(f);
  MPI_Status status;
  seen("MPI_Wait", kind::other, 1, [&] { CHECK_OK(MPI_Wait(&r, &status)); });
  int count = -1;
  MPI_Get_count(&status, MPI_CHAR, &count);
  CHECK(count == 8 && r == MPI_REQUEST_NULL);
  r = begun(f);
  int tested = 0, flag = 0;
  std::vector<int> before;
  for (tool const& t : tools) before.push_back(t.count("MPI_Test"));
  for (; flag == 0; ++tested) CHECK_OK(MPI_Test(&r, &flag, &status));
  for (std::size_t i = 0; i < tools.size(); ++i)
    CHECK(tools[i].count("MPI_Test") - before[i] == tools[i].times(kind::other, tested));
  r = begun(f);
  seen("MPI_Request_get_status", kind::other, 1,
       [&] { CHECK_OK(MPI_Request_get_status(r, &flag, &status)); });
  seen("MPI_Request_free", kind::other, 1, [&] { CHECK_OK(MPI_Request_free(&r)); });
}

void test_several_requests(MPI_File f) {
  std::array<MPI_Request, 2> r{begun(f), begun(f)};
  std::array<MPI_Status, 2> statuses;
  seen("MPI_Waitall", kind::other, 1, [&] { CHECK_OK(MPI_Waitall(2, r.data(), statuses.data())); });
  int flag = 0, at = -1, ended = 0;
  std::array<int, 2> which{};
  seen("MPI_Testall", kind::other, 1,
       [&] { CHECK_OK(MPI_Testall(2, r.data(), &flag, statuses.data())); });
  r = {begun(f), begun(f)};
  seen("MPI_Waitany", kind::answered, 1,
       [&] { CHECK_OK(MPI_Waitany(2, r.data(), &at, statuses.data())); });
  CHECK(at == 0 || at == 1);
  seen("MPI_Testany", kind::other, 1,
       [&] { CHECK_OK(MPI_Testany(2, r.data(), &at, &flag, statuses.data())); });
  seen("MPI_Testsome", kind::other, 1,
       [&] { CHECK_OK(MPI_Testsome(2, r.data(), &ended, which.data(), statuses.data())); });
  CHECK_OK(MPI_Waitall(2, r.data(), statuses.data()));
  r = {begun(f), begun(f)};
  seen("MPI_Waitsome", kind::answered, 1,
       [&] { CHECK_OK(MPI_Waitsome(2, r.data(), &ended, which.data(), statuses.data())); });
  CHECK(ended == 1 || ended == 2);
  CHECK_OK(MPI_Waitall(2, r.data(), statuses.data()));
  seen("MPI_Waitany", kind::other, 1,
       [&] { CHECK_OK(MPI_Waitany(2, r.data(), &at, statuses.data())); });
  CHECK(at == MPI_UNDEFINED);
}

// Requests of messages, without and with a request of a file.
void test_messages(MPI_File f) {
  for (bool const beside : {false, true}) {
    MPI_Request of_file = beside ? begun(f) : MPI_REQUEST_NULL, r = MPI_REQUEST_NULL;
    int const rank = rank_of_world();
    int got = -1;
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &r));
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, rank, 7, MPI_COMM_WORLD));
    seen("MPI_Wait", kind::other, 1, [&] { CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE)); });
    CHECK(got == rank);
    seen("MPI_Wait", kind::other, 1, [&] { CHECK_OK(MPI_Wait(&of_file, MPI_STATUS_IGNORE)); });
  }
}

// An error that is reported when a request is completed must call the file's handler once. The MPI
// library's own files may not return from such a call.
void test_errors(MPI_File f, bool is_argosy) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  seen("MPI_File_create_errhandler", kind::other, 1,
       [&] { CHECK_OK(MPI_File_create_errhandler(count_errors, &handler)); });
  seen("MPI_File_set_errhandler", kind::answered, 1,
       [&] { CHECK_OK(MPI_File_set_errhandler(f, handler)); });
  seen("MPI_Errhandler_free", kind::answered, 1, [&] { CHECK_OK(MPI_Errhandler_free(&handler)); });
  if (is_argosy) {
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Offset const wrong = rank_of_world() == 0 ? -1 : 8;
    seen("MPI_File_iwrite_at_all", kind::answered, 1,
         [&] { CHECK_OK(MPI_File_iwrite_at_all(f, wrong, data.data(), 1, MPI_CHAR, &r)); });
    int code = MPI_SUCCESS;
    seen("MPI_Wait", kind::other, 1, [&] { code = MPI_Wait(&r, MPI_STATUS_IGNORE); });
    CHECK(code != MPI_SUCCESS);
    CHECK(std::exchange(handler_calls, 0) == 1);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    int asked = -1;
    seen("MPI_Error_string", kind::answered, 1,
         [&] { asked = MPI_Error_string(code, text, &length); });
    CHECK(asked == MPI_SUCCESS);
    CHECK(std::string_view(text).find("iwrite_at_all") != std::string_view::npos);
  }
  CHECK_OK(MPI_File_set_errhandler(f, MPI_ERRORS_RETURN));
}

void test_file(std::string const& path, bool is_argosy) {
  MPI_File f = MPI_FILE_NULL;
  seen("MPI_File_open", kind::answered, 1, [&] {
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &f));
  });
  seen("MPI_File_set_view", kind::answered, 1,
       [&] { CHECK_OK(MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL)); });
  seen("MPI_File_write_all", kind::answered, 1,
       [&] { CHECK_OK(MPI_File_write_all(f, data.data(), 8, MPI_CHAR, MPI_STATUS_IGNORE)); });
  test_one_request(f);
  test_several_requests(f);
  test_messages(f);
  test_errors(f, is_argosy);
  std::array<char, 8> back{};
  seen("MPI_File_read_at", kind::answered, 1,
       [&] { CHECK_OK(MPI_File_read_at(f, 0, back.data(), 8, MPI_CHAR, MPI_STATUS_IGNORE)); });
  CHECK(back == data);
  MPI_Offset size = -1;
  seen("MPI_File_get_size", kind::answered, 1, [&] { CHECK_OK(MPI_File_get_size(f, &size)); });
  CHECK(size >= 8);
  seen("MPI_File_close", kind::answered, 1, [&] { CHECK_OK(MPI_File_close(&f)); });
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_of_world() == 0)
    seen("MPI_File_delete", kind::answered, 1,
         [&] { CHECK_OK(MPI_File_delete(path.c_str(), MPI_INFO_NULL)); });
}

bool argosy_answers() {
  MPI_File f = MPI_FILE_NULL;
  std::string const none = path_of("none.dat");
  int const code = MPI_File_open(MPI_COMM_WORLD, none.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
  return text_of(code).starts_with("argosy: ");
}

int times_in(std::string const& path, std::string_view words) {
  std::ifstream in(path);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  int times = 0;
  for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++times;
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const report = path_of("profiled.report");
  ::setenv("ARGOSY_REPORT", report.c_str(), 1);
  MPI_Init(&argc, &argv);
  for (int i = 1; i < argc; ++i) add_tool(argv[i]);
  char const* const set = std::getenv("ARGOSY_MPIIO");
  bool const is_argosy = argosy_answers();
  CHECK(is_argosy == (set == nullptr || std::string_view(set) != "off"));
  // two files, for a report of all
  for (char const* const name : {"profiled.dat", "profiled_too.dat"})
    test_file(path_of(name), is_argosy);
  int const rank = rank_of_world();
  std::vector<int> before;
  for (tool const& t : tools) before.push_back(t.count("MPI_Finalize"));
  MPI_Finalize();
  // After MPI_Finalize no function of MPI may be called, not even for the number of the rank.
  auto const still = [&](bool holds, std::string const& what) {
    if (holds) return;
    ++wrong;
    std::printf("rank %d: not so: %s\n", rank, what.c_str());
  };
  for (std::size_t i = 0; i < tools.size(); ++i)
    still(tools[i].count("MPI_Finalize") - before[i] == tools[i].times(kind::other, 1),
          tools[i].name + " sees MPI_Finalize once");
  if (rank == 0 && is_argosy)
    still(times_in(report, "argosy report of all files") == 1, "the report is written once");
  if (rank == 0) std::printf("%d checks failed\n", wrong);
  return wrong == 0 ? 0 : 1;
}
