// The source of the precompiled header that the other files reuse, because CMake makes one for a
// source only.
// SPDX-License-Identifier: BSD-3-Clause
