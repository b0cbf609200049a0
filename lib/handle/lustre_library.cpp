// Implements handle/lustre_library.hpp: loads liblustreapi.so and calls it.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/lustre_library.hpp>

#include <cstdint>
#include <memory>
#include <string>

#include "load_library.hpp"

namespace argosy {

std::shared_ptr<detail::lustre_library const> detail::lustre_library::load(std::string const& name,
                                                                           std::string& why_not) {
  static constexpr detail::library_search where{"Lustre", "ARGOSY_LUSTRE_LIBRARY",
                                                "liblustreapi.so"};
  return detail::load_library<detail::lustre_library>(
      where, name, why_not, [](detail::lustre_library& made, detail::symbols const& in) {
        std::string wrong;
        auto const resolve = [&](char const* symbol, auto*& function) {
          if (!in.find(symbol, function) && wrong.empty())
            wrong = std::string("has no ") + symbol +
                    ": it is not the library of Lustre, or older than 2.7";
        };
        resolve("llapi_layout_alloc", made.alloc_);
        resolve("llapi_layout_free", made.free_);
        resolve("llapi_layout_stripe_count_set", made.count_set_);
        resolve("llapi_layout_stripe_size_set", made.size_set_);
        resolve("llapi_layout_stripe_count_get", made.count_get_);
        resolve("llapi_layout_stripe_size_get", made.size_get_);
        resolve("llapi_layout_file_open", made.file_open_);
        resolve("llapi_layout_get_by_fd", made.get_by_fd_);
        return wrong;
      });
}

int detail::lustre_library::open(std::string const& path, int flags, unsigned permissions,
                                 detail::file_stripes const& wanted) const {
  std::unique_ptr<llapi_layout, void (*)(llapi_layout*)> const layout(alloc_(), free_);
  if (!layout) return -1;
  if (wanted.count > 0 && count_set_(layout.get(), static_cast<std::uint64_t>(wanted.count)) != 0)
    return -1;
  if (wanted.bytes > 0 && size_set_(layout.get(), static_cast<std::uint64_t>(wanted.bytes)) != 0)
    return -1;
  return file_open_(path.c_str(), flags, permissions, layout.get());
}

detail::file_stripes detail::lustre_library::stripes_of(int descriptor) const {
  std::unique_ptr<llapi_layout, void (*)(llapi_layout*)> const layout(get_by_fd_(descriptor, 0),
                                                                      free_);
  std::uint64_t bytes = 0, count = 0;
  if (!layout || size_get_(layout.get(), &bytes) != 0 || count_get_(layout.get(), &count) != 0)
    return {};
  // The library's "default" and "all" are numbers beyond 2^62.
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  if (bytes == 0 || bytes > most) return {};
  return {static_cast<std::int64_t>(bytes), count > most ? 0 : static_cast<std::int64_t>(count)};
}

}  // namespace argosy
