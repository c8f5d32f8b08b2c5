// SPDX-License-Identifier: MIT
// Models in files, and files that are only imagined.
#pragma once

#include <map>
#include <string>

#include "model/code/program.hpp"
#include "support/file_contents.hpp"

namespace plumb::refine {

inline const std::string kModelFiles = PLUMB_SOURCE_DIR "/models/";

inline model::Compiled compile_file(const std::string& file, const model::Settings& settings = {}) {
  return model::compile(
      file_contents(file), settings,
      {file, [](const std::string& path) { return Result<std::string>(file_contents(path)); }});
}

/// By name: what spec "NAME" may say.
using ImaginedFiles = std::map<std::string, std::string>;

/// The model is in a file `own`, beside the others.
inline model::Compiled compile_among(const ImaginedFiles& files, const std::string& text,
                                     const model::Settings& settings = {},
                                     const std::string& own = "own.plumb") {
  return model::compile(text, settings, {own, [&](const std::string& path) -> Result<std::string> {
                                           const auto found = files.find(path);
                                           if (found == files.end())
                                             return Error{ErrorKind::missing_file, "no such file"};
                                           return found->second;
                                         }});
}

}  // namespace plumb::refine
