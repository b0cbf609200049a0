// The commands, each in a file of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

namespace argosy::tool {

class arguments;

int run_convert(arguments const& given, std::ostream& out, std::ostream& err);
int run_diff(arguments const& given, std::ostream& out, std::ostream& err);
int run_info(arguments const& given, std::ostream& out, std::ostream& err);
int run_layout(arguments const& given, std::ostream& out, std::ostream& err);
int run_plan(arguments const& given, std::ostream& out, std::ostream& err);
int run_refs(arguments const& given, std::ostream& out, std::ostream& err);
int run_trace(arguments const& given, std::ostream& out, std::ostream& err);
int run_bench(arguments const& given, std::ostream& out, std::ostream& err);
int run_calibrate(arguments const& given, std::ostream& out, std::ostream& err);
int run_doctor(arguments const& given, std::ostream& out, std::ostream& err);

// Writes the file. Throws if it cannot be written completely.
void write_file(std::string const& path, std::string const& text);

}  // namespace argosy::tool
