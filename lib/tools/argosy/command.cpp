// Implements command.hpp: help, the man page, and the choice of a command.
// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <ostream>
#include <vector>

#include <argosy/error/error.hpp>
#include <argosy/version.hpp>

#include "../arguments/nearest.hpp"

namespace argosy::tool {
namespace {

constexpr std::string_view summary =
    "looks at datatypes, plans, traces, files and machines of the argosy library";

constexpr std::string_view exit_text =
    "0: done. 1: the work could not be done, or something was found to be wrong. 2: the words were "
    "not understood.";

constexpr std::array<option_info, 2> common{
    {{"--json", "", "print JSON instead of text"}, {"--help", "", "this text"}}};

std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

word_form form_of(command_info const& c) {
  word_form form{"argosy " + std::string(c.name),
                 c.operands,
                 c.least,
                 c.most,
                 {c.options.begin(), c.options.end()}};
  form.options.insert(form.options.end(), common.begin(), common.end());
  return form;
}

// --- roff ---

// Returns a text line, escaped so that roff finds no request in it.
std::string roff(std::string_view text) {
  std::string out;
  bool start = true;
  for (char const c : text) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    start = c == '\n';
  }
  return out;
}

std::string roff_paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    std::string_view const line = text.substr(0, end);
    if (line.starts_with("  "))
      out += ".nf\n" + roff(line) + "\n.fi\n";
    else
      out += roff(line) + "\n.br\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string roff_options(std::span<option_info const> options) {
  std::string out;
  for (option_info const& o : options) {
    out += ".TP\n\\fB" + roff(o.name) + "\\fR";
    if (!o.value.empty()) out += " \\fI" + roff(o.value) + "\\fR";
    out += "\n" + roff(o.text) + "\n";
  }
  return out;
}

[[noreturn]] void unknown_command(std::string const& word) {
  std::vector<std::string_view> names;
  for (command_info const& c : all_commands()) names.push_back(c.name);
  std::string const near = nearest(word, names);
  throw usage_error(
      "there is no command \"" + word + "\"" +
      (near.empty() ? "; argosy --help lists them" : "; did you mean: argosy " + near));
}

command_info const& command_named(std::string const& word) {
  for (command_info const& c : all_commands())
    if (c.name == word) return c;
  unknown_command(word);
}

}  // namespace

std::string help_of(command_info const& c) {
  std::string out = usage_of(form_of(c)) + "\n" + wrapped(std::string(c.summary) + ".", 2, 96) +
                    "\n" + wrapped(c.text, 0, 100);
  out += "\noptions:\n" + options_text(form_of(c).options);
  return out + "\nexample:\n  argosy " + std::string(c.example) + "\n";
}

std::string help_of_all() {
  std::string out = "argosy " + std::string(version()) + ": " + std::string(summary) + "\n\n";
  for (command_info const& c : all_commands()) {
    std::string left = "  argosy " + std::string(c.name) + " " + std::string(c.operands);
    left.resize(std::max<std::size_t>(left.size() + 1, 26), ' ');
    out += left + std::string(c.summary) + "\n";
  }
  return out +
         "\n  argosy COMMAND --help     says more of one\n  argosy --version\n\nexit codes: " +
         std::string(exit_text) + "\n";
}

std::string man_page() {
  std::string out = ".\\\" Made by: argosy --man\n.TH ARGOSY 1 \"\" \"argosy " +
                    std::string(version()) + "\" \"User Commands\"\n.SH NAME\nargosy \\- " +
                    roff(summary) + "\n.SH SYNOPSIS\n";
  for (command_info const& c : all_commands())
    out += "\\fBargosy " + std::string(c.name) + "\\fR " + roff(c.operands) + " [option...]\n.br\n";
  out += ".SH OPTIONS OF ALL COMMANDS\n" + roff_options(common);
  for (command_info const& c : all_commands())
    out += ".SH ARGOSY " + upper(c.name) + "\n" + roff(c.summary) + ".\n.PP\n" +
           roff_paragraphs(c.text) + roff_options(c.options) + ".PP\nExample:\n.nf\n  argosy " +
           roff(c.example) + "\n.fi\n";
  return out + ".SH EXIT STATUS\n" + roff(exit_text) + "\n";
}

std::string text_of(std::exception const& e) {
  auto const* const known = dynamic_cast<error const*>(&e);
  std::string text = known && known->code() == errc::no_such_file
                         ? detail::words_without_advice(*known) + "."
                         : e.what();
  if (text.starts_with("argosy: ")) text.erase(0, 8);
  return text;
}

int run(std::span<std::string const> words, std::ostream& out, std::ostream& err) try {
  if (words.empty()) {
    err << help_of_all();
    return misused;
  }
  if (words[0] == "--help" || words[0] == "help") {
    out << (words.size() > 1 ? help_of(command_named(words[1])) : help_of_all());
    return success;
  }
  if (words[0] == "--version") {
    out << "argosy " << version() << "\n";
    return success;
  }
  if (words[0] == "--man") {
    out << man_page();
    return success;
  }
  command_info const& c = command_named(words[0]);
  if (std::ranges::find(words.subspan(1), "--help") != words.end()) {
    out << help_of(c);
    return success;
  }
  return c.run(arguments(form_of(c), words.subspan(1)), out, err);
} catch (usage_error const& e) {
  err << "argosy: " + std::string(e.what()) + "\n";
  return misused;
} catch (std::exception const& e) {
  // In one piece, because other ranks may write at the same time.
  err << "argosy: " + text_of(e) + "\n";
  return failed;
}

}  // namespace argosy::tool
