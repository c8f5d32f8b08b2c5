// SPDX-License-Identifier: MIT
// What a project's build knows of its sources: compile_commands.json, as CMake writes it.
#pragma once

#include <string>
#include <vector>

#include "plumb/result.hpp"

namespace plumb::cli {

/// A source and what it is compiled with, as far as this says what the code means: no outputs, no
/// optimisation, no sanitizers.
struct CompiledSource {
  std::string file;
  std::vector<std::string> flags;
};

struct BuildTarget {
  std::vector<std::string> flags;  // for a test of it
  std::vector<CompiledSource> sources;
};

/// `name`: a target, or a source in the database. `database`: its file; empty: it is looked for
/// here and in build/. `test`: the test's own source, which is not among the target's.
Result<BuildTarget> find_target(const std::string& name, const std::string& database,
                                const std::string& test);

}  // namespace plumb::cli
