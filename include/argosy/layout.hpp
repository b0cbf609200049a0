// Layouts: the normal form of data, and the operations on it. Needs only the standard library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/layout/copy.hpp>
#include <argosy/layout/cursor.hpp>
#include <argosy/layout/element_layout.hpp>
#include <argosy/layout/error.hpp>
#include <argosy/layout/layout.hpp>
#include <argosy/layout/number.hpp>
#include <argosy/layout/pack.hpp>
#include <argosy/layout/piece.hpp>
#include <argosy/layout/static_layout.hpp>
