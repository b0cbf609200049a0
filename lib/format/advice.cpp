// Implements format/detail/advice.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/format/detail/advice.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

namespace argosy::detail {
namespace {

enum class makes { nothing, file, file_beside };

struct call_facts {
  std::string_view name;
  makes what;
};
constexpr std::array advised_calls{
    call_facts{"checkpoint::load", makes::nothing},
    call_facts{"checkpoint::header_of", makes::nothing},
    call_facts{"npy::open", makes::nothing},
    call_facts{"npy::header_of", makes::nothing},
    call_facts{"read_header", makes::nothing},
    call_facts{"find_damage", makes::nothing},
    call_facts{"npy::create", makes::file},
    call_facts{"checkpoint::save", makes::file_beside},
    call_facts{"xdmf::save", makes::file_beside},
};

// The longest name of most file systems, and what a temporary name has more.
constexpr int longest_name = 255, added = 22;

std::string advice_for(makes what, errc why, std::error_code const& cause) {
  switch (why) {
    case errc::no_such_file:
      if (what == makes::nothing)
        return "this call makes no file. What to do: check the path on that rank";
      return "the file is made, but not its directory. What to do: check the path, or make the "
             "directory first";
    case errc::read_only:
      return "What to do: choose a directory that can be written";
    case errc::file:
      return "What to do: make the call again";
    case errc::bad_file:
      if (what != makes::file_beside || cause != std::errc::filename_too_long) return {};
      return "while it is written, its name ends in .<16 hexadecimal digits>.part. What to do: "
             "give a shorter name, of " +
             std::to_string(longest_name - added) + " bytes at most where names may have " +
             std::to_string(longest_name);
    default:
      return {};
  }
}

}  // namespace

std::string advice_for(std::string_view call, error const& e) {
  auto const facts = std::ranges::find(advised_calls, call, &call_facts::name);
  if (facts == advised_calls.end()) return {};
  bool const elsewhere = e.code() == errc::error_on_another_rank;
  std::error_code const cause = elsewhere || e.code() == classify(e.cause()) ? e.cause() : e.code();
  errc const why = classify(cause);
  std::string_view const words = e.what();
  std::string const usual = "What to do: " + std::string(remedy(why)) + ".";
  if (!words.ends_with(usual)) return {};
  return advice_for(facts->what, why, cause);
}

std::string fact_and_advice(std::string fact, std::string const& advice) {
  if (advice.empty() || fact.empty()) return fact + advice;
  return fact + (advice.starts_with("What to do") ? ". " : "; ") + advice;
}

}  // namespace argosy::detail
