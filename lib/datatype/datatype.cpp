// Implements datatype/detail/box.hpp, faults.hpp, deal_faults.hpp, signature_text.hpp and
// datatype/signature.hpp for programs that link the library.
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/signature.hpp>

#include <cstdint>

#include <argosy/datatype/detail/box.hpp>
#include <argosy/datatype/detail/deal_faults.hpp>
#include <argosy/datatype/detail/faults.hpp>
#include <argosy/datatype/detail/signature_text.hpp>

namespace argosy::detail {

void linked::add_box(array_form& array, std::int64_t size, std::int64_t subsize,
                     std::int64_t start) {
  array.add_box_here(size, subsize, start);
}
void linked::add_cyclic(array_form& array, std::int64_t size, std::int64_t block,
                        std::int64_t start, std::int64_t period) {
  array.add_cyclic_here(size, block, start, period);
}
void linked::finish(array_form& array) { array.finish_here(); }

void linked::append(signature& all, signature const& part, std::int64_t copies) {
  all.append_here(part, copies);
}

}  // namespace argosy::detail
