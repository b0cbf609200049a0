// Calls of mpi4py, for the sources of world.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "world.hpp"

namespace argosy::python {

// --- Calls ---

// The module mpi4py.MPI. Never freed: the interpreter may end before the last communicator does.
inline nb::module_ const& mpi4py() {
  static auto const* const loaded = new nb::module_(nb::module_::import_("mpi4py.MPI"));
  return *loaded;
}

// Returns "TypeError: text" of an exception.
inline std::string words_of(nb::python_error const& e) {
  std::string const type = nb::cast<std::string>(e.type().attr("__name__"));
  return type + ": " + nb::cast<std::string>(nb::str(e.value()));
}

// Calls `f` with the lock of the interpreter. Throws communication_error if Python raises. Orders
// shared memory: MPI's own synchronisation does that for processors, and the fences do it for the
// compiler.
template <class F>
auto call(char const* what, F&& f) {
  nb::gil_scoped_acquire const lock;
  struct ordered {
    ordered() noexcept { std::atomic_thread_fence(std::memory_order_release); }
    ~ordered() { std::atomic_thread_fence(std::memory_order_acquire); }
  } const memory;
  try {
    return f();
  } catch (nb::python_error const& e) {
    throw communication_error(std::string(what) + ": " + words_of(e));
  }
}

// Lets other threads of the program, and other processes, run. Takes the lock of the interpreter
// before it releases it, because the stable interface does not say whether this thread has it.
inline void yield() noexcept {
  nb::gil_scoped_acquire const lock;
  nb::gil_scoped_release const others;
  std::this_thread::yield();
}

inline bool is_finalized() { return nb::cast<bool>(mpi4py().attr("Is_finalized")()); }

// --- Messages as Python has them ---

inline nb::object memory_of(std::byte const* first, std::size_t bytes, int how) {
  static char nothing = 0;
  char* const at = bytes > 0 ? const_cast<char*>(reinterpret_cast<char const*>(first)) : &nothing;
  PyObject* const view = PyMemoryView_FromMemory(at, static_cast<Py_ssize_t>(bytes), how);
  if (!view) throw nb::python_error();
  return nb::steal(view);
}

inline nb::object contiguous(nb::object const& type, std::size_t count) {
  return type.attr("Create_contiguous")(count);
}

// Returns a datatype of one element with these bytes: the rest, and the blocks behind it.
inline nb::object type_of_blocks(std::size_t bytes) {
  nb::object const byte = mpi4py().attr("BYTE");
  std::size_t const blocks = bytes / largest_count, rest = bytes % largest_count;
  nb::object const block = contiguous(byte, largest_count), all = contiguous(block, blocks);
  nb::list lengths, places, types;
  for (std::size_t const n : {rest, std::size_t{1}}) lengths.append(n);
  for (std::size_t const n : {std::size_t{0}, rest}) places.append(n);
  types.append(byte);
  types.append(all);
  nb::object type = mpi4py().attr("Datatype").attr("Create_struct")(lengths, places, types);
  type.attr("Commit")();
  all.attr("Free")();
  block.attr("Free")();
  return type;
}

// A message for a call of mpi4py: [memory, count, datatype].
class message {
 public:
  message(std::byte const* first, std::size_t bytes, int how, bool as_one = false) {
    parts_.append(memory_of(first, bytes, how));
    if (bytes <= largest_count && !as_one) {
      parts_.append(bytes);
      parts_.append(mpi4py().attr("BYTE"));
    } else {
      type_ = type_of_blocks(bytes);
      parts_.append(1);
      parts_.append(type_);
    }
  }
  ~message() {  // communication that uses the datatype continues
    if (type_) try {
        type_.attr("Free")();
      } catch (nb::python_error& e) {
        e.discard_as_unraisable("argosy");
      }
  }
  message(message const&) = delete;
  message& operator=(message const&) = delete;
  nb::list const& parts() const { return parts_; }

 private:
  nb::list parts_;
  nb::object type_;
};

struct out : message {
  explicit out(std::span<std::byte const> m, bool as_one = false)
      : message(m.data(), m.size(), PyBUF_READ, as_one) {}
};
struct in : message {
  explicit in(std::span<std::byte> m, bool as_one = false)
      : message(m.data(), m.size(), PyBUF_WRITE, as_one) {}
};

inline std::size_t bytes_of(nb::object const& status) {
  return nb::cast<std::size_t>(status.attr("Get_elements")(mpi4py().attr("BYTE")));
}

// An object of mpi4py, which is freed if argosy made it.
struct ranks::communicator {
  communicator(nb::object c, bool made) : object(std::move(c)), made_here(made) {}
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;
  ~communicator() {
    if (!Py_IsInitialized()) {
      object.release();
      return;
    }
    nb::gil_scoped_acquire const lock;
    try {
      if (made_here && !is_finalized()) object.attr("Free")();
    } catch (nb::python_error const&) {  // the interpreter ends, and mpi4py is gone
    }
    object.reset();
  }
  nb::object attr(char const* name) const { return object.attr(name); }

  nb::object object;
  bool made_here;
};

}  // namespace argosy::python
