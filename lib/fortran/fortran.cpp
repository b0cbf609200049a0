// The functions of C behind the module argosy of Fortran: argosy.f90. Each returns 0, or the number
// of an errc, and then keeps the text for argosy_f_text.
// SPDX-License-Identifier: BSD-3-Clause
#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <mpi.h>

#include <argosy/file/file.hpp>
#include <argosy/file/hints_file.hpp>
#include <argosy/format/checkpoint.hpp>
#include <argosy/format/detail/stored_array.hpp>
#include <argosy/format/detail/together.hpp>
#include <argosy/format/npy.hpp>

#include "format/any_array.hpp"

namespace argosy {

namespace {

using detail::any_element;
using detail::any_memory;
using detail::any_selection;
using detail::any_sizes;

// argosy.f90 has these numbers.
static_assert(static_cast<int>(errc::no_such_file) == 8 && static_cast<int>(errc::read_only) == 10);
static_assert(static_cast<int>(errc::truncated) == 15 && static_cast<int>(errc::datatype) == 19);
static_assert(static_cast<int>(errc::not_same) == 25);
static_assert(static_cast<int>(errc::error_on_another_rank) == 27);
static_assert(static_cast<int>(mode::read_write) == 4 && static_cast<int>(mode::create) == 8);
static_assert(static_cast<int>(mode::delete_on_close) == 64);
static_assert(static_cast<int>(mode::truncate) == 512);

thread_local std::string last_text;

// Runs `body`, and returns the number of its error.
template <class Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (error const& e) {
    last_text = e.what();
    return static_cast<int>(classify(e.code()));
  } catch (std::bad_alloc const&) {
    last_text = "argosy: there is no memory left";
    return static_cast<int>(errc::no_memory);
  } catch (std::exception const& e) {
    last_text = e.what();
    return static_cast<int>(errc::argument);
  }
}

// Returns text of Fortran without the blanks at its end.
std::string text_of(CFI_cdesc_t const* d) {
  std::string_view all(static_cast<char const*>(d->base_addr), d->elem_len);
  std::size_t const end = all.find_last_not_of(' ');
  return std::string(all.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

// --- Arrays ---

template <class... Types>
bool is_one_of(CFI_type_t type, Types... types) {
  return ((type == static_cast<CFI_type_t>(types)) || ...);
}

// Returns NumPy's letter for a type of Fortran; 0 for one that files do not have. Some names are
// the same number, so this cannot be a switch.
char letter_of(CFI_type_t type) {
  if (is_one_of(type, CFI_type_int8_t, CFI_type_int16_t, CFI_type_int32_t, CFI_type_int64_t))
    return 'i';
  if (is_one_of(type, CFI_type_float, CFI_type_double, CFI_type_long_double)) return 'f';
  if (is_one_of(type, CFI_type_float_Complex, CFI_type_double_Complex,
                CFI_type_long_double_Complex))
    return 'c';
  if (is_one_of(type, CFI_type_char)) return 'S';
#ifdef CFI_type_mask  // gfortran has a number for each kind of LOGICAL
  if ((type & CFI_type_mask) == CFI_type_Logical) return 'b';
#else
  if (is_one_of(type, CFI_type_Bool)) return 'b';
#endif
  return 0;
}

any_element element_of(CFI_cdesc_t const& d) {
  char letter = letter_of(d.type);
  // A LOGICAL that is longer than one byte is stored as the integer that it is in memory.
  if (letter == 'b' && d.elem_len > 1) letter = 'i';
  if (letter == 0)
    throw invalid_layout(
        "argosy: this array is of a derived type, or of a kind that files do not have; give its "
        "components, which are integer, real, complex, logical or character");
  bool const ordered = d.elem_len > 1 && letter != 'S';
  return detail::any_element_of(std::string("'") + (ordered ? detail::native_order : '|') + letter +
                                std::to_string(d.elem_len) + "'");
}

any_sizes shape_of(CFI_cdesc_t const& d) {
  any_sizes shape;
  for (int i = 0; i < d.rank; ++i) shape.push_back(std::max<std::int64_t>(0, d.dim[i].extent));
  return shape;
}

any_memory memory_of(CFI_cdesc_t const& d) {
  any_memory m{reinterpret_cast<std::uintptr_t>(d.base_addr), {}};
  for (int i = 0; i < d.rank; ++i) m.strides.push_back(d.dim[i].sm);
  return m;
}

buffer buffer_of(CFI_cdesc_t const& d) {
  return detail::buffer_of(memory_of(d), shape_of(d), order::fortran, element_of(d));
}

// Returns the numbers of a list of integers of any kind.
any_sizes integers_of(CFI_cdesc_t const& d, std::string_view what) {
  if (d.rank != 1 || letter_of(d.type) != 'i' || (d.elem_len != 4 && d.elem_len != 8))
    throw invalid_layout("argosy: " + std::string(what) +
                         " is a list of integers, one for each dimension");
  any_sizes all;
  for (CFI_index_t i = 0; i < d.dim[0].extent; ++i) {
    auto const* const at = static_cast<char const*>(d.base_addr) + i * d.dim[0].sm;
    std::int64_t n = 0;
    std::int32_t small = 0;
    if (d.elem_len == 8) {
      std::memcpy(&n, at, sizeof n);
    } else {
      std::memcpy(&small, at, sizeof small);
      n = small;
    }
    all.push_back(n);
  }
  return all;
}

// Returns the part of an array with `sizes` that begins at `first` and has the shape of `like`.
array_part part_of(CFI_cdesc_t const& like, CFI_cdesc_t const& sizes, CFI_cdesc_t const& first) {
  any_sizes const whole = integers_of(sizes, "sizes");
  any_selection s{integers_of(first, "first"), shape_of(like), {}};
  if (whole.size() != s.counts.size() || s.starts.size() != s.counts.size())
    throw invalid_layout("argosy: the data has " + std::to_string(s.counts.size()) +
                         " dimensions, sizes has " + std::to_string(whole.size()) +
                         ", and first has " + std::to_string(s.starts.size()));
  for (std::int64_t& n : s.starts) n = detail::add(n, -1);
  s.steps.assign(s.counts.size(), 1);
  return detail::part_of(whole, order::fortran, element_of(like), s);
}

// Returns the part with all elements of an array.
array_part whole_of(CFI_cdesc_t const& d) {
  any_sizes const shape = shape_of(d);
  return detail::part_of(shape, order::fortran, element_of(d), detail::everything_of(shape));
}

// --- Collective calls ---

using joint = detail::joint_call<mpi>;

template <class Body>
void in_call(mpi const& world, std::string_view name, std::string_view path, Body&& body) {
  std::string words;
  detail::in_one_call(world, {name, path, extend::source_location::current()}, nullptr, words,
                      std::forward<Body>(body));
}

// An open file of Fortran.
struct fortran_file {
  file f;
  std::optional<array_part> part = {};
  report last = {};
};

fortran_file& file_of(void* handle) {
  if (!handle)
    throw error(detail::local_agreement(-1, {errc::file, "the file is not open", "open it first"}),
                "call", {}, -1);
  return *static_cast<fortran_file*>(handle);
}

// Returns a failure unless the data is the whole part.
extend::failure fault_of(fortran_file const& f, buffer const& data) {
  if (!f.part) return {errc::argument, "no part is chosen; call set_part first"};
  return detail::fault_of(*f.part, data, f.f.path());
}

extend::failure cut_off(fortran_file const& f) {
  if (f.last.memory_bytes >= f.part->part_bytes()) return {};
  return {errc::truncated,
          "the file ends inside of the array: " + std::to_string(f.last.memory_bytes) + " of " +
              std::to_string(f.part->part_bytes()) + " bytes of this rank are there"};
}

void access_together(fortran_file& f, bool writes, CFI_cdesc_t const& d) {
  in_call(f.f.world(), writes ? "write_all" : "read_all", f.f.path(), [&](joint const& s) {
    buffer data;
    s.alone(errc::datatype, [&] {
      data = buffer_of(d);
      return fault_of(f, data);
    });
    f.last =
        s.together([&] { return writes ? f.f.write_at_all(0, data) : f.f.read_at_all(0, data); });
    if (!writes) s.alone(errc::io, [&] { return cut_off(f); });
  });
}

void access_alone(fortran_file& f, bool writes, CFI_cdesc_t const& d) {
  std::string_view const name = writes ? "write" : "read";
  auto const check = [&](extend::failure bad) {
    int const rank = f.f.world().rank();
    if (bad) throw error(detail::local_agreement(rank, std::move(bad)), name, f.f.path(), rank);
  };
  buffer const data = buffer_of(d);
  check(fault_of(f, data));
  f.last = writes ? f.f.write_at(0, data) : f.f.read_at(0, data);
  if (!writes) check(cut_off(f));
}

// Hints of one line each, or with semicolons between them.
hints hints_of(std::string text) {
  std::ranges::replace(text, ';', '\n');
  return extend::parse_hints(text, "the hints of open");
}

// The state of a program that is saved. What cannot be added is reported by save and load.
struct fortran_checkpoint {
  checkpoint all;
  extend::failure bad;
};

}  // namespace

extern "C" {

int argosy_f_open(void** handle, int comm, CFI_cdesc_t const* path, int modes,
                  CFI_cdesc_t const* named) {
  return guarded([&] {
    auto f = std::make_unique<fortran_file>();
    f->f = file::open(MPI_Comm_f2c(comm), text_of(path), static_cast<mode>(modes),
                      hints_of(text_of(named)));
    delete static_cast<fortran_file*>(std::exchange(*handle, f.release()));
  });
}

int argosy_f_set_part(void* handle, CFI_cdesc_t const* like, CFI_cdesc_t const* sizes,
                      CFI_cdesc_t const* first, std::int64_t offset) {
  return guarded([&] {
    fortran_file& f = file_of(handle);
    in_call(f.f.world(), "set_part", f.f.path(), [&](joint const& s) {
      view v;
      s.alone_with_equal("array", errc::datatype, [&](std::string& lines) {
        array_part const part = part_of(*like, *sizes, *first);
        lines = to_string(part) + "\noffset " + std::to_string(offset);
        f.part = part;
        return detail::view_of({part.type(), part.order(), part.shape(), offset}, part, v);
      });
      s.together([&] { f.f.set_view(v); });
    });
  });
}

int argosy_f_access(void* handle, int what, CFI_cdesc_t const* data) {
  return guarded([&] {
    fortran_file& f = file_of(handle);
    bool const writes = what % 2 == 1;
    if (what < 2)
      access_together(f, writes, *data);
    else
      access_alone(f, writes, *data);
  });
}

int argosy_f_call(void* handle, int what, std::int64_t* number) {
  return guarded([&] {
    fortran_file& f = file_of(handle);
    if (what == 0) *number = f.f.size();
    if (what == 1) f.f.set_size(*number);
    if (what == 2) f.f.sync();
    if (what == 3) last_text = to_string(f.last);
  });
}

int argosy_f_close(void** handle) {
  return guarded([&] {
    fortran_file& f = file_of(*handle);
    struct freeing {
      void** handle;
      ~freeing() {
        if (!static_cast<fortran_file*>(*handle)->f.is_open())
          delete static_cast<fortran_file*>(std::exchange(*handle, nullptr));
      }
    } const after{handle};
    f.f.close();
  });
}

int argosy_f_npy(int comm, CFI_cdesc_t const* path, CFI_cdesc_t const* data,
                 CFI_cdesc_t const* sizes, CFI_cdesc_t const* first, int saves) {
  return guarded([&] {
    mpi const world(MPI_Comm_f2c(comm));
    std::string const name = text_of(path);
    std::optional<array_part> part;
    buffer memory;
    in_call(world, saves ? "npy_save" : "npy_load", name, [&](joint const& s) {
      s.alone(errc::datatype, [&] {
        part = part_of(*data, *sizes, *first);
        memory = buffer_of(*data);
      });
    });
    npy n = saves ? npy::create(world, name, *part) : npy::open(world, name, *part);
    if (saves)
      n.write_all(memory);
    else
      n.read_all(memory);
    n.close();
  });
}

int argosy_f_add(void** handle, CFI_cdesc_t const* name, CFI_cdesc_t const* data,
                 CFI_cdesc_t const* sizes, CFI_cdesc_t const* first, int everywhere) {
  return guarded([&] {
    if (!*handle) *handle = new fortran_checkpoint;
    auto& c = *static_cast<fortran_checkpoint*>(*handle);
    c.bad.keep(detail::failure_of(errc::datatype, [&] {
      buffer const memory = buffer_of(*data);
      if (everywhere)
        c.all.add_value(text_of(name), whole_of(*data), memory);
      else
        c.all.add(text_of(name), part_of(*data, *sizes, *first), memory);
    }));
  });
}

int argosy_f_checkpoint(void** handle, int comm, CFI_cdesc_t const* path, int saves) {
  return guarded([&] {
    if (!*handle) *handle = new fortran_checkpoint;
    auto& c = *static_cast<fortran_checkpoint*>(*handle);
    mpi const world(MPI_Comm_f2c(comm));
    std::string const name = text_of(path);
    in_call(world, saves ? "checkpoint_save" : "checkpoint_load", name,
            [&](joint const& s) { s.agree(c.bad); });
    if (saves)
      c.all.save(world, name);
    else
      c.all.load(world, name);
  });
}

void argosy_f_checkpoint_end(void** handle) {
  delete static_cast<fortran_checkpoint*>(std::exchange(*handle, nullptr));
}

std::size_t argosy_f_text(char* text, std::size_t length) {
  std::copy_n(last_text.begin(), std::min(length, last_text.size()), text);
  return last_text.size();
}

}  // extern "C"

}  // namespace argosy
