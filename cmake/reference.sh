#!/usr/bin/env bash
# Makes the reference of all public headers by Doxygen: build/reference/html/index.html.
# It reads include/argosy without the laboratory and without detail/, as reference_headers.py writes
# it below build/reference/. A warning is a failure. build/reference/undocumented.txt lists what has
# no comment of its own.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

install_packages doxygen python3
command -v doxygen >/dev/null || { echo "reference.sh: doxygen is not installed" >&2; exit 1; }

work=build/reference
rm -rf "$work" && mkdir -p "$work"
version=$(sed -n 's/^#define ARGOSY_VERSION_[A-Z]* //p' include/argosy/version.hpp | paste -sd .)
cat >"$work/Doxyfile" <<DOXYFILE
PROJECT_NAME = argosy
PROJECT_NUMBER = $version
OUTPUT_DIRECTORY = $work
INPUT = $work/include
RECURSIVE = YES
FILE_PATTERNS = *.hpp
EXCLUDE_SYMBOLS = argosy::detail argosy::detail::* detail detail::*
STRIP_FROM_PATH = $work/include
STRIP_FROM_INC_PATH = $work/include
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
DISTRIBUTE_GROUP_DOC = YES
JAVADOC_AUTOBRIEF = YES
AUTOLINK_SUPPORT = NO
SORT_MEMBER_DOCS = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = ARGOSY_LINKED
ENABLE_PREPROCESSING = YES
SEARCH_INCLUDES = NO
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_LOGFILE = $work/warnings.txt
QUIET = YES
GENERATE_LATEX = NO
GENERATE_HTML = YES
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
VERBATIM_HEADERS = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
HTML_TIMESTAMP = NO
DOXYFILE
python3 cmake/reference_headers.py "$work/include"
doxygen "$work/Doxyfile"
if [[ -s $work/warnings.txt ]]; then
  cat "$work/warnings.txt" >&2
  echo "-- Doxygen refuses these comments" >&2
  exit 1
fi

python3 - "$work" <<'PYTHON'
import pathlib
import sys
import xml.etree.ElementTree as xml

work = pathlib.Path(sys.argv[1])
every, bare = 0, []
for path in sorted((work / "xml").glob("*.xml")):
    if path.name in ("index.xml", "Doxyfile.xml"):
        continue
    for compound in xml.parse(path).iter("compounddef"):
        own = compound.get("kind") in ("class", "struct", "concept")
        for item in ([compound] if own else []) + list(compound.iter("memberdef")):
            if item.get("prot", "public") != "public" or item.get("kind") == "friend":
                continue
            if compound.get("kind") not in ("class", "struct", "concept", "namespace"):
                continue
            name = item.findtext("qualifiedname") or item.findtext("compoundname") or ""
            every += 1
            texts = [item.find(t) for t in ("briefdescription", "detaileddescription")]
            if not any(t is not None and "".join(t.itertext()).strip() for t in texts):
                place = item.find("location")
                bare.append(f"{place.get('file')}: {name}{item.findtext('argsstring') or ''}")
(work / "undocumented.txt").write_text("".join(line + "\n" for line in sorted(set(bare))))
print(f"-- {every} names and members, {every - len(bare)} of them with a comment of their own; "
      f"{work}/undocumented.txt has the others")
PYTHON
echo "-- $work/html/index.html"
