// Arrays of tests, and their bytes in files of NumPy and in raw files, made by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "random.hpp"

namespace argosy::test {

// An array: the little-endian bytes of its elements, in C order.
struct hand_array {
  std::string type = "f8";  // NumPy's name, without the byte order
  list shape = {};
  std::vector<std::string> elements = {};
  std::size_t item = 8;  // the bytes that a byte order reverses together

  // Returns the bytes of the array in a file.
  std::string bytes(bool fortran, bool big) const {
    std::string all;
    for (std::size_t n = 0; n < elements.size(); ++n) {
      std::string one = elements[fortran ? place_in_c(n) : n];
      for (std::size_t i = 0; big && i < one.size(); i += item)
        std::reverse(one.begin() + static_cast<std::ptrdiff_t>(i),
                     one.begin() + static_cast<std::ptrdiff_t>(i + item));
      all += one;
    }
    return all;
  }
  std::string name_of_type(bool big) const { return (item == 1 ? "|" : big ? ">" : "<") + type; }
  std::string shape_text(std::string const& between) const {
    std::string text;
    for (std::int64_t const n : shape) text += (text.empty() ? "" : between) + std::to_string(n);
    return text;
  }
  // Returns the file that numpy.save would write.
  std::string npy(bool fortran, bool big) const {
    std::string head = "{'descr': '" + name_of_type(big) +
                       "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                       shape_text(", ") + (shape.size() == 1 ? ",), }" : "), }");
    head.resize((head.size() + 10 + 1 + 63) / 64 * 64 - 11, ' ');
    head += '\n';
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(head.size() & 255);
    start += static_cast<char>(head.size() >> 8);
    return start + head + bytes(fortran, big);
  }

 private:
  // Returns the place in C order of the n-th element in Fortran order.
  std::size_t place_in_c(std::size_t n) const {
    std::size_t place = 0, all = elements.size();
    for (std::int64_t const along : shape) {
      auto const length = static_cast<std::size_t>(along);
      all /= length;
      place += n % length * all;
      n /= length;
    }
    return place;
  }
};

template <class T>
std::string bytes_of_value(T const& x) {
  std::string bytes(sizeof x, '\0');
  std::memcpy(bytes.data(), &x, sizeof x);
  return bytes;
}

template <class T>
hand_array hand_array_of(std::string type, list shape, std::vector<T> const& values,
                         std::size_t item = sizeof(T)) {
  hand_array a{std::move(type), std::move(shape), {}, item};
  for (T const& x : values) a.elements.push_back(bytes_of_value(x));
  return a;
}

inline void write_bytes(std::string const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace argosy::test
