// Implements types.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include <argosy/datatype/mpi.hpp>
#include <argosy/layout/error.hpp>

#include "datatype/mpi_calls.hpp"

namespace argosy::mpiio {
namespace {

// Counts freed datatypes, because the handle of a freed datatype may be used again.
std::atomic<unsigned> freed{0};

int forget(MPI_Datatype, int, void* kept, void*) {
  ++freed;
  delete static_cast<known_type*>(kept);
  return MPI_SUCCESS;
}

int attribute() {
  static int const key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &made, nullptr);
    return made;
  }();
  return key;
}

// Finds the items of a datatype. If they are unknown, the bytes can still be moved.
void note_items(known_type& k) try {
  signature const types = k.form.types();
  if (types.nodes().size() != 1 || types.size() != k.size) return;
  k.item = types.nodes()[0].type;
  k.items = types.nodes()[0].count;
} catch (invalid_layout const&) {
}

known_type decoded(MPI_Datatype type) {
  known_type k;
  try {
    k.form = from_mpi(type);
    layout const& form = k.form.form();
    k.size = form.size();
    k.dense = form.pieces() <= 1 && form.lower_bound() == 0 && form.extent() == k.size &&
              (k.size == 0 || form.origin() == 0);
  } catch (invalid_layout const& e) {
    k.fault = e.what();
  }
  if (k.dense) note_items(k);
  return k;
}

bool is_predefined_type(MPI_Datatype type) {
  int const combiner = detail::mpi_calls::combiner_of(type);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace

known_type const& known(MPI_Datatype type) {
  // Most calls use the datatype of the call before, and asking MPI costs as much as the rest of a
  // small call.
  thread_local struct {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    unsigned freed = 0;
    known_type const* found = nullptr;
  } last;
  unsigned const now_freed = freed.load(std::memory_order_relaxed);
  if (last.found && last.type == type && last.freed == now_freed) return *last.found;
  // Allocated separately, because a thread's own memory is small if this library is loaded late.
  thread_local std::unique_ptr<known_type> unusable;
  if (type == MPI_DATATYPE_NULL) {
    unusable = std::make_unique<known_type>(
        known_type{.form = {}, .fault = "the datatype is MPI_DATATYPE_NULL"});
    return *unusable;
  }
  void* found = nullptr;
  int is_there = 0;
  PMPI_Type_get_attr(type, attribute(), static_cast<void*>(&found), &is_there);
  if (is_there != 0) {
    last = {type, now_freed, static_cast<known_type const*>(found)};
    return *last.found;
  }
  auto now = std::make_unique<known_type>(decoded(type));
  if (now->fault.empty() && PMPI_Type_set_attr(type, attribute(), now.get()) == MPI_SUCCESS)
    return *now.release();
  unusable = std::move(now);  // not cached, because it may be committed later
  return *unusable;
}

kept_type::kept_type(MPI_Datatype type) : type_(type), owned_(!is_predefined_type(type)) {
  if (owned_) PMPI_Type_dup(type, &type_);
}

kept_type::kept_type(kept_type&& other) noexcept
    : type_(std::exchange(other.type_, MPI_BYTE)), owned_(std::exchange(other.owned_, false)) {}

kept_type& kept_type::operator=(kept_type&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(owned_, other.owned_);
  return *this;
}

kept_type::~kept_type() {
  if (owned_) PMPI_Type_free(&type_);
}

MPI_Datatype kept_type::handed_out() const {
  if (!owned_) return type_;
  MPI_Datatype result = MPI_DATATYPE_NULL;
  PMPI_Type_dup(type_, &result);
  return result;
}

}  // namespace argosy::mpiio
