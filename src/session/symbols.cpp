// SPDX-License-Identifier: MIT
#include "session/symbols.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/shell.hpp"

namespace plumb::session {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string line_of(FILE* pipe) {
  std::string line;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF && c != '\n';) line += static_cast<char>(c);
  return line;
}

}  // namespace

const runtime::Module* Symbols::module_of(const void* address) const {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  for (const runtime::Module& module : board_.modules.all()) {
    if (a >= module.base && a < module.end) return &module;
  }
  return nullptr;
}

void Symbols::add(std::span<const void* const> return_addresses) {
  for (const void* pc : return_addresses) {
    if (pc != nullptr) frames_.try_emplace(pc);
  }
}

// addr2line -a -i -f prints for each address itself, then a line with the function and one with
// file:line, for each function that was inlined there.
void Symbols::look_up() {
  std::map<const runtime::Module*, std::vector<const void*>> by_module;
  for (const auto& [pc, frames] : frames_) {
    const runtime::Module* const module = module_of(pc);
    if (module != nullptr && frames.empty() && module->path[0] == '/')
      by_module[module].push_back(pc);
  }
  for (const auto& [module, addresses] : by_module) {
    for (std::size_t first = 0; first < addresses.size(); first += 500) {
      std::string command = "addr2line -a -C -f -i -e " + shell_word(module->path);
      const std::size_t last = std::min(addresses.size(), first + 500);
      for (std::size_t i = first; i < last; ++i) {
        char text[32];
        // The instruction before: a call, while the return address may belong to the next
        // statement.
        std::snprintf(text, sizeof text, " 0x%zx",
                      reinterpret_cast<std::uintptr_t>(addresses[i]) - module->base - 1);
        command += text;
      }
      FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
      if (pipe == nullptr) return;
      std::vector<Frame>* current = nullptr;
      for (std::size_t i = first;;) {
        const std::string line = line_of(pipe);
        if (line.empty()) break;
        if (line.starts_with("0x")) {
          current = i < last ? &frames_[addresses[i]] : nullptr;
          ++i;
          continue;
        }
        std::string place = line_of(pipe);
        if (const auto note = place.find(" (discriminator"); note != place.npos) place.resize(note);
        const auto colon = place.find_last_of(':');
        if (current == nullptr || colon == place.npos) continue;
        Frame frame{line, place.substr(0, colon), std::atoi(place.c_str() + colon + 1)};
        if (frame.file != "??") current->push_back(frame);
      }
      pclose(pipe);
    }
  }
}

const std::vector<Frame>& Symbols::frames(const void* return_address) const {
  static const std::vector<Frame> none;
  const auto found = frames_.find(return_address);
  return found == frames_.end() ? none : found->second;
}

std::string Symbols::relative(const void* address) const {
  const runtime::Module* const module = module_of(address);
  char text[32];
  std::snprintf(text, sizeof text, "+0x%zx",
                reinterpret_cast<std::uintptr_t>(address) - (module == nullptr ? 0 : module->base));
  // The program itself goes without a name.
  return (module == nullptr || module == board_.modules.all().data() ? ""
                                                                     : base_name(module->path)) +
         text;
}

}  // namespace plumb::session
