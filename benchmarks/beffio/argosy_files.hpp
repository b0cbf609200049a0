// argosy's files, in any world.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <argosy/datatype/darray.hpp>
#include <argosy/datatype/distribute.hpp>
#include <argosy/datatype/element.hpp>
#include <argosy/file/access_options.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/file/resolved_hints.hpp>
#include <argosy/policy/any_policy.hpp>

#include "implementation.hpp"

namespace beffio {

inline argosy::hints to_hints(hint_list const& list) {
  argosy::hints h;
  for (auto const& [key, value] : list) h.set(key, value);
  return h;
}

// Returns the policy for a call, for the hints in force. For software whose policies differ from
// those that the hints choose here.
using policy_choice =
    std::function<argosy::extend::any_policy(call, argosy::extend::resolved_hints const&)>;

template <argosy::communicator World>
class argosy_files {
 public:
  class file;

  // Without `choice`, the hints choose the policy of each call.
  explicit argosy_files(argosy::opener files = argosy::posix_opener(), policy_choice choice = {})
      : opener_(std::move(files)), choice_(std::move(choice)) {}
  std::string_view name() const { return "argosy"; }
  file open(World const& world, open_request const& r, std::error_code& error) {
    using argosy::mode;
    mode how = r.how == opened::to_read    ? mode::read
               : r.how == opened::to_write ? mode::write | mode::create
                                           : mode::write;
    if (r.unique) how = how | mode::unique_open;
    return file(
        argosy::basic_file<World>::open(world, r.path, how, {to_hints(r.hints), error}, opener_),
        choice_);
  }
  std::error_code remove(std::string const& path) { return opener_.remove(path); }

 private:
  argosy::opener opener_;
  policy_choice choice_;
};

template <argosy::communicator World>
class argosy_files<World>::file {
 public:
  explicit file(argosy::basic_file<World> f, policy_choice choice = {})
      : file_(std::move(f)), choice_(std::move(choice)) {
    choose();
  }

  void set_view(placement const& p, hint_list const& h, std::error_code& error) {
    place(p, h, error);
    choose();
  }
  void set_hints(hint_list const& h, std::error_code& error) {
    file_.set_hints(to_hints(h), error);
    choose();
  }
  std::int64_t write(call c, const_words w, std::error_code& error) {
    argosy::source const from(static_cast<void const*>(w.data()), argosy::type<double>,
                              static_cast<std::int64_t>(w.size()));
    argosy::access_options const how(policies_[static_cast<std::size_t>(c)], error);
    return (c == call::together  ? file_.write_all(from, how)
            : c == call::ordered ? file_.write_ordered(from, how)
                                 : file_.write(from, how))
        .bytes;
  }
  std::int64_t read(call c, words w, std::error_code& error) {
    argosy::target const into(static_cast<void*>(w.data()), argosy::type<double>,
                              static_cast<std::int64_t>(w.size()));
    argosy::access_options const how(policies_[static_cast<std::size_t>(c)], error);
    return (c == call::together  ? file_.read_all(into, how)
            : c == call::ordered ? file_.read_ordered(into, how)
                                 : file_.read(into, how))
        .bytes;
  }
  void seek(std::int64_t words_on, std::error_code& error) {
    file_.seek(words_on, argosy::seek_from::start, error);
  }
  void seek_shared(std::int64_t words_on, std::error_code& error) {
    file_.seek_shared(words_on, argosy::seek_from::start, error);
  }
  void sync(std::error_code& error) {
    file_.sync(error);
    // The benchmark counts data that could not be stored, and may write it again. Later calls are
    // judged by themselves, so the error is cleared.
    if (error) file_.clear_sync_error();
  }
  void close(std::error_code& error) { file_.close(error); }
  std::string in_force(hint_list const& list) const {
    std::string text;
    for (auto const& [key, value] : list) {
      argosy::hint_state const* const state = file_.get_hints().find(key);
      if (!text.empty()) text += ';';
      text += key + "=" + (state ? state->value : std::string());
      // only whether a hint is in force matters here, not the status `rejected`
      using enum argosy::hint_status;
      bool const taken = state && (state->status == accepted || state->status == capped ||
                                   state->status == overridden);
      if (!taken) text += " (" + std::string(state ? name_of(state->status) : "unknown") + ")";
    }
    return text;
  }

 private:
  void place(placement const& p, hint_list const& h, std::error_code& error) {
    std::string_view const native = "native";
    if (p.chunk == 0)
      return file_.set_view(p.displacement, {argosy::type<double>, argosy::type<double>, native},
                            {to_hints(h), error});
    auto const row = [&] {
      using namespace argosy::distribute;
      return argosy::darray<double, 2>({p.ranks, p.chunk / 8}, {block, none}, {p.ranks, 1}, p.rank);
    };
    file_.set_view(p.displacement, {argosy::type<double>, row, native}, {to_hints(h), error});
  }
  // Chooses policies again, because the hints may have changed.
  void choose() {
    if (!choice_ || !file_.is_open()) return;
    for (call const c : {call::together, call::ordered, call::alone})
      policies_[static_cast<std::size_t>(c)] = choice_(c, file_.get_hints().values());
  }

  argosy::basic_file<World> file_;
  policy_choice choice_;
  // one for each kind of call; empty if the hints choose
  std::array<argosy::extend::any_policy, 3> policies_;
};

}  // namespace beffio
