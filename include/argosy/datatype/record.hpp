// record(member(displacement, old, count), ...): data of several types at any places, as MPI's
// struct.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <argosy/datatype/datatype.hpp>
#include <argosy/datatype/detail/member_offset.hpp>
#include <argosy/datatype/detail/numbers.hpp>
#include <argosy/datatype/detail/other_type.hpp>

namespace argosy {
namespace detail {

// Bytes of the member that was given by a pointer. Unlimited if there was no pointer.
struct room_of_member {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
};
struct any_room {
  static constexpr std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
};

constexpr bool lies_within(std::int64_t room, layout const& all) {
  return all.empty() || room == any_room::bytes ||
         (all.true_lower_bound() >= 0 && all.true_upper_bound() <= room);
}
constexpr bool lies_within(std::int64_t room, layout const& one, std::int64_t count) {
  return count < 0 || lies_within(room, repeat(count, one.extent(), one));
}

// The parts of a record. If all parts are static, they have no state and are made anew for each
// use. The reason is that g++ 14 cannot construct an object of several empty datatypes at compile
// time.
template <class... Parts>
class record_parts {
 public:
  constexpr explicit record_parts(Parts... parts) : all_(std::move(parts)...) {}
  template <class F>
  constexpr auto apply(F&& f) const {
    return std::apply(f, all_);
  }

 private:
  std::tuple<Parts...> all_;
};
template <class... Parts>
  requires(static_datatype<Parts> && ...)
class record_parts<Parts...> {
 public:
  constexpr record_parts() = default;
  template <class... Same>
    requires(sizeof...(Same) == sizeof...(Parts) && sizeof...(Same) > 0)
  constexpr explicit record_parts(Same&&...) {}
  template <class F>
  constexpr auto apply(F&& f) const {
    return f(Parts()...);
  }
};

}  // namespace detail

// `count` copies of `old`, `displacement` bytes from the start of the record.
//   io::member(64, io::type<double>, 100)
//   io::member(&particle::x, io::type<double>, 3)     at the place of the member
// If a member is given and the datatype is of another type, that does not compile. If it is larger
// than the member, that does not compile or form() throws invalid_layout. form() also throws if
// count < 0.
template <number Displacement, datatype Old, number Count = fixed<1>>
class member {
  static_assert(detail::may_be_not_negative<Count>,
                "argosy::member: the count is negative; give 0 or more");

 public:
  using old_type = Old;
  static constexpr bool is_static =
      detail::is_fixed<Displacement> && detail::is_fixed<Count> && detail::static_datatype<Old>;

  constexpr member()
    requires is_static
  = default;
  template <number D, number N = fixed<1>>
  constexpr member(D displacement, Old old, N count = {})
      : displacement_(detail::store<Displacement>(displacement)),
        old_(std::move(old)),
        count_(detail::store<Count>(count)) {
    if (std::is_constant_evaluated()) check();
  }
  template <class M, class C, number N = fixed<1>>
  constexpr member(M C::* place, Old old, N count = {})
      : member(detail::offset_in<C>(&(detail::outline<C>.object.*place)), std::move(old), count) {
    static_assert(
        !detail::are_other_numbers<M, Old>(),
        "argosy::member: the member is of another type than the datatype that is given for it");
    if constexpr (detail::static_datatype<Old> && detail::is_fixed<N>)
      static_assert(detail::lies_within(sizeof(M), Old{}.form(), N::value),
                    "argosy::member: the copies that are given reach beyond the member; give as "
                    "many as it holds");
    room_.bytes = sizeof(M);
  }

  constexpr layout form() const {
    auto const& old = detail::form_of(old_);
    check();
    layout const all = repeat(count_, old.extent(), old);
    if (!detail::lies_within(room_.bytes, all))
      detail::throw_beyond_member(room_.bytes, count_, old.size());
    return at(displacement_, all);
  }

  // Used by signature_of and file_form_of.
  template <class F>
  constexpr void visit(F&& f) const {
    check();
    f(displacement_, count_, old_);
  }

 private:
  constexpr void check() const {
    detail::require_number(displacement_);
    detail::require_count("member", "the count", count_);
  }

  [[no_unique_address]] Displacement displacement_;
  [[no_unique_address]] Old old_;
  [[no_unique_address]] Count count_;
  [[no_unique_address]] std::conditional_t<detail::is_fixed<Displacement>, detail::any_room,
                                           detail::room_of_member> room_;
};

template <number D, datatype Old>
member(D, Old) -> member<detail::stored_number<D>, Old>;
template <class M, class C, datatype Old>
member(M C::*, Old) -> member<std::int64_t, Old>;
template <class M, class C, datatype Old, number N>
member(M C::*, Old, N) -> member<std::int64_t, Old, detail::stored_number<N>>;
template <number D, datatype Old, number N>
member(D, Old, N) -> member<detail::stored_number<D>, Old, detail::stored_number<N>>;

namespace detail {

template <class T>
inline constexpr bool is_member = false;
template <class D, class Old, class N>
inline constexpr bool is_member<member<D, Old, N>> = true;

// Marks a record with numbers in two lists.
template <class Lengths, class Displacements>
struct lists;

}  // namespace detail

// Data of several types, in the order written.
//
//   io::record(io::member(0, io::type<double>, 3), io::member(32, io::type<int>))
//   io::record(lengths, displacements, io::type<double>, io::type<int>)
// Displacements are in bytes. The extent ends with the last bound of a member, without padding. For
// arrays of padded structs use `resized`, or io::type<T>, which has the stride sizeof(T).
template <class... Members>
class record {
 public:
  static constexpr bool is_static = (detail::static_datatype<Members> && ...);

  constexpr record()
    requires is_static
  = default;
  constexpr explicit record(Members... members)
    requires(sizeof...(Members) > 0)
      : members_(std::move(members)...) {}
  constexpr layout form() const {
    detail::assembler all;
    members_.apply([&](auto const&... m) { (all.add(0, m.form()), ...); });
    return all.finish();
  }

  // Used by signature_of and file_form_of: calls f(displacement, copies, old) for each member.
  template <class F>
  constexpr void visit(F&& f) const {
    members_.apply([&](auto const&... m) { (m.visit(f), ...); });
  }

 private:
  [[no_unique_address]] detail::record_parts<Members...> members_;
};

template <class Lengths, class Displacements, datatype... Old>
class record<detail::lists<Lengths, Displacements>, Old...> {
  static_assert(detail::all_may_be_not_negative<Lengths>(),
                "argosy::record: a length is negative; give 0 or more");
  static_assert((Lengths::static_size == std::dynamic_extent ||
                 Lengths::static_size == sizeof...(Old)) &&
                    (Displacements::static_size == std::dynamic_extent ||
                     Displacements::static_size == sizeof...(Old)),
                "argosy::record: the lists differ in size; give one length and one displacement "
                "for each type");

 public:
  static constexpr bool is_static = detail::is_fixed_list<Lengths> &&
                                    detail::is_fixed_list<Displacements> &&
                                    (detail::static_datatype<Old> && ...);

  constexpr record()
    requires is_static
  = default;
  constexpr record(Lengths lengths, Displacements displacements, Old... olds)
      : lengths_(std::move(lengths)),
        displacements_(std::move(displacements)),
        olds_(std::move(olds)...) {
    if (std::is_constant_evaluated()) check();
  }

  constexpr layout form() const {
    check();
    detail::assembler all;
    olds_.apply([&](auto const&... old) {
      std::size_t i = 0;
      (add(all, i++, detail::form_of(old)), ...);
    });
    return all.finish();
  }

  // Used by signature_of and file_form_of: calls f(displacement, copies, old) for each type.
  template <class F>
  constexpr void visit(F&& f) const {
    check();
    olds_.apply([&](auto const&... old) {
      std::size_t i = 0;
      ((f(displacements_[i], lengths_[i], old), ++i), ...);
    });
  }

 private:
  constexpr void check() const {
    constexpr numbers<sizeof...(Old)> types{};
    detail::require_same_size("record", "types", types, "lengths", lengths_);
    detail::require_same_size("record", "types", types, "displacements", displacements_);
    detail::require_all_not_negative("record", "length", lengths_);
    detail::require_numbers(displacements_);
  }
  constexpr void add(detail::assembler& all, std::size_t i, layout const& old) const {
    all.add(displacements_[i], repeat(lengths_[i], old.extent(), old));
  }

  [[no_unique_address]] Lengths lengths_;
  [[no_unique_address]] Displacements displacements_;
  [[no_unique_address]] detail::record_parts<Old...> olds_;
};

template <class... Members>
  requires((detail::is_member<Members> && ...))
record(Members...) -> record<Members...>;
template <detail::number_sequence L, detail::number_sequence D, datatype... Old>
record(L const&, D const&, Old...)
    -> record<detail::lists<detail::stored_list<L>, detail::stored_list<D>>, Old...>;
template <std::size_t N, std::size_t M, datatype... Old>
record(detail::any_integer const (&)[N], detail::any_integer const (&)[M], Old...)
    -> record<detail::lists<numbers<N>, numbers<M>>, Old...>;

// Returns the layout of a record from lists of a length known at run time only. Local. Throws
// invalid_layout if the lists have not as many numbers as there are layouts, or if a length is
// negative.
template <detail::number_sequence L, detail::number_sequence D>
constexpr layout record_of(L const& lengths, D const& displacements, std::span<layout const> olds) {
  detail::stored_list<L> const counts(lengths);
  detail::stored_list<D> const places(displacements);
  detail::require_same_size("record_of", "layouts", olds, "lengths", counts);
  detail::require_same_size("record_of", "layouts", olds, "displacements", places);
  detail::require_all_not_negative("record_of", "length", counts);
  detail::require_numbers(places);
  detail::assembler all;
  for (std::size_t i = 0; i < olds.size(); ++i)
    all.add(places[i], repeat(counts[i], olds[i].extent(), olds[i]));
  return all.finish();
}

}  // namespace argosy
