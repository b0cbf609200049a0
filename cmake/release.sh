#!/usr/bin/env bash
# Makes what a release consists of, from the commit that is checked out, and checks it:
# build/releases/VERSION/ gets the source archive, Debian packages and SHA256SUMS.
#   --tests WORDS    what cmake/test.sh runs in the unpacked archive; by default "release"
#   --no-packages    no Debian packages, which take a build with shared libraries
# The archive is unpacked outside of the repository, where git finds nothing. Page:
# docs/develop/releases.md.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

die() { echo "release.sh: $*" >&2; exit 1; }

tests=(release)
packages=yes
while (($#)); do
  case $1 in
    --tests) read -ra tests <<<"${2-}"; shift ;;
    --no-packages) packages= ;;
    *) sed -n '2,/^# SPDX/{/^# SPDX/d;s/^# \{0,1\}//p}' cmake/release.sh; exit 2 ;;
  esac
  shift
done
((${#tests[@]})) || die "--tests needs presets or steps of cmake/test.sh"

version=$(sed -n 's/^#define ARGOSY_VERSION_[A-Z]* //p' include/argosy/version.hpp | paste -sd .)
grep -q "^## $version - [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]$" CHANGELOG.md ||
  die "CHANGELOG.md has no section '## $version - DATE'"
[[ -z $(git status --porcelain) ]] || die "there are changes that are not committed"
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

out=$PWD/build/releases/$version
rm -rf "$out" && mkdir -p "$out"
archive=$out/argosy-$version.tar.gz
# git archive sorts by path, and gives each file the time of the commit.
make_archive() { git archive --format=tar --prefix="argosy-$version/" "$commit" | gzip -9 -n; }
make_archive >"$archive"
make_archive | cmp - "$archive" || die "the archive is not reproducible"
echo "-- $archive: commit $commit, $(tar -tzf "$archive" | grep -vc '/$') files"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$archive"
source=$work/argosy-$version
export GIT_CEILING_DIRECTORIES=$work
(cd "$source" && ! git rev-parse 2>/dev/null) || die "git finds a repository in $source"

echo "-- cmake/test.sh ${tests[*]}, in the unpacked archive"
(cd "$source" && cmake/test.sh "${tests[@]}")

if [[ $packages ]]; then
  install_packages "${argosy_packages[@]}"
  cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr -DARGOSY_BUILD_TESTS=OFF \
    -DARGOSY_BUILD_EXAMPLES=OFF -DARGOSY_BUILD_BENCHMARKS=OFF >/dev/null
  cmake --build "$work/build"
  "$source/cmake/packaging/check_debian.sh" "$work/build" "$work/debian" \
    "$source/docs/develop/symbols.txt"
  cp "$work"/debian/packages/*.deb "$out"
fi

(cd "$out" && sha256sum -- *.* >SHA256SUMS && cat SHA256SUMS)
