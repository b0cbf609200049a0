// Data representations: the format of basic types in the file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <argosy/datatype/basic_type.hpp>
#include <argosy/datatype/detail/run_time_only.hpp>
#include <argosy/extend.hpp>

namespace argosy {

namespace extend {

// A representation of the user, like the arguments of MPI_Register_datarep. The functions convert
// `count` items of one basic type, dense on both sides. They return false for a value that the
// other side cannot hold (errc::conversion). Their exceptions reach the caller of the read or
// write. A function that is left out copies; the sizes must then be those in memory.
struct representation_functions {
  // Returns the bytes of one item in the file, 1 to 256. If left out, they are those in memory.
  std::function<std::int64_t(basic_type)> file_bytes;
  // Converts `count` items from the file to memory.
  std::function<bool(basic_type, std::int64_t count, std::byte const* file, std::byte* memory)>
      read;
  // Converts `count` items from memory to the file.
  std::function<bool(basic_type, std::int64_t count, std::byte const* memory, std::byte* file)>
      write;
};

}  // namespace extend

// How items are stored in the file. A regular value; two are equal if their names are.
// `find_representation` (<argosy/file/representations.hpp>) returns those of users.
class representation {
 public:
  enum class kind : std::uint8_t { native, internal, external32, user };
  static constexpr std::int64_t most_file_bytes = 256;

  // Makes `native`: the bytes of memory.
  constexpr representation() = default;
  // Makes native, internal or external32. All processes of a job have one architecture, so
  // `internal` converts nothing. It is stored as native, and a file written as one can be read as
  // the other.
  constexpr explicit representation(kind k) noexcept
      : kind_(k), sizes_(k == kind::external32 ? detail::external32_sizes : detail::native_sizes) {}
  // Makes a representation of the user with these sizes. Does not call or check the functions.
  // `sizes` must be what functions.file_bytes returns. Files find it by name only after it was
  // registered (<argosy/file/representations.hpp>).
  representation(std::string name, extend::representation_functions functions,
                 basic_sizes const& sizes)
      : kind_(kind::user),
        sizes_(sizes),
        user_(std::make_shared<user const>(user{std::move(name), std::move(functions)})) {}

  constexpr std::string_view name() const noexcept {
    switch (kind_) {
      case kind::native:
        return "native";
      case kind::internal:
        return "internal";
      case kind::external32:
        return "external32";
      case kind::user:
        break;
    }
    return (*user_.get())->name;
  }
  constexpr kind which() const noexcept { return kind_; }
  // Returns true if items are converted. If not, the file has the bytes of memory, and no types are
  // needed.
  constexpr bool converts() const noexcept {
    return kind_ == kind::external32 || kind_ == kind::user;
  }
  // Returns the bytes of one item of each basic type in the file.
  constexpr basic_sizes const& sizes() const noexcept { return sizes_; }
  // Returns the functions of a user's representation, otherwise null. Valid as long as this object
  // or a copy.
  extend::representation_functions const* functions() const noexcept {
    return user_.get() ? &(*user_.get())->functions : nullptr;
  }

  friend constexpr bool operator==(representation const& a, representation const& b) noexcept {
    return a.name() == b.name();
  }

 private:
  struct user {
    std::string name;
    extend::representation_functions functions;
  };
  kind kind_ = kind::native;
  basic_sizes sizes_ = detail::native_sizes;
  detail::run_time_only<std::shared_ptr<user const>> user_;  // absent unless the kind is `user`
};

inline constexpr representation native{representation::kind::native};
inline constexpr representation internal{representation::kind::internal};
inline constexpr representation external32{representation::kind::external32};

}  // namespace argosy
