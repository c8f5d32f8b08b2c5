// SPDX-License-Identifier: MIT
// How a function of another library is intercepted.
#pragma once

#define PLUMB_HOOK extern "C" __attribute__((visibility("default")))
#define PLUMB_PC __builtin_return_address(0)
