// Implements representations.hpp: the data representations known by name.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/representations.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <argosy/error/errc.hpp>

namespace argosy {
namespace {

struct registry {
  std::mutex mutex;
  std::vector<representation> all{native, internal, external32};

  static registry& instance() {
    static registry one;
    return one;
  }
  representation const* find(std::string_view name) const {
    auto const at = std::find_if(all.begin(), all.end(),
                                 [&](representation const& r) { return r.name() == name; });
    return at == all.end() ? nullptr : &*at;
  }
};

// With its final zero, a name has at most MPI_MAX_DATAREP_STRING characters.
constexpr std::size_t longest_name = 127;

bool usable(basic_sizes const& sizes, extend::representation_functions const& functions) {
  for (std::size_t i = 0; i < detail::basic_count; ++i) {
    if (sizes[i] < 1 || sizes[i] > representation::most_file_bytes) return false;
    if (sizes[i] != detail::native_sizes[i] && (!functions.read || !functions.write)) return false;
  }
  // Bytes have no type that could be converted.
  return detail::size_in(sizes, extend::basic_type::byte) == 1;
}

}  // namespace

namespace extend {

void register_representation(std::string_view name, representation_functions functions,
                             std::error_code& error) {
  error.clear();
  basic_sizes sizes = detail::native_sizes;
  if (functions.file_bytes)
    for (std::size_t i = 0; i < detail::basic_count; ++i)
      sizes[i] = functions.file_bytes(static_cast<basic_type>(i));
  if (name.empty() || name.size() > longest_name || !usable(sizes, functions)) {
    error = errc::argument;
    return;
  }
  registry& known = registry::instance();
  std::lock_guard const lock(known.mutex);
  if (known.find(name) != nullptr)
    error = errc::duplicate_representation;
  else
    known.all.emplace_back(std::string(name), std::move(functions), sizes);
}

void register_representation(std::string_view name, representation_functions functions) {
  std::error_code error;
  register_representation(name, std::move(functions), error);
  if (error)
    throw std::system_error(
        error, "argosy::extend::register_representation: \"" + std::string(name) + "\"");
}

}  // namespace extend

representation detail::find_representation(std::string_view name, std::error_code& error) {
  registry& known = registry::instance();
  std::lock_guard const lock(known.mutex);
  representation const* const found = known.find(name);
  error = found != nullptr ? std::error_code() : make_error_code(errc::representation);
  return found != nullptr ? *found : native;
}

representation detail::find_representation(std::string_view name) {
  std::error_code error;
  representation found = detail::find_representation(name, error);
  if (error)
    throw std::system_error(
        error, "argosy::find_representation: \"" + std::string(name) +
                   "\" (there are native, internal, external32, and what is registered)");
  return found;
}

}  // namespace argosy
