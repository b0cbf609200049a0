// Implements next.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "next.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace argosy::mpiio {
namespace {

bool wants_the_mpi_library() {
  char const* const said = std::getenv("ARGOSY_MPIIO");
  if (said == nullptr || *said == '\0') return false;
  std::string_view const what = said;
  if (what != "off" && what != "on")
    std::fprintf(stderr, "argosy: ARGOSY_MPIIO=%s: give off or on; it is on\n", said);
  return what == "off";
}

// The symbols of a loaded object, as the dynamic linker reads them.
struct symbol_table {
  ElfW(Sym) const* symbols = nullptr;
  char const* names = nullptr;
  std::uint32_t undefined = 0;  // symbols that other objects define are among the first so many
};

// Returns the symbol table of an object. Some C libraries have relocated the addresses of an
// object's tables, others have not.
symbol_table symbols_of(link_map const& object) {
  symbol_table found;
  auto const at = [&](ElfW(Addr) address) {
    return address < object.l_addr ? object.l_addr + address : address;
  };
  for (ElfW(Dyn) const* entry = object.l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    ElfW(Addr) const address = at(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<ElfW(Sym) const*>(address);
    if (entry->d_tag == DT_STRTAB) found.names = reinterpret_cast<char const*>(address);
    // The first word is the number of buckets, the second the number of symbols. In the newer form
    // (DT_GNU_HASH), the second is the number of symbols that are not in the table, which are the
    // undefined ones.
    if (entry->d_tag == DT_HASH || entry->d_tag == DT_GNU_HASH)
      found.undefined = reinterpret_cast<std::uint32_t const*>(address)[1];
  }
  return found;
}

// Returns true if the object calls a function of this name that another object defines.
bool calls(link_map const& object, std::string_view name) {
  symbol_table const table = symbols_of(object);
  if (!table.symbols || !table.names) return false;
  for (std::uint32_t i = 0; i < table.undefined; ++i) {
    ElfW(Sym) const& symbol = table.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF && table.names + symbol.st_name == name) return true;
  }
  return false;
}

// Returns the loaded object that `address` belongs to, or null.
link_map const* object_of(void const* address) {
  Dl_info info{};
  void* object = nullptr;
  if (::dladdr1(address, &info, &object, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<link_map const*>(object);
}

}  // namespace

bool const is_off = wants_the_mpi_library();

#ifndef ARGOSY_MPI_FAMILY
void* look_behind(char const* name) { return ::dlsym(RTLD_NEXT, name); }
#endif

void* next_symbol(char const* name) {
  if (void* const found = look_behind(name)) return found;
  std::fprintf(stderr, "argosy: the MPI library has no %s\n", name);
  std::abort();
}

found_way find_way(char const* name) {
  if (is_off) return {next_symbol(name), true};
  void* const to = look_behind(name);
  bool const is_pmpi = *name == 'P' || *name == 'p';
  if (is_pmpi || !to) return {to, false};
  std::string const inner = (*name == 'M' ? "P" : "p") + std::string(name);
  void* const library = look_behind(inner.c_str());
  link_map const* const next = object_of(to);
  if (!next || next == object_of(library)) return {library ? library : to, false};
  return {to, calls(*next, inner)};
}

}  // namespace argosy::mpiio
