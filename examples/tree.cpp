// A list of trees, which Boost.Serialization describes: its numbers in a file, by one call, without
// a copy.
// Run: mpiexec -n 4 build/release/bin/tree
// SPDX-License-Identifier: BSD-3-Clause
#include <argosy/datatype/boost_mpi.hpp>
#include <argosy/file/file.hpp>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/list.hpp>

#include <cstdint>
#include <iostream>
#include <list>

namespace io = argosy;

struct tree {
  double weight = 0;
  std::list<tree> below;
  template <class Archive>
  void serialize(Archive& a, unsigned) {
    a & weight & below;
  }
  friend bool operator==(tree const&, tree const&) = default;
};

tree grown(int depth, double weight) {
  tree t{weight, {}};
  for (int i = 0; i < depth; ++i) t.below.push_back(grown(depth - 1, weight * depth + i));
  return t;
}
void forget_weights(tree& t) {
  t.weight = 0;
  for (tree& b : t.below) forget_weights(b);
}

int main() {
  boost::mpi::environment const environment;
  boost::mpi::communicator const world;
  // Ranks have trees of different sizes.
  std::list<tree> trees{grown(1 + world.rank() % 4, world.rank()), grown(2, 0.5)};
  // Valid until a tree gets or loses branches.
  io::buffer const weights = io::content_of(trees);
  auto const share = io::share_of(world, weights.size() / std::int64_t{sizeof(double)});

  auto const temporary = io::mode::create | io::mode::read_write | io::mode::delete_on_close;
  auto f = io::file::open(world, "tree.dat", temporary);
  f.set_view(0, io::type<double>);
  io::report const r = f.write_at_all(share.first, weights);

  // The file has no structure. An object that is read into has the right one already.
  std::list<tree> const before = trees;
  for (tree& t : trees) forget_weights(t);
  f.read_at_all(share.first, weights);
  bool const well = trees == before && f.size() == share.all * std::int64_t{sizeof(double)};
  f.close();
  if (world.rank() == 0) std::cout << share.all << " weights\n" << io::to_string(r) << "\n";
  return well ? 0 : 1;
}
