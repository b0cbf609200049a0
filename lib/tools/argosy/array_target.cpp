// Implements array_target.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "array_target.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <argosy/error/error.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/begin_file.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/file_header.hpp>
#include <argosy/format/hdf5.hpp>
#include <argosy/format/zarr.hpp>
#include <argosy/world/self.hpp>

#include "attributes.hpp"

namespace argosy::tool {
namespace {

using joint = detail::joint_call<mpi>;

// --- Zarr and HDF5 ---

// Ends a new array whose last write has failed: closing it then removes it.
template <class Write, class Close>
void fail_and_close(Write&& write, Close&& close) noexcept {
  std::error_code ignored;
  try {
    write(source(failure(errc::damaged, "the array is given up"), {}), ignored);
    close(ignored);
  } catch (...) {
    return;  // the error that led here is reported
  }
}

class zarr_target final : public array_target {
 public:
  zarr_target(mpi const& world, std::string const& path, array_facts const& of,
              target_options const& how)
      : facts_(of) {
    zarr_options const all{.chunks = how.chunks,
                           .shards = how.shards,
                           .codecs = how.codecs,
                           .fill_value = of.fill_value,
                           .dimension_names = of.dimension_names,
                           .attributes = zarr_attributes(of)};
    array_ = zarr::create(world, path, part(detail::nothing_of(of.shape)), all);
  }
  order in() const noexcept override { return order::c; }
  any_sizes unit() const override {
    zarr_options const& how = array_.header().options;
    return how.shards.empty() ? how.chunks : how.shards;
  }
  void write(any_selection const& box, std::byte const* from) override {
    array_.set_part(part(box));
    array_.write_all(dense(const_cast<std::byte*>(from), box, order::c, facts_, order::c));
  }
  void finish() override { array_.close(); }
  void give_up() noexcept override {
    fail_and_close([&](source s, std::error_code& e) { array_.write_all(std::move(s), e); },
                   [&](std::error_code& e) { array_.close(e); });
  }

 private:
  array_part part(any_selection const& box) const { return part_of(facts_, box, order::c); }

  array_facts facts_;
  zarr array_;
};

class hdf5_target final : public array_target {
 public:
  hdf5_target(mpi const& world, array_name const& name, array_facts const& of,
              target_options const& how)
      : facts_(of), inside_(name.inside) {
    hdf5_content content;
    content.add(inside_, part(detail::nothing_of(of.shape)),
                {.chunks = how.chunks,
                 .filters = how.filters,
                 .dimension_names = of.dimension_names,
                 .attributes = attributes_for(array_format::hdf5, of).hdf5});
    file_ = hdf5::create(world, name.path, content);
  }
  order in() const noexcept override { return order::c; }
  any_sizes unit() const override { return file_.content().find(inside_)->options.chunks; }
  void write(any_selection const& box, std::byte const* from) override {
    file_.write_all(inside_, part(box),
                    dense(const_cast<std::byte*>(from), box, order::c, facts_, order::c));
  }
  void finish() override { file_.close(); }
  void give_up() noexcept override {
    fail_and_close(
        [&](source s, std::error_code& e) {
          file_.write_all(inside_, part(detail::nothing_of(facts_.shape)), std::move(s), e);
        },
        [&](std::error_code& e) { file_.close(e); });
  }

 private:
  array_part part(any_selection const& box) const { return part_of(facts_, box, order::c); }

  array_facts facts_;
  std::string inside_;
  hdf5 file_;
};

// --- Arrays that are one range of the file ---

// A raw file, a .npy file, or a checkpoint of one array. Checksums are computed from the file.
class flat_target final : public array_target {
 public:
  flat_target(mpi const& world, array_name const& name, array_facts of)
      : world_(world.duplicate()), path_(name.path), facts_(std::move(of)) {
    facts_.of.type = detail::native_type(facts_.of.type);
    in_call([&](joint const& s) {
      std::vector<std::byte> head;
      s.alone(errc::argument, [&] {
        head = describe(name);
        to_ = files_.absolute(path_);
        if (s.rank() != 0) head.clear();
      });
      hints own;
      part_ = detail::begin_file(s, path_, to_, files_, {}, own);
      file_ =
          s.open(part_.path, mode::create | mode::exclusive | mode::read_write | mode::unique_open,
                 own, opener(files_));
      s.undone(
          [&] {
            s.on_first(errc::io,
                       [&] { return mark_.enter(files_, part_.full_path, part_.number); });
            s.together([&] { file_.set_size(size_); });
            s.together([&] { file_.write_at_all(0, head); });
          },
          [&] { s.discard(file_); });
    });
  }
  order in() const noexcept override { return facts_.in; }
  any_sizes unit() const override { return {}; }
  void write(any_selection const& box, std::byte const* from) override {
    in_call([&](joint const& s) {
      view v;
      buffer memory;
      s.alone(errc::datatype, [&] {
        memory = dense(const_cast<std::byte*>(from), box, facts_.in, facts_, facts_.in);
        return detail::view_of({facts_.of.type, facts_.in, facts_.shape, facts_.offset},
                               part_of(facts_, box, facts_.in), v);
      });
      s.together([&] { file_.set_view(v); });
      s.together([&] { file_.write_at_all(0, memory); });
    });
  }
  void finish() override {
    in_call([&](joint const& s) {
      std::optional<file_identity> mine;
      if (s.rank() == 0) detail::failure_of(errc::io, [&] { mine = identity(); });
      auto const name = [&]() -> failure {
        mark_.permit(part_.permissions);
        if (auto const code = files_.rename(part_.full_path, to_, mine))
          return {code, "renaming '" + part_.full_path + "'"};
        return {files_.settle(to_), "the file has its name, but perhaps not after a crash"};
      };
      auto const fill = [&] {
        s.together([&] { file_.sync(); });
        if (!header_.arrays.empty()) write_sums(s);
      };
      s.undone(
          [&] {
            s.closing(file_, fill, true);
            s.on_first(errc::io, name);
          },
          [&] {
            if (s.rank() == 0)
              detail::failure_of(errc::io, [&] { files_.remove(part_.full_path, mine); });
            detail::barrier_of_survivors(s.world());
          });
      mark_ = {};
    });
  }
  void give_up() noexcept override {
    try {
      in_call([&](joint const& s) { s.discard(file_); });
    } catch (...) {
      return;  // the error that led here is reported
    }
  }

 private:
  template <class Body>
  void in_call(Body&& body) {
    std::string words;
    detail::in_one_call(world_, {"convert", path_, {}, detail::name_use::replaces_file}, nullptr,
                        words, body);
  }
  std::optional<file_identity> identity() { return detail::file_services::identity(file_); }

  // Chooses the place of the array and the size of the file. Returns the header of the file.
  std::vector<std::byte> describe(array_name const& name) {
    std::vector<std::byte> head;
    facts_.offset = 0;
    std::int64_t const bytes = part_of(facts_, detail::nothing_of(facts_.shape), facts_.in).bytes();
    if (name.format == array_format::npy) {
      head = detail::npy_header_of(facts_.of.type, facts_.in, facts_.shape);
      facts_.offset = std::ssize(head);
    }
    size_ = detail::add(facts_.offset, bytes);
    if (name.format == array_format::checkpoint) {
      header_.arrays.push_back(
          {.name = name.inside, .type = facts_.of.type, .order = facts_.in, .shape = facts_.shape});
      detail::place_arrays(header_);
      head = detail::checkpoint_header_of(header_);
      facts_.offset = header_.arrays[0].offset;
      size_ = header_.file_bytes;
    }
    return head;
  }
  // Each rank reads a share of the blocks, and writes their checksums.
  void write_sums(joint const& s) {
    detail::checkpoint_array const& a = header_.arrays[0];
    detail::block_shares const shares(header_.blocks(a), s.rank(), s.world().size());
    std::int64_t const first = shares.first(s.rank());
    std::vector<std::byte> sums;
    view const all_bytes;
    s.together([&] { file_.set_view(all_bytes); });
    s.alone(errc::io, [&]() -> failure {
      sums.resize(static_cast<std::size_t>(4 * shares.mine()));
      std::vector<std::byte> block(static_cast<std::size_t>(header_.block_bytes));
      for (std::int64_t i = 0; i < shares.mine(); ++i) {
        std::int64_t const begin = (first + i) * header_.block_bytes;
        std::int64_t const n = std::min(header_.block_bytes, a.bytes() - begin);
        std::span const bytes = std::span(block).first(static_cast<std::size_t>(n));
        if (file_.read_at(a.offset + begin, bytes).bytes < n)
          return {errc::truncated, "the new file is shorter than it was written"};
        detail::store_checksum(detail::checksum_of(bytes),
                               std::span(sums).subspan(static_cast<std::size_t>(4 * i)).first<4>());
      }
      return {};
    });
    s.together([&] { file_.write_at_all(a.sums + 4 * first, sums); });
    s.together([&] { file_.sync(); });
  }

  mpi world_;
  opener files_ = posix_opener();
  std::string path_, to_;
  array_facts facts_;
  checkpoint_header header_;
  std::int64_t size_ = 0;
  detail::unfinished_file part_;
  detail::written_mark mark_;
  basic_file<mpi> file_;
};

// Returns the arrays that would be lost with a file, apart from the one of this name.
std::string others_in(array_name const& name) try {
  std::string all;
  auto const add = [&](std::string const& other) {
    if (other != name.inside) all += (all.empty() ? "'" : ", '") + other + "'";
  };
  if (name.format == array_format::hdf5)
    for (hdf5_dataset const& d : basic_hdf5<self>::content_of(self(), name.path).datasets)
      add(d.name);
  if (name.format == array_format::checkpoint)
    for (detail::checkpoint_array const& a :
         basic_checkpoint<self>::header_of(self(), name.path).arrays)
      add(a.name);
  return all;
} catch (error const&) {
  return {};  // it is no such file
}

}  // namespace

std::unique_ptr<array_target> new_target(mpi const& world, array_name const& name,
                                         array_facts const& of, target_options const& how) {
  if (name.format == array_format::zarr)
    return std::make_unique<zarr_target>(world, name.path, of, how);
  if (name.format == array_format::hdf5) return std::make_unique<hdf5_target>(world, name, of, how);
  return std::make_unique<flat_target>(world, name, of);
}

void require_free(mpi const& world, array_name const& name, array_name const& from, bool force) {
  std::string words;
  auto const look = [&]() -> failure {
    std::error_code none;
    if (!std::filesystem::exists(name.path, none)) return {};
    if (!force) return {errc::file_exists, "there is one already", "give --force to replace it"};
    if (std::filesystem::equivalent(name.path, from.path, none))
      return {errc::file_exists, "it is the file that is read", "give another name"};
    if (name.format != array_format::zarr && std::filesystem::is_directory(name.path, none))
      return {errc::file_exists, "it is a directory", "give another name"};
    if (std::string const others = others_in(name); !others.empty())
      return {errc::file_exists, "it would lose " + others, "give the name of a new file"};
    return {};
  };
  detail::in_one_call(world, {"convert", name.path, {}, detail::name_use::replaces_file}, nullptr,
                      words, [&](joint const& s) { s.on_first(errc::file_exists, look); });
}

std::vector<std::string> lost_in(array_format target, array_facts const& of) {
  std::vector<std::string> all;
  for (std::string const& name : attributes_for(target, of).lost)
    all.push_back("the attribute '" + name + "'");
  bool const is_flat = target != array_format::zarr && target != array_format::hdf5;
  if (is_flat && !of.dimension_names.empty()) all.emplace_back("the names of dimensions");
  if (target != array_format::zarr && !of.fill_value.empty())
    all.push_back("the fill value " + of.fill_value);
  if (target == array_format::raw) all.push_back("type and shape, " + of.text());
  return all;
}

}  // namespace argosy::tool
