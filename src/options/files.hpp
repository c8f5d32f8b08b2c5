// SPDX-License-Identifier: MIT
// Which of the words of a command name files that it reads, and which name files that it writes.
#pragma once

#include <string>
#include <vector>

#include "options/parse.hpp"
#include "plumb/result.hpp"

namespace plumb::options {

/// Wrong usage, if a file would be read and replaced, or be written twice: compared as files, so
/// that neither links nor other spellings of a path hide it. To be asked before anything is opened.
/// `read`: files that the command reads beside those that options name; "-" is standard input.
/// `written`: those that it writes beside those that options name.
Status check_files(const Parsed& parsed, const std::vector<std::string>& read,
                   const std::vector<std::string>& written = {});

}  // namespace plumb::options
