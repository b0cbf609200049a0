// Classes that Boost.MPI can send, and the bytes that MPI_Pack makes of Boost.MPI's datatypes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include <boost/mpi/datatype.hpp>
#include <boost/mpi/skeleton_and_content.hpp>
#include <boost/serialization/array.hpp>

#include <argosy/datatype/boost_mpi.hpp>
#include <argosy/file/basic_file.hpp>
#include <argosy/world/self.hpp>

namespace sent {

// Padding between and behind the members; private members.
class particle {
 public:
  particle() = default;
  particle(char kind, double x, short charge) : kind_(kind), x_{x, -x, x / 3}, charge_(charge) {}
  friend bool operator==(particle const&, particle const&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & kind_ & x_ & charge_;
  }

  char kind_ = 0;
  std::array<double, 3> x_{};
  short charge_ = 0;
};

enum class state : short { fresh, old };

}  // namespace sent

BOOST_IS_MPI_DATATYPE(sent::particle)

namespace argosy::test {

using self_file = basic_file<self>;
inline constexpr mode writable = mode::create | mode::read_write;

// Returns the bytes that MPI packs of one object.
inline std::vector<std::byte> packed_by_mpi(void const* address, MPI_Datatype type) {
  int bytes = 0, at = 0;
  MPI_Pack_size(1, type, MPI_COMM_SELF, &bytes);
  std::vector<std::byte> all(static_cast<std::size_t>(bytes));
  MPI_Pack(address, 1, type, all.data(), bytes, &at, MPI_COMM_SELF);
  all.resize(static_cast<std::size_t>(at));
  return all;
}
template <class T>
std::vector<std::byte> packed_by_boost(std::span<T const> all) {
  std::vector<std::byte> stream;
  for (T const& x : all) {
    std::vector<std::byte> const one = packed_by_mpi(&x, boost::mpi::get_mpi_datatype(x));
    stream.insert(stream.end(), one.begin(), one.end());
  }
  return stream;
}
template <class T>
std::vector<std::byte> packed_content(T const& x) {
  return packed_by_mpi(MPI_BOTTOM, boost::mpi::get_content(x).get_mpi_datatype());
}

template <class File>
std::vector<std::byte> bytes_of(File& f) {
  std::vector<std::byte> all(static_cast<std::size_t>(f.size()));
  f.set_view(0, type<std::byte>);
  f.read_at(0, all);
  return all;
}

inline std::vector<sent::particle> some_particles(int n) {
  std::vector<sent::particle> all;
  for (int i = 0; i < n; ++i)
    all.emplace_back(static_cast<char>('a' + i), 1.5 * i, static_cast<short>(-i));
  return all;
}

}  // namespace argosy::test
