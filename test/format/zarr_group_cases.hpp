// Groups of Zarr arrays and their consolidated metadata, in any world. Each function is called by
// all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/format/basic_zarr.hpp>
#include <argosy/format/zarr_zip.hpp>

#include "format/zarr_cases.hpp"

namespace argosy::test {

// Returns the paths and shapes of all members: "a (8,)".
inline std::vector<std::string> members_of(zarr_group const& g) {
  std::vector<std::string> all;
  for (zarr_member const& m : g.members)
    all.push_back(m.path + (m.array ? " " + std::to_string(m.array->shape[0]) : ""));
  return all;
}

// Consolidated metadata is never older than the arrays.
template <communicator World>
void check_consolidated(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  using names = std::vector<std::string>;
  auto const part = [&](std::int64_t each) {
    return darray<float, 1>({each * world.size()}, distribute::block, {world.size()}, world.rank());
  };
  std::int64_t const one = world.size();
  auto const text = [&](char const* name, std::int64_t n) {
    return name + (" " + std::to_string(n));
  };
  auto const write = [&](std::string const& name, std::int64_t each) {
    zarr z = zarr::create(world, path + name, part(each), {.chunks = {4}}, {}, files);
    std::vector<float> const mine(static_cast<std::size_t>(each), 3);
    z.write_all(mine);
    z.close();
  };
  auto const now = [&] { return zarr::group_of(world, path, {}, files); };
  zarr::create_group(world, path, R"({"title": "a run"})", {}, files);
  CHECK(members_of(now()).empty());
  write("/u", 2);
  CHECK_FALSE(now().consolidated);
  CHECK(members_of(now()) == names{text("u", 2 * one)});
  zarr::create_group(world, path + "/ocean", {}, {}, files);
  zarr::consolidate(world, path, {}, files);
  CHECK(now().consolidated);
  CHECK(now().attributes == R"({"title":"a run"})");
  CHECK(members_of(now()) == names{"ocean", text("u", 2 * one)});
  write("/ocean/v", 3);  // a new array, two groups below
  CHECK(members_of(now()) == names{"ocean", text("ocean/v", 3 * one), text("u", 2 * one)});
  write("/u", 5);  // a new array replaces an old one
  zarr z = zarr::open(world, path + "/ocean/v", part(3), mode::read_write, {}, files);
  z.grow(part(4));
  z.close();
  zarr::create_group(world, path + "/ocean", R"({"depth": 3})", {}, files);
  zarr_group const g = now();
  CHECK(g.consolidated);
  CHECK(members_of(g) == names{"ocean", text("ocean/v", 4 * one), text("u", 5 * one)});
  CHECK(g.members[0].attributes == R"({"depth":3})");
  // Other attributes of the group itself keep its members.
  zarr::create_group(world, path, {}, {}, files);
  CHECK(now().consolidated);
  CHECK(now().attributes.empty());
  CHECK(now().members == g.members);
  // An opener that cannot list directories reads consolidated metadata only.
  opener const blind = files.with_directories(
      {.make = [&](auto& p) { return files.make_directory(p); },
       .exchange = [&](auto& a, auto& b) { return files.exchange_directories(a, b); },
       .remove = [&](auto& p) { return files.remove_directory(p); }});
  CHECK(zarr::group_of(world, path, {}, blind).members == g.members);
  check_refused(world, errc::unsupported, 0, "cannot list directories",
                [&](auto&... error) { zarr::group_of(world, path + "/ocean", {error...}, blind); });
  check_refused(world, errc::datatype, 0, "is an array and no group",
                [&](auto&... error) { zarr::group_of(world, path + "/u", {error...}, files); });
  check_refused(world, errc::datatype, 0, "is no group",
                [&](auto&... error) { zarr::consolidate(world, path + "/u", {error...}, files); });
  check_refused(world, errc::no_such_file, 0, "no such file",
                [&](auto&... error) { zarr::group_of(world, path + "/w", {error...}, files); });
}

// Ranks pack a store, and read the zip file.
template <communicator World>
void check_packed(World const& world, std::string const& path, opener const& files) {
  using zarr = basic_zarr<World>;
  std::int64_t const n = 30 * world.size();
  darray<double, 1> const part({n}, distribute::cyclic(4), {world.size()}, world.rank());
  dealt const d{{n}, {world.size()}, {4}, order::c};
  std::vector<double> const mine = values_of<double>(d, world.rank());
  zarr z = zarr::create(world, path, part, {.chunks = {3}, .shards = {12}}, {}, files);
  z.write_all(mine);
  z.close();
  zarr::pack(world, path, path + ".zip", {}, files);
  z = zarr::open(world, path + ".zip", part, mode::read, {}, zip_opener(path + ".zip", files));
  std::vector<double> back(mine.size());
  z.read_all(back);
  z.close();
  CHECK(back == mine);
}

}  // namespace argosy::test
