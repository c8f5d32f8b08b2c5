// SPDX-License-Identifier: MIT
// The format: https://clang.llvm.org/docs/JSONCompilationDatabase.html. It does not know targets,
// but CMake's generators for make and ninja put the objects of each into CMakeFiles/NAME.dir/.
#include "cli/compile_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/json_reader.hpp"
#include "base/read_text.hpp"
#include "base/shell.hpp"

namespace plumb::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestDatabase = 1 << 30;

// One command of the database.
struct Entry {
  std::string file, target;
  std::vector<std::string> flags;
};

// What would undo how a test is compiled, or runs code while it is compiled. A test checks
// assertions, also those of a release build.
bool is_left_to_plumb(std::string_view flag) {
  for (const std::string_view start :
       {"-fsanitize", "-fno-sanitize", "-flto", "-fno-lto", "-fplugin", "-fpass-plugin",
        "-fprofile", "-fcoverage", "-ftest-coverage", "-fmodule", "-fuse-ld", "-DNDEBUG"})
    if (flag.starts_with(start)) return true;
  return false;
}

std::string absolute_in(const fs::path& folder, const std::string& path) {
  return (folder / path).lexically_normal().string();
}

// A file that is included first may also be one of an include folder.
std::string value_of_flag(std::string_view flag, const fs::path& folder, const std::string& value) {
  if (flag == "-D" || flag == "-U") return value;
  const std::string absolute = absolute_in(folder, value);
  std::error_code ignored;
  return flag != "-include" || fs::exists(absolute, ignored) ? absolute : value;
}

std::vector<std::string> flags_in(const std::vector<std::string>& words, const fs::path& folder) {
  std::vector<std::string> flags;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto is_start = [&word](std::string_view flag) { return word.starts_with(flag); };
    constexpr std::string_view kWithValue[] = {"-isystem", "-iquote", "-include", "-I", "-D", "-U"};
    const auto* const flag = std::ranges::find_if(kWithValue, is_start);
    if (flag != std::end(kWithValue)) {
      const bool is_apart = word == *flag;
      if (is_apart && i + 1 == words.size()) break;
      const std::string value = is_apart ? words[++i] : word.substr(flag->size());
      const std::string whole = std::string(*flag) + value_of_flag(*flag, folder, value);
      if (is_left_to_plumb(whole)) continue;
      if (*flag != "-include") flags.push_back(whole);
      else flags.insert(flags.end(), {std::string(*flag), whole.substr(flag->size())});
    } else if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
    } else if ((is_start("-std=") || is_start("-f") || is_start("-m")) && !is_left_to_plumb(word)) {
      flags.push_back(word);
    }
  }
  return flags;
}

std::string output_of(const Json& json, const std::vector<std::string>& words) {
  if (const std::string_view output = json.text("output"); !output.empty())
    return std::string(output);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-o") return words[i + 1];
  return {};
}

std::string target_of(const std::string& output) {
  constexpr std::string_view kStart = "CMakeFiles/", kEnd = ".dir/";
  const std::size_t start = output.find(kStart);
  const std::size_t end = start == output.npos ? output.npos : output.find(kEnd, start);
  if (end == output.npos) return {};
  return output.substr(start + kStart.size(), end - start - kStart.size());
}

std::optional<Entry> read_entry(const Json& json) {
  std::vector<std::string> words;
  for (const Json& word : json.items("arguments")) words.push_back(word.text() ? *word.text() : "");
  if (words.empty()) words = shell_words(json.text("command")).value_or(words);
  const fs::path folder = json.text("directory");
  const std::string file(json.text("file"));
  if (words.empty() || folder.empty() || file.empty()) return std::nullopt;
  return Entry{absolute_in(folder, file), target_of(output_of(json, words)),
               flags_in(words, folder)};
}

Result<std::vector<Entry>> read_database(const std::string& file) {
  const Result<std::string> text = read_text(file, kLargestDatabase);
  if (!text.ok()) return text.error();
  const std::optional<Json> json = parse_json(*text);
  std::vector<Entry> entries;
  bool is_one = json && json->items();
  if (is_one) {
    for (const Json& item : *json->items()) {
      std::optional<Entry> entry = read_entry(item);
      is_one = is_one && entry;
      if (entry) entries.push_back(std::move(*entry));
    }
  }
  if (!is_one)
    return Error{ErrorKind::bad_input, "this is not a list of compile commands",
                 "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one", file, 0};
  return entries;
}

Result<std::string> find_database(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code ignored;
  for (const char* file : {"compile_commands.json", "build/compile_commands.json"})
    if (fs::exists(file, ignored)) return std::string(file);
  return Error{ErrorKind::missing_file,
               "--target: there is no compile_commands.json here or in build/",
               "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes it, --compile-commands names it"};
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

Error no_such_target(const std::string& name, const std::string& database,
                     const std::vector<Entry>& entries) {
  std::set<std::string> targets;
  for (const Entry& entry : entries)
    if (!entry.target.empty()) targets.insert(entry.target);
  constexpr std::size_t kMostNamed = 20;
  std::string remedy;
  std::size_t named = 0;
  for (const std::string& target : targets)
    if (named++ < kMostNamed) remedy += (remedy.empty() ? "its targets are " : ", ") + target;
  if (named > kMostNamed) remedy += fmt::format(" and {} more", named - kMostNamed);
  return {ErrorKind::usage, fmt::format("--target: there is no target or source '{}'", name),
          remedy.empty() ? "it names no targets, as CMake's do: give a source" : remedy, database,
          0};
}

// The test uses Plumb's headers: they are in C++20, and catch exceptions.
std::vector<std::string> flags_for_test(std::vector<std::string> flags) {
  std::erase_if(flags, [](const std::string& flag) {
    if (flag == "-fno-exceptions") return true;
    const std::size_t plus = flag.starts_with("-std=") ? flag.rfind('+') : flag.npos;
    if (plus == flag.npos) return false;
    const std::string version = flag.substr(plus + 1);
    return version < "20" || version >= "90";  // "0x", "11", ..., "98"
  });
  return flags;
}

bool is_cpp(const std::string& file) {
  constexpr std::string_view kExtensions[] = {".cpp", ".cc", ".cxx", ".c++", ".C"};
  return std::ranges::find(kExtensions, fs::path(file).extension().string()) !=
         std::end(kExtensions);
}

}  // namespace

Result<BuildTarget> find_target(const std::string& name, const std::string& database,
                                const std::string& test) {
  const Result<std::string> file = find_database(database);
  if (!file.ok()) return file.error();
  const Result<std::vector<Entry>> entries = read_database(*file);
  if (!entries.ok()) return entries.error();
  const auto take = [&](const auto& is_meant) {
    BuildTarget target;
    bool is_first = true;
    std::set<std::string> seen;
    for (const Entry& entry : *entries) {
      if (!is_meant(entry) || !seen.insert(entry.file).second) continue;
      if (std::exchange(is_first, false) || is_same_file(entry.file, test))
        target.flags = flags_for_test(entry.flags);
      if (!is_same_file(entry.file, test)) target.sources.push_back({entry.file, entry.flags});
    }
    return std::pair(target, !is_first);
  };
  auto [target, is_there] = take([&](const Entry& entry) { return entry.target == name; });
  if (!is_there)
    std::tie(target, is_there) =
        take([&](const Entry& entry) { return is_same_file(entry.file, name); });
  if (!is_there) return no_such_target(name, *file, *entries);
  for (const CompiledSource& source : target.sources)
    if (!is_cpp(source.file))
      return Error{ErrorKind::bad_input, fmt::format("--target: {} is not C++", source.file),
                   "build it as a library, and link it by --link", *file, 0};
  return target;
}

}  // namespace plumb::cli
