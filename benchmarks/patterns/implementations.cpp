// SPDX-License-Identifier: BSD-3-Clause
#include "implementation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/layout.hpp>

#include "descriptor.hpp"
#include "own.hpp"

namespace patterns {

void fail(std::string_view what) {
  std::fprintf(stderr, "bench_patterns: %.*s\n", static_cast<int>(what.size()), what.data());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

namespace {

std::vector<transfer> pieces_of(setting const& s) {
  std::vector<transfer> pieces;
  s.what->walk(rank_in(s.comm), [&](transfer const& t) { pieces.push_back(t); });
  return pieces;
}

// Returns the pieces of a rank, if each is a call. Collective calls need equally many on every
// rank, so empty pieces are added.
std::vector<transfer> calls_of(setting const& s) {
  if (s.how == level::independent || s.how == level::collective) return {};
  std::vector<transfer> calls = pieces_of(s);
  if (s.how == level::pieces_together) {
    auto most = static_cast<std::int64_t>(calls.size());
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, s.comm);
    calls.resize(static_cast<std::size_t>(most), {0, 0, 0});
  }
  return calls;
}

class argosy_file final : public implementation {
 public:
  argosy_file(std::string_view name, argosy::hints h) : name_(name), hints_(std::move(h)) {}
  std::string_view name() const override { return name_; }
  void open(setting const& s) override {
    how_ = s.how;
    share const mine = s.what->of(rank_in(s.comm));
    memory_ = mine.memory;
    calls_ = calls_of(s);
    file_ = argosy::file::open(
        argosy::mpi(s.comm), s.path,
        argosy::mode::read_write | (s.creates ? argosy::mode::create : argosy::mode::none), hints_);
    if (calls_.empty()) file_.set_view(argosy::view(0, argosy::bytes(1), mine.view));
  }
  void close() override { file_.close(); }
  void sync() override {
    file_.sync();
    file_.sync();  // twice, because the first sync of all ranks must precede the second of each
  }
  void read(std::byte* memory) override {
    switch (how_) {
      case level::pieces:
        for (transfer const& t : calls_)
          last_ = file_.read_at(t.file_offset, part<argosy::buffer>(memory, t));
        break;
      case level::pieces_together:
        for (transfer const& t : calls_)
          last_ = file_.read_at_all(t.file_offset, part<argosy::buffer>(memory, t));
        break;
      case level::independent:
        last_ = file_.read_at(0, argosy::buffer{memory, memory_});
        break;
      case level::collective:
        last_ = file_.read_at_all(0, argosy::buffer{memory, memory_});
        break;
    }
  }
  void write(std::byte const* memory) override {
    switch (how_) {
      case level::pieces:
        for (transfer const& t : calls_)
          last_ = file_.write_at(t.file_offset, part<argosy::const_buffer>(memory, t));
        break;
      case level::pieces_together:
        for (transfer const& t : calls_)
          last_ = file_.write_at_all(t.file_offset, part<argosy::const_buffer>(memory, t));
        break;
      case level::independent:
        last_ = file_.write_at(0, argosy::const_buffer{memory, memory_});
        break;
      case level::collective:
        last_ = file_.write_at_all(0, argosy::const_buffer{memory, memory_});
        break;
    }
  }
  std::string last() const override { return to_string(last_); }

 private:
  template <class Buffer, class Byte>
  static Buffer part(Byte* memory, transfer const& t) {
    return {memory + t.memory_offset, argosy::bytes(t.bytes)};
  }
  std::string name_;
  argosy::hints hints_;
  level how_ = level::independent;
  argosy::layout memory_;
  std::vector<transfer> calls_;
  argosy::file file_;
  argosy::report last_;
};

class mpi_file final : public implementation {
 public:
  std::string_view name() const override { return "mpi"; }
  void open(setting const& s) override {
    how_ = s.how;
    types_ = s.what->mpi_of(rank_in(s.comm));
    calls_ = calls_of(s);
    comm_ = s.comm;
    int const mode = MPI_MODE_RDWR | (s.creates ? MPI_MODE_CREATE : 0);
    require(MPI_File_open(s.comm, s.path.c_str(), mode, MPI_INFO_NULL, &file_));
    if (calls_.empty())
      require(MPI_File_set_view(file_, 0, MPI_BYTE, types_.view, "native", MPI_INFO_NULL));
  }
  void sync() override {
    require(MPI_File_sync(file_));
    MPI_Barrier(comm_);
    require(MPI_File_sync(file_));
  }
  void close() override {
    require(MPI_File_close(&file_));
    types_.free();
  }
  void read(std::byte* memory) override {
    switch (how_) {
      case level::pieces:
      case level::pieces_together:
        for (transfer const& t : calls_)
          require((how_ == level::pieces ? MPI_File_read_at : MPI_File_read_at_all)(
              file_, t.file_offset, memory + t.memory_offset, static_cast<int>(t.bytes), MPI_BYTE,
              MPI_STATUS_IGNORE));
        break;
      case level::independent:
        require(MPI_File_read_at(file_, 0, memory, 1, types_.memory, MPI_STATUS_IGNORE));
        break;
      case level::collective:
        require(MPI_File_read_at_all(file_, 0, memory, 1, types_.memory, MPI_STATUS_IGNORE));
        break;
    }
  }
  void write(std::byte const* memory) override {
    switch (how_) {
      case level::pieces:
      case level::pieces_together:
        for (transfer const& t : calls_)
          require((how_ == level::pieces ? MPI_File_write_at : MPI_File_write_at_all)(
              file_, t.file_offset, memory + t.memory_offset, static_cast<int>(t.bytes), MPI_BYTE,
              MPI_STATUS_IGNORE));
        break;
      case level::independent:
        require(MPI_File_write_at(file_, 0, memory, 1, types_.memory, MPI_STATUS_IGNORE));
        break;
      case level::collective:
        require(MPI_File_write_at_all(file_, 0, memory, 1, types_.memory, MPI_STATUS_IGNORE));
        break;
    }
  }

 private:
  static void require(int result) {
    if (result != MPI_SUCCESS) fail("a call of MPI failed");
  }
  level how_ = level::independent;
  mpi_share types_;
  std::vector<transfer> calls_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_File file_ = MPI_FILE_NULL;
};

// A list of plain calls.
class plain_file : public implementation {
 public:
  void open(setting const& s) override {
    pieces_ = plan(s);
    file_.open(s);
  }
  void close() override { file_.close(); }
  void sync() override { file_.sync(); }
  void read(std::byte* memory) override {
    for (transfer const& t : pieces_) file_.read(memory + t.memory_offset, t.bytes, t.file_offset);
  }
  void write(std::byte const* memory) override {
    for (transfer const& t : pieces_) file_.write(memory + t.memory_offset, t.bytes, t.file_offset);
  }

 private:
  virtual std::vector<transfer> plan(setting const& s) const = 0;
  std::vector<transfer> pieces_;
  descriptor file_;
};

class posix_file final : public plain_file {
 public:
  std::string_view name() const override { return "posix"; }

 private:
  std::vector<transfer> plan(setting const& s) const override { return pieces_of(s); }
};

class limit_file final : public plain_file {
 public:
  std::string_view name() const override { return "limit"; }
  bool follows_the_pattern() const override { return false; }

 private:
  std::vector<transfer> plan(setting const& s) const override {
    constexpr std::int64_t call_bytes = 4 << 20;
    std::int64_t const bytes = s.what->of(rank_in(s.comm)).bytes;
    std::int64_t before = 0;
    MPI_Exscan(&bytes, &before, 1, MPI_INT64_T, MPI_SUM, s.comm);
    std::vector<transfer> calls;
    for (std::int64_t at = 0; at < bytes; at += call_bytes)
      calls.push_back({before + at, at, std::min(call_bytes, bytes - at)});
    return calls;
  }
};

}  // namespace

std::unique_ptr<implementation> make_implementation(std::string_view name,
                                                    argosy::hints const& of_argosy) {
  if (name == "argosy") return std::make_unique<argosy_file>(name, of_argosy);
  if (name.starts_with("argosy:")) {
    argosy::hints h = of_argosy;
    h.policy = name.substr(name.find(':') + 1);
    bool const known = argosy::file_hints({}, {}, h).find("argosy_policy")->status ==
                       argosy::hint_status::accepted;
    return known ? std::make_unique<argosy_file>(name, h) : nullptr;
  }
  if (name == "mpi") return std::make_unique<mpi_file>();
  if (name == "posix") return std::make_unique<posix_file>();
  if (name == "limit") return std::make_unique<limit_file>();
  if (name == "own") return make_own();
  return nullptr;
}

}  // namespace patterns
