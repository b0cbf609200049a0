// Implements machine_file.hpp: the parser of machine files, and the meaning of their parameters.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace papers {

namespace {

namespace lab = argosy::lab;

constexpr int deepest = 8;
constexpr std::size_t longest_text = std::size_t{1} << 20;

// A parameter of the network between ranks: the member, and how many units of the member one unit
// of the parameter has.
struct net_parameter {
  char const* name;
  std::int64_t lab::virtual_network::* member;
  double unit;
};
constexpr net_parameter net_parameters[] = {
    {"mpi_latency_us", &lab::virtual_network::latency_ns, 1000},
    {"mpi_overhead_us", &lab::virtual_network::overhead_ns, 1000},
    {"mpi_adapter_mb_per_s", &lab::virtual_network::adapter_mb_per_s, 1},
    {"mpi_node_latency_us", &lab::virtual_network::node_latency_ns, 1000},
    {"mpi_node_mb_per_s", &lab::virtual_network::node_mb_per_s, 1},
    {"mpi_rank_mb_per_s", &lab::virtual_network::rank_mb_per_s, 1},
    {"mpi_pack_mb_per_s", &lab::virtual_network::pack_mb_per_s, 1},
    {"mpi_piece_us", &lab::virtual_network::piece_ns, 1000},
    {"mpi_node_processors", &lab::virtual_network::node_processors, 1},
    {"mpi_eager_bytes", &lab::virtual_network::eager_bytes, 1},
};

// A parameter of a file system that stripes files over servers.
struct disk_parameter {
  char const* name;
  std::int64_t lab::virtual_disk::* member;
  double unit, least;
};
constexpr disk_parameter disk_parameters[] = {
    {"striped_stripe_bytes", &lab::virtual_disk::stripe_bytes, 1, 512},
    {"striped_mb_per_s", &lab::virtual_disk::server_mb_per_s, 1, 1},
    {"striped_request_us", &lab::virtual_disk::request_ns, 1000, 0},
    {"striped_call_us", &lab::virtual_disk::call_ns, 1000, 0},
    {"striped_lock_us", &lab::virtual_disk::lock_ns, 1000, 0},
};
// 0: the file system has no locks
constexpr char const *servers_name = "striped_servers", *locks_name = "striped_locks";
constexpr double most_servers = 65'536;

constexpr double most_net = 1e12;  // largest value of a member, so that products with it fit

std::string trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

bool parse(std::string_view text, double& value) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

class reader {
 public:
  reader(paper_machine& m, include_function const& include) : machine_(m), include_(include) {}

  void read(std::string const& file, std::string const& text) {
    if (static_cast<int>(open_.size()) >= deepest)
      throw std::invalid_argument(file +
                                  ": included too deeply: more than 8 files, one in the other");
    if (std::find(open_.begin(), open_.end(), file) != open_.end())
      throw std::invalid_argument(file + ": includes itself");
    if (text.size() > longest_text) throw std::invalid_argument(file + ": longer than a megabyte");
    open_.push_back(file);
    std::set<std::string> here;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) read_line(file, number, line, here);
    open_.pop_back();
  }

 private:
  void read_line(std::string const& file, int number, std::string const& line,
                 std::set<std::string>& here) {
    std::string const place = fmt::format("{}:{}", file, number);
    auto const refuse = [&](std::string const& why) {
      throw std::invalid_argument(place + ": " + why);
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, value, kind, rest;
    if (!(words >> name)) return;
    words >> value;
    if (name == "include") {
      if (!here.empty()) refuse("an include behind a parameter, which it would replace");
      if (value.empty() || words >> rest) refuse("include takes the name of one file");
      if (value.find('/') != value.npos || value.starts_with('.'))
        refuse("not the name of a file beside this one: " + value);
      return read(value, include_(value));
    }
    words >> kind;
    std::getline(words, rest);
    parameter p;
    p.place = place;
    if (!parse(value, p.value)) refuse(fmt::format("{} is not a number: '{}'", name, value));
    p.kind = origin_of(kind, refuse);
    read_source(p, rest, name, refuse);
    if (!here.insert(name).second) refuse(name + " is here twice");
    try {
      machine_.set(name, p.value);
    } catch (std::invalid_argument const& why) {
      refuse(why.what());
    }
    machine_.given[name] = std::move(p);
  }

  template <class Refuse>
  static origin origin_of(std::string const& word, Refuse const& refuse) {
    for (origin const o : {origin::stated, origin::derived, origin::calibrated, origin::assumed})
      if (word == name_of(o)) return o;
    refuse(fmt::format("'{}' is not one of stated, derived, calibrated, assumed", word));
    return {};
  }

  // Parses "PC 1.4, n = 1  [250, 500]".
  template <class Refuse>
  static void read_source(parameter& p, std::string const& text, std::string const& name,
                          Refuse const& refuse) {
    std::size_t const open = text.find('[');
    p.source = trimmed(text.substr(0, open));
    if (p.source.empty()) refuse(name + " has no source");
    if (open == text.npos) {
      if (p.kind == origin::calibrated || p.kind == origin::assumed)
        refuse(fmt::format("{} is {}, and has no interval: [low, high] behind its source", name,
                           name_of(p.kind)));
      return;
    }
    std::size_t const comma = text.find(',', open), close = text.find(']', open);
    if (close == text.npos || comma == text.npos || comma > close ||
        !trimmed(text.substr(close + 1)).empty() ||
        !parse(trimmed(text.substr(open + 1, comma - open - 1)), p.low) ||
        !parse(trimmed(text.substr(comma + 1, close - comma - 1)), p.high) || p.low >= p.high)
      refuse(name + ": an interval is [low, high], two numbers");
    if (p.value < p.low || p.value > p.high)
      refuse(
          fmt::format("{} is {}, outside of its interval [{}, {}]", name, p.value, p.low, p.high));
  }

  paper_machine& machine_;
  include_function const& include_;
  std::vector<std::string> open_;
};

}  // namespace

char const* name_of(origin o) {
  constexpr char const* names[] = {"stated", "derived", "calibrated", "assumed"};
  return names[static_cast<int>(o)];
}

std::vector<std::string> parameter_names() {
  std::vector<std::string> all;
  lab::gpfs::machine const m;
  lab::gpfs::for_each_parameter(m, [&](char const* name, auto const&) { all.emplace_back(name); });
  for (net_parameter const& n : net_parameters) all.emplace_back(n.name);
  for (disk_parameter const& d : disk_parameters) all.emplace_back(d.name);
  all.emplace_back(servers_name);
  all.emplace_back(locks_name);
  return all;
}

void paper_machine::set(std::string const& which, double value) {
  for (net_parameter const& n : net_parameters) {
    if (which != n.name) continue;
    if (value < 0 || value * n.unit > most_net)
      throw std::invalid_argument(which + " is negative, or too large");
    net.*n.member = std::llround(value * n.unit);
    return;
  }
  for (disk_parameter const& d : disk_parameters) {
    if (which != d.name) continue;
    if (value < d.least || value * d.unit > most_net)
      throw std::invalid_argument(which + " is too small, or too large");
    if (value * d.unit != std::floor(value * d.unit))
      throw std::invalid_argument(which + " is a whole number");
    disk.*d.member = std::llround(value * d.unit);
    return;
  }
  if (which == servers_name) {
    if (value < 1 || value > most_servers || value != std::floor(value))
      throw std::invalid_argument(which + " is a number from 1 on");
    disk.servers = static_cast<int>(value);
    is_striped = true;
    return;
  }
  if (which == locks_name) {
    if (value != 0 && value != 1) throw std::invalid_argument(which + " is 0 or 1");
    disk.has_locks = value == 1;
    return;
  }
  bool whole = false;
  lab::gpfs::for_each_parameter(fs, [&]<class T>(char const* parameter_name, T&) {
    if (which == parameter_name) whole = std::is_integral_v<T>;
  });
  if (whole && value != std::floor(value))
    throw std::invalid_argument(which + " is a whole number");
  // The parser of the file system defines its parameters and their valid values.
  std::istringstream line(whole && std::abs(value) < 1e15
                              ? fmt::format("{} {}", which, std::llround(value))
                              : fmt::format("{} {}", which, value));
  fs = lab::gpfs::read_machine(line, fs);
}

std::uint64_t paper_machine::hash() const {
  std::uint64_t h = 14695981039346656037u;  // FNV-1a
  for (auto const& [parameter_name, p] : given)
    for (char const c : fmt::format("{} {};", parameter_name, p.value))
      h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

paper_machine read_paper_machine(std::string const& name, std::string const& text,
                                 include_function const& include) {
  paper_machine m;
  m.name = name;
  reader(m, include).read(name + ".machine", text);
  return m;
}

paper_machine load_paper_machine(std::string const& directory, std::string const& name) {
  auto const text_of = [&](std::string const& file) {
    std::ifstream in(directory + "/" + file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::invalid_argument("cannot read the machine " + directory + "/" + file);
    return text.str();
  };
  return read_paper_machine(name, text_of(name + ".machine"), text_of);
}

}  // namespace papers
