// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace beffio {
namespace {

constexpr char const* header =
    "release,all_rewrites,impl,machine,date,hint_set,ranks,seconds,memory_mib,shared_pointer,unique,"
    "partition,access,type,pattern,l,L,U,reps,bytes,t_sched,t_pat,t_sync,t_open,t_close,mb_per_s,errors,wrong,ended,"
    "hints";
constexpr std::size_t columns = 30;

std::string quoted(std::string const& text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

// Words of a line, without the quotes around them.
std::vector<std::string> split(std::string const& line) {
  std::vector<std::string> words(1);
  bool inside = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    char const c = line[k];
    if (inside && c == '"' && k + 1 < line.size() && line[k + 1] == '"')
      words.back() += line[++k];
    else if (c == '"')
      inside = !inside;
    else if (c == ',' && !inside)
      words.emplace_back();
    else if (c != '\r')
      words.back() += c;
  }
  return words;
}

template <class Number>
Number number(std::string const& text) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw std::runtime_error("'" + text + "' is no number");
  return value;
}

template <class Names>
int place(Names const& names, std::string const& text) {
  auto const at = std::find(std::begin(names), std::end(names), text);
  if (at == std::end(names)) throw std::runtime_error("'" + text + "' is unknown");
  return static_cast<int>(at - std::begin(names));
}

constexpr std::array<std::string_view, 3> method_names{"write", "rewrite", "read"};
constexpr std::array<std::string_view, 5> ending_names{"once", "time", "count", "space", "errors"};

std::string facts_of(run_result const& r) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}", static_cast<int>(r.rules), int{r.all_rewrites},
                     quoted(r.implementation), quoted(r.machine), quoted(r.date), quoted(r.hint_set), r.ranks,
                     r.seconds, r.memory_mib, int{r.shared_pointer}, int{r.unique});
}

run_result facts_from(std::vector<std::string> const& w) {
  run_result r;
  int const rules = number<int>(w[0]);
  if (rules != 1 && rules != 2) throw std::runtime_error("there is no release " + w[0]);
  r.rules = static_cast<release>(rules);
  r.all_rewrites = number<int>(w[1]) != 0;
  r.implementation = w[2];
  r.machine = w[3];
  r.date = w[4];
  r.hint_set = w[5];
  r.ranks = number<int>(w[6]);
  r.seconds = number<double>(w[7]);
  r.memory_mib = number<std::int64_t>(w[8]);
  r.shared_pointer = number<int>(w[9]) != 0;
  r.unique = number<int>(w[10]) != 0;
  return r;
}

cell cell_from(std::vector<std::string> const& w) {
  cell c;
  c.partition = number<int>(w[11]);
  c.how = static_cast<method>(place(method_names, w[12]));
  c.type = number<int>(w[13]);
  c.number = number<int>(w[14]);
  if (c.type < 0 || c.type >= types) throw std::runtime_error("there is no type " + w[13]);
  c.what = {number<std::int64_t>(w[15]), number<std::int64_t>(w[16]), number<int>(w[17])};
  c.calls = number<std::int64_t>(w[18]);
  c.bytes = number<std::int64_t>(w[19]);
  c.scheduled = number<double>(w[20]);
  c.seconds = number<double>(w[21]);
  c.sync_seconds = number<double>(w[22]);
  c.open_seconds = number<double>(w[23]);
  c.close_seconds = number<double>(w[24]);
  c.errors = number<std::int64_t>(w[26]);
  c.wrong = number<std::int64_t>(w[27]);
  c.ended = static_cast<ending>(place(ending_names, w[28]));
  c.hints = w[29];
  return c;
}

// Each value with a name: type 0 .. 4, average, partition, system.
template <class F>
void each_value(run_result const& r, F&& f) {
  for (int const n : r.partitions()) {
    for (method const m : methods) {
      for (int t = 0; t < types; ++t)
        if (auto const v = r.type_value(n, m, t))
          f(n, name_of(m), std::string(type_names[static_cast<std::size_t>(t)]), *v);
      if (auto const v = r.method_value(n, m)) f(n, name_of(m), std::string("average"), *v);
    }
    if (auto const v = r.value(n)) f(n, std::string_view("all"), std::string("partition"), *v);
  }
  if (auto const v = r.system_value()) f(0, std::string_view("all"), std::string("system"), *v);
}

std::string json_text(std::string const& text) {
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

}  // namespace

std::string patterns_csv(std::vector<run_result> const& runs) {
  std::string text = std::string(header) + "\n";
  for (run_result const& r : runs)
    for (cell const& c : r.cells)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{},{},{},{}\n",
                          facts_of(r), c.partition, name_of(c.how), c.type, c.number, c.what.chunk, c.what.memory,
                          c.what.units, c.calls, c.bytes, c.scheduled, c.seconds, c.sync_seconds, c.open_seconds,
                          c.close_seconds, c.rate(), c.errors, c.wrong, name_of(c.ended), quoted(c.hints));
  return text;
}

std::string summary_csv(std::vector<run_result> const& runs) {
  std::string text =
      "release,all_rewrites,impl,machine,date,hint_set,ranks,seconds,memory_mib,shared_pointer,unique,partition,"
      "access,value,mb_per_s\n";
  for (run_result const& r : runs)
    each_value(r, [&](int n, std::string_view access, std::string const& what, double v) {
      text += fmt::format("{},{},{},{},{:.6g}\n", facts_of(r), n, access, what, v);
    });
  return text;
}

std::string json(std::vector<run_result> const& runs) {
  std::string text = "{\"runs\": [";
  char const* between_runs = "\n";
  for (run_result const& r : runs) {
    text += fmt::format(
        "{} {{\"release\": {}, \"all_rewrites\": {}, \"impl\": {}, \"machine\": {}, \"date\": {}, \"hint_set\": {},\n"
        "  \"ranks\": {}, \"seconds\": {}, \"memory_mib\": {}, \"shared_pointer\": {}, \"unique\": {}, \"valid\": {},\n"
        "  \"values\": [",
        between_runs, static_cast<int>(r.rules), r.all_rewrites, json_text(r.implementation), json_text(r.machine),
        json_text(r.date), json_text(r.hint_set), r.ranks, r.seconds, r.memory_mib, r.shared_pointer, r.unique,
        is_valid(r));
    between_runs = ",\n";
    char const* between = "\n";
    each_value(r, [&](int n, std::string_view access, std::string const& what, double v) {
      text += fmt::format("{}   {{\"partition\": {}, \"access\": \"{}\", \"value\": \"{}\", \"mb_per_s\": {:.6g}}}",
                          between, n, access, what, v);
      between = ",\n";
    });
    text += "],\n  \"patterns\": [";
    between = "\n";
    for (cell const& c : r.cells) {
      text += fmt::format(
          "{}   {{\"partition\": {}, \"access\": \"{}\", \"type\": {}, \"pattern\": {}, \"l\": {}, \"L\": {}, \"U\": "
          "{}, "
          "\"reps\": {}, \"bytes\": {}, \"t_sched\": {:.9g}, \"t_pat\": {:.9g}, \"t_sync\": {:.9g}, \"t_open\": "
          "{:.9g}, "
          "\"t_close\": {:.9g}, \"mb_per_s\": {:.6g}, \"errors\": {}, \"wrong\": {}, \"ended\": \"{}\", \"hints\": "
          "{}}}",
          between, c.partition, name_of(c.how), c.type, c.number, c.what.chunk, c.what.memory, c.what.units, c.calls,
          c.bytes, c.scheduled, c.seconds, c.sync_seconds, c.open_seconds, c.close_seconds, c.rate(), c.errors, c.wrong,
          name_of(c.ended), json_text(c.hints));
      between = ",\n";
    }
    text += "]}";
  }
  return text + "\n]}\n";
}

std::vector<run_result> read_csv(std::istream& in) {
  std::string line;
  if (!std::getline(in, line) || line != header) throw std::runtime_error("this is no table of patterns");
  std::vector<run_result> runs;
  for (int at = 2; std::getline(in, line); ++at) {
    try {
      std::vector<std::string> const words = split(line);
      if (words.size() != columns) throw std::runtime_error(fmt::format("{} columns are needed", columns));
      run_result facts = facts_from(words);
      auto const same =
          std::find_if(runs.begin(), runs.end(), [&](run_result const& r) { return facts_of(r) == facts_of(facts); });
      run_result& mine = same != runs.end() ? *same : runs.emplace_back(std::move(facts));
      mine.cells.push_back(cell_from(words));
    } catch (std::runtime_error const& fault) {
      throw std::runtime_error(fmt::format("line {}: {}", at, fault.what()));
    }
  }
  return runs;
}

}  // namespace beffio
