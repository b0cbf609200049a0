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
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <handle/trace_text.hpp>

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

std::int64_t ns_of(double microseconds) {
  double const ns = microseconds * 1e3;
  return std::abs(ns) < 9e18 ? static_cast<std::int64_t>(std::llround(ns)) : 0;
}

// Return members of an object; null or `otherwise` if there is no member of this kind.
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

// Converts microseconds to nanoseconds. Microseconds since 1970 have more digits than a double, so
// their text is used if it is found in the line.
std::int64_t exact_ns(std::string_view line, boost::json::value const& v, std::string const& name) {
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
  // Boost.JSON may return a neighbour of the nearest double.
  double const read = number<double>(text).value_or(-1);
  if (!(std::abs(read - us) <= 1e-12 * us) || !whole_us || *whole_us > most) return ns_of(us);
  return *whole_us * 1000 + *number<std::int64_t>(digits);
}

// Returns -1 if the number is no rank.
int json_rank(boost::json::value const& of, std::string_view name, std::int64_t otherwise) {
  std::int64_t const n = json_whole(of, name, otherwise);
  return n < 0 || n > std::numeric_limits<int>::max() ? -1 : static_cast<int>(n);
}

// Prints events as lines, each with its time, its duration, and its result.
class text_lines {
 public:
  explicit text_lines(std::ostream& out) : out_(out) {}

  void print_head(boost::json::value const& args) {
    are_phases_ = json_text(args, "mode") == "phases";
    std::string const trace = json_text(args, "trace");
    print("# argosy trace: " + (trace.empty() ? json_text(args, "name") : trace));
    print("# time, duration, call, file, parameters -> result");
  }
  void print_note(std::string const& note, std::int64_t at_ns) { print(time(at_ns) + "# " + note); }
  void print_message(trace_message const& m) {
    print(fmt::format("{}0.0 s message:{} {}{}{}{} -> ok", time(m.at_ns),
                      m.sent ? "sent" : "received", quoted(m.file), number(" bytes=", m.bytes),
                      number(" peer=", m.peer), number(" number=", m.number)));
  }
  void print_event(trace_event const& e, boost::json::value const& args) {
    // Calls and the phases inside them share a category, but no trace has both.
    bool const is_phase = e.category != "error" && (e.category != "file" || are_phases_);
    std::int64_t const us = (e.took_ns + 500) / 1000;
    std::string line = time(e.begin_ns);
    line += is_phase
                ? fmt::format("{}.{:09} s {}:", e.took_ns / second, e.took_ns % second, e.category)
                : fmt::format("{}.{:06} s ", us / 1'000'000, us % 1'000'000);
    line += e.name + " " + quoted(e.file) + number(" offset=", e.offset) +
            number(" bytes=", e.bytes) + number(" number=", e.number);
    if (std::int64_t const runs = json_whole(args, "runs", 1); runs != 1)
      line += number(" runs=", runs);
    line += word(" at=", json_text(args, "at")) + word(" failed=", json_text(args, "failed")) +
            word(" ", e.detail) + word(" from=", json_text(args, "from")) + " ->" +
            number(" ", e.result);
    if (!e.error.empty())
      line += " " + e.error + " (" + json_text(args, "message") + ")";
    else if (e.result < 0)
      line += json_member(args, "missing") ? " missing" : " ok";
    print(std::move(line));
  }

 private:
  static constexpr std::int64_t second = 1'000'000'000;

  void print(std::string line) {
    std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    out_ << line << '\n';
  }
  static std::string time(std::int64_t ns) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z ",
                       fmt::gmtime(static_cast<std::time_t>(ns / second)), ns % second);
  }
  static std::string quoted(std::string const& file) {
    detail::trace_text text;
    text.put_quoted(file);
    return std::string(text.view());
  }
  static std::string number(char const* name, std::int64_t n) {
    return n < 0 ? "" : name + std::to_string(n);
  }
  static std::string word(char const* name, std::string const& s) {
    return s.empty() ? "" : name + s;
  }

  std::ostream& out_;
  bool are_phases_ = false;
};

class reader {
 public:
  reader(std::string const& origin, trace& into, std::ostream* lines)
      : origin_(origin), into_(into) {
    if (lines) lines_.emplace(*lines);
  }

  void read_line(std::string_view line) {
    ++line_number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.starts_with(',') || line.starts_with('[')) line.remove_prefix(1);
    while (line.ends_with(',') || line.ends_with(' ')) line.remove_suffix(1);
    // The last two surround the events in timelines of virtual ranks.
    if (line.empty() || line == "]" || line == "]}" || line.starts_with("{\"displayTimeUnit\""))
      return;
    line_ = line;
    try {
      read_event(parse_json(line));
    } catch (std::invalid_argument const& e) {
      fault(e.what());
    }
  }

 private:
  // limited so that a sum of all times fits
  static constexpr std::int64_t longest = std::int64_t{1} << 53;

  void read_event(boost::json::value const& v) {
    boost::json::value const none;
    boost::json::value const* const found = json_member(v, "args");
    boost::json::value const& args = found ? *found : none;
    std::string const kind = json_text(v, "ph");
    bool const is_message = (kind == "s" || kind == "f") && json_member(args, "peer");
    if (kind == "M" && json_text(v, "name") == "process_name") return head(v, args);
    if (kind == "i" && json_text(v, "cat") == "note" && lines_)
      return lines_->print_note(json_text(v, "name"), time_at(v));
    if (kind != "X" && !is_message) return;
    int const rank = json_rank(v, "pid", 0);
    if (rank < 0) return fault("pid is no rank");
    if (!json_member(v, "ts") || (!json_member(v, "dur") && !is_message))
      return fault("an event without its time");
    is_message ? add_message(v, args, rank) : add_event(v, args, rank);
  }

  void head(boost::json::value const& v, boost::json::value const& args) {
    into_.programs.push_back(json_text(args, "name"));
    if (lines_) lines_->print_head(args);
    std::string_view told = into_.programs.back();
    // The text to parse is "rank 3 (prog, pid 12 on host)".
    constexpr std::string_view before = ", pid ";
    if (told.ends_with(')')) told.remove_suffix(1);
    if (auto const at = told.rfind(before); at != std::string_view::npos)
      into_.processes[json_rank(v, "pid", 0)].emplace(told.substr(at + 2));
  }

  std::int64_t time_at(boost::json::value const& v) const {
    return std::clamp<std::int64_t>(exact_ns(line_, v, "ts"), 0,
                                    std::numeric_limits<std::int64_t>::max() - longest);
  }

  void add_message(boost::json::value const& v, boost::json::value const& args, int rank) {
    trace_message m{.rank = rank,
                    .peer = json_rank(args, "peer", -1),
                    .thread = json_whole(v, "tid", 0),
                    .sent = json_text(v, "ph") == "s",
                    .number = json_whole(args, "number", 0),
                    .at_ns = time_at(v),
                    .bytes = json_whole(args, "bytes", -1),
                    .file = json_text(args, "file")};
    if (m.peer < 0) return fault("a message without its peer");
    if (lines_) lines_->print_message(m);
    into_.messages.push_back(std::move(m));
  }

  void add_event(boost::json::value const& v, boost::json::value const& args, int rank) {
    trace_event e;
    e.rank = rank;
    e.thread = json_whole(v, "tid", 0);
    e.name = json_text(v, "name");
    e.category = json_text(v, "cat");
    e.begin_ns = time_at(v);
    e.took_ns = std::clamp<std::int64_t>(exact_ns(line_, v, "dur"), 0, longest);
    e.file = json_text(args, "file");
    e.offset = json_whole(args, "offset", -1);
    e.bytes = json_whole(args, "bytes", -1);
    e.runs = std::clamp<std::int64_t>(json_whole(args, "runs", 1), 1, 1 << 30);
    e.result = json_whole(args, "result", -1);
    e.number = json_whole(args, "number", -1);
    e.detail = json_text(args, "detail");
    e.error = json_text(args, "error");
    if (lines_) lines_->print_event(e, args);
    into_.events.push_back(std::move(e));
  }

  void fault(std::string const& what) {
    into_.faults.push_back(fmt::format("{}:{}: {}", origin_, line_number_, what));
  }

  std::string const& origin_;
  trace& into_;
  std::optional<text_lines> lines_;
  std::string_view line_;
  int line_number_ = 0;
};

void write_event(std::string& out, trace_event const& e, std::int64_t zero) {
  auto const micros = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
  out += fmt::format(
      ",\n{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
      "\"args\":{{",
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

// Writes an arrow from send to receive for each message of which both are in the traces.
void write_arrows(std::string& out, std::vector<trace_message> const& messages, std::int64_t zero) {
  auto const key = [](trace_message const& m) {
    return std::tuple(std::string_view(m.file), m.sent ? m.rank : m.peer, m.sent ? m.peer : m.rank,
                      m.number);
  };
  std::map<decltype(key(messages.front())), trace_message const*> sent;
  for (trace_message const& m : messages)
    if (m.sent) sent[key(m)] = &m;
  std::int64_t id = 0;
  auto const write_end = [&](char const* kind, trace_message const& m) {
    std::int64_t const ns = std::max(zero, m.at_ns) - zero;
    out += fmt::format(
        ",\n{{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"{}\",\"bp\":\"e\",\"id\":{},"
        "\"pid\":{},\"tid\":{},"
        "\"ts\":{}.{:03},\"args\":{{\"bytes\":{},\"peer\":{},\"number\":{},\"file\":{}}}}}",
        kind, id, m.rank, m.thread, ns / 1000, ns % 1000, m.bytes, m.peer, m.number,
        tool::quoted(m.file));
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

void read_trace(std::string_view text, std::string const& origin, trace& into,
                std::ostream* lines) {
  reader r(origin, into, lines);
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    r.read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

trace read_traces(std::vector<std::string> const& paths, std::ostream* lines) {
  trace all;
  for (std::string const& path : paths) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
      throw std::runtime_error(path + " is a directory: give the trace files, for instance " +
                               (std::filesystem::path(path) / "argosy-*.json").string());
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad())
      throw std::runtime_error("cannot read " + path +
                               (errno ? ": " + std::generic_category().message(errno) : ""));
    auto const events = all.events.size(), programs = all.programs.size();
    read_trace(text, path, all, lines);
    if (all.events.size() == events && all.programs.size() == programs)
      throw std::runtime_error(path +
                               " is no trace of argosy: ARGOSY_TRACE=calls or phases writes them");
  }
  std::ranges::sort(all.events, {},
                    [](trace_event const& e) {  // containing events come before the events in them
                      return std::tuple(e.begin_ns, e.rank, e.thread, -e.took_ns);
                    });
  return all;
}

std::string perfetto_json(trace const& t) {
  std::string out =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"argosy\",\"pid\":0,"
      "\"args\":{}}";
  std::set<int> ranks;
  for (trace_event const& e : t.events) ranks.insert(e.rank);
  for (int const r : ranks)
    out += fmt::format(
        ",\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{0},\"args\":{{\"name\":\"rank "
        "{0}\"}}}}"
        ",\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{0},\"args\":{{\"sort_index\":{"
        "0}}}}}",
        r);
  std::int64_t const zero = t.events.empty() ? 0 : t.events.front().begin_ns;
  for (trace_event const& e : t.events) write_event(out, e, zero);
  write_arrows(out, t.messages, zero);
  return out + "\n]}\n";
}

}  // namespace argosy::tool
