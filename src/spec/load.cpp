// SPDX-License-Identifier: MIT
// --spec FILE.cpp: from a source file to a specification.
#include "plumb/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/compiler_driver.hpp"
#include "plumb/describe.hpp"
#include "spec/compile_file.hpp"

namespace plumb {
namespace fs = std::filesystem;
namespace {

using Announced = std::vector<std::shared_ptr<const detail::Described>>;
thread_local Announced* t_announced = nullptr;

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
                 "define one at namespace scope: auto spec = plumb::describe<T>(\"name\")...", file,
                 0};
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
    const Result<fs::path> object =
        compile_file({file,
                      "specification",
                      {"-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-DPLUMB_SPECIFICATION"},
                      {},
                      ".so"},
                     folder.path());
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
