// The concept of an implementation: the files under the benchmark. A library's own files, those of
// the MPI library and those of a simulated machine are exchangeable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "hint_file.hpp"

namespace beffio {

// The place of a rank's stream. Without chunks it is all of the file from the displacement on. With
// chunks, chunks of all ranks follow one another in turn, as in a darray of ranks x chunk that is
// dealt by its first dimension.
struct placement {
  std::int64_t displacement = 0;  // in bytes
  std::int64_t chunk = 0;         // in bytes; 0: no chunks
  int ranks = 1, rank = 0;
};

enum class opened { to_write, to_rewrite, to_read };  // opened first, second, and third
// collective, collective at the shared pointer, and local
enum class call { together, ordered, alone };

struct open_request {
  std::string path;
  opened how = opened::to_write;
  bool unique = false;
  hint_list hints = {};
};

using words = std::span<std::uint64_t>;
using const_words = std::span<std::uint64_t const>;

// A file counts words of 8 bytes. Calls set `error`, and return the bytes moved.
template <class F>
concept measured_file =
    std::movable<F> && requires(F& f, placement const& p, hint_list const& h, call c, words in,
                                const_words out, std::int64_t words_on, std::error_code& error) {
      f.set_view(p, h, error);  // Collective. The hints may be empty.
      f.set_hints(h, error);    // collective
      { f.write(c, out, error) } -> std::same_as<std::int64_t>;
      { f.read(c, in, error) } -> std::same_as<std::int64_t>;
      f.seek(words_on, error);         // local
      f.seek_shared(words_on, error);  // collective
      f.sync(error);                   // collective
      f.close(error);                  // collective
      // Returns "key=value", separated by ';', with the current values of these keys.
      { f.in_force(h) } -> std::same_as<std::string>;
    };

template <class I, class World>
concept implementation =
    measured_file<typename I::file> &&
    requires(I& i, World const& w, open_request const& r, std::error_code& error) {
      { i.name() } -> std::convertible_to<std::string_view>;
      // Collective. The result is used if no rank failed.
      { i.open(w, r, error) } -> std::same_as<typename I::file>;
      { i.remove(r.path) } -> std::same_as<std::error_code>;  // local
    };

}  // namespace beffio
