// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <argosy/handle/fault_script.hpp>
#include <argosy/handle/tracer.hpp>

#include "run.hpp"

namespace argosy::explore {

using namespace extend;
namespace {

// A program for three ranks. They are on one node, or on two if the shared pointer is to lie in a
// file.
program of(int ranks_per_node, std::vector<step> steps) {
  program p;
  p.world = {.ranks = 3, .ranks_per_node = ranks_per_node, .seed = 1};
  p.before = {700, -1};
  p.steps = std::move(steps);
  return p;
}

// Makes blocks small, so that few bytes have several agents.
program in_small_blocks(program p) {
  p.world.disk.block_bytes = 512;
  return p;
}

std::vector<std::pair<std::string, program>> programs() {
  view_choice const dealt{.shape = shape::dealt, .seed = 5, .etype_bytes = 4};
  policy_choice const merging{.kind = policy_kind::sieving, .window_bytes = 100, .merge = 1};
  policy_choice const pieces{.kind = policy_kind::independent};
  policy_choice const rounds{
      .kind = policy_kind::two_phase, .buffer_bytes = 128, .aggregators = 2, .align_bytes = 64};
  policy_choice const layers{.kind = policy_kind::two_phase,
                             .buffer_bytes = 128,
                             .aggregators = 3,
                             .align_bytes = 64,
                             .layers = 2};
  step const in{.what = op::open}, out{.what = op::close},
      view{.what = op::set_view, .view = dealt};
  policy_choice const stripes{.kind = policy_kind::data_shipping,
                              .buffer_bytes = 512,
                              .window_bytes = 300,
                              .aggregators = 2};
  step const serving{.what = op::open, .hints = {{"IBM_largeblock_io", "false"}}};
  step const plain{.what = op::set_view, .view = {.etype_bytes = 4}};
  return {
      {"pieces", of(3, {in,
                        view,
                        {.what = op::write_at, .count = 12, .policy = pieces},
                        {.what = op::read_at, .offset = 2, .count = 9, .policy = pieces},
                        out})},
      {"merging",
       of(3, {in,
              view,
              {.what = op::write, .offset = -1, .count = 20, .memory = 3, .policy = merging},
              {.what = op::read, .count = 20, .policy = merging},
              out})},
      {"stripes", in_small_blocks(
                      of(2, {in,
                             view,
                             {.what = op::write_all, .offset = -1, .count = 150, .policy = stripes},
                             {.what = op::read_at_all, .count = 150, .policy = stripes},
                             out}))},
      {"agents",
       in_small_blocks(of(2, {serving,
                              view,
                              {.what = op::write_at, .count = 150, .policy = stripes},
                              {.what = op::read_at, .count = 150, .policy = stripes},
                              {.what = op::iwrite_at, .offset = 2, .count = 100, .policy = stripes},
                              {.what = op::sync},
                              out}))},
      {"two-phase", of(3, {in,
                           view,
                           {.what = op::write_all, .offset = -1, .count = 24, .policy = rounds},
                           {.what = op::read_at_all, .count = 24, .policy = rounds},
                           out})},
      {"two layers", of(2, {in,
                            view,
                            {.what = op::write_all, .offset = -1, .count = 24, .policy = layers},
                            {.what = op::read_at_all, .count = 24, .policy = layers},
                            out})},
      {"two-phase, a new file",
       of(3, {{.what = op::open,
               .file = 1,
               .modes = mode::create | mode::exclusive | mode::write | mode::unique_open},
              view,
              {.what = op::write_at_all, .count = 24, .policy = rounds},
              out})},
      {"shared pointer", of(2, {in,
                                plain,
                                {.what = op::write_shared, .count = 3},
                                {.what = op::write_ordered, .count = 4},
                                {.what = op::seek_shared, .offset = 1},
                                {.what = op::read_ordered, .count = 5},
                                out})},
      {"requests", of(3, {in,
                          view,
                          {.what = op::iwrite_at, .count = 6, .later = true},
                          {.what = op::iread_at, .offset = 10, .count = 6, .later = true},
                          {.what = op::write_at_all, .offset = 20, .count = 3},
                          {.what = op::wait},
                          out})},
      {"whole file", of(3, {in,
                            {.what = op::preallocate, .offset = 5000},
                            {.what = op::set_size, .offset = 300},
                            {.what = op::write_at, .count = 50},
                            {.what = op::sync},
                            {.what = op::sync},
                            {.what = op::clear_sync},
                            {.what = op::sync},
                            out})},
      {"atomic", of(3, {in,
                        plain,
                        {.what = op::set_atomic},
                        {.what = op::write_at, .count = 10},
                        {.what = op::read_at_all, .count = 10},
                        out})},
      {"modes", of(3, {{.what = op::open, .modes = mode::read_write | mode::append},
                       {.what = op::write, .offset = -1, .count = 8},
                       out,
                       {.what = op::open, .modes = mode::read | mode::delete_on_close},
                       {.what = op::read_all, .offset = -1, .count = 300},
                       out})},
  };
}

// The errors of errors.md, also those that Linux does not return for a kind of call, because other
// file systems may.
constexpr int errors[] = {EIO,    ENOSPC, EDQUOT, EFBIG,  ESTALE, ENOLCK, EACCES, EROFS,
                          ENOENT, EISDIR, EMFILE, EINVAL, EINTR,  EAGAIN, EPERM,  EBADF};

// EINTR is repeated for ever, and so are errors of unlock: a lock that can never be released would
// block other ranks.
bool is_retried(file_call call, int error) { return error == EINTR || call == file_call::unlock; }

}  // namespace

sweep_result sweep(std::function<void(std::int64_t cells)> const& progress, std::int64_t every) {
  sweep_result result;
  for (auto const& [name, plain] : programs()) {
    ++result.programs;
    verdict const base = verdict_of(plain);
    ++result.cells;
    if (!base.wrong.empty()) result.broken.push_back({name, plain, base.wrong});
    for (int rank = 0; rank < plain.world.ranks; ++rank)
      for (std::size_t kind = 0; kind < argosy::detail::file_call_count; ++kind)
        for (std::int64_t n = 1;; ++n) {
          auto const call = static_cast<file_call>(kind);
          // A delay of the n-th call changes the trace. If the trace is the same, there is no such
          // call.
          program probe = plain;
          probe.world.faults.push_back({rank, delay_at(call, n, std::chrono::microseconds(7))});
          if (verdict_of(probe).trace_hash == base.trace_hash) break;
          if (result.calls++ % every != 0) continue;
          for (int const error : errors)
            for (bool const once : {true, false}) {
              if (!once && is_retried(call, error)) continue;
              program p = plain;
              p.world.faults.push_back({rank,
                                        {.kind = call,
                                         .first = n,
                                         .times = once ? 1 : fault::forever,
                                         .error = {error, std::system_category()}}});
              ++result.cells;
              if (std::string const wrong = verdict_of(p).wrong; !wrong.empty())
                result.broken.push_back(
                    {fmt::format("{}: {} {} of rank {} fails by {}{}", name, to_string(call), n,
                                 rank, error_name({error, std::system_category()}),
                                 once ? "" : ", and all later ones"),
                     p, wrong});
            }
          if (progress) progress(result.cells);
        }
  }
  return result;
}

}  // namespace argosy::explore
