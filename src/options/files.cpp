// SPDX-License-Identifier: MIT
#include "options/files.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "base/output_file.hpp"

namespace plumb::options {
namespace {

struct WrittenFile {
  FilePlace place;
  std::string name;  // "--html"
};

}  // namespace

Status check_files(const Parsed& parsed, const std::vector<std::string>& read,
                   const std::vector<std::string>& written) {
  // Of an option that is given twice the last one counts.
  std::map<std::string_view, std::string> by_name;
  std::vector<FilePlace> sources;
  FilePlace place;
  const auto add_source = [&](const std::string& file) {
    if (find_place(file, place)) sources.push_back(place);
  };
  for (const std::string& file : read) add_source(file);
  for (const auto& [option, value] : parsed.given) {
    if (!option->takes.is_file) continue;
    if (option->takes.is_read) add_source(value);
    else by_name[option->name] = value;
  }
  std::vector<std::pair<std::string, std::string>> targets(by_name.begin(), by_name.end());
  for (const std::string& file : written) targets.emplace_back("OUT", file);

  std::vector<WrittenFile> known;
  for (const auto& [name, file] : targets) {
    if (file == "-" || !find_place(file, place)) continue;
    for (const FilePlace& source : sources)
      if (source == place)
        return Error{ErrorKind::usage, fmt::format("{} would replace a file that is read", name),
                     "choose another file", file};
    for (const WrittenFile& other : known)
      if (other.place == place)
        return Error{ErrorKind::usage,
                     fmt::format("{} and {} write the same file", other.name, name),
                     "choose two files", file};
    known.push_back({place, name});
  }
  return {};
}

}  // namespace plumb::options
