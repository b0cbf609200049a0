// The bodies of basic_file, for programs that open files on a world of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_access.hpp>
#include <argosy/file/detail/basic_file_open.hpp>
#include <argosy/file/detail/basic_file_pointers.hpp>
#include <argosy/file/detail/basic_file_view.hpp>
