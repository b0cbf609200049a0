// What a program includes that uses formats on a world of its own: bodies of the templates, and of
// files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <argosy/file/any_world.hpp>
#include <argosy/format/detail/basic_checkpoint.hpp>
#include <argosy/format/detail/basic_npy.hpp>
#include <argosy/format/detail/basic_xdmf.hpp>
