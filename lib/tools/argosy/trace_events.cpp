// Implements trace_events.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "trace_events.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "json.hpp"

namespace argosy::tool {
namespace {

template <class N>
std::optional<N> number(std::string_view s) {
  N n{};
  auto const [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return n;
}

std::string_view take_word(std::string_view& s) {
  auto const end = std::min(s.find(' '), s.size());
  std::string_view const word = s.substr(0, end);
  s.remove_prefix(std::min(end + 1, s.size()));
  return word;
}

// "2026-03-01T12:00:00.123456789Z" as nanoseconds since 1970
std::optional<std::int64_t> time_of(std::string_view s) {
  if (s.size() != 30 || s[10] != 'T' || s[19] != '.' || s[29] != 'Z') return std::nullopt;
  auto const part = [&](std::size_t at, std::size_t n) { return number<int>(s.substr(at, n)); };
  auto const year = part(0, 4), month = part(5, 2), day = part(8, 2), hour = part(11, 2), minute = part(14, 2),
             second = part(17, 2), nanos = part(20, 9);
  for (auto const& p : {year, month, day, hour, minute, second, nanos})
    if (!p || *p < 0) return std::nullopt;
  std::tm t{};
  t.tm_year = *year - 1900;
  t.tm_mon = *month - 1;
  t.tm_mday = *day;
  t.tm_hour = *hour;
  t.tm_min = *minute;
  t.tm_sec = *second;
  if (*year < 1970 || *year > 2200 || *month > 12 || *day > 31 || *hour > 24 || *minute > 60 || *second > 60)
    return std::nullopt;
  return static_cast<std::int64_t>(::timegm(&t)) * 1'000'000'000 + *nanos;
}

// What stands in quotes, with \" and \\.
std::optional<std::string> take_quoted(std::string_view& s) {
  if (!s.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i] == '"') {
      s.remove_prefix(std::min(i + 2, s.size()));
      return out;
    }
    if (s[i] == '\\' && i + 1 < s.size()) ++i;
    out += s[i];
  }
  return std::nullopt;
}

std::int64_t ns_of(double microseconds) {
  double const ns = microseconds * 1e3;
  return std::abs(ns) < 9e18 ? static_cast<std::int64_t>(std::llround(ns)) : 0;
}

// Members of an object; null or `otherwise` if there is none of this kind.
boost::json::value const* json_member(boost::json::value const& of, std::string_view name) {
  boost::json::object const* const all = of.if_object();
  return all ? all->if_contains(name) : nullptr;
}
std::string json_text(boost::json::value const& of, std::string_view name) {
  boost::json::value const* const m = json_member(of, name);
  return m && m->is_string() ? std::string(m->get_string().c_str(), m->get_string().size())
                             : std::string();
}
std::int64_t json_whole(boost::json::value const& of, std::string_view name,
                        std::int64_t otherwise) {
  boost::json::value const* const m = json_member(of, name);
  return m && m->is_int64() ? m->get_int64() : otherwise;
}
double json_real(boost::json::value const& of, std::string_view name) {
  boost::json::value const* const m = json_member(of, name);
  return m && m->is_number() ? m->to_number<double>() : 0;
}

class reader {
 public:
  reader(std::string const& origin, trace& into) : origin_(origin), into_(into) {}

  void text_line(std::string_view line) {
    if (line.starts_with('#')) return head(line);
    trace_event e;
    e.rank = rank_;
    auto const begin = time_of(take_word(line));
    if (!begin) return fault("no time at the start of the line");
    e.begin_ns = *begin;
    if (line.starts_with("# ")) return;  // a note
    auto const took = number<double>(take_word(line));
    if (!took || !(*took >= 0) || *took > 1e9 || take_word(line) != "s") return fault("no duration");
    e.took_ns = ns_of(*took * 1e6);
    e.name = take_word(line);
    // "exchange:write_all": a phase
    if (auto const colon = e.name.find(':'); colon != std::string::npos) {
      e.category = e.name.substr(0, colon);
      e.name.erase(0, colon + 1);
    }
    auto const file = take_quoted(line);
    if (!file) return fault("no file in quotes");
    e.file = *file;
    auto const arrow = line.find("->");
    if (arrow == std::string_view::npos) return fault("the line is torn: it has no result");
    std::string_view arguments = line.substr(0, arrow), result = line.substr(arrow + 2);
    trace_message m;
    while (!arguments.empty()) {
      std::string_view const word = take_word(arguments);
      auto const value = number<std::int64_t>(word.substr(std::min(word.find('=') + 1, word.size())));
      if (word.starts_with("peer=")) m.peer = rank_of(value.value_or(-1));
      if (word.starts_with("number=")) m.number = e.number = value.value_or(0);
      if (word.starts_with("offset=")) e.offset = value.value_or(-1);
      if (word.starts_with("bytes=")) e.bytes = value.value_or(-1);
      if (word.starts_with("runs=")) e.runs = value.value_or(1);
      if (!word.empty() && word.find('=') == std::string_view::npos) (e.detail += e.detail.empty() ? "" : " ") += word;
    }
    if (e.category == "message") return add(std::move(m), e, e.name == "sent");
    while (!result.empty()) {
      std::string_view const word = take_word(result);
      if (word.empty() || word == "ok" || word == "missing") continue;
      if (auto const n = number<std::int64_t>(word)) {
        e.result = *n;
      } else {
        e.error = word;
        break;
      }
    }
    add(std::move(e));
  }

  void json_line(std::string_view line) {
    while (line.starts_with(',') || line.starts_with('[')) line.remove_prefix(1);
    while (line.ends_with(',') || line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty() || line == "]") return;
    boost::json::value v;
    try {
      v = parse_json(line);
    } catch (std::invalid_argument const& e) {
      return fault(e.what());
    }
    boost::json::value const* args = json_member(v, "args");
    boost::json::value const none;
    if (!args) args = &none;
    if (json_text(v, "ph") == "M" && json_text(v, "name") == "process_name") {
      into_.programs.push_back(json_text(*args, "name"));
      std::string_view said = into_.programs.back();
      if (said.ends_with(')')) said.remove_suffix(1);
      note_process(rank_of(json_whole(v, "pid", 0)), said);
    }
    std::string const kind = json_text(v, "ph");
    bool const message = (kind == "s" || kind == "f") && json_member(*args, "peer");
    if (kind != "X" && !message) return;
    trace_event e;
    e.rank = rank_of(json_whole(v, "pid", 0));
    if (e.rank < 0) return fault("pid is no rank");
    e.thread = json_whole(v, "tid", 0);
    e.name = json_text(v, "name");
    e.category = json_text(v, "cat");
    if (!json_member(v, "ts") || (!json_member(v, "dur") && !message))
      return fault("an event without its time");
    e.begin_ns = exact_ns(line, v, "ts");
    e.file = json_text(*args, "file");
    e.bytes = json_whole(*args, "bytes", -1);
    if (message) {
      trace_message m;
      m.peer = rank_of(json_whole(*args, "peer", -1));
      m.number = json_whole(*args, "number", 0);
      return add(std::move(m), e, kind == "s");
    }
    e.took_ns = std::max<std::int64_t>(0, exact_ns(line, v, "dur"));
    e.offset = json_whole(*args, "offset", -1);
    e.runs = json_whole(*args, "runs", 1);
    e.result = json_whole(*args, "result", -1);
    e.number = json_whole(*args, "number", -1);
    e.detail = json_text(*args, "detail");
    e.error = json_text(*args, "error");
    add(std::move(e));
  }

  int lines = 0;

 private:
  // Microseconds as nanoseconds. Those since 1970 have more digits than a double, so their text is
  // read if it is found.
  static std::int64_t exact_ns(std::string_view line, boost::json::value const& v,
                               std::string const& name) {
    double const us = json_real(v, name);
    std::string const key = "\"" + name + "\":";
    std::string_view text = line.substr(std::min(line.size(), line.find(key)));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ', key.size())));
    text = text.substr(0, text.find_first_not_of("0123456789."));
    auto const dot = std::min(text.find('.'), text.size());
    auto const whole_us = number<std::int64_t>(text.substr(0, dot));
    std::string digits(text.substr(std::min(dot + 1, text.size())).substr(0, 3));
    digits.resize(3, '0');
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2000;
    // Boost.JSON's doubles may be the neighbours of those that are nearest.
    double const read = number<double>(text).value_or(-1);
    if (!(std::abs(read - us) <= 1e-12 * us) || !whole_us || *whole_us > most) return ns_of(us);
    return *whole_us * 1000 + *number<std::int64_t>(digits);
  }

  void head(std::string_view line) {
    constexpr std::string_view start = "# argosy trace: rank ";
    if (!line.starts_with(start)) return;
    into_.programs.emplace_back(line.substr(16));
    std::string_view rest = line.substr(start.size());
    std::string_view const digits = take_word(rest);
    rank_ = number<int>(digits).value_or(0);
    note_process(rank_, rest);
  }
  // From "... of prog, pid 12 on host".
  void note_process(int rank, std::string_view said) {
    constexpr std::string_view before = ", pid ";
    auto const at = said.rfind(before);
    if (at != std::string_view::npos) into_.processes[rank].emplace(said.substr(at + 2));
  }
  static int rank_of(std::int64_t n) { return n < 0 || n > std::numeric_limits<int>::max() ? -1 : static_cast<int>(n); }

  // A sum of all times must fit.
  static constexpr std::int64_t longest = std::int64_t{1} << 53;
  static std::int64_t fitting(std::int64_t ns) {
    return std::clamp<std::int64_t>(ns, 0, std::numeric_limits<std::int64_t>::max() - longest);
  }
  void add(trace_message m, trace_event const& line, bool sent) {
    if (m.peer < 0) return fault("a message without its peer");
    m.rank = line.rank;
    m.thread = line.thread;
    m.sent = sent;
    m.at_ns = fitting(line.begin_ns);
    m.bytes = line.bytes;
    m.file = line.file;
    into_.messages.push_back(std::move(m));
  }
  void add(trace_event e) {
    e.took_ns = std::clamp<std::int64_t>(e.took_ns, 0, longest);
    e.begin_ns = fitting(e.begin_ns);
    e.runs = std::clamp<std::int64_t>(e.runs, 1, 1 << 30);
    into_.events.push_back(std::move(e));
  }
  void fault(std::string const& what) { into_.faults.push_back(fmt::format("{}:{}: {}", origin_, lines, what)); }

  std::string const& origin_;
  trace& into_;
  int rank_ = 0;
};

void write_event(std::string& out, trace_event const& e, std::int64_t zero) {
  auto const micros = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
  out += fmt::format(",\n{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{",
                     tool::quoted(e.name), tool::quoted(e.category), e.rank, e.thread, micros(e.begin_ns - zero),
                     micros(e.took_ns));
  char const* comma = "";
  auto const argument = [&](char const* name, std::string const& value, bool there) {
    if (!there) return;
    out += fmt::format("{}\"{}\":{}", comma, name, value);
    comma = ",";
  };
  argument("file", tool::quoted(e.file), !e.file.empty());
  argument("offset", std::to_string(e.offset), e.offset >= 0);
  argument("bytes", std::to_string(e.bytes), e.bytes >= 0);
  argument("runs", std::to_string(e.runs), e.runs != 1);
  argument("number", std::to_string(e.number), e.number >= 0);
  argument("detail", tool::quoted(e.detail), !e.detail.empty());
  argument("result", std::to_string(e.result), e.result >= 0);
  argument("error", tool::quoted(e.error), !e.error.empty());
  out += "}}";
}

// An arrow from its send to its receive for each message of which both are there.
void write_arrows(std::string& out, std::vector<trace_message> const& messages, std::int64_t zero) {
  auto const key = [](trace_message const& m) {
    return std::tuple(std::string_view(m.file), m.sent ? m.rank : m.peer, m.sent ? m.peer : m.rank, m.number);
  };
  std::map<decltype(key(messages.front())), trace_message const*> sent;
  for (trace_message const& m : messages)
    if (m.sent) sent[key(m)] = &m;
  std::int64_t id = 0;
  auto const write_end = [&](char const* kind, trace_message const& m) {
    std::int64_t const ns = std::max(zero, m.at_ns) - zero;
    out += fmt::format(
        ",\n{{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"{}\",\"bp\":\"e\",\"id\":{},\"pid\":{},\"tid\":{},"
        "\"ts\":{}.{:03},\"args\":{{\"bytes\":{},\"peer\":{},\"number\":{},\"file\":{}}}}}",
        kind, id, m.rank, m.thread, ns / 1000, ns % 1000, m.bytes, m.peer, m.number, tool::quoted(m.file));
  };
  for (trace_message const& m : messages) {
    auto const begin = m.sent ? sent.end() : sent.find(key(m));
    if (begin == sent.end()) continue;
    ++id;
    write_end("s", *begin->second);
    write_end("f", m);
  }
}

}  // namespace

void read_trace(std::string_view text, std::string const& origin, trace& into) {
  reader r(origin, into);
  bool const json = text.starts_with('[') || text.starts_with('{') || text.starts_with(',');
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++r.lines;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    // What timelines of virtual ranks have around their events.
    if (json && (line.starts_with("{\"displayTimeUnit\"") || line == "]}")) continue;
    json ? r.json_line(line) : r.text_line(line);
  }
}

trace read_traces(std::vector<std::string> const& paths) {
  trace all;
  for (std::string const& path : paths) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
      throw std::runtime_error(path + " is a directory: give the trace files, for instance " +
                               (std::filesystem::path(path) / "argosy-*.trace").string());
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad())
      throw std::runtime_error("cannot read " + path + (errno ? ": " + std::generic_category().message(errno) : ""));
    auto const events = all.events.size(), programs = all.programs.size();
    read_trace(text, path, all);
    if (all.events.size() == events && all.programs.size() == programs)
      throw std::runtime_error(path + " is no trace of argosy: ARGOSY_TRACE=calls or phases writes them");
  }
  std::ranges::sort(all.events, {},
                    [](trace_event const& e) {  // what holds others comes before them
                      return std::tuple(e.begin_ns, e.rank, e.thread, -e.took_ns);
                    });
  return all;
}

std::string perfetto_json(trace const& t) {
  std::string out =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"argosy\",\"pid\":0,\"args\":{}}";
  std::set<int> ranks;
  for (trace_event const& e : t.events) ranks.insert(e.rank);
  for (int const r : ranks)
    out += fmt::format(
        ",\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{0},\"args\":{{\"name\":\"rank {0}\"}}}}"
        ",\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{0},\"args\":{{\"sort_index\":{0}}}}}",
        r);
  std::int64_t const zero = t.events.empty() ? 0 : t.events.front().begin_ns;
  for (trace_event const& e : t.events) write_event(out, e, zero);
  write_arrows(out, t.messages, zero);
  return out + "\n]}\n";
}

}  // namespace argosy::tool
