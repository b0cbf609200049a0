// Addresses of stations as text, as argosy-gpfsd writes for programs that mount. An accepted
// address must print and read back.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"

#include <cstdint>
#include <string>
#include <system_error>

#include <wire/address.hpp>

using namespace argosy;

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::error_code error;
  wire::address const a = wire::address_from(std::string(fuzz::text_of(data, size)), error);
  if (error) {
    FUZZ_CHECK(error == std::errc::bad_message);
    return 0;
  }
  FUZZ_CHECK(a.host_count <= wire::address::hosts_max && a.port < 65536);
  FUZZ_CHECK(a.machine.back() == 0 && a.local.back() == 0);
  std::string const text = wire::to_text(a);
  FUZZ_CHECK(wire::address_from(text, error) == a && !error && wire::to_text(a) == text);
  return 0;
}
