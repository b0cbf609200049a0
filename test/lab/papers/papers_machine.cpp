// Machine files: what they may contain, and the error texts.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <stdexcept>
#include <string>

#include <papers/machine_file.hpp>

namespace {

std::string no_file(std::string const& name) { throw std::invalid_argument("cannot read " + name); }

papers::paper_machine read(std::string const& text,
                           papers::include_function const& include = no_file) {
  return papers::read_paper_machine("here", text, include);
}

// Returns the text with which a machine file is refused; empty if it is accepted.
std::string refusal(std::string const& text, papers::include_function const& include = no_file) {
  try {
    read(text, include);
  } catch (std::invalid_argument const& why) {
    return why.what();
  }
  return {};
}

bool says(std::string const& all, std::string const& words) { return all.find(words) != all.npos; }

}  // namespace

TEST_CASE("a machine file gives numbers, and says where they come from", "[papers][machine]") {
  papers::paper_machine const m = read(
      "# a machine\n"
      "servers 2  stated  PC, section 1   # two of them\n"
      "\n"
      "client_read_mb_per_s 335.5 calibrated PC 1.4, n = 1 [250, 500]\n"
      "mpi_latency_us 20 assumed a guess [10, 30]\n");
  CHECK(m.fs.servers == 2);
  CHECK(m.fs.client_read_mb_per_s == 335.5);
  CHECK(m.net.latency_ns == 20'000);
  CHECK(m.given.at("servers").kind == papers::origin::stated);
  CHECK(m.given.at("servers").source == "PC, section 1");
  CHECK(m.given.at("client_read_mb_per_s").source == "PC 1.4, n = 1");
  CHECK(m.given.at("client_read_mb_per_s").low == 250);
  CHECK(m.given.at("client_read_mb_per_s").high == 500);
  CHECK(m.given.at("client_read_mb_per_s").place == "here.machine:4");
  CHECK(m.given.size() == 3);
}

TEST_CASE("a machine has a GPFS, or a file system that stripes files over servers",
          "[papers][machine]") {
  papers::paper_machine const m = read(
      "striped_servers 12 stated X\nstriped_stripe_bytes 65536 stated X\nstriped_mb_per_s 7 stated "
      "X\n"
      "striped_request_us 0.5 stated X\nstriped_locks 0 stated X\n");
  CHECK(m.is_striped);
  CHECK(m.disk.servers == 12);
  CHECK(m.disk.stripe_bytes == 65'536);
  CHECK(m.disk.server_mb_per_s == 7);
  CHECK(m.disk.request_ns == 500);
  CHECK_FALSE(m.disk.has_locks);
  CHECK_FALSE(read("servers 12 stated X\n").is_striped);
  CHECK(m.hash() != read("striped_servers 12 stated X\n").hash());
}

TEST_CASE("a machine may be another one with other numbers", "[papers][machine]") {
  auto const include = [](std::string const& name) {
    return name == "old.machine" ? std::string("servers 2 stated X\nblock_bytes 4096 stated X\n")
                                 : no_file(name);
  };
  papers::paper_machine const m = read("include old.machine\nservers 3 derived Y\n", include);
  CHECK(m.fs.servers == 3);
  CHECK(m.fs.block_bytes == 4096);
  CHECK(m.given.at("servers").source == "Y");
  CHECK(m.hash() != read("include old.machine\n", include).hash());
}

TEST_CASE("what a machine file does not say, or says wrongly, is refused with its place",
          "[papers][machine]") {
  struct {
    char const* text;
    char const* words;
  } const all[] = {
      {"cervers 2 stated X\n", "here.machine:1: "},
      {"cervers 2 stated X\n", "cervers"},
      {"\nservers two stated X\n", "here.machine:2: servers is not a number: 'two'"},
      {"servers nan stated X\n", "not a number"},
      {"servers 2\n", "'' is not one of stated, derived, calibrated, assumed"},
      {"servers 2 known X\n", "'known' is not one of"},
      {"servers 2 stated\n", "servers has no source"},
      {"servers 2 stated   # X\n", "servers has no source"},
      {"token_us 5 calibrated X\n", "token_us is calibrated, and has no interval"},
      {"token_us 5 assumed X\n", "token_us is assumed, and has no interval"},
      {"token_us 5 assumed X [1, 2\n", "an interval is [low, high]"},
      {"token_us 5 assumed X [1 2]\n", "an interval is [low, high]"},
      {"token_us 5 assumed X [2, 1]\n", "an interval is [low, high]"},
      {"token_us 5 assumed X [1, 9] more\n", "an interval is [low, high]"},
      {"token_us 5 assumed X [6, 9]\n", "outside of its interval [6, 9]"},
      {"servers 2 stated X\nservers 3 stated X\n", "here.machine:2: servers is here twice"},
      {"servers 0 stated X\n", "at least 1"},
      {"servers 2.5 stated X\n", "servers"},
      {"block_bytes 1000 stated X\n", "power of two"},
      {"token_us -1 stated X\n", "token_us"},
      {"mpi_latency_us -1 stated X\n", "mpi_latency_us is negative, or too large"},
      {"mpi_latency_us 1e300 stated X\n", "mpi_latency_us is negative, or too large"},
      {"striped_servers 0 stated X\n", "striped_servers is a number from 1 on"},
      {"striped_servers 1.5 stated X\n", "striped_servers is a number from 1 on"},
      {"striped_locks 2 stated X\n", "striped_locks is 0 or 1"},
      {"striped_mb_per_s 0 stated X\n", "striped_mb_per_s is too small"},
      {"striped_mb_per_s 3.5 stated X\n", "striped_mb_per_s is a whole number"},
      {"striped_stripe_bytes 1e300 stated X\n", "striped_stripe_bytes is too small, or too large"},
      {"include gone.machine\n", "cannot read gone.machine"},
      {"include ../etc/passwd\n", "not the name of a file beside this one"},
      {"include\n", "include takes the name of one file"},
      {"include a b\n", "include takes the name of one file"},
      {"servers 2 stated X\ninclude a.machine\n", "an include behind a parameter"},
  };
  for (auto const& x : all) {
    CAPTURE(x.text);
    std::string const words = refusal(x.text);
    CAPTURE(words);
    CHECK(says(words, x.words));
  }
}

TEST_CASE("includes in a circle end, and so do deep ones", "[papers][machine]") {
  CHECK(says(refusal("include here.machine\n",
                     [](std::string const&) { return "include here.machine\n"; }),
             "includes itself"));
  int depth = 0;
  CHECK(says(refusal("include x.machine\n",
                     [&](std::string const&) {
                       return "include x" + std::to_string(++depth) + ".machine\n";
                     }),
             "included too deeply"));
}
