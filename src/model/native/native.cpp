// SPDX-License-Identifier: MIT
#include "model/native/native.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/compiler_driver.hpp"
#include "plumb/version.hpp"

namespace plumb::native {

namespace fs = std::filesystem;

StepsFunction compile(const model::Program& program, const std::atomic<bool>* cancel) {
  const std::optional<std::string> source = translate(program);
  std::vector<std::string> command = find_compiler();
  if (!source || command.empty()) return nullptr;
  const CacheFolder cache;
  ContentHash hash;
  hash.add(PLUMB_VERSION).add(*source);
  add_compiler(hash, command);
  const fs::path ready = cache.path() / ("model-" + hash.hex() + ".so");
  if (!find_cached(ready)) {
    const WorkFiles work(cache.path());
    if (work.path().empty()) return nullptr;
    const fs::path text = work.path() / "model.cpp", object = work.path() / "model.so";
    std::ofstream(text) << *source;
    for (const char* word : {"-std=c++20", "-O2", "-fPIC", "-shared", "-w", "-o"})
      command.push_back(word);
    command.push_back(object);
    command.push_back(text);
    if (run_command(command, work.path() / "output", {.cancel = cancel}).status != 0)
      return nullptr;
    std::error_code failed;
    fs::rename(object, ready, failed);
    if (failed) return nullptr;
  }
  // Never closed: it is small, and the same model may be asked for again.
  void* handle = dlopen(ready.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  return reinterpret_cast<StepsFunction>(dlsym(handle, "plumb_steps"));
}

}  // namespace plumb::native
