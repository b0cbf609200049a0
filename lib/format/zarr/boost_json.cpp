// Boost.JSON, compiled into the library, so that programs link nothing more.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/json/src.hpp>
