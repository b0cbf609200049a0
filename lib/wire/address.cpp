// Implements address.hpp: the addresses of this machine, as values and as text.
// SPDX-License-Identifier: BSD-3-Clause
#include "address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <sstream>

namespace argosy::wire {

namespace {

// Copies as much as fits. Returns false if that is not all.
template <std::size_t N>
bool assign(std::array<char, N>& to, std::string const& text) {
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
  return text.size() < N;
}

// Read once, because a rank may have no descriptor for it later. Empty if the kernel does not
// provide it.
std::string boot_id() {
  static std::mutex mutex;
  static std::string known;
  std::lock_guard const guard(mutex);
  if (known.empty()) {
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    std::getline(boot, known);
  }
  return known;
}

// Returns the text that identifies a machine. Abstract socket names belong to a network namespace
// of a running kernel.
std::string this_machine() {
  std::string name = boot_id();
  if (name.empty()) {
    char host[64] = {};
    gethostname(host, sizeof host - 1);
    name = host;
  }
  struct stat network = {};
  if (stat("/proc/self/ns/net", &network) == 0) name += ' ' + std::to_string(network.st_ino);
  return name;
}

void randomize(std::span<std::byte> bytes) {
  if (getentropy(bytes.data(), bytes.size()) != 0)
    throw std::system_error(errno, std::system_category(), "getentropy");
}

std::string hex(std::span<std::byte const> bytes) {
  std::string text;
  for (std::byte const b : bytes) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(b >> 4)];
    text += "0123456789abcdef"[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return text;
}

bool from_hex(std::string const& text, std::span<std::byte> bytes) {
  if (text.size() != 2 * bytes.size() ||
      text.find_first_not_of("0123456789abcdef") != std::string::npos)
    return false;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return true;
}

int protocol_of(address::host const& h) { return h.family == 4 ? AF_INET : AF_INET6; }

void add_hosts(address& a) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;  // local names are enough on one machine
  std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> const owned(all, &freeifaddrs);
  for (bool const loopback : {false, true})  // loopback addresses only if there are no others
    for (ifaddrs const* i = all; i != nullptr; i = i->ifa_next) {
      if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0 ||
          a.host_count == address::hosts_max)
        continue;
      if (((i->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
      address::host h;
      if (i->ifa_addr->sa_family == AF_INET) {
        h.family = 4;
        sockaddr_in in;
        std::memcpy(&in, i->ifa_addr, sizeof in);
        std::memcpy(h.bytes.data(), &in.sin_addr, sizeof in.sin_addr);
      } else if (i->ifa_addr->sa_family == AF_INET6) {
        h.family = 6;
        sockaddr_in6 in;
        std::memcpy(&in, i->ifa_addr, sizeof in);
        // link-local addresses mean nothing on another machine
        if (IN6_IS_ADDR_LINKLOCAL(&in.sin6_addr)) continue;
        std::memcpy(h.bytes.data(), &in.sin6_addr, sizeof in.sin6_addr);
      } else {
        continue;
      }
      a.hosts[a.host_count++] = h;
    }
}

}  // namespace

bool address::is_here() const {
  address here;
  assign(here.machine, this_machine());
  return here.machine == machine;
}

address new_address() {
  address a;
  assign(a.machine, this_machine());
  randomize(a.shown);
  randomize(a.answered);
  std::array<std::byte, 16> name;
  randomize(name);
  assign(a.local, "argosy-" + hex(name));
  add_hosts(a);
  return a;
}

std::string to_text(address const& a) {
  std::ostringstream out;
  out << "argosy 1\nmachine " << a.machine.data() << "\nshown " << hex(a.shown) << "\nanswered "
      << hex(a.answered) << '\n';
  if (a.local[0] != 0) out << "local " << a.local.data() << '\n';
  if (a.port != 0) out << "port " << a.port << '\n';
  for (std::uint32_t i = 0; a.port != 0 && i < a.host_count; ++i) {
    char text[INET6_ADDRSTRLEN] = {};
    if (inet_ntop(protocol_of(a.hosts[i]), a.hosts[i].bytes.data(), text, sizeof text) != nullptr)
      out << "host " << text << '\n';
  }
  out << "end\n";
  return out.str();
}

address address_from(std::string const& text, std::error_code& error) {
  address a;
  error.clear();
  std::istringstream lines(text);
  std::string line;
  bool fine =
      text.find('\0') == std::string::npos && std::getline(lines, line) && line == "argosy 1";
  bool ended = false;
  std::set<std::string> seen;
  while (fine && !ended && std::getline(lines, line)) {
    std::string const key = line.substr(0, line.find(' ')),
                      value = line.substr(std::min(line.size(), key.size() + 1));
    if (key != "host" && !seen.insert(key).second) {
      fine = false;  // a key that comes twice
    } else if (key == "end") {
      ended = true;
    } else if (key == "machine") {
      fine = assign(a.machine, value);
    } else if (key == "local") {
      fine = assign(a.local, value);
    } else if (key == "shown" || key == "answered") {
      fine = from_hex(value, key == "shown" ? a.shown : a.answered);
    } else if (key == "port") {
      auto const [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), a.port);
      fine = wrong == std::errc() && end == value.data() + value.size() && a.port > 0 &&
             a.port < 65536;
    } else if (key == "host" && a.host_count < address::hosts_max) {
      address::host& h = a.hosts[a.host_count++];
      h.family = value.find(':') == std::string::npos ? 4 : 6;
      fine = inet_pton(protocol_of(h), value.c_str(), h.bytes.data()) == 1;
    } else {
      fine = false;
    }
  }
  bool const whole =
      seen.contains("shown") && seen.contains("answered") && (a.port != 0 || a.host_count == 0);
  if (!fine || !ended || !whole) error = std::make_error_code(std::errc::bad_message);
  return a;
}

}  // namespace argosy::wire
