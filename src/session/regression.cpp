// SPDX-License-Identifier: MIT
#include "session/regression.hpp"

#include <filesystem>
#include <sstream>

#include "base/output_file.hpp"

namespace plumb::session {
namespace fs = std::filesystem;
namespace {

std::string as_comment(const std::string& lines) {
  std::istringstream in(lines);
  std::string comment;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\\')) line += '.';  // the comment would go on
    comment += line.empty() ? "//\n" : "// " + line + "\n";
  }
  return comment;
}

}  // namespace

std::string cpp_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string source_of(const plumb_object& object, const std::string& name) {
  std::error_code ignored;
  for (const std::string& file : {name, std::string(object.file == nullptr ? "" : object.file)}) {
    const std::string ending = fs::path(file).extension();
    const bool is_source = ending == ".cpp" || ending == ".cc" || ending == ".cxx" ||
                           ending == ".c++" || ending == ".C";
    if (is_source && fs::exists(file, ignored)) return file;
  }
  return {};
}

Status write_regression(const std::string& file, const std::string& source,
                        const RegressionTest& regression) {
  std::error_code ignored;
  const fs::path from = fs::weakly_canonical(fs::absolute(file), ignored);
  const fs::path to = fs::weakly_canonical(fs::absolute(source), ignored);
  if (from == to) return Error{ErrorKind::usage, "is the test itself", "name another file", file};
  std::ostringstream out;
  out << as_comment(regression.title) << "//\n"
      << as_comment(regression.story) << "//\n"
      << "// Fails as long as that is so. The schedule that showed it is run first, then, since "
         "the code\n"
      << "// may have changed, all with as many preemptions. To be run like the program that is "
         "included.\n"
      << "#include <plumb/test.hpp>\n\n"
      << "static const plumb::Regression plumb_regression(\n    " << cpp_text(regression.options)
      << ");\n\n"
      << "#include " << cpp_text(to.lexically_relative(from.parent_path()).string()) << "\n";
  return write_whole(file, out.str());
}

}  // namespace plumb::session
