// Datatypes of HDF5, from and to NumPy's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <argosy/error/failure.hpp>
#include <argosy/format/dtype.hpp>

#include "bytes.hpp"

namespace argosy::detail::hdf5 {

// A datatype of the file. Types with data elsewhere in the file are marked; only attributes have
// them here.
struct file_type {
  dtype type;
  std::vector<std::int64_t> inner = {};  // an array as an element: further dimensions
  enum class special { none, text, references, list_of_references } what = special::none;
};

// Appends the datatype of elements. Throws if HDF5 has none.
void put_datatype(writer& to, dtype const& type);

// Appends the datatype of texts of so many bytes. Shorter ones have zeros behind them, or at least
// one zero.
enum class text_end { zeros, zero };
void put_text(writer& to, std::int64_t bytes, text_end end, bool utf_8);

// Appends types of netCDF's dimension scales: a reference to an object, a list of such references,
// and a reference with the number of a dimension.
void put_reference(writer& to);
void put_list_of_references(writer& to);
void put_reference_and_dimension(writer& to);

// Takes a datatype. Throws errc::unsupported with its name if elements of that type are not read.
file_type take_datatype(taker& from);

}  // namespace argosy::detail::hdf5
