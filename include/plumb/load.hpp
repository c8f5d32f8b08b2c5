// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "plumb/export.hpp"
#include "plumb/result.hpp"
#include "plumb/specification.hpp"

namespace plumb {

/// Compiles a C++ file that describes one specification at namespace scope (plumb/describe.hpp),
/// opens it and returns the description, which lives as long as the process. The compiler is $CXX,
/// or else c++, g++ or clang++. What was compiled is kept in $XDG_CACHE_HOME/plumb (or
/// ~/.cache/plumb) until the file, what it includes, the compiler or Plumb changes.
/// Requires: the program exports Plumb's symbols (CMake: ENABLE_EXPORTS; else -rdynamic).
/// Thread safety: may be called from several threads at once.
PLUMB_API Result<const Specification*> load_specification(const std::string& file);

}  // namespace plumb
