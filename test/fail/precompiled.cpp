// Whose precompiled header the others have: CMake makes one only beside a source.
// SPDX-License-Identifier: BSD-3-Clause
