// Implements format/detail/zarr/zarr_file.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/zarr/zarr_file.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <argosy/agree/detail/failure_of.hpp>
#include <argosy/datatype/signature.hpp>
#include <argosy/file/detail/protocol/open.hpp>
#include <argosy/file/detail/state/chosen.hpp>
#include <argosy/file/file_hints.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/format/detail/block_shares.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/written_mark.hpp>

#include "handle.hpp"
#include "store.hpp"

namespace argosy::detail {

namespace {

std::error_code read_all_of(any_handle& f, std::size_t most, std::string& into) {
  std::error_code error;
  std::int64_t const size = f.size(error);
  if (error) return error;
  if (size > static_cast<std::int64_t>(most)) return errc::damaged;
  into.resize(static_cast<std::size_t>(size));
  io_result const got = f.read(0, std::as_writable_bytes(std::span(into)));
  if (!got.error) into.resize(static_cast<std::size_t>(got.bytes));
  return got.error;
}

any_handle open_array(opener const& files, std::shared_ptr<zarr_reports> const& told,
                      zarr_writing how, std::string const& path, open_flags flags,
                      std::error_code& error) {
  if (flags.create) {  // an array has a shape, which a name does not say
    error = errc::unsupported;
    return {};
  }
  any_handle metadata = files(zarr_json_path(path), {.read = true, .write = flags.write}, error);
  if (classify(error) == errc::no_such_file && !flags.write)
    metadata = files(path + "/.zarray", {.read = true}, error);
  if (error) return {};
  std::string text;
  error = read_all_of(metadata, most_zarr_json, text);
  failure why;
  std::optional<zarr_header> h;
  if (!error) h = parse_zarr_header(text, why);
  if (!h) {
    if (!error) {
      told->words.set(why.detail);
      error = why.code;
    }
    metadata.close();
    return {};
  }
  auto store = std::make_shared<zarr_store>(files, path, *std::move(h), told);
  store->how = how;
  store->permissions = flags.permissions;
  // A shard is synced before it gets its name, or before the array gets its.
  store->early_writes = flags.early_writes.value_or(true);
  return any_handle(zarr_handle(std::move(store), std::move(metadata)));
}

}  // namespace

opener zarr_opener(opener const& files, std::shared_ptr<zarr_reports> told, zarr_writing how) {
  told->counts.set_threads(how.threads);
  auto const open = [files, told = std::move(told), how](std::string const& path, open_flags flags,
                                                         std::error_code& error) {
    return open_array(files, told, how, path, flags, error);
  };
  auto const remove = [](std::string const&) { return make_error_code(errc::unsupported); };
  auto const absolute = [files](std::string const& path) { return files.absolute(path); };
  auto const find = [files](std::string const& path, std::error_code& error) {
    auto const found = files.find(zarr_json_path(path), error);
    return classify(error) == errc::no_such_file ? files.find(path + "/.zarray", error) : found;
  };
  return opener(open, remove).naming({.absolute = absolute, .find = find});
}

failure read_small_file(opener const& files, std::string const& path, std::size_t most,
                        std::string& into) {
  std::error_code error;
  any_handle f = files(path, {.read = true}, error);
  if (error) return {error, "opening '" + path + "'"};
  error = read_all_of(f, most, into);
  std::error_code const closed = f.close();
  if (error || closed) return {error ? error : closed, "reading '" + path + "'"};
  return {};
}

failure write_small_file(opener const& files, std::string const& path, std::string const& text,
                         std::optional<unsigned> permissions) {
  if (!permissions)
    if (failure unknown = permissions_at(files, path, permissions)) return unknown;
  std::string const temporary = temporary_path(path, random_name());
  std::error_code error;
  any_handle f = files(temporary,
                       {.read = true,
                        .write = true,
                        .create = true,
                        .exclusive = true,
                        .permissions = permissions.value_or(0666)},
                       error);
  if (error) return {error, "making '" + temporary + "'"};
  failure why = failure_of(errc::io, [&]() -> failure {
    io_result const put = f.write(0, std::as_bytes(std::span(text)));
    error = !put.error && put.bytes < std::ssize(text) ? make_error_code(errc::io) : put.error;
    if (!error) error = f.sync();
    std::error_code const closed = f.close();
    if (!error) error = closed;
    if (error) return {error, "writing '" + temporary + "'"};
    error = files.rename(temporary, path);
    if (error) return {error, "renaming '" + temporary + "'"};
    return {};
  });
  if (why) {
    failure_of(errc::io, [&] {
      if (f.is_open()) f.close();
    });
    failure_of(errc::io, [&] { files.remove(temporary); });
    return why;
  }
  std::error_code const settled = files.settle(path);
  if (settled && classify(settled) != errc::unsupported)
    return {settled, "syncing the directory of '" + path + "'"};
  return {};
}

failure replaceable(opener const& files, std::string const& path, bool& exists) {
  exists = false;
  std::string text;
  failure unread = read_zarr_metadata(files, path, text);
  constexpr char const* remedy = "give another path, or remove what is there";
  if (!unread) {
    failure why;
    auto const h = parse_zarr_header(text, why);
    if (h && h->version != 3)
      return {errc::file_exists, "'" + path + "' is an array of version 2 of the format", remedy};
    exists = h.has_value() || why.code == errc::unsupported;
    if (exists) return {};
    return {errc::file_exists, "'" + path + "' has other metadata than that of an array", remedy};
  }
  errc const kind = classify(unread.code);
  if (kind == errc::bad_file)
    return {errc::file_exists, "'" + path + "' is a file and no directory", remedy};
  if (kind != errc::no_such_file) return unread;
  std::error_code error;
  if (files.finds() && files.find(path, error) && !error)
    return {errc::file_exists, "'" + path + "' is no Zarr array", remedy};
  return {};
}

unsigned permissions_in(hints const& given) {
  return file_hints(environment_hints(), {}, given, overriding_hints())
      .values()
      .file_permissions.value_or(0666);
}

bool is_compressed(zarr_header const& h) noexcept {
  return std::ranges::any_of(h.options.codecs, [](zarr_codec const& c) {
    using kind = zarr_codec::kind;
    return c.what() == kind::gzip || c.what() == kind::zstd || c.what() == kind::blosc ||
           c.what() == kind::zlib;
  });
}

failure fault_of_zarr_part(zarr_header const& h, array_part const& part) {
  (void)part.part_bytes();  // throws the fault of the part first
  if (h.type.kind == part.type().kind && h.type.bytes == part.type().bytes &&
      h.shape == part.shape())
    return {};
  return {errc::datatype,
          "the array is of " + to_string(h) + ", the program's is of " + to_string(part)};
}

failure enlarged(zarr_header const& old, array_part const& part, zarr_header& into) {
  into = old;
  into.shape = part.shape();
  if (failure other = fault_of_zarr_part(into, part)) return other;
  bool shorter = into.shape.size() != old.shape.size();
  for (std::size_t k = 0; !shorter && k < old.shape.size(); ++k)
    shorter = into.shape[k] < old.shape[k];
  if (!shorter) return complete(into);
  return {errc::argument,
          "the array is of " + to_string(old) + ", and " + to_string(part) + " is not larger",
          "give a part of an array with the same dimensions, none of them shorter"};
}

view view_of_bytes(layout const& file) {
  signature one(basic_type::byte), all(basic_type::byte, file.size());
  return view(0, typed_form{bytes(1), one}, typed_form{file, all});
}

failure publish_zarr(opener const& files, std::string const& unfinished, std::string const& path,
                     bool& named) {
  bool exists = false;
  if (failure other = replaceable(files, path, exists)) return other;
  std::string json;
  std::vector<std::string> hidden;
  if (failure f = read_small_file(files, zarr_json_path(unfinished), most_zarr_json, json))
    return f;
  if (failure f = hide_from_zarr_parents(files, path, json, hidden)) return f;
  if (auto const error = files.exchange_directories(unfinished, path)) {
    renew_zarr_parents(files, path, hidden);  // the first error is reported
    return {error, "renaming '" + unfinished + "'"};
  }
  named = true;
  std::error_code const settled = files.settle(path);
  if (settled && classify(settled) != errc::unsupported)
    return {settled, "the new array has its name, but after a crash the old one may have it"};
  if (failure f = renew_zarr_parents(files, path, hidden)) {
    f.detail =
        "the new array has its name, but a group above has no consolidated metadata: " + f.detail;
    return f;
  }
  if (!exists) return {};
  if (auto const error = files.remove_directory(unfinished))
    return {error, "the new array has its name, but the old one, '" + unfinished +
                       "', could not be removed"};
  return {};
}

namespace {

// Returns the bytes of a window: one shard, or as many as a usual window has room for. If each
// chunk is a file, a window has work for all threads.
std::int64_t window_of_shards(zarr_header const& h, int threads) {
  zarr_grid const grid(h);
  std::int64_t const shard = grid.shard_bytes(),
                     busy = threads > 1 && grid.chunks_in_shard() == 1 ? 2 * threads : 1,
                     shards = std::max<std::int64_t>(busy, cached_window_bytes / shard);
  return shards * shard;
}

// Finds hints by name among those of the program and of the environment.
class known_hints {
 public:
  explicit known_hints(hints const& given, bool overriding = false)
      : given_(given.by_name()), around_(environment_hints().by_name()) {
    if (!overriding) return;
    auto const more = overriding_hints().by_name();
    around_.insert(around_.end(), more.begin(), more.end());
  }
  bool has(std::string_view name) const {
    auto const in = [&](std::vector<named_hint> const& all) {
      return std::ranges::find(all, name, &named_hint::name) != all.end();
    };
    return in(given_) || in(around_);
  }

 private:
  std::vector<named_hint> given_, around_;
};

}  // namespace

bool choose_ranks(hints const& given) {
  known_hints const known(given, true);
  constexpr std::string_view names[] = {"argosy_policy", "romio_cb_read",  "romio_cb_write",
                                        "cb_nodes",      "cb_config_list", "collective_buffering"};
  return std::ranges::any_of(names, [&](std::string_view name) { return known.has(name); });
}

hints hints_for(zarr_header const& h, hints const& given, int threads) {
  hints own = given;
  known_hints const known(given);
  auto const use = [&](auto& member, char const* name, auto value) {
    if (!known.has(name)) member = value;
  };
  std::int64_t const window = window_of_shards(h, threads);
  use(own.cb_block_bytes, "cb_block_size", zarr_grid(h).shard_bytes());
  use(own.window_bytes, "argosy_window_size", window);
  use(own.ind_wr_buffer_bytes, "ind_wr_buffer_size", window);
  // The handle itself merges, and would do so for each piece of a shard.
  use(own.ds_write, "romio_ds_write", tristate::disable);
  use(own.cb_write, "romio_cb_write", tristate::enable);
  use(own.cb_read, "romio_cb_read", tristate::enable);
  // Ranks that write shards write different files, which have no lock in common.
  constexpr char const* crowd = "argosy_price_crowd_call_ns";
  if (known.has(crowd)) own.price_crowd_call_ns = 0;
  return own;
}

}  // namespace argosy::detail
