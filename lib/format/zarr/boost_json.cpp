// Compiles the sources of json.hpp into the library, so that programs link nothing more.
// SPDX-License-Identifier: BSD-3-Clause
#define json argosy_json
#include <boost/json/src.hpp>
#undef json
