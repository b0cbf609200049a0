// Function bodies of basic_zarr.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/format/basic_zarr.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/codec_threads.hpp>
#include <argosy/format/detail/file_services.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/detail/zarr/groups.hpp>
#include <argosy/format/detail/zarr/whole_shards.hpp>

namespace argosy {

template <communicator World>
basic_zarr<World> basic_zarr<World>::create(World const& world, std::string const& path,
                                            array_part const& part, zarr_options const& how,
                                            detail::hinted with, opener files) {
  basic_zarr z;
  auto const words = [&] { return z.told_ ? z.told_->words.get() : std::string(); };
  detail::program_call const call{"zarr::create", path, with.where(), detail::name_use::makes_file,
                                  words};
  detail::in_one_call_of_its_own(world, call, with.error(), z.what_failed_,
                                 [&](joint const& s) { z.make(s, path, part, how, with, files); });
  return z;
}

template <communicator World>
void basic_zarr<World>::make(joint const& s, std::string const& path, array_part const& part,
                             zarr_options const& how, detail::hinted const& with,
                             opener const& files) {
  std::string json;
  s.alone_with_equal("array", errc::datatype, [&](std::string& text) -> extend::failure {
    text = to_string(part);
    told_ = std::make_shared<detail::zarr_reports>();
    files_ = files;
    path_ = files.absolute(detail::without_prefix(path));
    (void)part.bytes();  // throws the fault of the part
    header_ = {part.shape(), part.type(), how};
    if (extend::failure bad = detail::complete(header_)) return bad;
    json = detail::zarr_json_of(header_);
    text += " " + json;
    if (!files.has_directories() || !files.renames())
      return {errc::unsupported, "this opener has no directories, and an array is one",
              "give an opener with directory_functions, such as io::posix_opener()"};
    return {};
  });
  std::uint64_t number = detail::random_name();
  if constexpr (requires { s.world().unique_number(); }) number = s.world().unique_number();
  s.broadcast(std::as_writable_bytes(std::span(&number, 1)));
  s.alone(errc::io, [&] { unfinished_ = detail::temporary_path(path_, number); });
  auto const fill = [&] {
    s.on_first(errc::io, [&]() -> extend::failure {
      bool exists = false;
      if (extend::failure other = detail::replaceable(files, path_, exists)) return other;
      if (auto const error = files.make_directory(unfinished_))
        return {error, "making the directory '" + unfinished_ + "'"};
      return detail::write_small_file(files, detail::zarr_json_path(unfinished_), json,
                                      detail::permissions_in(with.hints()));
    });
    state_ = progress::begun;
    start(s, part, with, mode::read_write | mode::unique_open);
  };
  s.undone(fill, [&] { discard(s); });
}

// Opens the array and chooses the part. The header is known.
template <communicator World>
void basic_zarr<World>::start(joint const& s, array_part const& part, detail::hinted const& with,
                              mode modes) {
  argosy::hints own;
  std::optional<opener> opens;
  choose_threads(s, with.hints());
  s.alone(errc::io, [&]() -> extend::failure {
    if (header_.version != 3 && detail::can_write(modes))
      return {errc::unsupported, "the array is of version 2 of the format, which is read only",
              "write a new array"};
    modes_ = modes;
    hints_ = with.hints();
    own = detail::hints_for(header_, hints_, threads_);
    ranks_are_chosen_ = detail::choose_ranks(hints_);
    opens = detail::zarr_opener(
        *files_, told_, {state_ != progress::none, header_.options.write_empty_chunks, threads_});
    return {};
  });
  file_ = s.open(state_ == progress::none ? path_ : unfinished_, modes, own, *std::move(opens));
  s.undone([&] { choose(s.on(file_.world()), part); },
           [&] {
             s.close_after_error(file_);
             file_ = {};
           });
}

// Chooses the threads for chunks. All ranks have the same header, so all of them ask or none.
template <communicator World>
void basic_zarr<World>::choose_threads(joint const& s, argosy::hints const& given) {
  if (threads_ > 0) return;
  threads_ = detail::is_compressed(header_) ? detail::codec_threads_for(s, given) : 1;
}

template <communicator World>
void basic_zarr<World>::choose(joint const& s, array_part const& part) {
  detail::zarr_selection selection;
  std::optional<array_part> chosen;
  argosy::view v;
  s.alone(errc::datatype, [&]() -> extend::failure {
    if (extend::failure other = detail::fault_of_zarr_part(header_, part)) return other;
    chosen = part;
    detail::zarr_grid const grid(header_);
    selection = detail::zarr_selection(grid, part.form(), part.order());
    std::int64_t const shards = detail::file_services::window_bytes(file_) / grid.shard_bytes();
    window_bytes_ = std::max<std::int64_t>(1, shards) * grid.shard_bytes();
    v = detail::view_of_bytes(selection.file());
    return {};
  });
  s.together([&] { file_.set_view(v, s.where()); });
  selection_ = std::move(selection);
  part_ = std::move(chosen);
}

// Removes a new array that cannot be finished.
template <communicator World>
void basic_zarr<World>::discard(joint const& s) {
  state_ = progress::none;
  if (s.rank() == 0 && files_)
    detail::failure_of(errc::io, [&] { files_->remove_directory(unfinished_); });
  detail::barrier_of_survivors(s.world());  // once a rank has returned, the directory is gone
}

template <communicator World>
basic_zarr<World> basic_zarr<World>::open(World const& world, std::string const& path,
                                          array_part const& part, argosy::mode modes,
                                          detail::hinted with, opener const& files) {
  basic_zarr z;
  auto const words = [&] { return z.told_ ? z.told_->words.get() : std::string(); };
  detail::program_call const call{"zarr::open", path, with.where(), detail::name_use::reads_file,
                                  words};
  detail::in_one_call_of_its_own(world, call, with.error(), z.what_failed_, [&](joint const& s) {
    s.alone(errc::io, [&] {
      z.told_ = std::make_shared<detail::zarr_reports>();
      z.path_ = files.absolute(detail::without_prefix(path));
      z.files_ = files;
    });
    z.header_ = find(s, z.path_, *z.files_);
    z.start(s, part, with, modes);
  });
  return z;
}

// Reads the metadata on rank 0. The other ranks get its text only after rank 0 has accepted it.
template <communicator World>
zarr_header basic_zarr<World>::find(joint const& s, std::string const& path, opener const& files) {
  std::string text;
  std::optional<zarr_header> h;
  s.on_first(errc::io, [&]() -> extend::failure {
    extend::failure why = detail::read_zarr_metadata(files, path, text);
    if (!why) h = detail::parse_zarr_header(text, why);
    return why;
  });
  s.share_text(text);
  s.alone(errc::io, [&]() -> extend::failure {
    extend::failure why;
    if (!h) h = detail::parse_zarr_header(text, why);
    return why;
  });
  return *std::move(h);
}

template <communicator World>
zarr_header basic_zarr<World>::header_of(World const& world, std::string const& path,
                                         detail::hinted with, opener files) {
  zarr_header h;
  std::string what;
  detail::program_call const call{"zarr::header_of", path, with.where(),
                                  detail::name_use::reads_file};
  detail::in_one_call_of_its_own(world, call, with.error(), what, [&](joint const& s) {
    std::string place;
    s.alone(errc::io, [&] { place = detail::without_prefix(path); });
    h = find(s, place, files);
  });
  return h;
}

// Runs a call of the open array. An array that is not open has no other ranks.
template <communicator World>
template <class Body>
void basic_zarr<World>::in_call(std::string_view name, extend::source_location where,
                                std::error_code* code, Body&& body) {
  if (file_.is_open()) {
    World const world = file_.world();  // close ends the world of the file
    told_->words.set({});
    auto const words = [&] { return told_->words.get(); };
    return detail::in_one_call(world, {name, path_, where, detail::name_use::uses_open_file, words},
                               code, what_failed_, body);
  }
  error const closed(
      detail::local_agreement(-1, {errc::file, "the array is not open", "open it first"}), name, {},
      -1);
  what_failed_ = closed.what();
  if (!code) throw closed;
  *code = closed.code();
}

// Describes the data in the order of the linear space. Its fault is reported as an error of the
// file's call, which all ranks make.
template <communicator World>
template <class Data>
void basic_zarr<World>::arrange(Data& data) const {
  extend::failure why = data.fault().value_or(extend::failure());
  if (!why)
    why = detail::failure_of(errc::datatype, [&]() -> extend::failure {
      const_buffer const& given = data.buffer();
      if (extend::failure wrong = detail::fault_of(*part_, given, path_)) return wrong;
      layout form = selection_.memory(given.form());
      if constexpr (std::same_as<Data, source>)
        data = Data(const_buffer(given.address(), std::move(form)), data.where());
      else  // a target refers to memory that may be written
        data = Data(buffer(const_cast<std::byte*>(given.address()), std::move(form)), data.where());
      return {};
    });
  if (why) data = Data(std::move(why), data.where());
}

// Returns the policy of a call whose data is arranged. Ranks that have whole shards go by
// themselves, unless the program or hints say otherwise. Collective.
template <communicator World>
template <class Data>
extend::any_policy basic_zarr<World>::policy_for(joint const& s, access_kind kind, Data const& data,
                                                 extend::any_policy&& given) const {
  detail::shard_shares all{.others = 1};
  if (!data.fault() && !given.has_value() && !ranks_are_chosen_)
    all = detail::shares_of(kind, selection_);
  s.all_reduce(all);
  if (!all.by_themselves(s.world().size(), selection_.dimensions())) return std::move(given);
  return detail::whole_shards{window_bytes_, !data.buffer().form().is_contiguous()};
}

template <communicator World>
report basic_zarr<World>::write_all(source from, access_options with) {
  report r;
  in_call("zarr::write_all", from.where(), with.error(), [&](joint const& s) {
    if (state_ != progress::none) state_ = progress::failed;
    arrange(from);
    auto policy = policy_for(s, access_kind::write, from, std::move(with).policy());
    r = s.together([&] { return file_.write_at_all(0, std::move(from), std::move(policy)); });
    if (state_ != progress::none) state_ = progress::begun;
  });
  return r;
}

template <communicator World>
report basic_zarr<World>::read_all(target into, access_options with) {
  report r;
  in_call("zarr::read_all", into.where(), with.error(), [&](joint const& s) {
    arrange(into);
    auto policy = policy_for(s, access_kind::read, into, std::move(with).policy());
    r = s.together([&] { return file_.read_at_all(0, std::move(into), std::move(policy)); });
  });
  return r;
}

template <communicator World>
zarr_plan basic_zarr<World>::explain_all(access_kind kind, source data, access_options with) {
  zarr_plan p;
  in_call("zarr::explain_all", data.where(), with.error(), [&](joint const& s) {
    arrange(data);
    auto policy = policy_for(s, kind, data, std::move(with).policy());
    p.file = s.together(
        [&] { return file_.explain_at_all(kind, 0, std::move(data), std::move(policy)); });
    detail::shared_processors const processors = detail::processors_of_ranks(s);
    s.alone(errc::io, [&] {
      using services = detail::file_services;
      detail::complete_plan(p, header_, selection_, window_bytes_, threads_);
      p.expected_ns =
          detail::expected_ns(p, selection_.file().size(), services::prices_of_storage(file_),
                              services::prices_of_calls(file_), processors);
    });
  });
  return p;
}

template <communicator World>
void basic_zarr<World>::set_part(array_part const& part, on_error e) {
  in_call("zarr::set_part", e.where(), e.error(), [&](joint const& s) { choose(s, part); });
}

template <communicator World>
void basic_zarr<World>::grow(array_part const& part, on_error e) {
  in_call("zarr::grow", e.where(), e.error(), [&](joint const& s) {
    zarr_header larger;
    std::string json;
    s.alone_with_equal("array", errc::datatype, [&](std::string& text) -> extend::failure {
      text = to_string(part);
      if (!detail::can_write(modes_))
        return {errc::read_only, "the array is open for reading only",
                "open it with mode::read_write"};
      extend::failure bad = detail::enlarged(header_, part, larger);
      if (!bad) json = detail::zarr_json_of(larger);
      return bad;
    });
    s.together([&] { file_.sync(s.where()); });
    s.on_first(errc::io, [&] {
      bool const fresh = state_ != progress::none;
      extend::failure why = detail::write_small_file(
          *files_, detail::zarr_json_path(fresh ? unfinished_ : path_), json, std::nullopt);
      return why || fresh ? why : detail::renew_zarr_parents(*files_, path_, {});
    });
    header_ = std::move(larger);
    reopen(s, part);
  });
}

// Opens the array again, whose metadata has changed. After an error it is closed.
template <communicator World>
void basic_zarr<World>::reopen(joint const& s, array_part const& part) {
  argosy::hints const given = std::move(hints_);
  auto const again = [&] {
    s.together([&] { file_.close(s.where()); });
    start(s, part, {given, s.where()}, modes_);
  };
  s.undone(again, [&] {
    s.close_after_error(file_);
    file_ = {};
    if (state_ != progress::none) discard(s);
  });
}

template <communicator World>
void basic_zarr<World>::close(on_error e) {
  in_call("zarr::close", e.where(), e.error(), [&](joint const& s) {
    if (state_ == progress::none) return s.together([&] { file_.close(s.where()); });
    bool const failed = state_ == progress::failed;
    bool named = false;
    auto const publish = [&] {
      s.closing(file_, [&] {
        if (!failed) s.together([&] { file_.sync(s.where()); });
      });
      s.on_first(
          errc::io,
          [&]() -> extend::failure {
            if (failed)
              return {errc::damaged, "the last write_all failed, so the array is not whole",
                      "write it anew"};
            return detail::publish_zarr(*files_, unfinished_, path_, named);
          },
          named);
    };
    s.undone(publish, [&] {
      if (!named) discard(s);
    });
    state_ = progress::none;
  });
  if (!file_.is_open()) state_ = progress::none;
}

}  // namespace argosy
