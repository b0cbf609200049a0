// Every public collective call of files and formats. One rank fails at each place in turn. No rank
// may wait for ever, all ranks must agree, and nothing may be lost. One page because its tables
// must have every collective call.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <argosy/datatype.hpp>
#include <argosy/error/detail/memory_reserve.hpp>
#include <argosy/file/file.hpp>
#include <argosy/file/representations.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/checksums.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/npy.hpp>
#include <argosy/format/vtkhdf.hpp>
#include <argosy/format/xdmf.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/policy.hpp>

#include "support/files_on_worlds.hpp"
#include "support/one_rank_fails.hpp"
#include "support/shared_scratch.hpp"

namespace io = argosy;
using namespace io::test;
using code = std::error_code;
using io::mode;

namespace {

constexpr int each = 500;

template <class World>
bool everywhere(World const& world, bool here) {
  reducible_range all{here ? 1 : 0, here ? 1 : 0};
  world.all_reduce(all);
  return all.low == 1;
}

// Registers a representation whose copying is code of the program.
char const* program_representation() {
  auto const copy = [](io::extend::basic_type, std::int64_t count, std::byte const* from,
                       std::byte* to) {
    program_code::run();
    std::memcpy(to, from, static_cast<std::size_t>(4 * count));
    return true;
  };
  code taken;
  io::extend::register_representation("of the program",
                                      {.file_bytes = {}, .read = copy, .write = copy}, taken);
  return "of the program";
}

// A file in which numbers of the ranks alternate. Calls write the numbers that the file has
// already, so a call that ends early does no harm.
template <class World>
class file_subject {
 public:
  file_subject(World const& world, std::string const& at)
      : files(program_opener()),
        spare(files),
        path(at),
        other_path(at + ".scratch"),
        mine(std::vector<int>(each, 7 + world.rank())),
        room(std::vector<int>(each)),
        other(0, io::type<int>),
        address(room.data()),
        world_(world) {
    for (int i = 0; i < 100; ++i) places.push_back(i);
    program_representation();
    f = io::basic_file<World>::open(world, path, mode::create | mode::read_write, io::hints{},
                                    files);
    f.set_view(turns());
    f.write_at_all(0, mine);
    restore();
  }
  World const& world() const { return world_; }
  void prepare() { spare = files; }
  bool restore() {
    bool const open = everywhere(world_, f.is_open());
    if (!open && !everywhere(world_, !f.is_open())) return false;
    if (!open) f = io::basic_file<World>::open(world_, path, mode::read_write, io::hints{}, files);
    try {
      f.end();  // ends a split call whose beginning or end threw
    } catch (io::error const&) {
    }
    f.clear_sync_error();
    f.set_atomic(false);
    f.set_hints(io::hints{.cb_nodes = 2, .policy = "two_phase"});
    f.set_view(turns());
    std::vector<int> now(each);
    f.read_at_all(0, now);
    f.seek(0);
    f.seek_shared(0);
    return now == std::vector<int>(each, 7 + world_.rank());
  }

  io::view turns() const {
    return {4 * world_.rank(), io::type<int>, io::resized(io::type<int>, 0, 4 * world_.size())};
  }

  io::basic_file<World> f;
  io::opener files, spare;
  std::string path, other_path;
  program_numbers mine, room;
  io::view other;
  int* address;
  std::vector<std::int64_t> places;

 private:
  World const& world_;
};

template <class World>
std::vector<collective_row<file_subject<World>>> calls_of_the_whole() {
  using s = file_subject<World>;
  auto const number = [] { return program_code::run(), io::type<int>; };
  return {
      {"open",
       [](s& o, code& e) {
         io::basic_file<World>::open(o.world(), o.path, mode::read, e, std::move(o.spare));
       }},
      {"open for writing",
       [](s& o, code& e) {
         auto const modes = mode::create | mode::read_write | mode::append;
         io::basic_file<World>::open(o.world(), o.path, modes, {io::hints{.cb_nodes = 1}, e},
                                     std::move(o.spare));
       }},
      {"close", [](s& o, code& e) { o.f.close(e); }},
      {"close and delete",
       [](s& o, code& e) {
         auto const modes = mode::create | mode::read_write | mode::delete_on_close;
         auto f =
             io::basic_file<World>::open(o.world(), o.other_path, modes, e, std::move(o.spare));
         if (!e) f.close(e);
       }},
      {"set_view", [number](s& o, code& e) { o.f.set_view(0, {io::type<int>, number}, e); }},
      {"set_view of blocks",
       [](s& o, code& e) {
         o.f.set_view(0, {io::type<int>, io::indexed_block(1, o.places, io::type<int>)}, e);
       }},
      {"set_view of a view", [](s& o, code& e) { o.f.set_view(o.other, e); }},
      {"set_view of a representation",
       [](s& o, code& e) { o.f.set_view(0, {io::type<int>, io::type<int>, "of the program"}, e); }},
      {"set_size", [](s& o, code& e) { o.f.set_size(4 * each * o.world().size(), e); }},
      {"preallocate", [](s& o, code& e) { o.f.preallocate(4 * each * o.world().size(), e); }},
      {"sync", [](s& o, code& e) { o.f.sync(e); }},
      {"set_atomic", [](s& o, code& e) { o.f.set_atomic(true, e); }},
      {"set_hints",
       [](s& o, code& e) { o.f.set_hints(io::hints{.cb_nodes = 1, .policy = "automatic"}, e); }},
      {"seek_shared", [](s& o, code& e) { o.f.seek_shared(0, io::seek_from::end, e); }},
      {"explain_all", [](s& o, code&) { o.f.explain_all(io::access_kind::write, o.mine); }, true},
      {"explain_views_all",
       [](s& o, code&) { o.f.explain_views_all(io::access_kind::write, {{o.turns(), o.mine}}); },
       true},
      {"explain_at_all", [](s& o, code&) { o.f.explain_at_all(io::access_kind::read, 0, o.room); },
       true},
  };
}

// A static datatype without a rule, whose layout needs memory.
template <std::int64_t... I>
constexpr auto irregular(std::integer_sequence<std::int64_t, I...>) {
  return io::indexed_block(io::constant<1>, io::list(io::constant<3 * I + I * I % 7 % 2>...),
                           io::type<int>);
}

template <class World>
std::vector<collective_row<file_subject<World>>> calls_of_access() {
  using s = file_subject<World>;
  auto const number = [] { return program_code::run(), io::type<int>; };
  return {
      {"read_at_all", [](s& o, code& e) { o.f.read_at_all(0, o.room, e); }},
      {"write_at_all", [](s& o, code& e) { o.f.write_at_all(0, o.mine, e); }},
      {"read_all", [](s& o, code& e) { o.f.read_all(o.room, e); }},
      {"write_all", [](s& o, code& e) { o.f.write_all(o.mine, e); }},
      {"write_all by a policy of the program",
       [](s& o, code& e) { o.f.write_all(o.mine, {program_policy{}, e}); }},
      {"read_all of a function's type",
       [number](s& o, code& e) { o.f.read_all({o.address, number, each}, e); }},
      {"read_at_all of a static datatype",
       [](s& o, code& e) {
         constexpr auto one = irregular(std::make_integer_sequence<std::int64_t, 40>());
         o.f.read_at_all(0, {o.address, one, 2}, e);
       }},
      {"read_all through a representation of the program",
       [](s& o, code& e) {
         o.f.set_view(0, {io::type<int>, io::type<int>, "of the program"}, e);
         if (!e) o.f.read_all(o.room, e);
       }},
      {"write_all by each rank", [](s& o, code& e) { o.f.write_all(o.mine, {io::sieving{}, e}); }},
      {"write_all to agents",
       [](s& o, code& e) { o.f.write_all(o.mine, {io::data_shipping{}, e}); }},
      {"read_views_all",
       [](s& o, code& e) {
         int first[3];
         o.f.read_views_all({{o.turns(), o.room}, {io::view(0, io::type<int>), first}}, e);
       }},
      {"write_views_all", [](s& o, code& e) { o.f.write_views_all({{o.turns(), o.mine}}, e); }},
      {"read_ordered", [](s& o, code& e) { o.f.read_ordered(o.room, e); }},
      {"write_ordered of nothing", [](s& o, code& e) { o.f.write_ordered({}, e); }},
      {"iread_at_all", [](s& o, code& e) { o.f.iread_at_all(0, o.room).wait(e); }},
      {"iwrite_at_all", [](s& o, code& e) { o.f.iwrite_at_all(0, o.mine).wait(e); }},
      {"iread_all", [](s& o, code& e) { o.f.iread_all(o.room).wait(e); }},
      {"iwrite_all", [](s& o, code& e) { o.f.iwrite_all(o.mine, io::two_phase{}).wait(e); }},
      {"begin_read_at_all", [](s& o, code& e) { o.f.begin_read_at_all(0, o.room), o.f.end(e); }},
      {"begin_write_at_all", [](s& o, code& e) { o.f.begin_write_at_all(0, o.mine), o.f.end(e); }},
      {"begin_read_all", [](s& o, code& e) { o.f.begin_read_all(o.room), o.f.end(e); }},
      {"begin_write_all",
       [](s& o, code& e) { o.f.begin_write_all(o.mine), o.f.end("begin_write_all", e); }},
      {"begin_read_ordered", [](s& o, code& e) { o.f.begin_read_ordered(o.room), o.f.end(e); }},
      {"begin_write_ordered of nothing",
       [](s& o, code& e) { o.f.begin_write_ordered({}), o.f.end(e); }},
      {"end", [](s& o, code& e) { o.f.begin_read_all(o.room), o.f.end(e); }},
  };
}

void say(char const* what, int rank, std::size_t places) {
  if (rank == 0) std::printf("%s: %zu places\n", what, places);
}

template <class World>
void check_files(World const& world, char const* where) {
  shared_scratch<World> const here(world);
  watchdog const guard;
  file_subject<World> subject(world, here / "data");
  std::size_t places = fail_everywhere(subject, calls_of_the_whole<World>());
  places += fail_everywhere(subject, calls_of_access<World>());
  subject.f.close();
  say(where, world.rank(), places);
  CHECK(places > 1000);
}

}  // namespace

TEST_CASE("a rank that fails anywhere in a collective call of a file keeps no rank waiting",
          "[file][memory][error]") {
  io::mpi const world(MPI_COMM_WORLD);
  check_files(world, "files on one node");
}

TEST_CASE("a rank that fails anywhere keeps no rank of another node waiting",
          "[file][memory][error]") {
  check_files(nodes_world(io::mpi(MPI_COMM_WORLD), {1}), "files on a node for each rank");
}

TEST_CASE("every collective call of a file is in the table", "[file][error]") {
  auto all = calls_of_the_whole<io::mpi>();
  for (auto& row : calls_of_access<io::mpi>()) all.push_back(std::move(row));
  check_rows(all, ARGOSY_TEST_HEADERS "/file/basic_file.hpp", "basic_file",
             {"is_open",     "view",         "byte_offset",
              "type_extent", "mode",         "path",
              "world",       "atomic",       "get_hints",
              "what_failed", "size",         "clear_sync_error",
              "read_at",     "write_at",     "read",
              "write",       "read_shared",  "write_shared",
              "iread_at",    "iwrite_at",    "iread",
              "iwrite",      "iread_shared", "iwrite_shared",
              "position",    "seek",         "position_shared",
              "explain",     "explain_at"});
}

namespace {

// A checkpoint that exists, with this rank's numbers.
class checkpoint_subject {
 public:
  checkpoint_subject(io::mpi const& world, std::string at)
      : files(program_opener()),
        spare(files),
        path(std::move(at)),
        encoded_path(path + ".encoded"),
        mine(std::vector<int>(each, 7 + world.rank())),
        world_(world) {
    std::int64_t const n = world.size();
    state.add_value("step", step)
        .add("mine", io::darray<int, 1>({each * n}, io::distribute::block, {n}, world.rank()),
             mine);
    state.save(world, path, {}, files);
    encoded = state;
    encoded.encode({io::zarr_codec::crc32c()}, 512);
    encoded.save(world, encoded_path, {}, files);
  }
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  // Checks that the checkpoint is whole, whatever happened to the call.
  bool restore() {
    mine = program_numbers(std::vector<int>(each));
    step = 0;
    state.load(world_, path, {}, files);
    return everywhere(
        world_, step == 3 && mine == program_numbers(std::vector<int>(each, 7 + world_.rank())));
  }

  io::checkpoint state, encoded;
  io::opener files, spare;
  std::string path, encoded_path;
  std::int64_t step = 3;
  program_numbers mine;

 private:
  io::mpi const& world_;
};

std::vector<collective_row<checkpoint_subject>> calls_of_checkpoints() {
  using s = checkpoint_subject;
  return {
      {"save", [](s& o, code& e) { o.state.save(o.world(), o.path, e, std::move(o.spare)); }},
      {"load", [](s& o, code& e) { o.state.load(o.world(), o.path, e, std::move(o.spare)); }},
      {"save with codecs",
       [](s& o, code& e) { o.encoded.save(o.world(), o.encoded_path, e, std::move(o.spare)); }},
      {"load with codecs",
       [](s& o, code& e) { o.encoded.load(o.world(), o.encoded_path, e, std::move(o.spare)); }},
      {"header_of",
       [](s& o, code& e) { io::checkpoint::header_of(o.world(), o.path, e, std::move(o.spare)); }},
  };
}

// A .npy file that exists and is open, and the name of a second one.
class npy_subject {
 public:
  npy_subject(io::mpi const& world, std::string const& at)
      : files(program_opener()),
        spare(files),
        path(at),
        fresh(at + ".new"),
        mine(std::vector<int>(each, 7 + world.rank())),
        room(std::vector<int>(each)),
        part(io::darray<int, 1>({std::int64_t{each} * world.size()}, io::distribute::block,
                                {world.size()}, world.rank())),
        world_(world) {
    f = io::npy::create(world, path, part, {}, files);
    f.write_all(mine);
    f.close();  // the file is whole only after close
    f = io::npy::open(world, path, part, mode::read_write, {}, files);
  }
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  bool restore() {
    bool const open = everywhere(world_, f.file().is_open());
    if (!open && !everywhere(world_, !f.file().is_open())) return false;
    if (!open) f = io::npy::open(world_, path, part, mode::read_write, {}, files);
    std::vector<int> now(each);
    f.read_all(now);
    return everywhere(world_, now == std::vector<int>(each, 7 + world_.rank()));
  }

  io::npy f;
  io::opener files, spare;
  std::string path, fresh;
  program_numbers mine, room;
  io::array_part part;

 private:
  io::mpi const& world_;
};

std::vector<collective_row<npy_subject>> calls_of_npy() {
  using s = npy_subject;
  return {
      {"create",
       [](s& o, code& e) { io::npy::create(o.world(), o.fresh, o.part, e, std::move(o.spare)); }},
      {"open",
       [](s& o, code& e) {
         io::npy::open(o.world(), o.path, o.part, mode::read_write, e, std::move(o.spare));
       }},
      {"header_of",
       [](s& o, code& e) { io::npy::header_of(o.world(), o.path, e, std::move(o.spare)); }},
      {"write_all", [](s& o, code& e) { o.f.write_all(o.mine, e); }},
      {"write_all by a policy",
       [](s& o, code& e) { o.f.write_all(o.mine, {program_policy{}, e}); }},
      {"read_all", [](s& o, code& e) { o.f.read_all(o.room, e); }},
      {"close", [](s& o, code& e) { o.f.close(e); }},
      {"close of a new file",
       [](s& o, code& e) {
         auto made = io::npy::create(o.world(), o.fresh, o.part, e, std::move(o.spare));
         if (!e) made.close(e);
       }},
  };
}

// A Zarr array that exists and is open, and the name of a second one. Parts of ranks cut shards. In
// another array they are whole shards.
class zarr_subject {
 public:
  zarr_subject(io::mpi const& world, std::string const& at)
      : files(program_opener()),
        spare(files),
        path(at),
        fresh(at + ".new"),
        group(at + ".group"),
        run(at + ".run"),
        inner(at + ".run/new"),
        zip(at + ".zip"),
        mine(std::vector<int>(each, 7 + world.rank())),
        room(std::vector<int>(each)),
        part(io::darray<int, 1>({std::int64_t{each} * world.size()}, io::distribute::block,
                                {world.size()}, world.rank())),
        world_(world) {
    z = io::zarr::create(world, path, part, how, {}, files);
    z.write_all(mine);
    z.close();
    z = io::zarr::open(world, path, part, mode::read_write, {}, files);
    whole_ = io::zarr::create(world, at + ".whole", part, {.chunks = {each}}, {}, files);
    whole_.write_all(mine);
    whole_.close();
    whole_ = io::zarr::open(world, at + ".whole", part, mode::read_write, {}, files);
    io::zarr::create_group(world, run, {}, {}, files);
    io::zarr::create_group(world, run + "/more", {}, {}, files);
    io::zarr::consolidate(world, run, {}, files);
  }
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  bool restore() {
    bool const open = everywhere(world_, z.file().is_open());
    if (!open && !everywhere(world_, !z.file().is_open())) return false;
    if (!open) z = io::zarr::open(world_, path, part, mode::read_write, {}, files);
    z.set_part(part);
    std::vector<int> now(each), in_whole(each, 7 + world_.rank());
    z.read_all(now);
    if (was_used_) whole_.read_all(in_whole);
    was_used_ = false;
    return everywhere(world_, now == std::vector<int>(each, 7 + world_.rank()) && now == in_whole);
  }
  io::zarr& use_whole() {
    was_used_ = true;
    return whole_;
  }

  io::zarr z;
  io::zarr_options how{.chunks = {150}, .shards = {600}, .codecs = {io::zarr_codec::crc32c()}};
  io::opener files, spare;
  std::string path, fresh, group, run, inner, zip;
  program_numbers mine, room;
  io::array_part part;

 private:
  io::mpi const& world_;
  io::zarr whole_;
  bool was_used_ = false;
};

std::vector<collective_row<zarr_subject>> calls_of_zarr() {
  using s = zarr_subject;
  return {
      {"create",
       [](s& o, code& e) {
         io::zarr::create(o.world(), o.fresh, o.part, o.how, e, std::move(o.spare));
       }},
      {"open",
       [](s& o, code& e) {
         io::zarr::open(o.world(), o.path, o.part, mode::read_write, e, std::move(o.spare));
       }},
      {"header_of",
       [](s& o, code& e) { io::zarr::header_of(o.world(), o.path, e, std::move(o.spare)); }},
      {"create_group",
       [](s& o, code& e) {
         io::zarr::create_group(o.world(), o.group, {}, e, std::move(o.spare));
       }},
      {"create_group in a consolidated group",
       [](s& o, code& e) {
         io::zarr::create_group(o.world(), o.inner, {}, e, std::move(o.spare));
       }},
      {"group_of",
       [](s& o, code& e) { io::zarr::group_of(o.world(), o.run, e, std::move(o.spare)); }},
      {"consolidate",
       [](s& o, code& e) { io::zarr::consolidate(o.world(), o.run, e, std::move(o.spare)); }},
      {"pack",
       [](s& o, code& e) { io::zarr::pack(o.world(), o.path, o.zip, e, std::move(o.spare)); }},
      {"write_all", [](s& o, code& e) { o.z.write_all(o.mine, e); }},
      {"write_all by a policy",
       [](s& o, code& e) { o.z.write_all(o.mine, {program_policy{}, e}); }},
      {"write_all of whole shards", [](s& o, code& e) { o.use_whole().write_all(o.mine, e); }},
      {"read_all", [](s& o, code& e) { o.z.read_all(o.room, e); }},
      {"read_all of whole shards", [](s& o, code& e) { o.use_whole().read_all(o.room, e); }},
      {"explain_all", [](s& o, code& e) { o.z.explain_all(io::access_kind::write, o.mine, e); }},
      {"set_part", [](s& o, code& e) { o.z.set_part(o.part, e); }},
      {"grow", [](s& o, code& e) { o.z.grow(o.part, e); }},
      {"close", [](s& o, code& e) { o.z.close(e); }},
      {"close of a new array",
       [](s& o, code& e) {
         auto made = io::zarr::create(o.world(), o.fresh, o.part, o.how, e, std::move(o.spare));
         if (!e) made.close(e);
       }},
  };
}

// An HDF5 file that exists and is open, and the name of a second one. Parts of ranks cut chunks.
class hdf5_subject {
 public:
  hdf5_subject(io::mpi const& world, std::string const& at)
      : files(program_opener()),
        spare(files),
        path(at),
        fresh(at + ".new"),
        mine(std::vector<int>(each, 7 + world.rank())),
        room(std::vector<int>(each)),
        part(io::darray<int, 1>({std::int64_t{each} * world.size()}, io::distribute::block,
                                {world.size()}, world.rank())),
        world_(world) {
    content.add_group("", {{"number", 4}})
        .add("plain", part)
        .add("packed", part,
             {.chunks = {150},
              .filters = {io::hdf5_filter::shuffle()},
              .most = 2 * std::int64_t{each} * world.size()});
    f = io::hdf5::create(world, path, content, {}, files);
    write();
    f.close();
    f = io::hdf5::open(world, path, mode::read_write, {}, files);
  }
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  bool restore() {
    bool const open = everywhere(world_, f.file().is_open());
    if (!open && !everywhere(world_, !f.file().is_open())) return false;
    if (!open) f = io::hdf5::open(world_, path, mode::read_write, {}, files);
    std::vector<int> plain(each), packed(each);
    f.read_all("plain", part, plain);
    f.read_all("packed", part, packed);
    return everywhere(world_,
                      plain == std::vector<int>(each, 7 + world_.rank()) && plain == packed);
  }
  void write() {
    f.write_all("plain", part, mine);
    f.write_all("packed", part, mine);
  }

  io::hdf5 f;
  io::hdf5_content content;
  io::hdf5_attribute number{"number", 5};
  io::opener files, spare;
  std::string path, fresh;
  program_numbers mine, room;
  io::array_part part;

 private:
  io::mpi const& world_;
};

std::vector<collective_row<hdf5_subject>> calls_of_hdf5() {
  using s = hdf5_subject;
  return {
      {"create",
       [](s& o, code& e) {
         io::hdf5::create(o.world(), o.fresh, o.content, e, std::move(o.spare));
       }},
      {"open",
       [](s& o, code& e) {
         io::hdf5::open(o.world(), o.path, mode::read_write, e, std::move(o.spare));
       }},
      {"content_of",
       [](s& o, code& e) { io::hdf5::content_of(o.world(), o.path, e, std::move(o.spare)); }},
      {"write_all", [](s& o, code& e) { o.f.write_all("plain", o.part, o.mine, e); }},
      {"write_all with filters", [](s& o, code& e) { o.f.write_all("packed", o.part, o.mine, e); }},
      {"write_all by a policy",
       [](s& o, code& e) { o.f.write_all("plain", o.part, o.mine, {program_policy{}, e}); }},
      {"read_all", [](s& o, code& e) { o.f.read_all("plain", o.part, o.room, e); }},
      {"read_all with filters", [](s& o, code& e) { o.f.read_all("packed", o.part, o.room, e); }},
      {"set_attribute", [](s& o, code& e) { o.f.set_attribute("", o.number, e); }},
      {"grow", [](s& o, code& e) { o.f.grow("packed", o.content.find("packed")->shape[0], e); }},
      {"sync", [](s& o, code& e) { o.f.sync(e); }},
      {"close", [](s& o, code& e) { o.f.close(e); }},
      {"close of a new file",
       [](s& o, code& e) {
         auto made = io::hdf5::create(o.world(), o.fresh, o.content, e, std::move(o.spare));
         if (!e) made.close(e);
       }},
  };
}

// VTKHDF files of one step, a grid and boxes, the states that are to become another one, and names
// of new files.
class vtkhdf_subject {
 public:
  vtkhdf_subject(io::mpi const& world, std::string const& at)
      : files(program_opener()),
        spare(files),
        path(at),
        boxes_path(at + ".boxes"),
        fresh(at + ".new"),
        state(io::vtkhdf::image_data({.points = {2 * std::int64_t{world.size()}}})),
        boxes(io::vtkhdf::overlapping_amr({.spacing = {1}})),
        world_(world) {
    io::darray<int, 1> const tile({2 * world.size()}, io::distribute::block, {world.size()},
                                  world.rank());
    state.add_point_data("v", tile, values).add_field_data("cycle", 1);
    state.begin_steps(world, path, 0, {}, {}, files);
    boxes.add_box({0, {2 * std::int64_t{world.rank()}}, {2}}).add_cell_data("v", values);
    boxes.begin_steps(world, boxes_path, 0, {}, {}, files);
  }
  vtkhdf_subject(vtkhdf_subject const&) = delete;
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  // Each file has its old steps, and perhaps one more.
  bool restore() {
    bool const grid = has_steps(path, steps), levels = has_steps(boxes_path, steps_of_boxes);
    return everywhere(world_, grid && levels);
  }

  io::opener files, spare;
  std::string path, boxes_path, fresh;
  std::vector<int> values{7, 8};
  io::vtkhdf state, boxes;
  std::int64_t steps = 1, steps_of_boxes = 1;

 private:
  bool has_steps(std::string const& of, std::int64_t& before) {
    auto f = io::hdf5::open(world_, of, mode::read, {}, files);
    auto const* const found = f.content().find("VTKHDF/Steps/Values");
    std::int64_t const now = found ? found->shape[0] : 0;
    f.close();
    bool const well = now == before || now == before + 1;
    before = now;
    return well;
  }
  io::mpi const& world_;
};

std::vector<collective_row<vtkhdf_subject>> calls_of_vtkhdf() {
  using s = vtkhdf_subject;
  return {
      {"save", [](s& o, code& e) { o.state.save(o.world(), o.fresh, e, std::move(o.spare)); },
       false, 61},
      {"save of boxes",
       [](s& o, code& e) { o.boxes.save(o.world(), o.fresh, e, std::move(o.spare)); }, false, 211},
      {"begin_steps",
       [](s& o, code& e) { o.state.begin_steps(o.world(), o.fresh, 0, {}, e, std::move(o.spare)); },
       false, 61},
      {"append_step",
       [](s& o, code& e) {
         auto const time = static_cast<double>(o.steps);
         o.state.append_step(o.world(), o.path, time, e, std::move(o.spare));
       },
       false, 61},
      {"append_step of boxes",
       [](s& o, code& e) {
         auto const time = static_cast<double>(o.steps_of_boxes);
         o.boxes.append_step(o.world(), o.boxes_path, time, e, std::move(o.spare));
       },
       false, 211},
  };
}

class xdmf_subject {
 public:
  xdmf_subject(io::mpi const& world, std::string at)
      : files(program_opener()),
        spare(files),
        path(std::move(at)),
        run({.points = {each}, .spacing = {1}}),
        world_(world) {
    run.add(0, "numbers", path + ".raw",
            io::array_part(io::darray<int, 1>({each}, io::distribute::block, {1}, 0)));
    run.save(world, path, {}, files);
  }
  io::mpi const& world() const { return world_; }
  void prepare() { spare = files; }
  bool restore() { return everywhere(world_, content_of(path).ends_with("</Xdmf>\n")); }

  io::opener files, spare;
  std::string path;
  io::xdmf run;

 private:
  io::mpi const& world_;
};

std::vector<collective_row<xdmf_subject>> calls_of_xdmf() {
  return {{"save",
           [](xdmf_subject& o, code& e) { o.run.save(o.world(), o.path, e, std::move(o.spare)); }}};
}

template <class Subject>
std::size_t places_in(std::string const& path, std::vector<collective_row<Subject>> const& table) {
  io::mpi const world(MPI_COMM_WORLD);
  Subject subject(world, path);
  return fail_everywhere(subject, table);
}

}  // namespace

TEST_CASE("a rank that fails anywhere in a collective call of a format keeps no rank waiting",
          "[format][memory][error]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  watchdog const guard;
  std::size_t places = places_in(here / "state", calls_of_checkpoints());
  places += places_in(here / "u.npy", calls_of_npy());
  places += places_in(here / "u.zarr", calls_of_zarr());
  places += places_in(here / "u.h5", calls_of_hdf5());
  places += places_in(here / "u.vtkhdf", calls_of_vtkhdf());
  places += places_in(here / "u.xdmf", calls_of_xdmf());
  say("formats", world.rank(), places);
  CHECK(places > 1000);
}

TEST_CASE("every collective call of a format is in the table", "[format][error]") {
  check_rows(calls_of_checkpoints(), ARGOSY_TEST_HEADERS "/format/basic_checkpoint.hpp",
             "basic_checkpoint", {"add", "add_value", "encode", "what_failed"});
  check_rows(calls_of_npy(), ARGOSY_TEST_HEADERS "/format/basic_npy.hpp", "basic_npy",
             {"header", "file", "what_failed"});
  check_rows(calls_of_zarr(), ARGOSY_TEST_HEADERS "/format/basic_zarr.hpp", "basic_zarr",
             {"header", "encoding", "file", "what_failed"});
  check_rows(calls_of_hdf5(), ARGOSY_TEST_HEADERS "/format/basic_hdf5.hpp", "basic_hdf5",
             {"content", "file", "what_failed"});
  check_rows(calls_of_vtkhdf(), ARGOSY_TEST_HEADERS "/format/basic_vtkhdf.hpp", "basic_vtkhdf",
             {"image_data", "unstructured_grid", "poly_data", "overlapping_amr", "add_box",
              "add_point_data", "add_cell_data", "add_field_data", "what_failed"});
  check_rows(calls_of_xdmf(), ARGOSY_TEST_HEADERS "/format/basic_xdmf.hpp", "basic_xdmf",
             {"add", "what_failed"});
}

namespace {

// Writes a checkpoint of one process whose header consists of `items`, `bytes` long in all, with
// the right checksum.
void write_header(std::string const& path, std::string const& items, std::size_t bytes) {
  std::string text = "{'blocks': 1048576, 'size': 33554432, 'arrays': [";
  while (text.size() + items.size() + 2 <= bytes) text += items;
  text += "]}";
  std::string head =
      "\x93"
      "ARGOSY\x01";
  for (std::uint32_t const word : {static_cast<std::uint32_t>(text.size()),
                                   io::detail::checksum_of(std::as_bytes(std::span(text)))})
    for (int i = 0; i < 4; ++i) head += static_cast<char>(word >> (8 * i) & 0xff);
  std::ofstream(path, std::ios::binary) << head << text;
}

// On one rank at a time, `bytes` bytes of memory are left. The call must succeed on all ranks, or
// on none.
template <class Call>
void check_scarce(io::mpi const& world, std::size_t bytes, Call&& call) {
  for (int who = 0; who < world.size(); ++who) {
    watchdog::watch("a call with scarce memory", loss::allocation, who, bytes, world.rank());
    code error;
    {
      std::optional<io::scarce_memory> scarce;
      if (world.rank() == who) scarce.emplace(bytes);
      call(error);
    }
    INFO(error.message());
    CHECK((everywhere(world, !error) || everywhere(world, static_cast<bool>(error))));
  }
}

}  // namespace

TEST_CASE("a header that grows is refused by one rank, in twice its size",
          "[format][checkpoint][memory]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  watchdog const guard;
  io::detail::memory_reserve const kept;  // made here, so that it is not counted
  constexpr std::size_t size = 16 << 20;
  std::string const path = here / "f";
  for (std::string const items : {"0,", "[],", "(0,),", "{'name': ((0,),(0,),(0,)),},", "'a',"}) {
    if (world.rank() == 0) write_header(path, items, size);
    world.barrier();
    std::size_t peak = 0;
    code error;
    {
      io::heap_peak const most;
      io::checkpoint::header_of(world, path, error);
      peak = most.bytes();
    }
    CAPTURE(items, world.rank(), peak);
    CHECK(failed_on(world, 0, io::errc::damaged, error));
    CHECK(peak < (world.rank() == 0 ? 2 * size + (1 << 20) : std::size_t{1} << 20));
  }
  // A list that is never closed.
  if (world.rank() == 0) {
    std::string all = "0";
    for (std::size_t i = 0; i < size / 2 - 100; ++i) all += ",0";
    write_header(path, "{'shape': (" + all + ")}", size);
  }
  world.barrier();
  io::heap_peak const most;
  code error;
  io::checkpoint::header_of(world, path, error);
  CHECK(failed_on(world, 0, io::errc::damaged, error));
  CHECK(most.bytes() < 3 * size);
  for (std::size_t const bytes :
       {std::size_t{64} << 10, std::size_t{4} << 20, std::size_t{20} << 20})
    check_scarce(world, bytes, [&](code& e) { io::checkpoint::header_of(world, path, e); });
}

TEST_CASE("a process with too little memory for the names of a checkpoint keeps none waiting",
          "[format][checkpoint][memory]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  std::string const path = here / "f";
  watchdog const guard;
  std::vector<double> values(8);
  io::checkpoint state;
  for (std::size_t i = 0; i < values.size(); ++i)
    state.add_value(std::string(std::size_t{1} << 20, static_cast<char>('a' + i)), values[i]);
  state.save(world, path);
  for (std::size_t const mib : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u}) {
    std::size_t const bytes = mib << 20;
    check_scarce(world, bytes, [&](code& e) { state.save(world, path, e); });
    check_scarce(world, bytes, [&](code& e) { state.load(world, path, e); });
    check_scarce(world, bytes, [&](code& e) { io::checkpoint::header_of(world, path, e); });
  }
  state.load(world, path);
}

TEST_CASE("names that are not UTF-8 are refused on every rank", "[format][error]") {
  io::mpi const world(MPI_COMM_WORLD);
  shared_scratch const here(world);
  double value = 1;
  code error;
  io::checkpoint state;
  state.add_value("caf\xff", value).save(world, here / "f", error);
  CHECK(error == io::errc::argument);
  CHECK_THAT(state.what_failed(), Catch::Contains("not UTF-8"));
  CHECK_FALSE(std::filesystem::exists(here / "f"));
  for (bool const of_file : {false, true}) {
    io::xdmf run({.points = {4}});
    run.add(0, of_file ? "u" : "caf\xff", of_file ? "caf\xff.raw" : "u.raw",
            io::array_part(io::darray<double, 1>({4}, io::distribute::block, {1}, 0)));
    run.save(world, here / "u.xdmf", error);
    CHECK(error == io::errc::argument);
    CHECK_THAT(run.what_failed(), Catch::Contains("caf\\xff") && Catch::Contains("is not UTF-8"));
    CHECK_FALSE(std::filesystem::exists(here / "u.xdmf"));
  }
}
