// SPDX-License-Identifier: MIT
// The name of what was made is a hash of everything that went into it, so that a
// cached one is never stale. What a file includes is known only after it was compiled: the
// compiler's list of it is kept beside (KEY.includes), and a second hash over their contents is
// part of the name (KEY-HASH.so). System headers are taken to change with the compiler only.
#include "spec/compile_file.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/compiler_driver.hpp"
#include "plumb/version.hpp"
#include "spec/precompiled_headers.hpp"

namespace plumb {
namespace fs = std::filesystem;

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

namespace {

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

Error compile_error(const CompileRequest& request, const std::string& output) {
  const std::string& file = request.file;
  Error error{ErrorKind::bad_input, "the " + request.what + " does not compile", "", file, 0};
  std::istringstream in(output);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line) && lines < 8;) {
    const std::size_t at = line.find("error: ");
    if (lines == 0 && at == std::string::npos) continue;
    if (lines++ > 0) {
      error.details += line + "\n";
    } else {
      if (line.starts_with(file + ":"))
        error.line = std::strtoull(line.c_str() + file.size() + 1, nullptr, 10);
      error.message += ": " + (error.line ? line.substr(at + 7) : line);
    }
  }
  if (lines == 0) error.details = output.substr(0, 2000);
  return error;
}

}  // namespace

/// Beside the library (PREFIX/lib, PREFIX/lib/x86_64-linux-gnu) or the program (PREFIX/bin) where
/// they are installed, else where the library was built.
fs::path include_folder() {
  std::error_code ignored;
  Dl_info library = {};
  dladdr(reinterpret_cast<void*>(&include_folder), &library);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& file : {fs::path(library.dli_fname ? library.dli_fname : ""), program}) {
    if (!file.is_absolute()) continue;  // dladdr names a program as it was called
    fs::path prefix = file.parent_path().parent_path();
    for (int i = 0; i < 2; ++i, prefix = prefix.parent_path())
      if (fs::exists(prefix / "include/plumb/describe.hpp", ignored)) return prefix / "include";
  }
  return PLUMB_INCLUDE_DIR;
}

static std::string hash_of_own_headers(const fs::path& includes) {
  ContentHash hash;
  std::vector<fs::path> headers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(includes / "plumb", ignored))
    headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  for (const fs::path& header : headers) hash.add(contents(header).value_or(""));
  return hash.hex();
}

// Of everything that any file depends on that is compiled like this one.
static std::string key_of_settings(const CompileRequest& request,
                                   const std::vector<std::string>& compiler,
                                   const fs::path& includes) {
  ContentHash hash;
  hash.add(PLUMB_VERSION).add(hash_of_own_headers(includes));
  add_compiler(hash, compiler);
  for (const std::string& word : request.flags) hash.add(word);
  return hash.hex();
}

// Of everything that the object depends on, but for what the file includes.
static std::string key_of(const CompileRequest& request, const std::string& settings,
                          const std::string& source) {
  ContentHash hash;
  hash.add(settings).add(source).add(fs::absolute(request.file).string());
  for (const std::string& word : request.link) hash.add(word);
  return hash.hex();
}

static Status run_compiler(const std::vector<std::string>& command, const fs::path& output,
                           const CompileRequest& request) {
  const CommandEnd end = run_command(command, output, request.limits);
  if (request.ended_by) *request.ended_by = end.by;
  if (end.by != CommandEnd::By::itself)
    return Error{ErrorKind::usage, "the compiler was ended at a limit", "", request.file, 0};
  if (end.status != 0 && is_full(output.parent_path()))
    return full_disk(output.parent_path().parent_path(), request.file);
  if (end.error == EAGAIN || end.error == ENOMEM)
    return Error{ErrorKind::internal, "the system starts no more processes", "raise ulimit -u",
                 request.file, 0};
  if (end.status == -1)
    return Error{ErrorKind::usage, "the C++ compiler " + command.front() + " could not be run",
                 "set CXX to another one", request.file, 0};
  if (end.status != 0) return compile_error(request, contents(output).value_or(""));
  return {};
}

// Returns: the user's files that it includes.
static Result<std::vector<std::string>> compile_once(const CompileRequest& request,
                                                     std::vector<std::string> command,
                                                     const std::vector<std::string>& precompiled,
                                                     const WorkFiles& work) {
  const std::string& file = request.file;
  const fs::path list = work.path() / "list";
  command.insert(command.end(), precompiled.begin(), precompiled.end());
  // What begins like this would be an option, or a file of options.
  const bool is_like_option = file.starts_with('-') || file.starts_with('@');
  command.insert(command.end(), {"-MMD", "-MF", list, "-o", work.path() / ("made" + request.suffix),
                                 is_like_option ? "./" + file : file});
  command.insert(command.end(), request.link.begin(), request.link.end());
  if (Status compiled = run_compiler(command, work.path() / "output", request); !compiled.ok())
    return compiled.error();
  std::vector<std::string> files;
  for (const std::string& name : parse_dependencies(contents(list).value_or("")))
    files.push_back(fs::absolute(name).string());
  return files;
}

static bool was_cancelled(const CompileRequest& request) {
  return request.ended_by && *request.ended_by == CommandEnd::By::cancel;
}

// With precompiled headers if there are some that change nothing. What they make wrong, or take
// past a limit, is compiled again without.
static Result<std::vector<std::string>> compile(const CompileRequest& request,
                                                const std::vector<std::string>& command,
                                                const std::string& settings, const WorkFiles& work,
                                                const fs::path& cache) {
  if (!request.precompiles) return compile_once(request, command, {}, work);
  PrecompiledHeaders headers(request, command, settings, cache);
  if (headers.prepare(work.path())) {
    Result<std::vector<std::string>> files = compile_once(request, command, headers.words(), work);
    if (was_cancelled(request)) return files;
    if (files.ok()) headers.take_out_own(*files);
    if (files.ok()) return headers.suit(*files) ? files : compile_once(request, command, {}, work);
    headers.give_up();
  } else if (was_cancelled(request)) {
    return Error{ErrorKind::usage, "the compiler was cancelled", "", request.file, 0};
  }
  Result<std::vector<std::string>> files = compile_once(request, command, {}, work);
  if (files.ok()) headers.suit(*files);
  return files;
}

Result<fs::path> compile_file(const CompileRequest& request, const fs::path& cache) {
  const std::string& file = request.file;
  std::error_code ignored;
  if (fs::exists(file, ignored) &&
      !fs::is_regular_file(file, ignored))  // a pipe would be read twice
    return Error{ErrorKind::missing_file, "is not an ordinary file", "", file, 0};
  const auto source = contents(file);
  if (!source) return Error{ErrorKind::missing_file, "there is no such file", "", file, 0};
  const std::vector<std::string> compiler = find_compiler();
  if (compiler.empty())
    return Error{ErrorKind::usage, "no C++ compiler was found to compile the " + request.what,
                 "install g++, or set CXX to a compiler", file, 0};
  const fs::path includes = include_folder();
  const std::string settings = key_of_settings(request, compiler, includes);
  const std::string key = key_of(request, settings, *source);

  const fs::path included = cache / (key + ".includes");
  if (const auto names = contents(included))
    if (const auto of_files = hash_of_files(*names))
      if (fs::path ready = cache / (key + "-" + *of_files + request.suffix); find_cached(ready))
        return ready;

  const WorkFiles work(cache);
  if (work.path().empty() && is_full(cache)) return full_disk(cache, file);
  if (work.path().empty())
    return Error{ErrorKind::usage, "there is no folder to compile the " + request.what + " in",
                 "set XDG_CACHE_HOME or TMPDIR to a folder that can be written to", file, 0};
  std::vector<std::string> command = compiler;
  command.insert(command.end(), {"-std=c++20", "-I" + includes.string()});
  command.insert(command.end(), request.flags.begin(), request.flags.end());
  Result<std::vector<std::string>> files = compile(request, command, settings, work, cache);
  if (!files.ok()) return files.error();

  std::string names;
  for (const std::string& name : *files) names += name + "\n";
  const std::string of_files = hash_of_files(names).value_or("none");
  fs::path ready = cache / (key + "-" + of_files + request.suffix);
  std::ofstream list_of_names(work.path() / "names");
  list_of_names << names;
  if (!list_of_names.flush()) return full_disk(cache, file);
  std::error_code failed;
  fs::rename(work.path() / ("made" + request.suffix), ready, failed);
  if (!failed) fs::rename(work.path() / "names", included, failed);
  if (failed)
    return Error{ErrorKind::internal,
                 "the compiled " + request.what + " could not be moved into the cache", "",
                 ready.string(), 0};
  return ready;
}

}  // namespace plumb
