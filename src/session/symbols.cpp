// SPDX-License-Identifier: MIT
#include "session/symbols.hpp"

#include <cstdio>

#include "dwarf/function_name.hpp"
#include "dwarf/locals.hpp"
#include "runtime/base/libraries.hpp"

namespace plumb::session {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

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

void Symbols::look_up() {
  for (auto& [pc, frames] : frames_) {
    const runtime::Module* const module = module_of(pc);
    if (module == nullptr || !frames.empty()) continue;
    // The instruction before: a call, while the return address may belong to the next statement.
    if (dwarf::DebugFile* const file = file_of(*module))
      frames = dwarf::frames_at(*file, reinterpret_cast<std::uintptr_t>(pc) - module->base - 1);
  }
}

dwarf::DebugFile* Symbols::file_of(const runtime::Module& module) const {
  const auto [at, is_new] = files_.try_emplace(&module);
  if (is_new && module.path[0] == '/') at->second = dwarf::DebugFile::open(module.path);
  return at->second.get();
}

std::optional<dwarf::Type> Symbols::type_made_by(const void* function) const {
  const runtime::Module* const module = module_of(function);
  dwarf::DebugFile* const file = module == nullptr ? nullptr : file_of(*module);
  if (file == nullptr) return std::nullopt;
  const std::uint64_t pc = reinterpret_cast<std::uintptr_t>(function) - module->base;
  dwarf::Unit* const unit = file->unit_at(pc);
  Dwarf_Die* const die = unit == nullptr ? nullptr : unit->function_at(pc);
  if (die == nullptr) return std::nullopt;
  return dwarf::Type::first_argument(*die, *unit);
}

std::optional<Symbols::Variable> Symbols::variable_at(std::uint64_t address) const {
  const runtime::Module* const module = module_of(reinterpret_cast<const void*>(address));
  dwarf::DebugFile* const file = module == nullptr ? nullptr : file_of(*module);
  if (file == nullptr) return std::nullopt;
  const std::optional<dwarf::DebugFile::Global> global = file->global_at(address - module->base);
  if (!global) return std::nullopt;
  return Variable{module->base + global->address, global->name, global->type};
}

std::optional<Symbols::Variable> Symbols::local_at(const void* pc, std::uint64_t stack_begin,
                                                   std::uint64_t stack_end,
                                                   std::uint64_t address) const {
  const runtime::Module* const module = module_of(pc);
  dwarf::DebugFile* const file = module == nullptr ? nullptr : file_of(*module);
  if (file == nullptr) return std::nullopt;
  const std::uint64_t place = reinterpret_cast<std::uintptr_t>(pc) - module->base - 1;
  const std::optional<dwarf::Local> local =
      dwarf::local_at(*file, {place, stack_begin, stack_end}, address);
  if (!local) return std::nullopt;
  return Variable{local->address, local->name, local->type};
}

const std::vector<Frame>& Symbols::frames(const void* return_address) const {
  static const std::vector<Frame> none;
  const auto found = frames_.find(return_address);
  return found == frames_.end() ? none : found->second;
}

Symbols::Owner Symbols::owner(const void* address) const {
  const runtime::Module* const module = module_of(address);
  if (module == nullptr) return {};
  const auto pc = reinterpret_cast<std::uintptr_t>(address) - module->base;
  return {dwarf::function_name(module->path, pc), base_name(module->path)};
}

bool Symbols::is_of_program(const void* address) const {
  return module_of(address) == board_.modules.all().data();
}

bool Symbols::is_of_c_library(const void* address) const {
  const runtime::Module* const module = module_of(address);
  return module != nullptr && runtime::is_c_library(module->path);
}

std::string Symbols::relative(const void* address) const {
  const runtime::Module* const module = module_of(address);
  char text[32];
  std::snprintf(text, sizeof text, "+0x%zx",
                reinterpret_cast<std::uintptr_t>(address) - (module == nullptr ? 0 : module->base));
  // The program itself goes without a name.
  return (module == nullptr || is_of_program(address) ? "" : base_name(module->path)) + text;
}

}  // namespace plumb::session
