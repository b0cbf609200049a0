// What a program includes that opens files on a world of its own: the bodies of basic_file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/basic_file.hpp>
#include <argosy/file/detail/basic_file_access.hpp>
#include <argosy/file/detail/basic_file_open.hpp>
#include <argosy/file/detail/basic_file_pointers.hpp>
#include <argosy/file/detail/basic_file_view.hpp>
