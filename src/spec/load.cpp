// SPDX-License-Identifier: MIT
// --spec FILE.cpp: from a source file to a specification.
//
// The name of the shared object in the cache is a hash of everything that went into it, so that a
// cached one is never stale. What a file includes is known only after it was compiled: the
// compiler's list of it is kept beside (KEY.includes), and a second hash over their contents is
// part of the name (KEY-HASH.so). System headers are taken to change with the compiler only.
#include "plumb/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

#include "plumb/describe.hpp"
#include "spec/system_compiler.hpp"

namespace plumb {
namespace fs = std::filesystem;
namespace {

using Announced = std::vector<std::shared_ptr<const detail::Described>>;
thread_local Announced* t_announced = nullptr;

/// Beside the program where it is installed, else where the library was built.
fs::path include_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "include";
  return fs::exists(installed / "plumb/describe.hpp", ignored) ? installed
                                                               : fs::path(PLUMB_INCLUDE_DIR);
}

/// "spec.o: a.cpp b.hpp \ c.hpp", where a blank inside a name is escaped.
std::vector<std::string> parse_dependencies(const std::string& text) {
  std::vector<std::string> files;
  std::string file;
  std::size_t i = text.find(": ");
  if (i == std::string::npos) return files;
  for (i += 2; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && next == '\n') {
      ++i;
    } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
      file += text[++i];
    } else if (c != ' ' && c != '\n') {
      file += c;
      continue;
    } else if (!file.empty()) {
      files.push_back(std::exchange(file, {}));
    }
  }
  return files;
}

/// The contents of the files that are named one a line; nothing: one is missing.
std::optional<std::string> hash_of_files(const std::string& names) {
  ContentHash hash;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name);) {
    const auto text = contents(name);
    if (!text) return std::nullopt;
    hash.add(name).add(*text);
  }
  return hash.hex();
}

Error compile_error(const std::string& file, const std::string& output) {
  Error error{ErrorKind::bad_input, "the specification does not compile", "", file, 0};
  std::istringstream in(output);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line) && lines < 8;) {
    const std::size_t at = line.find("error: ");
    if (lines == 0 && at == std::string::npos) continue;
    if (lines++ > 0) {
      error.message += "\n" + line;
    } else {
      if (line.starts_with(file + ":"))
        error.line = std::strtoull(line.c_str() + file.size() + 1, nullptr, 10);
      error.message += ": " + (error.line ? line.substr(at + 7) : line);
    }
  }
  if (lines == 0) error.message += ":\n" + output.substr(0, 2000);
  return error;
}

/// Compiles into the cache unless it is there. Returns: the shared object.
Result<fs::path> compile(const std::string& file, const fs::path& cache) {
  std::error_code ignored;
  const auto source = contents(file);
  if (!source) {
    if (fs::exists(file, ignored))
      return Error{ErrorKind::bad_input, "this is not a file that can be read", "", file, 0};
    return Error{ErrorKind::missing_file, "there is no such file", "", file, 0};
  }
  const std::vector<std::string> compiler = find_compiler();
  if (compiler.empty())
    return Error{ErrorKind::usage, "no C++ compiler was found to compile the specification",
                 "install g++, or set CXX to a compiler", file, 0};
  ContentHash hash;
  const fs::path includes = include_folder();
  hash.add(PLUMB_VERSION).add(*source).add(fs::absolute(file).string());
  add_compiler(hash, compiler);
  std::vector<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(includes / "plumb", ignored))
    headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  for (const fs::path& header : headers) hash.add(contents(header).value_or(""));
  const std::string key = hash.hex();

  const fs::path included = cache / (key + ".includes");
  if (const auto names = contents(included))
    if (const auto of_files = hash_of_files(*names))
      if (fs::path ready = cache / (key + "-" + *of_files + ".so"); fs::exists(ready)) return ready;

  const WorkFiles work(cache);
  if (work.path().empty())
    return Error{ErrorKind::usage, "there is no folder to compile the specification in",
                 "set XDG_CACHE_HOME or TMPDIR to a folder that can be written to", file, 0};
  const fs::path object = work.path() / "spec.so", list = work.path() / "spec.d",
                 output = work.path() / "output";
  std::vector<std::string> command = compiler;
  for (const char* word : {"-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-MMD"})
    command.push_back(word);
  command.insert(command.end(), {"-MF", list, "-I" + includes.string(), "-o", object, file});
  const int status = run_command(command, output);
  if (status == -1)
    return Error{ErrorKind::usage, "the C++ compiler " + compiler.front() + " could not be run",
                 "set CXX to another one", file, 0};
  if (status != 0) return compile_error(file, contents(output).value_or(""));

  std::string names;
  for (const std::string& name : parse_dependencies(contents(list).value_or("")))
    names += fs::absolute(name).string() + "\n";
  const std::string of_files = hash_of_files(names).value_or("none");
  fs::path ready = cache / (key + "-" + of_files + ".so");
  std::ofstream(work.path() / "names") << names;
  std::error_code failed;
  fs::rename(object, ready, failed);
  if (!failed) fs::rename(work.path() / "names", included, failed);
  if (failed)
    return Error{ErrorKind::internal, "the compiled specification could not be kept", "",
                 ready.string(), 0};
  return ready;
}

Result<const Specification*> open(const std::string& file, const fs::path& object) {
  Announced announced;
  t_announced = &announced;
  void* handle = nullptr;
  // It is declared never to throw, but the initialisers of the file that it runs may: through a
  // volatile pointer the compiler does not know.
  void* (*volatile open_library)(const char*, int) = &dlopen;
  try {
    handle = open_library(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    t_announced = nullptr;
  } catch (const std::exception& e) {
    t_announced = nullptr;
    return Error{ErrorKind::bad_input,
                 fmt::format("the specification could not be made: {}", e.what()), "", file, 0};
  }
  if (!handle) {
    const char* why = dlerror();
    return Error{ErrorKind::bad_input,
                 fmt::format("the compiled specification does not load: {}", why ? why : "?"),
                 "if it uses nothing but Plumb, the program was linked without -rdynamic", file, 0};
  }
  if (announced.size() == 1) {
    // Never closed: the description's code is in there.
    static auto* const kept = new Announced;
    kept->push_back(announced.front());
    return static_cast<const Specification*>(announced.front().get());
  }
  std::string names;
  for (const auto& description : announced)
    names += (names.empty() ? "" : ", ") + description->name();
  const std::size_t count = announced.size();
  announced.clear();  // their code goes with the shared object
  dlclose(handle);
  if (count == 0)
    return Error{ErrorKind::bad_input, "the file describes no specification",
                 "define one outside of functions: auto spec = plumb::describe<T>(\"name\")...",
                 file, 0};
  return Error{ErrorKind::bad_input,
               fmt::format("the file describes {} specifications: {}", count, names),
               "leave one of them in it", file, 0};
}

}  // namespace

namespace detail {

void announce(std::shared_ptr<const Described> description) {
  if (t_announced) t_announced->push_back(std::move(description));
}

}  // namespace detail

Result<const Specification*> load_specification(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, const Specification*> opened;  // dlopen initialises only once
  const std::lock_guard lock(mutex);
  try {
    const CacheFolder folder;
    const Result<fs::path> object = compile(file, folder.path());
    if (!object) return object.error();
    const auto known = opened.find(object->string());
    if (known != opened.end()) return known->second;
    Result<const Specification*> loaded = open(file, *object);
    if (loaded) opened[object->string()] = *loaded;
    return loaded;
  } catch (const fs::filesystem_error& e) {
    return Error{ErrorKind::internal, e.what(), "", file, 0};
  }
}

}  // namespace plumb
