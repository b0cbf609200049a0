// The snippets of docs/use/hints.md, in its order. Assertions check what the page claims; the table
// is in that page.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/file/basic_file.hpp>
#include <argosy/layout/number.hpp>
#include <argosy/policy.hpp>
#include <argosy/world/self.hpp>

#include <cstdio>
#include <vector>

namespace io = argosy;

int main() {
  // [hints]
  using namespace io::literals;
  io::hints given{.cb_buffer_bytes = 8_MiB, .ds_write = io::tristate::disable};
  given.set("cb_nodes", "4");  // any hint by its name
  // [hints]
  given.set("cb_bufer_size", "1m").set("ind_wr_buffer_size", "1.5m");
  auto const created = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::basic_file<io::self>::open(io::self(), "hints.dat", created, given);
  std::vector<double> const u(1000);
  // [fate]
  f.write_at_all(0, u, io::two_phase{.window_bytes = 1_MiB});
  std::string text = io::to_string(f.get_hints());
  // [fate]
  // [each_hint]
  io::file_hints const& became = f.get_hints();
  for (io::hint_state const& h : became.all())
    if (h.status == io::hint_status::rejected)
      std::fprintf(stderr, "%s: %s\n", h.name.c_str(), h.why.c_str());
  bool const in_code = became.find("cb_nodes")->source == io::hint_source::code;
  // [each_hint]
  std::printf("%s", text.substr(0, text.find("defaults: ")).c_str());
  bool const well = in_code && f.get_hints().values().cb_buffer_bytes == 8_MiB &&
                    f.get_hints().values().cb_nodes == 4;
  f.close();
  return well ? 0 : 1;
}
