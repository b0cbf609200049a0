// The command `argosy`.
// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "mpi_session.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> const words(argv + (argc > 0 ? 1 : 0), argv + argc);
  int const code = argosy::tool::run(words, std::cout, std::cerr);
  std::cout.flush();
  // Output to a full disk fails, and may do so only when it is flushed.
  bool const written = static_cast<bool>(std::cout);
  if (!written) std::cerr << "argosy: the output could not be written\n";
  argosy::tool::end_mpi();
  return written ? code : argosy::tool::failed;
}
