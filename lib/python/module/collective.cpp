// Implements the collective calls of world.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <argosy/world/memory_world.hpp>

#include "mpi4py.hpp"
#include "world.hpp"

namespace argosy::python {

namespace {

// --- Reductions ---

// A value travels behind the place of its function in this module, which is the same in all
// processes: MPI has few operations of a program, and the library has many types.
using place = std::int64_t;
constexpr char origin = 0;

place place_of(combine_function f) {
  return reinterpret_cast<std::intptr_t>(f) - reinterpret_cast<std::intptr_t>(&origin);
}
combine_function function_at(place p) {
  return reinterpret_cast<combine_function>(reinterpret_cast<std::intptr_t>(&origin) + p);
}

struct buffer_of : Py_buffer {
  buffer_of(nb::handle object, int how) {
    if (PyObject_GetBuffer(object.ptr(), this, how) != 0) throw nb::python_error();
  }
  ~buffer_of() { PyBuffer_Release(this); }
  buffer_of(buffer_of const&) = delete;
  buffer_of& operator=(buffer_of const&) = delete;
  std::byte* bytes() const { return static_cast<std::byte*>(buf); }
};

void combine(nb::handle others, nb::handle mine, nb::handle) {
  buffer_of const from(others, PyBUF_SIMPLE), into(mine, PyBUF_WRITABLE);
  place p = 0;
  std::memcpy(&p, from.bytes(), sizeof p);
  function_at(p)(into.bytes() + sizeof p, from.bytes() + sizeof p);
}

nb::object const& combining() {
  static auto const* const made = new nb::object(
      mpi4py().attr("Op").attr("Create")(nb::cpp_function(combine), nb::arg("commute") = true));
  return *made;
}

// Returns the datatype of a value with its function. Each is made once, and never freed.
nb::object const& type_of_value(std::size_t bytes) {
  static auto* const made = new std::map<std::size_t, nb::object>();  // under the lock of Python
  nb::object& type = (*made)[bytes];
  if (!type) {
    type = contiguous(mpi4py().attr("BYTE"), bytes);
    type.attr("Commit")();
  }
  return type;
}

// --- Parcels ---

// Deliveries alternate between two tags, because a rank that is ahead may begin the next one. The
// number belongs to the communicator of MPI: several objects may refer to it.
int next_parcel_tag(nb::object const& comm) {
  static auto const* const key = new nb::object(mpi4py().attr("Comm").attr("Create_keyval")());
  nb::object const last = comm.attr("Get_attr")(*key);
  int const next = last.is_none() ? 0 : 1 - nb::cast<int>(last);
  comm.attr("Set_attr")(*key, next);
  return 32766 + next;
}

}  // namespace

void ranks::barrier() const {
  if (near_) return near_->barrier();
  if (comm_) call("Barrier", [&] { comm_->attr("Barrier")(); });
}

void ranks::all_reduce(std::span<std::byte> value, combine_function how) const {
  place const p = place_of(how);
  std::vector<std::byte> sent(sizeof p + value.size());
  std::memcpy(sent.data(), &p, sizeof p);
  std::memcpy(sent.data() + sizeof p, value.data(), value.size());
  call("Allreduce", [&] {
    nb::list m;
    m.append(memory_of(sent.data(), sent.size(), PyBUF_WRITE));
    m.append(1);
    m.append(type_of_value(sent.size()));
    comm_->attr("Allreduce")(mpi4py().attr("IN_PLACE"), m, combining());
  });
  std::memcpy(value.data(), sent.data() + sizeof p, value.size());
}

void ranks::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) const {
  if (!comm_) return alone_.all_gather(mine, all);
  auto const n = static_cast<std::size_t>(size_), me = static_cast<std::size_t>(rank_);
  if (all.size() / n != mine.size() || all.size() % n != 0)
    throw std::invalid_argument("argosy: all_gather gathers size() times `mine`");
  if (all.empty()) return;
  if (near_) return near_->all_gather(mine, all);
  if (mine.data() != all.data() + me * mine.size())
    std::copy(mine.begin(), mine.end(),
              all.begin() + static_cast<std::ptrdiff_t>(me * mine.size()));
  call("Allgather", [&] {
    // The count and the datatype are those of one rank's part.
    in const part(all.first(mine.size()), all.size() > largest_count);
    nb::list m;
    m.append(memory_of(all.data(), all.size(), PyBUF_WRITE));
    m.append(part.parts()[1]);
    m.append(part.parts()[2]);
    comm_->attr("Allgather")(mpi4py().attr("IN_PLACE"), m);
  });
}

void ranks::broadcast(std::span<std::byte> message, int root) const {
  if (!comm_) return alone_.broadcast(message, root);
  if (near_) return near_->broadcast(message, root);
  do {
    std::size_t const bytes = std::min(message.size(), largest_count);
    call("Bcast", [&] { comm_->attr("Bcast")(in(message.first(bytes)).parts(), root); });
    message = message.subspan(bytes);
  } while (!message.empty());
}

std::int64_t ranks::exclusive_sum(std::int64_t mine) const {
  if (!comm_) return 0;
  if (near_) return near_->exclusive_sum(mine);
  std::int64_t before = 0;
  call("Exscan", [&] {
    auto const number = [&](std::int64_t& n) {
      nb::list m;
      m.append(memory_of(reinterpret_cast<std::byte*>(&n), sizeof n, PyBUF_WRITE));
      m.append(1);
      m.append(mpi4py().attr("INT64_T"));
      return m;
    };
    comm_->attr("Exscan")(number(mine), number(before), mpi4py().attr("SUM"));
  });
  return rank_ == 0 ? 0 : before;  // MPI leaves it undefined on rank 0
}

std::vector<extend::parcel> ranks::deliver(std::vector<extend::parcel> const& out_parcels) const {
  if (!comm_) return alone_.deliver(out_parcels);
  std::multimap<int, extend::parcel> arrived;  // by rank, in the order of arrival
  call("deliver", [&] {
    int const tag = next_parcel_tag(comm_->object);
    nb::list sends;
    for (extend::parcel const& p : out_parcels)
      sends.append(comm_->attr("Issend")(out(p.content).parts(), p.rank, tag));
    nb::object everybody = nb::none();  // entered when this rank's parcels have arrived
    nb::object const any = mpi4py().attr("ANY_SOURCE");
    nb::object const status = mpi4py().attr("Status")();
    for (bool ended = false; !ended;) {
      nb::object const found = comm_->attr("Improbe")(any, tag, status);
      if (!found.is_none()) {
        int const from = nb::cast<int>(status.attr("Get_source")());
        extend::parcel p{from, std::vector<std::byte>(bytes_of(status))};
        found.attr("Recv")(in(p.content).parts());
        arrived.emplace(from, std::move(p));
        continue;
      }
      if (!everybody.is_none())
        ended = nb::cast<bool>(everybody.attr("Test")());
      else if (nb::cast<bool>(mpi4py().attr("Request").attr("Testall")(sends)))
        everybody = comm_->attr("Ibarrier")();
      if (!ended) yield();
    }
  });
  std::vector<extend::parcel> result;
  for (auto& [rank, p] : arrived) result.push_back(std::move(p));
  return result;
}

}  // namespace argosy::python
