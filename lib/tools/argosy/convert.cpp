// argosy convert: copies an array from a file of any format to a new one of any format, by all
// ranks together.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <new>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <argosy/error/error.hpp>
#include <argosy/format/detail/together.hpp>

#include "array_target.hpp"
#include "boxes.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "mpi_session.hpp"

namespace argosy::tool {
namespace {

// A step of an encoding: "zstd:3", "blosc:lz4:5".
struct step {
  std::string option, name;
  std::vector<std::string> more = {};

  [[noreturn]] void refuse(std::string const& known) const {
    throw usage_error(option + " " + name + " is not known; give " + known);
  }
  // Returns the number in the given place, or `otherwise`.
  int number(std::size_t at, int otherwise) const {
    if (at >= more.size()) return otherwise;
    int n = 0;
    char const *const begin = more[at].data(), *const end = begin + more[at].size();
    if (auto const [next, error] = std::from_chars(begin, end, n);
        error != std::errc() || next != end)
      throw usage_error(option + " " + name + ": '" + more[at] + "' is no level");
    return n;
  }
  void take(std::size_t most) const {
    if (more.size() > most) throw usage_error(option + " " + name + " has too many parts");
  }
};

std::vector<step> steps_in(arguments const& given, std::string const& option) {
  std::vector<step> all;
  for (std::string const& word : given.words(option)) {
    step one{.option = option, .name = word.substr(0, word.find(':'))};
    for (std::size_t at = word.find(':'); at != std::string::npos;) {
      std::size_t const next = word.find(':', at + 1);
      one.more.push_back(word.substr(at + 1, next == std::string::npos ? next : next - at - 1));
      at = next;
    }
    one.take(one.name == "blosc" ? 2 : 1);
    all.push_back(std::move(one));
  }
  return all;
}

zarr_codec codec_of(step const& s) {
  if (s.name == "zstd") return zarr_codec::zstd(s.number(0, 3));
  if (s.name == "gzip") return zarr_codec::gzip(s.number(0, 5));
  if (s.name == "crc32c" && s.more.empty()) return zarr_codec::crc32c();
  if (s.name == "blosc")
    return zarr_codec::blosc(s.more.empty() ? "zstd" : s.more[0], s.number(1, 5));
  s.refuse("zstd[:LEVEL], gzip[:LEVEL], blosc[:COMPRESSOR[:LEVEL]] or crc32c");
}

hdf5_filter filter_of(step const& s) {
  if (s.name == "deflate") return hdf5_filter::deflate(s.number(0, 4));
  if (s.name == "zstd") return hdf5_filter::zstd(s.number(0, 3));
  if (s.name == "shuffle" && s.more.empty()) return hdf5_filter::shuffle();
  if (s.name == "fletcher32" && s.more.empty()) return hdf5_filter::fletcher32();
  s.refuse("shuffle, deflate[:LEVEL], zstd[:LEVEL] or fletcher32");
}

target_options options_of(arguments const& given, array_format to) {
  auto const only = [&](std::string const& option, std::initializer_list<array_format> formats) {
    if (given.has(option) && std::ranges::find(formats, to) == formats.end())
      throw usage_error(option + " is no choice for the format " + std::string(name_of(to)));
  };
  only("--chunks", {array_format::zarr, array_format::hdf5});
  only("--shards", {array_format::zarr});
  only("--codec", {array_format::zarr});
  only("--filter", {array_format::hdf5});
  target_options how{.chunks = sizes_from("--chunks", given.value("--chunks")),
                     .shards = sizes_from("--shards", given.value("--shards"))};
  for (step const& s : steps_in(given, "--codec")) how.codecs.push_back(codec_of(s));
  for (step const& s : steps_in(given, "--filter")) how.filters.push_back(filter_of(s));
  return how;
}

// Finds the array that is read. All ranks must see the same file.
array_name agreed_array(mpi const& world, std::string const& words, std::string const& format) {
  array_name found;
  std::string unused;
  detail::in_one_call(world, {"convert", words, {}, detail::name_use::reads_file}, nullptr, unused,
                      [&](detail::joint_call<mpi> const& s) {
                        s.alone_with_equal("format", errc::no_such_file, [&](std::string& lines) {
                          found = existing_array(words, format);
                          lines = "format " + std::string(name_of(found.format));
                        });
                      });
  return found;
}

// Returns memory for a box. All ranks have it, or all get an error.
std::vector<std::byte> room_on_all(mpi const& world, std::string const& path, std::int64_t bytes) {
  std::vector<std::byte> room;
  std::string unused;
  auto const take = [&]() -> failure {
    try {
      room.resize(static_cast<std::size_t>(bytes));
    } catch (std::bad_alloc const&) {
      return {errc::no_memory, "a part needs " + std::to_string(bytes) + " bytes",
              "give less by --memory, or smaller shards"};
    }
    return {};
  };
  detail::in_one_call(world, {"convert", path, {}, detail::name_use::reads_file}, nullptr, unused,
                      [&](detail::joint_call<mpi> const& s) { s.alone(errc::no_memory, take); });
  return room;
}

// Copies all boxes. Rank r has box r of each round.
void copy(mpi const& world, std::string const& path, array_reader<mpi>& from, array_target& to,
          std::int64_t memory) {
  array_facts const& a = from.facts();
  std::int64_t const bytes = std::max<std::int64_t>(1, a.element_bytes());
  // Small arrays are divided among the ranks, too.
  std::int64_t const share = elements_of(a.shape) / world.size() + 1;
  boxes const parts(a.shape, to.unit().empty() ? a.chunks : to.unit(),
                    std::min(memory / bytes, share), to.in());
  std::vector<std::byte> room = room_on_all(world, path, parts.largest() * bytes);
  for (std::int64_t first = 0; first < parts.count(); first += world.size()) {
    any_selection const mine = parts.box(first + world.rank());
    from.read(mine, to.in(), room.data());
    to.write(mine, room.data());
  }
}

void convert(mpi const& world, array_name const& from, array_name const& to, arguments const& given,
             std::vector<std::string>& lost, array_facts& facts) {
  target_options const how = options_of(given, to.format);
  array_facts const raw = from.format == array_format::raw ? raw_array(given) : array_facts();
  std::int64_t const memory = given.number("--memory", std::int64_t{64} << 20, 1);
  require_free(world, to, from, given.has("--force"));
  array_reader<mpi> reader(world, from, raw);
  facts = reader.facts();
  lost = lost_in(to.format, facts);
  std::unique_ptr<array_target> const target = new_target(world, to, facts, how);
  try {
    copy(world, from.path, reader, *target, memory);
  } catch (error const&) {  // all ranks have it
    target->give_up();
    throw;
  }
  target->finish();
  reader.close();
}

}  // namespace

int run_convert(arguments const& given, std::ostream& out, std::ostream& err) {
  std::string const &a = given.operands()[0], &b = given.operands()[1];
  begin_mpi();
  mpi const world(MPI_COMM_WORLD);
  bool const first = world.rank() == 0;
  return together(err, [&] {
    std::vector<std::string> lost;
    array_facts facts;
    try {
      array_name const to = new_array(b, given.value("--to"));
      if (to.format == array_format::zarr && b.ends_with(".zip"))
        throw usage_error("'" + b + "': a zip file is made by zarr::pack, from a directory");
      array_name const from = agreed_array(world, a, given.value("--from"));
      convert(world, from, to, given, lost, facts);
    } catch (usage_error const& e) {  // all ranks have the same words
      if (first) err << "argosy: " << e.what() << "\n";
      return misused;
    } catch (error const& e) {  // all ranks have it
      if (first) err << "argosy: " << text_of(e) << "\n";
      return failed;
    }
    if (!first) return success;
    if (given.json()) {
      json_writer j(out);
      j.open('{').member("from", a).member("to", b).member("type", to_string(facts.of.type));
      j.key("lost").open('[');
      for (std::string const& l : lost) j.value(l);
      j.close(']').close('}');
      out << "\n";
      return success;
    }
    out << fmt::format("{}: {}, converted to {}\n", a, facts.text(), b);
    if (!lost.empty())
      err << fmt::format("argosy: lost, because {} has no place for it: {}\n", b,
                         fmt::join(lost, ", "));
    return success;
  });
}

}  // namespace argosy::tool
