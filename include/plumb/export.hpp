// SPDX-License-Identifier: MIT
#pragma once

// Symbols are hidden unless marked: a specification that is compiled into a shared object
// (--spec FILE.cpp) finds the marked ones in the program that opens it.
#if defined(__GNUC__)
#define PLUMB_API __attribute__((visibility("default")))
#else
#define PLUMB_API
#endif
