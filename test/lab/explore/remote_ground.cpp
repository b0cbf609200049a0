// SPDX-License-Identifier: BSD-3-Clause
#include "remote_ground.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

namespace argosy::explore {

using namespace extend;

namespace {

// Starts a shell in a session of its own, so that it survives if this process and its group are
// killed.
int remover(std::string const& path, int end_of_pipe) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, end_of_pipe, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  std::string text[] = {"sh", "-c", "read -r nothing; rm -rf -- \"$0\"", path};
  char* const arguments[] = {text[0].data(), text[1].data(), text[2].data(), text[3].data(),
                             nullptr};
  char* const environment[] = {nullptr};
  pid_t shell = -1;
  int const error = ::posix_spawn(&shell, "/bin/sh", &files, &how, arguments, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error != 0) throw std::system_error(error, std::generic_category(), "/bin/sh");
  return shell;
}

}  // namespace

common_ground::common_ground(mpi world, std::string const& where) : world_(std::move(world)) {
  std::array<char, 4096> name{};
  if (world_.rank() == 0) {
    std::filesystem::path const parent =
        where.empty() ? std::filesystem::temp_directory_path() : std::filesystem::absolute(where);
    std::string path = (parent / "argosy_explore_XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), path);
    std::snprintf(name.data(), name.size(), "%s", path.c_str());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    shell_ = remover(path, ends[0]);
    ::close(ends[0]);
    pipe_ = ends[1];
  }
  world_.broadcast(std::as_writable_bytes(std::span(name)), 0);
  path_ = name.data();
}

common_ground::~common_ground() {
  world_.barrier();
  if (world_.rank() == 0) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    ::close(pipe_);
    ::waitpid(shell_, nullptr, 0);
  }
  world_.barrier();
}

namespace {

struct place {
  int rank = 0;
  unsigned patience_seconds = 0;
  std::atomic<std::uint64_t> seed{0};
  std::atomic<int> step{-1};
  std::atomic<char const*> call{"(before the first program)"};
} own_place;

constexpr int watched[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
struct sigaction before[std::size(watched)];

void tell(int signal) {
  char words[512], what[64];
  if (signal == SIGALRM)
    std::snprintf(what, sizeof what, "hangs for %u s", own_place.patience_seconds);
  else
    std::snprintf(what, sizeof what, "ends by signal %d", signal);
  int const length =
      std::snprintf(words, sizeof words, "explore_mpi: seed %llu %s on rank %d: step %d, %s\n",
                    static_cast<unsigned long long>(own_place.seed.load()), what, own_place.rank,
                    own_place.step.load(), own_place.call.load());
  [[maybe_unused]] auto const told = ::write(2, words, static_cast<std::size_t>(length));
}

void hangs(int signal) {
  tell(signal);
  ::sleep(2);  // gives the other ranks time to report where they are
  ::_exit(75);
}

// Reports the crash, then restores the handler from before.
void crashes(int signal) {
  tell(signal);
  for (std::size_t i = 0; i < std::size(watched); ++i)
    if (watched[i] == signal) ::sigaction(signal, &before[i], nullptr);
  // delivered when this handler has returned, also if another process sent the signal
  ::raise(signal);
}

}  // namespace

hang_watch::hang_watch(int rank, unsigned patience_seconds) : patience_seconds_(patience_seconds) {
  own_place.rank = rank;
  own_place.patience_seconds = patience_seconds;
  for (std::size_t i = 0; i < std::size(watched); ++i) {
    struct sigaction how{};
    how.sa_handler = watched[i] == SIGALRM ? hangs : crashes;
    ::sigaction(watched[i], &how, &before[i]);
  }
}

hang_watch::~hang_watch() {
  ::alarm(0);
  for (std::size_t i = 0; i < std::size(watched); ++i) ::sigaction(watched[i], &before[i], nullptr);
}

void hang_watch::begin(std::uint64_t seed) {
  own_place.seed = seed;
  at(-1, "(before the first step)");
  ::alarm(patience_seconds_);
}

void hang_watch::at(int step, char const* call) {
  own_place.step = step;
  own_place.call = call;
}

}  // namespace argosy::explore
