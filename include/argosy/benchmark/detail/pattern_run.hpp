// One rank's work on a pattern: its file, its memory, the calls, and the check of all bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <argosy/benchmark/family.hpp>
#include <argosy/benchmark/patterns/pattern.hpp>
#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/buffer.hpp>
#include <argosy/file/any_world.hpp>
#include <argosy/file/mode.hpp>
#include <argosy/handle/opener.hpp>
#include <argosy/plan/report.hpp>
#include <argosy/plan/window.hpp>
#include <argosy/world/communicator.hpp>

namespace argosy::bench::detail {

// Returns the byte of the file at this place, so that every byte can be checked.
constexpr std::byte content_at(std::int64_t offset) {
  return static_cast<std::byte>((static_cast<std::uint64_t>(offset) * 2654435761u) >> 13);
}

template <communicator World>
class pattern_run {
 public:
  // Local.
  pattern_run(World const& world, pattern const& what, calls_of calls, access_kind kind)
      : world_(world),
        pattern_(what),
        calls_(calls),
        kind_(kind),
        mine_(what.of(world.rank())),
        memory_(static_cast<std::size_t>(mine_.memory_bytes)) {
    if (calls_ != calls_of::view)
      what.walk(world.rank(), [&](transfer const& t) { pieces_.push_back(t); });
  }

  // Opens the file or files. Collective. Files that are read are written first, and checked.
  void open(std::string const& path, opener const& files) {
    constexpr mode how = mode::create | mode::read_write | mode::truncate;
    own_ = calls_ == calls_of::own_files;
    std::string const name = own_ ? path + "." + std::to_string(world_.rank()) : path;
    files_.emplace(files);
    path_ = name;
    World const ranks = own_ ? world_.split(world_.rank(), 0) : world_;
    file_ = basic_file<World>::open(ranks, name, how, {}, files);
    if (calls_ == calls_of::view) file_.set_view(0, {argosy::bytes(1), mine_.view});
    fill();
    if (kind_ == access_kind::read) {
      rewind();
      call(access_kind::write);
      check_file();
      std::fill(memory_.begin(), memory_.end(), std::byte{0x5a});
    }
  }
  // Moves the shared pointer back to the start. Collective.
  void rewind() {
    if (calls_ == calls_of::shared_pointer) file_.seek_shared(0);
  }
  // Moves all data of the pattern once. Collective or local, as the family says.
  report call() { return call(kind_); }
  // Compares all bytes of this rank. Collective. Throws std::runtime_error for a wrong byte.
  void check() {
    if (kind_ == access_kind::write) return check_file();
    pattern_.walk(world_.rank(), [&](transfer const& t) {
      for (std::int64_t k = 0; k < t.bytes; ++k)
        if (memory_[static_cast<std::size_t>(t.memory_offset + k)] != content_at(t.file_offset + k))
          wrong("memory", t.file_offset + k);
    });
  }
  void close() { file_.close(); }
  // Closes the file on this rank, and removes it. Local.
  void leave() {
    file_ = {};
    if (files_ && (own_ || world_.rank() == 0)) files_->remove(path_);
  }

 private:
  void fill() {
    pattern_.walk(world_.rank(), [&](transfer const& t) {
      for (std::int64_t k = 0; k < t.bytes; ++k)
        memory_[static_cast<std::size_t>(t.memory_offset + k)] = content_at(t.file_offset + k);
    });
  }
  [[noreturn]] void wrong(char const* where, std::int64_t offset) const {
    throw std::runtime_error(pattern_.name() + ": a byte in " + where +
                             " is wrong, that of offset " + std::to_string(offset) +
                             " of the file");
  }
  // Returns the place of a piece in this rank's file.
  std::int64_t place(transfer const& t) const {
    return own_ ? t.file_offset - pieces_.front().file_offset : t.file_offset;
  }

  report call(access_kind kind) {
    bool const writes = kind == access_kind::write;
    std::byte* const data = memory_.data();
    if (calls_ == calls_of::view)
      return writes ? file_.write_at_all(0, const_buffer{data, mine_.memory})
                    : file_.read_at_all(0, buffer{data, mine_.memory});
    report sum;
    for (transfer const& t : pieces_) {
      report const r = piece(t, writes);
      sum.bytes += r.bytes;
      sum.read_calls += r.read_calls;
      sum.write_calls += r.write_calls;
      sum.rounds += r.rounds;
      sum.merged_bytes += r.merged_bytes;
    }
    return sum;
  }
  report piece(transfer const& t, bool writes) {
    std::span<std::byte> const data = std::span(memory_).subspan(
        static_cast<std::size_t>(t.memory_offset), static_cast<std::size_t>(t.bytes));
    if (calls_ == calls_of::shared_pointer)
      return writes ? file_.write_ordered(data) : file_.read_ordered(data);
    if (calls_ == calls_of::pieces_together)
      return writes ? file_.write_at_all(place(t), data) : file_.read_at_all(place(t), data);
    return writes ? file_.write_at(place(t), data) : file_.read_at(place(t), data);
  }

  // Compares this rank's bytes of the file. Collective.
  void check_file() {
    // Two syncs, because the first of all ranks must precede the second of each.
    file_.sync();
    world_.barrier();
    file_.sync();
    if (calls_ == calls_of::view) file_.set_view(0, {argosy::bytes(1), argosy::bytes(1)});
    std::exception_ptr fault;  // thrown after the last collective call
    try {
      compare_file();
    } catch (...) {
      fault = std::current_exception();
    }
    if (calls_ == calls_of::view) file_.set_view(0, {argosy::bytes(1), mine_.view});
    if (fault) std::rethrow_exception(fault);
  }
  // Reads this rank's bytes without a view, in long windows.
  void compare_file() {
    std::vector<std::byte> window;
    std::int64_t begin = 0;
    auto const at = [&](std::int64_t offset) {
      if (offset < begin || offset >= begin + std::ssize(window)) {
        window.assign(std::size_t{1} << 20, std::byte{});
        begin = offset;
        window.resize(static_cast<std::size_t>(file_.read_at(begin, window).bytes));
        if (window.empty()) wrong("the file", offset);
      }
      return window[static_cast<std::size_t>(offset - begin)];
    };
    pattern_.walk(world_.rank(), [&](transfer const& t) {
      for (std::int64_t k = 0; k < t.bytes; ++k)
        if (at(place(t) + k) != content_at(t.file_offset + k)) wrong("the file", t.file_offset + k);
    });
  }

  World world_;
  pattern const& pattern_;
  calls_of calls_;
  access_kind kind_;
  share mine_;
  std::vector<std::byte> memory_;
  std::vector<transfer> pieces_;  // without a view
  std::optional<opener> files_;
  std::string path_;
  bool own_ = false;
  basic_file<World> file_;
};

}  // namespace argosy::bench::detail
