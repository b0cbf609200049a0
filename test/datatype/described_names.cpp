// Classes of a program that have a public name of argosy, at global scope and in a namespace.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <argosy/datatype.hpp>
#include <argosy/policy.hpp>
#include "support/catch.hpp"

// A header of the system may have a function of that name: `struct` says that the class is meant.
#define NAMED(name)     \
  struct name {         \
    double first_value; \
    int left_out;       \
    short last_value;   \
  };                    \
  ::argosy::members<&name::first_value, &name::last_value> describe(struct name const&);

#include "public_names.inc"

namespace mesh {
#include "public_names.inc"
}

#undef NAMED

namespace described {

struct with_text {
  ~with_text() {}  // or it would be described as an aggregate
  int n;
};
std::string describe(with_text const&);  // a function of the program, which argosy must ignore

class secret {
 public:
  int n = 0;

 private:
  double hidden_ = 0;
  friend argosy::members<&secret::hidden_> describe(secret const&);
};

struct first_bytes {
  static constexpr argosy::layout form() { return argosy::bytes(8); }
};
struct tagged {
  ~tagged() {}
  char text[16];
};
first_bytes describe(tagged const&);

struct base {
  ~base() {}
  int n;
};
argosy::members<&base::n> describe(base const&);
struct derived : base {
  int more;
};

}  // namespace described

namespace {

int classes = 0;

template <class T>
void check() {
  constexpr argosy::layout form = argosy::type<T>.form();
  static_assert(form.size() == sizeof(double) + sizeof(short));
  static_assert(form.extent() == sizeof(T));
  ++classes;
}

}  // namespace

TEST_CASE("A class of the program may have any name that argosy has") {
#define NAMED(name)       \
  check<struct ::name>(); \
  check<struct mesh::name>();
#include "public_names.inc"
#undef NAMED
  CHECK(classes > 100);
}

TEST_CASE("describe is found beside the class, and only there") {
  static_assert(argosy::type<described::secret>.form().size() == 8);
  static_assert(argosy::type<described::tagged>.form().size() == 8);
  static_assert(argosy::type<described::tagged>.form().extent() == 16);
  static_assert(argosy::element_type<described::base>);
  // the description of its base does not count
  static_assert(!argosy::element_type<described::derived>);
  static_assert(!argosy::element_type<described::with_text>);
}
