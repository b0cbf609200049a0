// Random calls of MPI's I/O functions, also wrong ones, each on a file of its own. On each rank a
// line shows the results, to be compared with those of another library (suites/twins.sh). A plain
// MPI program, in an empty directory:
//   mpiexec -n 4 compared FIRST:LAST
// It writes "SEED begins" to lines.RANK, and "SEED does CALL key=value ..." when the call has
// ended. If a call does not return, or ends the program, the second line is missing.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "data_calls.hpp"
#include "random_views.hpp"

namespace {

using bytes = std::vector<unsigned char>;

char const* const path = "compared.dat";

// Returns the name of an error class, because numbers differ between MPI libraries.
std::string class_of(int code) {
  if (code == MPI_SUCCESS) return "fine";
  int c = -1;
  MPI_Error_class(code, &c);
  struct {
    int c;
    char const* name;
  } const names[] = {{MPI_ERR_ACCESS, "ACCESS"},
                     {MPI_ERR_AMODE, "AMODE"},
                     {MPI_ERR_ARG, "ARG"},
                     {MPI_ERR_BAD_FILE, "BAD_FILE"},
                     {MPI_ERR_BUFFER, "BUFFER"},
                     {MPI_ERR_COUNT, "COUNT"},
                     {MPI_ERR_FILE, "FILE"},
                     {MPI_ERR_FILE_EXISTS, "FILE_EXISTS"},
                     {MPI_ERR_INTERN, "INTERN"},
                     {MPI_ERR_IO, "IO"},
                     {MPI_ERR_NOT_SAME, "NOT_SAME"},
                     {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"},
                     {MPI_ERR_OTHER, "OTHER"},
                     {MPI_ERR_READ_ONLY, "READ_ONLY"},
                     {MPI_ERR_REQUEST, "REQUEST"},
                     {MPI_ERR_TYPE, "TYPE"},
                     {MPI_ERR_UNSUPPORTED_DATAREP, "UNSUPPORTED_DATAREP"},
                     {MPI_ERR_UNSUPPORTED_OPERATION, "UNSUPPORTED_OPERATION"}};
  for (auto const& n : names)
    if (n.c == c) return n.name;
  return "class" + std::to_string(c);
}

std::string fingerprint(bytes const& of) {
  std::uint64_t h = of.size();
  for (unsigned char const b : of) h = mixed(h ^ b);
  char text[20];
  std::snprintf(text, sizeof text, "%zu:%06llx", of.size(),
                static_cast<unsigned long long>(h & 0xffffff));
  return text;
}

class one_call {
 public:
  explicit one_call(std::uint64_t seed) : seed_(seed), draw_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  std::string run() {
    lay_out();
    if (!open()) return line();
    view();
    if (draw_.one_in(4))
      whole_file();
    else
      transfer();
    tell_pointers();
    tell("close", MPI_File_close(&file_));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ != 0) return line();
    bytes const found = in_file();
    tell("file", fingerprint(found));
    if (is_modelled_) tell("right", found == model_ ? "yes" : "no");
    return line();
  }

 private:
  std::string line() const { return name_ + results_; }
  void tell(char const* key, int code) {
    results_ += std::string(" ") + key + "=" + class_of(code);
  }
  void tell(char const* key, std::string const& value) {
    results_ += std::string(" ") + key + "=" + value;
  }
  void also(std::string const& what) { name_ += "," + what; }

  // Makes a file of garbage, mostly.
  void lay_out() {
    exists_ = !draw_.one_in(12);
    bytes garbage(static_cast<std::size_t>(draw_.one_in(4) ? 0 : draw_.below(3000)));
    for (std::size_t i = 0; i < garbage.size(); ++i)
      garbage[i] = static_cast<unsigned char>(mixed(seed_ ^ i));
    if (exists_) model_ = garbage;
    if (rank_ == 0) {
      ::unlink(path);
      if (exists_) {
        int const f = ::open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (::write(f, garbage.data(), garbage.size()) != static_cast<ssize_t>(garbage.size()))
          std::abort();
        ::close(f);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  static bytes in_file() {
    bytes found(1 << 20);
    int const f = ::open(path, O_RDONLY);
    ssize_t const n = f < 0 ? 0 : ::pread(f, found.data(), found.size(), 0);
    if (f >= 0) ::close(f);
    found.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    return found;
  }

  bool open() {
    struct {
      int mode;
      char const* name;
    } const modes[] = {{MPI_MODE_RDONLY, "rdonly"},
                       {MPI_MODE_WRONLY, "wronly"},
                       {MPI_MODE_RDWR | MPI_MODE_APPEND, "append"},
                       {MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, "wronly|sequential"},
                       {MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, "excl"},
                       {MPI_MODE_RDONLY | MPI_MODE_CREATE, "rdonly|create"},
                       {MPI_MODE_RDONLY | MPI_MODE_RDWR, "rdonly|rdwr"},
                       {MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, "rdonly|sequential"},
                       {MPI_MODE_CREATE, "none"}};
    name_ = "plain";
    int mode = MPI_MODE_RDWR | (draw_.one_in(2) ? MPI_MODE_CREATE : 0);
    if (draw_.one_in(3)) {
      auto const& drawn = modes[draw_.below(draw_.one_in(3) ? 9 : 4)];
      mode = drawn.mode;
      name_ = drawn.name;
    }
    appends_ = (mode & MPI_MODE_APPEND) != 0;
    is_simple_ = appends_ || mode == MPI_MODE_WRONLY ||
                 (mode | MPI_MODE_CREATE) == (MPI_MODE_RDWR | MPI_MODE_CREATE);
    sequential_ = (mode & MPI_MODE_SEQUENTIAL) != 0;
    if (!exists_) also("absent");
    int const code = MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file_);
    tell("open", code);
    return code == MPI_SUCCESS;
  }

  void view() {
    shapes_.assign(static_cast<std::size_t>(ranks_), shape());
    if (draw_.one_in(4)) return;
    shape const base = drawn_base(draw_);
    common_ = draw_.one_in(2);
    shapes_ = common_
                  ? std::vector<shape>(static_cast<std::size_t>(ranks_), drawn_common(draw_, base))
                  : drawn_dealt(draw_, base, ranks_);
    also(common_ ? "common" : "dealt");
    shape const& s = mine();
    MPI_Offset displacement = s.displacement;
    MPI_Datatype etype = etype_of(s.unit), filetype = filetype_of(s);
    MPI_Datatype const made = filetype;
    char const* representation = "native";
    if (draw_.one_in(6)) {
      is_simple_ = false;
      switch (draw_.below(7)) {
        case 0:
          displacement = -1 - draw_.below(9);
          also("below");
          break;
        case 1:
          displacement = MPI_DISPLACEMENT_CURRENT;
          also("current");
          break;
        case 2:
          representation = "unheard";
          also("unheard");
          break;
        case 3:
          etype = MPI_DATATYPE_NULL;
          also("no_etype");
          break;
        case 4:
          filetype = MPI_DATATYPE_NULL;
          also("no_filetype");
          break;
        case 5:
          etype = MPI_LONG_DOUBLE;
          also("large_etype");
          break;
        default:
          representation = "external32";
          also("external32");
      }
    }
    int const code =
        MPI_File_set_view(file_, displacement, etype, filetype, representation, MPI_INFO_NULL);
    tell("view", code);
    MPI_Type_free(const_cast<MPI_Datatype*>(&made));
    // The default view stays.
    if (code != MPI_SUCCESS) shapes_.assign(static_cast<std::size_t>(ranks_), shape());
    if (code != MPI_SUCCESS) common_ = true;
  }
  shape const& mine() const { return shapes_[static_cast<std::size_t>(rank_)]; }

  // --- The call ---

  void whole_file() {
    bool const differs = draw_.one_in(5);  // the ranks give different arguments
    MPI_Offset const n = draw_.below(10) - 2 + (draw_.one_in(2) ? 500 : 0) + (differs ? rank_ : 0);
    if (differs) also("differs");
    if (n < 0) also("negative");
    MPI_Offset told = -1;
    switch (draw_.below(common_ ? 7 : 6)) {
      case 0:
        also("set_size");
        return tell("call", MPI_File_set_size(file_, n));
      case 1:
        also("preallocate");
        return tell("call", MPI_File_preallocate(file_, n));
      case 2:
        also("seek");
        return tell("call", MPI_File_seek(file_, n, MPI_SEEK_SET));
      case 3:
        also("seek_end");
        return tell("call", MPI_File_seek(file_, -n, MPI_SEEK_END));
      case 4:
        also("seek_shared");
        return tell("call", MPI_File_seek_shared(file_, n, MPI_SEEK_SET));
      case 5:
        also("set_atomicity");
        return tell("call", MPI_File_set_atomicity(file_, differs ? rank_ % 2 : 1));
      default: {
        also("get_byte_offset");
        int const code = MPI_File_get_byte_offset(file_, n, &told);
        tell("call", code);
        if (code == MPI_SUCCESS) tell("offset", std::to_string(told));
      }
    }
  }

  void transfer() {
    data_call c;
    c.writes = draw_.one_in(2);
    c.by = sequential_ && !draw_.one_in(6) ? (draw_.one_in(2) ? way::shared : way::ordered)
           : common_                       ? static_cast<way>(draw_.below(4))
                                           : static_cast<way>(draw_.below(2));
    c.collective = c.by == way::ordered || (c.by != way::shared && draw_.one_in(2));
    int const as = draw_.below(3);
    c.as = as == 0 || (as == 2 && c.by == way::ordered) ? form::blocking
           : as == 1 && c.collective                    ? form::split
                                                        : form::nonblocking;
    also(name_of(c));

    int count = draw_.one_in(8) ? 0 : draw_.from_to(1, 60), stride = draw_.one_in(3) ? 2 : 1;
    MPI_Offset offset = draw_.below(30);
    if (common_) offset += MPI_Offset{100} * rank_;
    if (draw_.one_in(6)) offset += 2000;  // behind the end
    int const one = draw_.below(ranks_), slip = draw_.one_in(5) ? draw_.below(4) : -1;
    bool const only_one = c.by == way::shared || (!c.collective && draw_.one_in(3));
    if (only_one) also("one");
    bool const concerns_me = draw_.one_in(2) || rank_ == one;  // drawn on all ranks
    if (c.by == way::individual && common_) MPI_File_seek(file_, offset, MPI_SEEK_SET);

    std::string const slips[] = {"count-", "offset-", "no_type", "uncommitted"};
    if (slip >= 0) also(slips[slip]);
    MPI_Datatype const etype = etype_of(mine().unit);
    MPI_Datatype type = etype, made_type = MPI_DATATYPE_NULL;
    if (stride > 1 || slip == 3) {
      MPI_Type_create_resized(etype, 0, static_cast<MPI_Aint>(stride) * mine().unit, &made_type);
      if (slip != 3 || !concerns_me) MPI_Type_commit(&made_type);
      type = made_type;
    }
    bytes memory(static_cast<std::size_t>(count * mine().unit * stride) + 16);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = content(rank_, i);
    if (slip >= 0 && concerns_me) {
      if (slip == 0) count = -1;
      if (slip == 1) offset = -1 - draw_.below(5);
      if (slip == 2) type = MPI_DATATYPE_NULL;
    }
    // The model changes only for calls that cannot be refused.
    if (c.writes && is_simple_ && slip < 0 && (!appends_ || c.by == way::at))
      for (int r = 0; r < ranks_; ++r) {
        if (only_one && r != one) continue;
        bool const is_shared = c.by == way::shared || c.by == way::ordered;
        MPI_Offset const base = offset - (common_ ? MPI_Offset{100} * rank_ : 0),
                         own = base + (common_ ? MPI_Offset{100} * r : 0);
        store(r,
              is_shared                             ? (only_one ? 0 : MPI_Offset{count} * r)
              : c.by == way::individual && !common_ ? 0
                                                    : own,
              count, stride);
      }
    if (!only_one || rank_ == one) move(c, {file_, offset, memory.data(), count, type});
    tell("memory", fingerprint(memory));
    if (made_type != MPI_DATATYPE_NULL) MPI_Type_free(&made_type);
  }

  unsigned char content(int rank, std::size_t i) const {
    return static_cast<unsigned char>(
        mixed(seed_ * 4099 + i + static_cast<std::uint64_t>(rank) * 65537));
  }
  void store(int rank, MPI_Offset offset, int count, int stride) {
    is_modelled_ = true;
    shape const& s = shapes_[static_cast<std::size_t>(rank)];
    for (std::int64_t k = 0; k < std::int64_t{count} * s.unit; ++k) {
      auto const at = static_cast<std::size_t>(s.place(offset * s.unit + k));
      if (at >= model_.size()) model_.resize(at + 1);
      model_[at] =
          content(rank, static_cast<std::size_t>((k / s.unit) * stride * s.unit + k % s.unit));
    }
  }

  void move(data_call const& c, given_data const& d) {
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = made(c, d, &status, &request);
    tell("call", code);
    if (code == MPI_SUCCESS && c.as == form::split) tell("end", code = ended(c, d, &status));
    if (code == MPI_SUCCESS && c.as == form::nonblocking)
      tell("end", code = MPI_Wait(&request, &status));
    if (code != MPI_SUCCESS) return;
    int elements = -1;
    MPI_Get_elements(&status, MPI_BYTE, &elements);
    tell("bytes", std::to_string(elements));
  }

  void tell_pointers() {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset at = -1;
    if (MPI_File_get_position(file_, &at) == MPI_SUCCESS) tell("pointer", std::to_string(at));
    if (common_ && MPI_File_get_position_shared(file_, &at) == MPI_SUCCESS)
      tell("shared", std::to_string(at));
    if (MPI_File_get_size(file_, &at) == MPI_SUCCESS) tell("size", std::to_string(at));
  }

  std::uint64_t seed_;
  numbers draw_;
  int rank_ = 0, ranks_ = 1;
  bool exists_ = true, sequential_ = false;
  bool common_ = true;  // all ranks have the same view
  // The expected content of the file, if it is known.
  bool is_simple_ = false, appends_ = false, is_modelled_ = false;
  bytes model_;
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<shape> shapes_;
  std::string name_, results_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  unsigned long long first = 0, last = 0;
  if (argc != 2 || std::sscanf(argv[1], "%llu:%llu", &first, &last) != 2) {
    std::fprintf(stderr, "give seeds, FIRST:LAST\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::FILE* const lines = std::fopen(("lines." + std::to_string(rank)).c_str(), "a");
  for (unsigned long long seed = first; seed <= last; ++seed) {
    std::fprintf(lines, "%llu begins\n", seed);
    std::fflush(lines);
    std::fprintf(lines, "%llu does %s\n", seed, one_call(seed).run().c_str());
    std::fflush(lines);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::fclose(lines);
  MPI_Finalize();
  return 0;
}
