// SPDX-License-Identifier: MIT
// The quasi factor of a relaxed class under `plumb test`: 1, or as set by -DK0 and -DK2.
#pragma once

#if defined K0
constexpr unsigned kFactor = 0;
#elif defined K2
constexpr unsigned kFactor = 2;
#else
constexpr unsigned kFactor = 1;
#endif
