#!/usr/bin/env bash
# Makes the Debian packages of a build with shared libraries, installs them into a clean root,
# builds and runs a program there, and removes them again:
#   cmake/packaging/check_debian.sh BUILD WORK [SYMBOLS]
#       BUILD is a build directory of cmake, WORK is emptied first
# The root has the list of packages that this machine has installed, so dependencies are checked. It
# has no other files of them.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
build=$(realpath "$1") work=$2 source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
for tool in cpack dpkg dpkg-shlibdeps dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work" && work=$(realpath "$work")
export LC_ALL=C
promised=${3:+$(realpath "$3")}
die() { echo "check_debian: $*" >&2; exit 1; }

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log" >&2; die "cpack failed"; }
cd "$work"
names=(argosy argosy-dev argosy-tools argosy-mpiio)
for name in "${names[@]}"; do
  compgen -G "packages/${name}_*.deb" >/dev/null || die "there is no package $name"
done
(($(ls packages/*.deb | wc -l) == ${#names[@]})) || die "other packages than ${names[*]}: $(ls packages)"
# Lists are complete before they are searched: if a reader ends early, its writer fails.
for name in "${names[@]}"; do dpkg-deb -c packages/${name}_*.deb >"$name.list"; done
grep -q '/libargosy\.so\.[0-9.]*$' argosy.list || die "argosy has no library"
grep -q '/argosyConfig.cmake$' argosy-dev.list || die "argosy-dev has no CMake package"
grep -q '/libargosy-mpiio\.so -> ' argosy-mpiio.list || die "argosy-mpiio has nothing to preload"
grep -q '/libargosy-around\.so$' argosy-mpiio.list || die "argosy-mpiio does not have the library of argosy run --report"
grep -q '/man1/argosy\.1$' argosy-tools.list || die "argosy-tools has no man page"
grep -q '/share/doc/argosy/docs/use/datatypes\.md$' argosy-dev.list ||
  die "argosy-dev has no docs/use/datatypes.md, which messages name"
[[ $(dpkg-deb -f packages/argosy_*.deb Depends) == *libc6* ]] || die "argosy depends on nothing"

root=$work/root
mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers,parts} "$root/tmp"
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
cp /var/lib/dpkg/arch "$root/var/lib/dpkg/arch" 2>/dev/null || true
# If this machine has argosy's packages installed, those would be checked instead.
! dpkg-query -W "${names[@]}" >/dev/null 2>&1 || die "argosy is installed on this machine"
# The scripts of packages call ldconfig. This one only prints the call, because there is no system
# in this root.
mkdir stubs && printf '#!/bin/sh\necho ldconfig >>"%s"\n' "$work/called" >stubs/ldconfig && chmod +x stubs/ldconfig
in_root() {
  # Files of other packages are not in this root, which is not an error.
  PATH="$work/stubs:$PATH" dpkg --root="$root" --force-not-root --force-script-chrootless --force-unsafe-io --log="$work/dpkg.log" "$@" \
    >"$work/dpkg.out" 2>&1 ||
    { grep -v 'files list file' "$work/dpkg.out" >&2; die "dpkg $1 failed"; }
}
in_root -i packages/*.deb
[[ -s called ]] || die "nobody called ldconfig"
before=$(find "$root" -path "$root/var" -prune -o -type f -print | wc -l)
((before > 100)) || die "only $before files were installed"

# Links in the pages for users lead to files that are installed, too.
while IFS=: read -r page link; do
  [[ -e $(dirname "$page")/$link ]] || die "${page#"$root"} refers to $link, which is not installed"
done < <(grep -roE '\]\([A-Za-z0-9_-]*[./][A-Za-z0-9_./-]*[)#]' --include='*.md' "$root/usr/share/doc/argosy/docs/use" |
  sed 's/:\](/:/; s/[)#]$//')

# Builds as a user does: once with CMake, once with pkg-config.
lib=$(dirname "$(find "$root/usr" -name 'libargosy.so')")
export LD_LIBRARY_PATH=$lib
mkdir hello && cp "$source/examples/hello.cpp" hello
cat >hello/CMakeLists.txt <<'LISTS'
cmake_minimum_required(VERSION 3.25)
project(hello LANGUAGES CXX)
find_package(argosy CONFIG REQUIRED)
add_executable(hello hello.cpp)
target_link_libraries(hello PRIVATE argosy::argosy)
LISTS
{
  cmake -S hello -B hello/build -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_CXX_FLAGS=-O0 &&
    cmake --build hello/build
} >hello.log 2>&1 || { cat hello.log >&2; die "hello does not build with CMake"; }
[[ $(readelf -d hello/build/hello) == *NEEDED*libargosy.so.0* ]] || die "hello is not linked with the shared library"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
(cd hello && mpiexec -n 2 build/hello) >hello.out 2>&1 || { cat hello.out >&2; die "hello does not run"; }
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$lib/pkgconfig
  # shellcheck disable=SC2046 # the flags are words
  "${CXX:-c++}" -std=c++20 -O0 -fsyntax-only hello/hello.cpp $(pkg-config --cflags argosy) || die "hello does not compile with pkg-config"
  # shellcheck disable=SC2046
  "${CXX:-c++}" hello/build/CMakeFiles/hello.dir/hello.cpp.o -o hello/by_pc $(pkg-config --libs argosy) || die "hello does not link with pkg-config"
  (cd hello && mpiexec -n 2 ./by_pc) >/dev/null || die "hello by pkg-config does not run"
fi
[[ $("$root/usr/bin/argosy" layout 'vector(3,1,2; double)') == 'repeat(3, 16, bytes(8))'* ]] || die "the command does not work"

# A program without argosy, with the drop-in preloaded.
cat >plain.c <<'PLAIN'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_File f;
  MPI_Init(&argc, &argv);
  MPI_Error_string(MPI_File_open(MPI_COMM_WORLD, "none.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &f), text, &length);
  puts(text);
  return MPI_Finalize();
}
PLAIN
if command -v mpicc >/dev/null; then
  mpicc -o plain plain.c || die "plain.c does not compile"
  [[ $(mpiexec -n 1 env LD_PRELOAD="$lib/libargosy-mpiio.so" ./plain) == 'argosy: open of '* ]] || die "the drop-in does not stand before MPI"
fi

if [[ -n $promised ]]; then
  nm -D -C --defined-only "$lib/libargosy.so" | sed -n 's/^[0-9a-f]* [TBDR] \(argosy::.*\)$/\1/p' | sort -u >exported
  sort -u "$promised" >promised
  [[ -s promised ]] || die "$promised names no symbols"
  missing=$(comm -13 exported promised)
  [[ -z $missing ]] || die "symbols are not exported: $missing"
fi

in_root -r argosy-mpiio argosy-tools argosy-dev argosy
left=$(find "$root/usr" -type f 2>/dev/null || true)
[[ -z $left ]] || die "files are left: $left"
echo "${#names[@]} packages, $before files, installed, used and removed"
