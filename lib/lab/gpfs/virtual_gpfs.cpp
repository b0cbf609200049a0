// Implements lab/gpfs/virtual_gpfs.hpp: the handle, and the file system by names.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/lab/gpfs/virtual_gpfs.hpp>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gpfs_state.hpp"
#include "lab/cluster/file_action.hpp"

namespace argosy::lab {
namespace detail {

namespace {

struct call_name {
  std::string_view name;
  std::uint64_t code;
};

call_name name_of(gpfs::detail::call const& c) {
  using kind = gpfs::detail::call_kind;
  auto const known = [](file_call f) {
    return call_name{to_string(f), static_cast<std::uint64_t>(f)};
  };
  switch (c.kind) {
    case kind::open:
      return known(file_call::open);
    case kind::read:
      return known(file_call::read);
    case kind::write:
      return known(file_call::write);
    case kind::sync:
      return known(file_call::sync);
    case kind::size:
      return known(file_call::size);
    case kind::resize:
      return known(c.only_grow ? file_call::preallocate : file_call::resize);
    case kind::close:
      return known(file_call::close);
    case kind::lock:
      return known(file_call::lock);
    case kind::unlock:
      return known(file_call::unlock);
    case kind::fcntl:
      return {"fcntl", 20};
    case kind::remove:
      return {"remove", 21};
    case kind::rename:
      return {"rename", 22};
  }
  return {"call", 23};
}

gpfs::detail::completion carried(gpfs_state& state, int node, std::string const& path,
                                 gpfs::detail::call c) {
  auto const [name, code] = name_of(c);
  bool const moves =
      c.kind == gpfs::detail::call_kind::read || c.kind == gpfs::detail::call_kind::write;
  std::int64_t const offset = c.offset;
  std::uint64_t const file =
      static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(c.instance);
  std::string const words = fmt::format("{} of '{}' in the simulated GPFS", name, path);
  file_action act(name, code, file, moves);
  if (act.skipped()) {
    if (c.kind == gpfs::detail::call_kind::close) state.close_later(node, c.instance);
    return {0, 0, EIO, {}};
  }
  gpfs::detail::completion const done = state.carry(act, node, std::move(c), words);
  act.end(offset, moves ? done.value : -1, done.error);
  return done;
}

std::error_code code_of(gpfs::detail::completion const& done) {
  return done.error != 0 ? errno_code(done.error) : std::error_code();
}

}  // namespace
}  // namespace detail

using namespace detail;

// --- The handle ---

virtual_gpfs_handle& virtual_gpfs_handle::operator=(virtual_gpfs_handle&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(node_, other.node_);
  std::swap(instance_, other.instance_);
  std::swap(path_, other.path_);
  return *this;
}

virtual_gpfs_handle::~virtual_gpfs_handle() {
  try {
    if (state_) state_->close_later(node_, instance_);
  } catch (...) {  // too many events are under way: the next call of anyone fails, too
  }
}

gpfs::detail::completion virtual_gpfs_handle::carry(gpfs::detail::call c) {
  if (!state_) return {0, 0, EBADF, {}};
  if (c.kind == gpfs::detail::call_kind::write && state_->synchronous)
    c.synchronous = state_->synchronous(path_);
  return carried(*state_, node_, path_, std::move(c));
}

std::int64_t virtual_gpfs_handle::owner() const {
  scheduler* const s = scheduler::running();
  return s && s->in_task() ? s->now().number + 1 : 0;
}

bool virtual_gpfs_handle::is_hollow() const {
  return state_ && !state_->system.is_dead(node_) &&
         state_->system.client(node_).is_hollow(instance_);
}

std::error_code virtual_gpfs_handle::close() {
  if (!state_) return errno_code(EBADF);
  gpfs::detail::completion const done =
      carried(*state_, node_, path_, make(gpfs::detail::call_kind::close));
  state_.reset();
  return code_of(done);
}

argosy::extend::storage virtual_gpfs_handle::storage() const {
  return state_ ? state_->system.hardware().storage() : argosy::extend::storage();
}

std::optional<file_identity> virtual_gpfs_handle::identity() const {
  if (!state_ || state_->system.is_dead(node_)) return std::nullopt;
  auto const file = state_->system.client(node_).file_of(instance_);
  if (!file) return std::nullopt;
  return file_identity{.number = static_cast<std::uint64_t>(*file)};
}

std::int64_t virtual_gpfs_handle::block_bytes() const noexcept {
  return state_ ? state_->system.hardware().block_bytes : 4096;
}

// --- The file system ---

virtual_gpfs::virtual_gpfs(gpfs::machine const& m, int nodes, gpfs::troubles const& t,
                           contents kept)
    : state_(std::make_shared<gpfs_state>(m, nodes, t, kept)) {}

virtual_gpfs_handle virtual_gpfs::open(std::string const& path, open_flags flags,
                                       std::error_code& error) const {
  virtual_gpfs_handle h;
  int const node = state_->node_here();
  gpfs::detail::completion const done = path.empty()
                                            ? gpfs::detail::completion{0, 0, ENOENT, {}}
                                            : carried(*state_, node, path, h.opening(path, flags));
  error = code_of(done);
  if (error) return h;
  h.state_ = state_;
  h.node_ = node;
  h.path_ = path;
  h.instance_ = static_cast<int>(done.value);
  return h;
}

opener virtual_gpfs::opener() const {
  auto const open = [files = *this](std::string const& path, open_flags flags,
                                    std::error_code& error) {
    return files.open(path, flags, error);
  };
  auto const with_name = [state = state_](gpfs::detail::call_kind kind, std::string const& path,
                                          std::string const& to) {
    gpfs::detail::call c;
    c.kind = kind;
    c.path = path;
    c.to = to;
    return code_of(carried(*state, state->node_here(), path, std::move(c)));
  };
  auto const remove = [=](std::string const& path) {
    return with_name(gpfs::detail::call_kind::remove, path, {});
  };
  auto const rename = [=](std::string const& from, std::string const& to) {
    return with_name(gpfs::detail::call_kind::rename, from, to);
  };
  // The manager stores names, and outlives the nodes, so names are safe at once.
  auto const settle = [](std::string const&) { return std::error_code(); };
  auto const find = [state = state_](std::string const& path,
                                     std::error_code& error) -> std::optional<file_identity> {
    auto const file = state->system.manager().find(path);
    error = file ? std::error_code() : errno_code(ENOENT);
    if (!file) return std::nullopt;
    return file_identity{.number = static_cast<std::uint64_t>(*file)};
  };
  return opener_in_run(open, remove, rename, settle).naming({.find = find});
}

void virtual_gpfs::write_synchronously(std::function<bool(std::string const&)> files) {
  state_->synchronous = std::move(files);
}

bool virtual_gpfs::exists(std::string const& path) const {
  return state_->system.manager().find(path).has_value();
}
std::vector<std::string> virtual_gpfs::names() const { return state_->system.manager().names(); }
std::vector<std::byte> virtual_gpfs::content(std::string const& path) const {
  return state_->system.content(path);
}
std::vector<std::byte> virtual_gpfs::on_disk(std::string const& path) const {
  return state_->system.on_disk(path);
}

void virtual_gpfs::put(std::string const& path, std::span<std::byte const> bytes) {
  auto const faults = [&](bool on) {
    for (int k = 0; k < state_->system.hardware().servers; ++k)
      state_->system.server(k).set_faults(on);
  };
  faults(false);
  std::error_code error;
  auto f = open(path, {.read = true, .write = true, .create = true}, error);
  if (!error) error = f.resize(0);
  if (!error) error = f.write(0, bytes).error;
  if (!error) error = f.sync();
  if (!error) error = f.close();
  if (!scheduler::running()) state_->settle();  // in a run these events happen in virtual time
  faults(true);
  if (error) throw std::system_error(error, "argosy::lab::virtual_gpfs::put: " + path);
}

gpfs::client_counters const& virtual_gpfs::counters(int node) const {
  return state_->system.client(node).counters();
}

gpfs::client_counters virtual_gpfs::counters() const {
  gpfs::client_counters sum;
  for (int n = 0; n < state_->system.nodes(); ++n) {
    std::vector<std::int64_t> mine;
    gpfs::for_each_client_counter(counters(n),
                                  [&](char const*, std::int64_t x) { mine.push_back(x); });
    auto next = mine.begin();
    gpfs::for_each_client_counter(sum, [&](char const*, std::int64_t& x) { x += *next++; });
  }
  return sum;
}

gpfs::loopback& virtual_gpfs::system() const { return state_->system; }

}  // namespace argosy::lab
