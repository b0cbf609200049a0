// Implements record.hpp by one table of columns.
// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "../support/csv.hpp"

namespace beffio {
namespace {

constexpr std::string_view ending_names[] = {"once", "time", "count", "space", "errors"};
constexpr std::string_view method_names[] = {"write", "rewrite", "read"};
constexpr release releases[] = {release::r1, release::r2};

// Returns a value as text, which from_text() parses. Texts are in quotes, numbers have `digits`.
template <class T>
std::string to_text(T const& v, int digits) {
  if constexpr (std::is_same_v<T, double>)
    return digits > 0 ? fmt::format("{:.{}g}", v, digits) : fmt::format("{}", v);
  else if constexpr (std::is_same_v<T, release>)
    return fmt::format("{}", static_cast<int>(v));
  else if constexpr (std::is_enum_v<T>)
    return std::string(name_of(v));
  else if constexpr (std::is_same_v<T, std::string>)
    return v;
  else
    return fmt::format("{:d}", v);
}

template <class T>
void from_text(std::string const& text, T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    v = text;
  } else if constexpr (std::is_same_v<T, release>) {
    int n = 0;
    from_text(text, n);
    if (n != 1 && n != 2) throw std::invalid_argument("there is no release " + text);
    v = releases[n - 1];
  } else if constexpr (std::is_enum_v<T>) {
    std::span<std::string_view const> names = ending_names;
    if constexpr (std::is_same_v<T, method>) names = method_names;
    auto const at = std::find(names.begin(), names.end(), text);
    if (at == names.end()) throw std::invalid_argument("'" + text + "' is unknown");
    v = static_cast<T>(at - names.begin());
  } else {
    std::conditional_t<std::is_same_v<T, bool>, int, T> value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument("'" + text + "' is no number");
    v = static_cast<T>(value);
  }
}

std::string json_quoted(std::string const& text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

enum class form { number, flag, word, text };  // word: a text without quotes in CSV

struct column {
  char const* name;
  form as;
  std::string (*get)(run_result const& r, cell const& c);
  // null if the column follows from others
  void (*set)(std::string const& text, run_result& r, cell& c);
};

// Makes the column of a member of the run or of the cell; with `Inner`, of a member of that member.
template <auto Member, auto... Inner>
auto& part_of(auto& r, auto& c) {
  if constexpr (std::is_invocable_v<decltype(Member), decltype(r)>)
    return std::invoke(Member, r);
  else if constexpr (sizeof...(Inner) > 0)
    return std::invoke(Inner..., std::invoke(Member, c));
  else
    return std::invoke(Member, c);
}

template <auto Member, auto... Inner>
constexpr column member(char const* name, form as = form::number) {
  return {name, as,
          [](run_result const& r, cell const& c) {
            bool const of_run = std::is_invocable_v<decltype(Member), run_result&>;
            return to_text(part_of<Member, Inner...>(r, c), of_run ? 0 : 9);
          },
          [](std::string const& text, run_result& r, cell& c) {
            from_text(text, part_of<Member, Inner...>(r, c));
          }};
}

constexpr std::array of_runs{
    member<&run_result::rules>("release"),
    member<&run_result::all_rewrites>("all_rewrites", form::flag),
    member<&run_result::implementation>("impl", form::text),
    member<&run_result::machine>("machine", form::text),
    member<&run_result::date>("date", form::text),
    member<&run_result::hint_set>("hint_set", form::text),
    member<&run_result::ranks>("ranks"),
    member<&run_result::seconds>("seconds"),
    member<&run_result::memory_mib>("memory_mib"),
    member<&run_result::shared_pointer>("shared_pointer", form::flag),
    member<&run_result::unique>("unique", form::flag),
};
constexpr std::array of_cells{
    member<&cell::partition>("partition"),
    member<&cell::how>("access", form::word),
    member<&cell::type>("type"),
    member<&cell::number>("pattern"),
    member<&cell::what, &pattern::chunk>("l"),
    member<&cell::what, &pattern::memory>("L"),
    member<&cell::what, &pattern::units>("U"),
    member<&cell::calls>("reps"),
    member<&cell::bytes>("bytes"),
    member<&cell::scheduled>("t_sched"),
    member<&cell::seconds>("t_pat"),
    member<&cell::sync_seconds>("t_sync"),
    member<&cell::open_seconds>("t_open"),
    member<&cell::close_seconds>("t_close"),
    column{"mb_per_s", form::number,
           [](run_result const&, cell const& c) { return fmt::format("{:.6g}", c.rate()); },
           nullptr},
    member<&cell::errors>("errors"),
    member<&cell::wrong>("wrong"),
    member<&cell::ended>("ended", form::word),
    member<&cell::hints>("hints", form::text),
};

template <class Columns>
std::string names(Columns const& columns) {
  std::string all;
  for (column const& c : columns) all += (all.empty() ? "" : ",") + std::string(c.name);
  return all;
}

template <class Columns>
std::string csv_words(Columns const& columns, run_result const& r, cell const& one = {}) {
  std::string all;
  for (column const& c : columns) {
    std::string const text = c.get(r, one);
    all += (all.empty() ? "" : ",") + (c.as == form::text ? bench::csv_quoted(text) : text);
  }
  return all;
}

template <class Columns>
std::string json_members(Columns const& columns, run_result const& r, cell const& one = {}) {
  std::string all;
  for (column const& c : columns) {
    std::string const text = c.get(r, one);
    all += fmt::format("{}\"{}\": {}", all.empty() ? "" : ", ", c.name,
                       c.as == form::flag     ? (text == "1" ? "true" : "false")
                       : c.as == form::number ? text
                                              : json_quoted(text));
  }
  return all;
}

// Visits each value with a name: type 0 .. 4, average, partition, system.
template <class F>
void each_value(run_result const& r, F&& f) {
  for (int const n : r.partitions()) {
    for (method const m : methods) {
      for (int t = 0; t < types; ++t)
        if (auto const v = r.type_value(n, m, t))
          f(n, name_of(m), type_names[static_cast<std::size_t>(t)], *v);
      if (auto const v = r.method_value(n, m)) f(n, name_of(m), "average", *v);
    }
    if (auto const v = r.value(n)) f(n, "all", "partition", *v);
  }
  if (auto const v = r.system_value()) f(0, "all", "system", *v);
}

std::string header() { return names(of_runs) + "," + names(of_cells); }

}  // namespace

std::string patterns_csv(std::vector<run_result> const& runs) {
  std::string text = header() + "\n";
  for (run_result const& r : runs)
    for (cell const& c : r.cells)
      text += csv_words(of_runs, r) + "," + csv_words(of_cells, r, c) + "\n";
  return text;
}

std::string summary_csv(std::vector<run_result> const& runs) {
  std::string text = names(of_runs) + ",partition,access,value,mb_per_s\n";
  for (run_result const& r : runs)
    each_value(r, [&](int n, std::string_view access, std::string_view what, double v) {
      text += fmt::format("{},{},{},{},{:.6g}\n", csv_words(of_runs, r), n, access, what, v);
    });
  return text;
}

std::string json(std::vector<run_result> const& runs) {
  std::string text = "{\"runs\": [";
  char const* between_runs = "\n";
  for (run_result const& r : runs) {
    text += fmt::format("{} {{{}, \"valid\": {},\n  \"values\": [", between_runs,
                        json_members(of_runs, r), is_valid(r));
    between_runs = ",\n";
    char const* between = "\n";
    each_value(r, [&](int n, std::string_view access, std::string_view what, double v) {
      text += fmt::format(
          "{}   {{\"partition\": {}, \"access\": \"{}\", \"value\": \"{}\", \"mb_per_s\": {:.6g}}}",
          between, n, access, what, v);
      between = ",\n";
    });
    text += "],\n  \"patterns\": [";
    between = "\n";
    for (cell const& c : r.cells) {
      text += fmt::format("{}   {{{}}}", between, json_members(of_cells, r, c));
      between = ",\n";
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

std::vector<run_result> read_csv(std::string const& file, std::string_view text) {
  bench::csv_table const t(file, text, header(), "patterns");
  std::vector<run_result> runs;
  for (std::size_t k = 0; k < t.size(); ++k) {
    run_result facts;
    cell c;
    try {
      for (column const& one : of_runs) one.set(t.at(k, one.name), facts, c);
      for (column const& one : of_cells)
        if (one.set != nullptr) one.set(t.at(k, one.name), facts, c);
      if (c.type < 0 || c.type >= types)
        throw std::invalid_argument(fmt::format("there is no type {}", c.type));
    } catch (std::invalid_argument const& fault) {
      t.refuse(k, fault.what());
    }
    auto const same = std::find_if(runs.begin(), runs.end(), [&](run_result const& r) {
      return csv_words(of_runs, r) == csv_words(of_runs, facts);
    });
    (same != runs.end() ? *same : runs.emplace_back(std::move(facts)))
        .cells.push_back(std::move(c));
  }
  return runs;
}

}  // namespace beffio
