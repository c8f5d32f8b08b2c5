// SPDX-License-Identifier: MIT
// Which Plumb this is. docs/api.md says what may change from one version to the next.
#pragma once

#include "plumb/export.hpp"

// CMakeLists.txt reads these three lines: the version is said nowhere else.
#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 1
#define PLUMB_VERSION_PATCH 0

/// For comparisons: #if PLUMB_VERSION_NUMBER >= 10200 means 1.2.0 or later.
#define PLUMB_VERSION_NUMBER \
  (PLUMB_VERSION_MAJOR * 10000 + PLUMB_VERSION_MINOR * 100 + PLUMB_VERSION_PATCH)

#define PLUMB_AS_WRITTEN(major, minor, patch) #major "." #minor "." #patch
#define PLUMB_AS_TEXT(major, minor, patch) PLUMB_AS_WRITTEN(major, minor, patch)
/// The headers': "0.1.0"
#define PLUMB_VERSION PLUMB_AS_TEXT(PLUMB_VERSION_MAJOR, PLUMB_VERSION_MINOR, PLUMB_VERSION_PATCH)

namespace plumb {

/// That of the library that the program runs with, which may be a later one than its headers.
PLUMB_API const char* version();

}  // namespace plumb
