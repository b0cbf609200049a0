// Headers that nearly every test of ranks and files includes, compiled once.
// SPDX-License-Identifier: BSD-3-Clause
#include "test_precompiled.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>

#include <argosy/datatype.hpp>
#include <argosy/file/file.hpp>
#include <argosy/policy.hpp>
