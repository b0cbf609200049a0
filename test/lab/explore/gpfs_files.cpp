// SPDX-License-Identifier: BSD-3-Clause
#include "gpfs_files.hpp"

#include <algorithm>
#include <cerrno>
#include <variant>

#include <fmt/format.h>

namespace argosy::explore {

using namespace extend;

// The writes of one handle that are not yet certainly on disk, and the error that it must still
// report. A handle owes an error if a server refused bytes that it was the last to write. The debt
// begins when its node learns of the refusal. The next call that reports such losses must fail.
struct gpfs_files::open_file final : watch {
  open_file(gpfs_files& f, int n, lab::gpfs::detail::file_id i, std::string p)
      : all(f), node(n), file(i), path(std::move(p)) {}

  void writes(std::int64_t offset, std::span<std::byte const> bytes) override {
    std::int64_t const end = offset + static_cast<std::int64_t>(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      written& w = unsafe[offset + static_cast<std::int64_t>(i)];
      w.values.push_back(bytes[i]);
      w.covered = false;
      ++w.writing;
    }
    // If another handle of the same pages is in a write, either of the two may reach the page last.
    for (auto const& f : all.open_)
      if (f.get() != this && f->file == file && all.share_pages(file, f->node, node))
        for (auto at = f->unsafe.lower_bound(offset); at != f->unsafe.end() && at->first < end;
             ++at) {
          at->second.covered = true;
          if (at->second.writing > 0) unsafe[at->first].covered = true;
        }
  }
  // Bytes behind the first `done` bytes have not reached the handle's node.
  void wrote(std::span<write_part const> parts, std::int64_t done) override {
    for (write_part const& p : parts) {
      std::int64_t const here = std::min(done, static_cast<std::int64_t>(p.memory.size()));
      done -= here;
      for (std::size_t i = 0; i < p.memory.size(); ++i) {
        auto const at = unsafe.find(p.offset + static_cast<std::int64_t>(i));
        if (at == unsafe.end()) continue;
        at->second.writing = std::max(0, at->second.writing - 1);
        if (static_cast<std::int64_t>(i) < here || at->second.values.back() != p.memory[i])
          continue;
        at->second.values.pop_back();
        at->second.covered = true;
        if (at->second.values.empty()) unsafe.erase(at);
      }
    }
  }

  std::int64_t begin() override {
    ++under_way;
    return all.time_;
  }
  void end(file_call kind, std::int64_t begun, std::error_code error, bool tells) override {
    --under_way;
    // The first of several losses is reported, and that may be one that was not certain here. It
    // may also be a fault that struck before the call reached the file system.
    if (owed.error != 0 &&
        (error.value() == owed.error || all.refuse_with_.contains(error.value()))) {
      owed = {};
      may_be_told += std::exchange(more, 0) + (all.fails_with_.contains(error.value()) ? 1 : 0);
    } else if (error.value() == write_error() && late > 0) {
      --late;
    } else if (error.value() == write_error() && may_be_told > 0) {
      --may_be_told;
    } else if (error.value() == write_error()) {
      complain(fmt::format("{} is told of a loss that is not its own", words(kind)));
    } else if (!error && tells && required && owed.error != 0 && owed.since <= begun &&
               under_way == 0) {
      complain(fmt::format("{} succeeds, and nobody was told that bytes are lost: {}", words(kind),
                           std::error_code(owed.error, std::system_category()).message()));
    }
    if (kind != file_call::close) return;
    closed = true;
    if (owed.error != 0) all.orphans_[{node, file}] = owed;
    owed = {};
  }

  // touched: the handle has written some of the bytes that reached the disk or were lost. mine: and
  // no other handle has written them since.
  struct part_in {
    bool touched = false, mine = false;
  };

  template <class Again>
  void settle(lab::gpfs::detail::block_piece const& p, part_in& part, Again&& is_again) {
    std::int64_t const last = p.offset + p.data.size();
    for (auto at = unsafe.lower_bound(p.offset); at != unsafe.end() && at->first < last;) {
      auto const here = at++;
      std::vector<std::byte>& values = here->second.values;
      std::byte const value = p.data[static_cast<std::size_t>(here->first - p.offset)];
      bool const later = here->second.covered || here->second.writing > 0 || is_again(here->first);
      part.touched = true;
      part.mine = part.mine || (!later && values.back() == value);
      auto const found = std::find(values.begin(), values.end(), value);
      if (found == values.end()) continue;
      if (!later) {
        unsafe.erase(here);
        continue;
      }
      // Since the block was sent, the same value may have been written once more, as merging does.
      bool const doubtful = found + 1 == values.end();
      here->second.covered = here->second.covered || doubtful;
      values.erase(values.begin(), doubtful ? found : found + 1);
    }
  }
  void owe(int error) {
    if (owed.error != 0) {
      ++more;
      return;
    }
    owed = {error, all.time_};
    required = true;
  }
  void complain(std::string const& what) {
    if (!all.lenient_ && all.complaint_.empty()) all.complaint_ = what;
  }
  std::string words(file_call kind) const {
    return fmt::format("{} of '{}' on node {}", to_string(kind), path, node);
  }

  struct written {
    std::vector<std::byte> values;  // oldest first, while they may be on their way
    bool covered = false;  // another handle of the node has written here since, or may have
    int writing = 0;       // write calls that are running
  };

  gpfs_files& all;
  int node;
  lab::gpfs::detail::file_id file;
  std::string path;
  std::map<std::int64_t, written> unsafe;
  debt owed;
  int more = 0;  // losses while an error was already owed; may or may not be reported with it
  int may_be_told = 0;  // losses of bytes that another handle has overwritten
  // losses of other nodes that the handle's node has heard of; a running call may report one
  int late = 0;
  int under_way = 0;  // running calls, any of which may be the one that reports
  bool closed = false;
  bool required = true;  // no other handle can report in its place
};

int gpfs_files::write_error() { return EREMOTEIO; }

gpfs_files::gpfs_files(program const& p)
    : files_(p.gpfs->machine, (p.world.ranks - 1) / p.world.ranks_per_node + 1, p.gpfs->troubles),
      ranks_per_node_(p.world.ranks_per_node),
      lenient_(!p.world.deaths.empty()),
      block_bytes_(p.gpfs->machine.block_bytes) {
  for (lab::gpfs::server_fault const& f : p.gpfs->troubles.faults)
    if (f.of_writes) refuse_with_.insert(f.error);
  for (lab::rank_fault const& f : p.world.faults) fails_with_.insert(f.what.error.value());
  files_.system().on_delivery = [this](lab::gpfs::detail::message const& m,
                                       lab::gpfs::detail::instant) { see(m); };
}

std::shared_ptr<watch> gpfs_files::opened(int rank, std::string const& path, open_flags,
                                          std::int64_t began) {
  int const node = rank / ranks_per_node_;
  auto const file = files_.system().manager().find(path);
  if (!file) return nullptr;  // removed meanwhile
  auto opened = std::make_shared<open_file>(*this, node, *file, path);
  if (auto const orphan = orphans_.find({node, *file});
      orphan != orphans_.end() && orphan->second.since < began) {
    opened->owed = orphan->second;
    // The first rank that opens the file owes the error, and with several ranks on a node the
    // oracle does not know which.
    opened->required = ranks_per_node_ == 1;
    if (opened->required) orphans_.erase(orphan);
  }
  open_.push_back(opened);
  return opened;
}

void gpfs_files::see(lab::gpfs::detail::message const& m) {
  ++time_;
  if (auto const* const w = std::get_if<lab::gpfs::detail::block_write>(&m.body)) {
    auto& pieces = on_the_way_[{m.from.index, w->file, w->block}];
    pieces = w->pieces;
    for (lab::gpfs::detail::block_piece& p : pieces) p.offset += w->block * block_bytes_;
    // The sender is dead, so this block may reach the disk or not.
    if (files_.system().is_dead(m.from.index))
      for (lab::gpfs::detail::block_piece const& p : pieces)
        losses_.push_back({path_of(w->file), p.offset, {}, p.data.bytes(), -1});
  } else if (auto const* const done = std::get_if<lab::gpfs::detail::block_written>(&m.body)) {
    auto const found = on_the_way_.extract({m.to.index, done->file, done->block});
    if (!found.empty()) saved(m.to.index, done->file, found.mapped(), done->error);
  } else if (auto const* const l = std::get_if<lab::gpfs::detail::node_lost>(&m.body)) {
    node_gone(l->node);
  } else if (auto const* const late = std::get_if<lab::gpfs::detail::late_error>(&m.body)) {
    for (auto const& f : open_)
      if (f->node == m.to.index && f->file == late->file) ++f->late;
  } else if (auto const* const s = std::get_if<lab::gpfs::detail::ship_begin>(&m.body)) {
    partitioned_.insert(s->file);
  }
}

// On a partitioned file, the nodes that own the pages cache them, whichever node writes.
bool gpfs_files::share_pages(lab::gpfs::detail::file_id file, int node, int other) const {
  return node == other || partitioned_.contains(file);
}

void gpfs_files::saved(int node, lab::gpfs::detail::file_id file,
                       std::vector<lab::gpfs::detail::block_piece> const& pieces, int error) {
  // Bytes that were written again since the block was sent will be sent again later.
  auto const again = files_.system().client(node).unsaved(file, false);
  auto const is_again = [&](std::int64_t offset) {
    return std::any_of(again.begin(), again.end(), [=](lab::gpfs::detail::block_piece const& a) {
      return a.offset <= offset && offset < a.offset + a.data.size();
    });
  };
  if (error != 0)
    for (lab::gpfs::detail::block_piece const& p : pieces)
      losses_.push_back({path_of(file), p.offset, p.data.bytes(),
                         disk(file, p.offset, p.data.bytes().size()), -1});
  for (auto const& f : open_) {
    if (f->file != file || !share_pages(file, f->node, node)) continue;
    open_file::part_in part;
    for (lab::gpfs::detail::block_piece const& p : pieces) f->settle(p, part, is_again);
    if (error == 0) continue;
    if (part.touched && !part.mine) ++f->may_be_told;
    if (!part.mine || f->node != node) continue;  // the owner will report to the writing node
    if (!f->closed)
      f->owe(error);
    else if (!orphans_.contains({node, file}))
      orphans_[{node, file}] = {error, time_};
  }
}

void gpfs_files::node_gone(int node) {
  lab::gpfs::loopback& system = files_.system();
  for (std::string const& name : files_.names()) {
    lab::gpfs::detail::file_id const file = *system.manager().find(name);
    for (lab::gpfs::detail::block_piece const& p : system.client(node).unsaved(file))
      losses_.push_back(
          {name, p.offset, p.data.bytes(), disk(file, p.offset, p.data.bytes().size()), -1});
    // Sizes that only this node knew are lost, too. Blocks on disk behind the lost size count as
    // never written: a rank that extends the file takes them for zeros, and may write these zeros.
    std::int64_t const size = system.manager().size(file).bytes,
                       known = system.client(node).size(file).bytes;
    losses_.push_back({name, 0, {}, {}, size});
    for (std::int64_t o = size; o < known; o = (o / block_bytes_ + 1) * block_bytes_) {
      auto const length =
          static_cast<std::size_t>(std::min(known, (o / block_bytes_ + 1) * block_bytes_) - o);
      losses_.push_back({name, o, disk(file, o, length), std::vector<std::byte>(length), -1});
    }
  }
}

std::string gpfs_files::path_of(lab::gpfs::detail::file_id file) const {
  for (std::string const& name : files_.names())
    if (files_.system().manager().find(name) == file) return name;
  return "a file that was removed";
}

std::vector<std::byte> gpfs_files::disk(lab::gpfs::detail::file_id file, std::int64_t offset,
                                        std::size_t length) const {
  lab::gpfs::loopback& system = files_.system();
  std::vector<std::byte> block(static_cast<std::size_t>(block_bytes_));
  std::int64_t const number = offset / block_bytes_;
  system.server(lab::gpfs::detail::place_of(system.hardware(), file, number).server)
      .store()
      .read(file, number, block);
  auto const from = block.begin() + offset % block_bytes_;
  return {from, from + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace argosy::explore
