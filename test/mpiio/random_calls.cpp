// Random programs of MPI's I/O functions. Each step is checked with a model: the bytes of the file,
// the data of reads, statuses, pointers and sizes. A plain MPI program, which uses nothing of the
// library below:
//   mpiexec -n 4 random_calls [FIRST:LAST]
// One page because a plain MPI program has one source.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "data_calls.hpp"
#include "random_views.hpp"

namespace {

using bytes = std::vector<unsigned char>;

// One rank's part in one step.
struct part {
  int count = 0;            // in etypes
  std::int64_t offset = 0;  // in etypes
  int memory_stride = 1;    // in etypes; 1: dense
};

class program {
 public:
  program(std::uint64_t seed, std::string path) : seed_(seed), draw_(seed), path_(std::move(path)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  bool run() {
    begin_with_garbage();
    open();
    int const steps = draw_.from_to(3, 12);
    for (step_ = 1; step_ <= steps && all_is_well(); ++step_) step();
    call("MPI_File_close", MPI_File_close(&file_));
    require(file_ == MPI_FILE_NULL, "the handle is MPI_FILE_NULL after close");
    compare_file();
    if (rank_ == 0) MPI_File_delete(path_.c_str(), MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return all_is_well();
  }

 private:
  // Returns true if all is well on all ranks. Called between two steps, so that no rank reads what
  // another one changes.
  bool all_is_well() {
    int all = 0, mine = ok_ ? 1 : 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
  }
  void require(bool holds, std::string const& what) {
    if (holds) return;
    if (ok_) {
      std::printf("seed %llu, step %d (%s), rank %d: not so: %s\n",
                  static_cast<unsigned long long>(seed_), step_, now_.c_str(), rank_, what.c_str());
      std::fflush(stdout);
    }
    ok_ = false;
  }
  void call(char const* name, int code) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    require(false, std::string(name) + " succeeds; it said: " + text);
  }

  void begin_with_garbage() {
    size_ = draw_.one_in(3) ? 0 : draw_.below(5000);
    model_.resize(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < model_.size(); ++i)
      model_[i] = static_cast<unsigned char>(mixed(seed_ ^ i));
    if (rank_ == 0) {
      int const f = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
      if (::write(f, model_.data(), model_.size()) != static_cast<ssize_t>(model_.size()))
        std::abort();
      ::close(f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void open() {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (draw_.one_in(3))
      MPI_Info_set(info, "romio_cb_write", draw_.one_in(2) ? "enable" : "disable");
    if (draw_.one_in(3))
      MPI_Info_set(info, "romio_ds_write", draw_.one_in(2) ? "enable" : "disable");
    if (draw_.one_in(3)) MPI_Info_set(info, "cb_nodes", "2");
    if (draw_.one_in(4)) MPI_Info_set(info, "cb_buffer_size", "4096");
    int const amode = MPI_MODE_RDWR | (draw_.one_in(2) ? MPI_MODE_CREATE : 0);
    call("MPI_File_open", MPI_File_open(MPI_COMM_WORLD, path_.c_str(), amode, info, &file_));
    MPI_Info_free(&info);
    int told = 0;
    MPI_File_get_amode(file_, &told);
    require(told == amode, "MPI_File_get_amode tells what open was given");
    shapes_.assign(static_cast<std::size_t>(ranks_), shape());
    common_ = true;
    set_pointers(0);
  }
  void set_pointers(std::int64_t to) {
    pointers_.assign(static_cast<std::size_t>(ranks_), to);
    shared_ = to;
  }

  // --- Views ---

  void set_view() {
    now_ = "set_view";
    common_ = draw_.one_in(2);
    shape const base = drawn_base(draw_);
    shapes_ = common_
                  ? std::vector<shape>(static_cast<std::size_t>(ranks_), drawn_common(draw_, base))
                  : drawn_dealt(draw_, base, ranks_);
    shape const& mine = my(shapes_);
    MPI_Datatype filetype = filetype_of(mine);
    call("MPI_File_set_view", MPI_File_set_view(file_, mine.displacement, etype_of(mine.unit),
                                                filetype, "native", MPI_INFO_NULL));
    MPI_Type_free(&filetype);
    set_pointers(0);

    MPI_Offset displacement = 0;
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    char name[MPI_MAX_DATAREP_STRING];
    call("MPI_File_get_view", MPI_File_get_view(file_, &displacement, &etype, &filetype, name));
    MPI_Aint low = 0, extent = 0;
    MPI_Type_get_extent(filetype, &low, &extent);
    require(displacement == mine.displacement && etype == etype_of(mine.unit) &&
                std::strcmp(name, "native") == 0 &&
                extent == static_cast<MPI_Aint>(mine.tile) * mine.unit,
            "MPI_File_get_view tells the view");
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    MPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&filetype);
    MPI_Offset at = 0;
    std::int64_t const k = draw_.below(50);
    call("MPI_File_get_byte_offset", MPI_File_get_byte_offset(file_, k, &at));
    require(at == mine.place(k * mine.unit), "MPI_File_get_byte_offset finds the etype");
  }

  template <class T>
  T& my(std::vector<T>& all) {
    return all[static_cast<std::size_t>(rank_)];
  }

  // --- One step ---

  void step() {
    switch (draw_.below(10)) {
      case 0:
      case 1:
        return set_view();
      case 2:
        return whole_file();
      default:
        return draw_.one_in(3) ? transfer(false) : transfer(true);
    }
  }

  void whole_file() {
    now_ = "size, atomicity";
    if (draw_.one_in(3)) {
      size_ = draw_.below(6000);
      model_.resize(static_cast<std::size_t>(size_));
      call("MPI_File_set_size", MPI_File_set_size(file_, size_));
    } else if (draw_.one_in(2)) {
      std::int64_t const wanted = draw_.below(6000);
      call("MPI_File_preallocate", MPI_File_preallocate(file_, wanted));
      size_ = std::max(size_, wanted);
      model_.resize(static_cast<std::size_t>(size_));
    } else {
      int const on = draw_.below(2);
      int told = -1;
      call("MPI_File_set_atomicity", MPI_File_set_atomicity(file_, on));
      call("MPI_File_get_atomicity", MPI_File_get_atomicity(file_, &told));
      require(told == on, "MPI_File_get_atomicity tells the mode");
    }
    meet();
    MPI_Offset told = -1;
    call("MPI_File_get_size", MPI_File_get_size(file_, &told));
    require(told == size_,
            "MPI_File_get_size is " + std::to_string(size_) + ", and not " + std::to_string(told));
  }

  // Makes everything that was written visible to all ranks.
  void meet() {
    call("MPI_File_sync", MPI_File_sync(file_));
    MPI_Barrier(MPI_COMM_WORLD);
    call("MPI_File_sync", MPI_File_sync(file_));
  }

  unsigned char value(int rank, std::int64_t k) const {
    return static_cast<unsigned char>(mixed(seed_ * 1000003 +
                                            static_cast<std::uint64_t>(step_) * 4099 +
                                            static_cast<std::uint64_t>(rank) * 65537) +
                                      static_cast<std::uint64_t>(k) * 151);
  }

  void transfer(bool writes) {
    way const by = common_ ? static_cast<way>(draw_.below(4)) : static_cast<way>(draw_.below(2));
    bool const collective = by == way::ordered || (by != way::shared && draw_.one_in(2));
    int const which = draw_.below(by == way::ordered ? 2 : 3);
    form const as = which == 0                 ? form::blocking
                    : which == 1 && collective ? form::split
                                               : form::nonblocking;
    bool const large = draw_.one_in(6);
    std::vector<part> parts(static_cast<std::size_t>(ranks_));
    std::int64_t after = 0;
    for (int r = 0; r < ranks_; ++r) {
      part& p = parts[static_cast<std::size_t>(r)];
      p.count = draw_.one_in(6) ? 0 : large ? draw_.from_to(100, 1500) : draw_.from_to(1, 40);
      p.memory_stride = draw_.one_in(3) ? draw_.from_to(2, 3) : 1;
      if (by == way::at) p.offset = common_ ? after + draw_.below(5) : draw_.below(60);
      // otherwise the ranks would write the same bytes
      if (by == way::individual && common_ && writes) seek(r, after);
      if (by == way::individual) p.offset = pointers_[static_cast<std::size_t>(r)];
      if (by == way::ordered) p.offset = shared_ + after;
      after = (by == way::ordered ? after : p.offset) + p.count;
    }
    if (by == way::shared) {  // one rank only, because the order of several is open
      int const one = draw_.below(ranks_);
      for (int r = 0; r < ranks_; ++r)
        if (r != one) parts[static_cast<std::size_t>(r)].count = 0;
      parts[static_cast<std::size_t>(one)].offset = shared_;
      after = parts[static_cast<std::size_t>(one)].count;
    }
    bytes before = model_;
    std::int64_t const size_before = size_;
    if (writes)
      for (int r = 0; r < ranks_; ++r) store(r, parts[static_cast<std::size_t>(r)]);
    if (by == way::individual)
      for (int r = 0; r < ranks_; ++r)
        pointers_[static_cast<std::size_t>(r)] += parts[static_cast<std::size_t>(r)].count;
    if (by == way::shared || by == way::ordered) shared_ += after;

    move({writes, by, collective, as}, my(parts), before, size_before);
    meet();
    if (writes) compare_file();
    if (by == way::individual) {
      MPI_Offset told = -1;
      call("MPI_File_get_position", MPI_File_get_position(file_, &told));
      require(told == my(pointers_), "the individual pointer stands at " +
                                         std::to_string(my(pointers_)) + ", and not " +
                                         std::to_string(told));
    }
    if (common_) {
      MPI_Offset told = -1;
      call("MPI_File_get_position_shared", MPI_File_get_position_shared(file_, &told));
      require(told == shared_, "the shared pointer stands at " + std::to_string(shared_) +
                                   ", and not " + std::to_string(told));
    }
  }

  void seek(int rank, std::int64_t to) {
    auto& pointer = pointers_[static_cast<std::size_t>(rank)];
    if (rank == rank_) {
      bool const relative = (seed_ + static_cast<std::uint64_t>(step_)) % 2 == 0;
      call("MPI_File_seek", relative ? MPI_File_seek(file_, to - pointer, MPI_SEEK_CUR)
                                     : MPI_File_seek(file_, to, MPI_SEEK_SET));
    }
    pointer = to;
  }

  void store(int rank, part const& p) {
    shape const& s = shapes_[static_cast<std::size_t>(rank)];
    for (std::int64_t k = 0; k < std::int64_t{p.count} * s.unit; ++k) {
      std::int64_t const at = s.place(p.offset * s.unit + k);
      if (at >= size_) {
        size_ = at + 1;
        model_.resize(static_cast<std::size_t>(size_));
      }
      model_[static_cast<std::size_t>(at)] = value(rank, k);
    }
  }

  void compare_file() {
    if (rank_ == 0) {
      bytes found(model_.size() + 1);
      int const f = ::open(path_.c_str(), O_RDONLY);
      ssize_t const n = ::pread(f, found.data(), found.size(), 0);
      ::close(f);
      require(n == static_cast<ssize_t>(size_),
              "the file has " + std::to_string(size_) + " bytes, and not " + std::to_string(n));
      found.resize(model_.size());
      auto const [want, have] = std::mismatch(model_.begin(), model_.end(), found.begin());
      if (want != model_.end())
        require(false, "byte " + std::to_string(want - model_.begin()) + " is " +
                           std::to_string(*want) + ", and not " + std::to_string(*have));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // --- The calls ---

  void move(data_call const& c, part const& p, bytes const& before, std::int64_t size_before) {
    shape const& s = my(shapes_);
    MPI_Datatype const etype = etype_of(s.unit);
    MPI_Datatype type = etype;
    if (p.memory_stride > 1) {
      MPI_Type_create_resized(etype, 0, static_cast<MPI_Aint>(p.memory_stride) * s.unit, &type);
      MPI_Type_commit(&type);
    }
    bytes memory(static_cast<std::size_t>(p.count * s.unit * p.memory_stride) + 16, 0xee);
    auto const place = [&](std::int64_t k) {
      return static_cast<std::size_t>((k / s.unit) * p.memory_stride * s.unit + k % s.unit);
    };
    std::int64_t const all = std::int64_t{p.count} * s.unit;
    if (c.writes)
      for (std::int64_t k = 0; k < all; ++k) memory[place(k)] = value(rank_, k);
    bytes expected = memory;
    std::int64_t moved = all;
    if (!c.writes)
      for (std::int64_t k = 0; k < all; ++k) {
        std::int64_t const at = s.place(p.offset * s.unit + k);
        if (at >= size_before) {
          moved = k;
          break;
        }
        expected[place(k)] = before[static_cast<std::size_t>(at)];
      }

    MPI_Status status;
    bool const takes_part = c.by != way::shared || p.count > 0;
    now_ = name_of(c);
    if (takes_part) {
      carry_out(c, {file_, p.offset, memory.data(), p.count, type}, &status);
      int elements = -1, cancelled = -1;
      MPI_Get_elements(&status, MPI_BYTE, &elements);
      MPI_Test_cancelled(&status, &cancelled);
      require(elements == moved, "the status counts " + std::to_string(moved) + " bytes, and not " +
                                     std::to_string(elements));
      require(cancelled == 0, "nothing was cancelled");
      auto const [want, have] = std::mismatch(expected.begin(), expected.end(), memory.begin());
      if (want != expected.end())
        require(false, "byte " + std::to_string(want - expected.begin()) + " of memory is " +
                           std::to_string(*want) + ", and not " + std::to_string(*have));
    }
    if (type != etype) MPI_Type_free(&type);
  }

  void carry_out(data_call const& c, given_data const& d, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    call(now_.c_str(), made(c, d, status, &request));
    if (c.as == form::split) call("its end", ended(c, d, status));
    if (c.as == form::nonblocking) complete(request, c.by != way::shared, status);
  }

  // Completes a request by one of MPI's functions, together with messages to a neighbour if all
  // ranks take part.
  void complete(MPI_Request request, bool everybody, MPI_Status* status) {
    int const how =
        everybody ? static_cast<int>(mixed(seed_ + static_cast<std::uint64_t>(step_)) % 8) : 0;
    std::vector<int> sent(20000, rank_ + step_), got(20000, -1);
    int const next = (rank_ + 1) % ranks_, last = (rank_ + ranks_ - 1) % ranks_;
    MPI_Request list[3] = {request, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (everybody) {
      MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_INT, last, 7, MPI_COMM_WORLD,
                &list[1]);
      MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_INT, next, 7, MPI_COMM_WORLD,
                &list[2]);
    }
    MPI_Status all[3];
    int indices[3], index = 0, flag = 0, ended = 0;
    now_ += ", completed by " + std::to_string(how);
    switch (how) {
      case 0:
        call("MPI_Wait", MPI_Wait(&list[0], status));
        MPI_Waitall(2, list + 1, MPI_STATUSES_IGNORE);
        break;
      case 1:
        while (flag == 0) call("MPI_Test", MPI_Test(&list[0], &flag, status));
        MPI_Waitall(2, list + 1, MPI_STATUSES_IGNORE);
        break;
      case 2:
        call("MPI_Waitall", MPI_Waitall(3, list, all));
        *status = all[0];
        break;
      case 3:
        while (flag == 0) call("MPI_Testall", MPI_Testall(3, list, &flag, all));
        *status = all[0];
        break;
      case 4:
        for (int i = 0; i < 3; ++i) {
          call("MPI_Waitany", MPI_Waitany(3, list, &index, &all[0]));
          if (index == 0) *status = all[0];
        }
        break;
      case 5:
        while (ended < 3) {
          call("MPI_Testany", MPI_Testany(3, list, &index, &flag, &all[0]));
          if (flag != 0 && index == 0) *status = all[0];
          if (flag != 0) ++ended;
        }
        break;
      default:
        while (ended < 3) {
          int n = 0;
          if (how == 6)
            call("MPI_Waitsome", MPI_Waitsome(3, list, &n, indices, all));
          else
            call("MPI_Testsome", MPI_Testsome(3, list, &n, indices, all));
          for (int i = 0; i < n; ++i)
            if (indices[i] == 0) *status = all[i];
          ended += n;
        }
    }
    for (MPI_Request r : list)
      require(r == MPI_REQUEST_NULL, "completed requests are MPI_REQUEST_NULL");
    if (everybody)
      require(got == std::vector<int>(20000, last + step_), "the neighbour's message came");
  }

  std::uint64_t seed_;
  numbers draw_;
  std::string path_;
  std::string now_ = "open";
  int rank_ = 0, ranks_ = 1, step_ = 0;
  bool ok_ = true;
  MPI_File file_ = MPI_FILE_NULL;
  bytes model_;
  std::int64_t size_ = 0;
  bool common_ = true;  // all ranks have the same view
  std::vector<shape> shapes_;
  std::vector<std::int64_t> pointers_;
  std::int64_t shared_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  unsigned long long first = 1, last = 150;
  if (argc > 1 && std::sscanf(argv[1], "%llu:%llu", &first, &last) == 1) last = first;
  int rank = 0, bad = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char const* const directory = std::getenv("TMPDIR");
  for (unsigned long long seed = first; seed <= last; ++seed)
    if (!program(seed, std::string(directory ? directory : "/tmp") + "/random_calls.dat").run())
      ++bad;
  if (rank == 0) std::printf("%d of %llu random programs went wrong\n", bad, last - first + 1);
  MPI_Finalize();
  return bad == 0 ? 0 : 1;
}
