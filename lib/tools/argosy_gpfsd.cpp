// Hosts a simulated GPFS for processes that mount it, until it gets SIGINT or SIGTERM.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <argosy/handle/opener.hpp>
#include <argosy/lab/gpfs/host.hpp>

namespace gpfs = argosy::lab::gpfs;

namespace {

constexpr char const* usage =
    R"(argosy-gpfsd --socket FILE [--directory DIR] [--machine FILE] [--network] [--print-machine]
  --socket FILE     a text file, written when the server is ready: what a mount needs to know, with
                    a secret. Only its owner may read it; whoever can read it may mount. Removed at
                    the end.
  --directory DIR   where files are at rest (default: the current one); names are relative to it
  --machine FILE    parameters, one `name value` per line (default: a plausible machine of the year
                    2000)
  --network         serve other machines, too, over TCP: on a free port of all interfaces, which the
                    file names
  --print-machine   print all parameters and end
It ends with SIGINT or SIGTERM; data that a node has not flushed by then is lost.
)";

struct options {
  gpfs::host_options host;
  std::string socket;
  bool print_machine = false, help = false;
};

options read_options(int argc, char** argv) {
  options o;
  o.host.directory = ".";
  o.host.network = false;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    auto const value = [&]() -> std::string {
      if (++i == argc) throw std::invalid_argument(name + " needs a value");
      return argv[i];
    };
    if (name == "--socket") {
      o.socket = value();
    } else if (name == "--directory") {
      o.host.directory = value();
    } else if (name == "--machine") {
      std::string const path = value();
      std::ifstream in(path);
      if (!in) throw std::invalid_argument("cannot read " + path);
      o.host.hardware = gpfs::read_machine(in);
    } else if (name == "--network") {
      o.host.network = true;
    } else if (name == "--print-machine") {
      o.print_machine = true;
    } else if (name == "--help") {
      o.help = true;
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  if (o.socket.empty() && !o.print_machine && !o.help)
    throw std::invalid_argument("--socket is missing");
  return o;
}

// Writes the file, so that it appears complete and is never readable by other users. Returns the
// identity of the file.
std::optional<argosy::extend::file_identity> write_socket_file(std::string const& path,
                                                               std::string const& text) {
  std::string const draft = path + ".new";
  ::unlink(draft.c_str());
  int const file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  std::error_code unknown;
  auto const made = argosy::detail::identity_of_file(file, unknown);
  good = file >= 0 && ::close(file) == 0 && good && ::rename(draft.c_str(), path.c_str()) == 0;
  if (!good) throw std::system_error(errno, std::system_category(), "cannot write " + path);
  return made;
}

}  // namespace

int main(int argc, char** argv) try {
  options const o = read_options(argc, argv);
  if (o.help) {
    std::cout << usage;
    return 0;
  }
  if (o.print_machine) {
    std::cout << o.host.hardware;
    return 0;
  }
  // Blocked before threads start, because they inherit the mask.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  std::error_code error;
  gpfs::host const host(o.host, error);
  if (error) throw std::system_error(error, "cannot listen");
  auto const made = write_socket_file(o.socket, host.address());
  int signal = 0;
  while (sigwait(&ends, &signal) != 0) {
  }
  // only if it is not the file of a later host
  if (made) argosy::detail::remove_file_of(o.socket, *made);
  auto const m = host.manager();
  auto const s = host.servers();
  std::cout << "token requests " << m.requests << ", grants " << m.grants << ", conflicts "
            << m.conflicts << ", failed nodes " << m.failed_nodes << "\nblock reads " << s.reads
            << ", block writes " << s.writes << ", bytes read " << s.bytes_read
            << ", bytes written " << s.bytes_written << ", errors " << s.errors << '\n';
  return 0;
} catch (std::exception const& e) {
  std::cerr << "argosy-gpfsd: " << e.what() << '\n' << usage;
  return 2;
}
