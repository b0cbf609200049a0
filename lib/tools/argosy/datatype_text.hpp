// Datatypes as text, the input of `argosy layout`.
//
//   type     = basic | maker "(" section { ";" section } ")" | type "[" count "]"
//   section  = numbers with commas, or a type, or words of the maker
//
//   double   int32   byte                                  basic types
//   double[10]                                             ten of them
//   bytes(24)
//   contiguous(10; double)
//   vector(COUNT,BLOCK,STRIDE; TYPE)                       stride in elements; hvector: in bytes
//   indexed(LENGTHS; at PLACES; TYPE)                      places in elements; hindexed: in bytes
//   indexed_block(LENGTH; at PLACES; TYPE)
//   subarray(SIZES; SUBSIZES; STARTS; TYPE[; fortran])
//   darray(SIZES; RULES; grid AxB; TYPE[; fortran])        rules: block, block(k), cyclic,
//                                                          cyclic(k), none
//   resized(LOWER,EXTENT; TYPE)
//   record(PLACE: TYPE; PLACE: TYPE; ...)                  places in bytes
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <argosy/layout/layout.hpp>

namespace argosy::tool {

// Its what() has the fault, the place in the text, and the nearest form that would be right.
class datatype_text_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the layout; in every darray, that of process `rank`. Throws datatype_text_error, also for
// types that the library refuses. Types may be nested 32 deep.
layout parse_datatype(std::string_view text, std::int64_t rank = 0);

// Returns the bytes of a basic type by its name; 0 if there is no such type.
std::int64_t basic_size(std::string_view name) noexcept;
// Returns the bytes of a basic type. Throws datatype_text_error if there is no such type.
std::int64_t require_basic_size(std::string_view name);

}  // namespace argosy::tool
