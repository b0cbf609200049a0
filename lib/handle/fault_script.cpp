// Implements handle/fault_script.hpp: finds the fault of the next call.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/handle/fault_script.hpp>

#include <algorithm>
#include <thread>

namespace argosy {

fault_script::verdict fault_script::next(file_call kind) {
  verdict v;
  std::chrono::nanoseconds delay{0};
  {
    std::lock_guard const guard(mutex_);
    std::int64_t const number = ++calls_[static_cast<std::size_t>(kind)];
    bool struck = false;
    for (added& a : faults_) {
      fault const& f = a.what;
      if (f.kind != kind || number < f.first || number - f.first >= f.times) continue;
      struck = true;
      ++a.struck;
      if (f.error && !v.error) v.error = f.error;
      // A failing call moves no bytes, unless the fault has a number of bytes.
      std::int64_t const most = f.error && f.most_bytes == fault::all_bytes ? 0 : f.most_bytes;
      v.most_bytes = std::min(v.most_bytes, most);
      delay += f.delay;
    }
    struck_ += struck;
  }
  if (delay.count() > 0) {
    if (sleep_)
      sleep_(delay);
    else
      std::this_thread::sleep_for(delay);
  }
  return v;
}

}  // namespace argosy
