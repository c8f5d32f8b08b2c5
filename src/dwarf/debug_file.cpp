// SPDX-License-Identifier: MIT
#include "dwarf/debug_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace plumb::dwarf {
namespace {

std::string build_id(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t count = elf == nullptr ? -1 : dwelf_elf_gnu_build_id(elf, &bytes);
  std::string id;
  for (ssize_t i = 0; i < count; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    id += hex;
  }
  return id;
}

struct Opened {
  int fd = -1;
  Dwarf* dwarf = nullptr;
};

Opened open_dwarf(const std::string& path) {
  Opened opened;
  opened.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened.fd < 0) return opened;
  opened.dwarf = dwarf_begin(opened.fd, DWARF_C_READ);
  if (opened.dwarf == nullptr) close(opened.fd);
  return opened;
}

struct Apart {
  std::string build_id;
  std::vector<std::string> paths;
};

// Where a stripped file's debug information may be, by the conventions of gdb. (libdwfl knows them
// too, but it also asks servers, which may take minutes.)
Apart find_apart(const std::string& path) {
  Apart apart;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return apart;
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  apart.build_id = build_id(elf);
  if (apart.build_id.size() > 2) {
    apart.paths.push_back("/usr/lib/debug/.build-id/" + apart.build_id.substr(0, 2) + "/" +
                          apart.build_id.substr(2) + ".debug");
    GElf_Word checksum = 0;
    if (const char* const name = dwelf_elf_gnu_debuglink(elf, &checksum)) {
      const std::string folder = path.substr(0, path.find_last_of('/') + 1);
      for (const std::string& at : {folder, folder + ".debug/", "/usr/lib/debug" + folder})
        apart.paths.push_back(at + name);
    }
  }
  elf_end(elf);
  close(fd);
  return apart;
}

}  // namespace

std::unique_ptr<DebugFile> DebugFile::open(const std::string& path) {
  if (const Opened own = open_dwarf(path); own.dwarf != nullptr)
    return std::unique_ptr<DebugFile>(new DebugFile(own.fd, own.dwarf));
  const Apart apart = find_apart(path);
  for (const std::string& candidate : apart.paths) {
    const Opened opened = open_dwarf(candidate);
    if (opened.dwarf == nullptr) continue;
    std::unique_ptr<DebugFile> file(new DebugFile(opened.fd, opened.dwarf));
    if (build_id(dwarf_getelf(opened.dwarf)) == apart.build_id) return file;
  }
  return nullptr;
}

// clang writes no table of addresses (.debug_aranges), so the units themselves are asked.
DebugFile::DebugFile(int fd, Dwarf* dwarf) : fd_(fd), dwarf_(dwarf) {
  Dwarf_CU* cu = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die;
  Dwarf_Die split;
  while (dwarf_get_units(dwarf_, cu, &cu, &version, &type, &die, &split) == 0) {
    const bool is_split = dwarf_cuoffset(&split) != Dwarf_Off(-1) && split.addr != nullptr;
    Unit& unit = units_.emplace_back(is_split ? split : die);
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
      if (begin != 0) ranges_.push_back({begin, end, &unit});  // else the linker dropped it
  }
}

DebugFile::~DebugFile() {
  dwarf_end(dwarf_);
  close(fd_);
}

Unit* DebugFile::unit_at(std::uint64_t pc) {
  for (const Range& range : ranges_)
    if (pc >= range.begin && pc < range.end) return range.unit;
  return nullptr;
}

std::uint64_t DebugFile::bytes_of_units() const {
  Dwarf_Off at = 0;
  Dwarf_Off next = 0;
  std::size_t header = 0;
  while (dwarf_next_unit(dwarf_, at, &next, &header, nullptr, nullptr, nullptr, nullptr, nullptr,
                         nullptr) == 0)
    at = next;
  return at;
}

std::optional<DebugFile::Global> DebugFile::global_at(std::uint64_t address) {
  constexpr std::uint64_t kQuick = 4'000'000;
  if (std::optional<Global> global = global_at(address, false)) return global;
  return bytes_of_units() <= kQuick ? global_at(address, true) : std::nullopt;
}

std::optional<DebugFile::Global> DebugFile::global_at(std::uint64_t address, bool everywhere) {
  Unit* unit_of_best = nullptr;
  const Unit::Variable* best = nullptr;
  for (Unit& unit : units_) {
    if (!everywhere && !unit.was_read()) continue;
    for (const Unit::Variable& variable : unit.variables()) {
      if (variable.address > address || (best && variable.address <= best->address)) continue;
      best = &variable;
      unit_of_best = &unit;
    }
  }
  if (best == nullptr) return std::nullopt;
  Dwarf_Die die = best->die;
  const std::optional<Type> type = Type::of(die, *unit_of_best);
  if (!type || address - best->address >= type->size()) return std::nullopt;
  return Global{best->address, unit_of_best->name_of_variable(*best), *type};
}

}  // namespace plumb::dwarf
