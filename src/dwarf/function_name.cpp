// SPDX-License-Identifier: MIT
#include "dwarf/function_name.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstdlib>

namespace plumb::dwarf {
namespace {

std::string demangled(const char* name) {
  int status = -1;
  char* const words = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 ? words : name;
  std::free(words);
  return text;
}

// In one table of symbols.
std::string name_in(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, std::uint64_t pc) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return {};
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
      continue;
    if (pc - symbol.st_value >= symbol.st_size) continue;
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    return name == nullptr ? "" : demangled(name);
  }
  return {};
}

}  // namespace

std::string function_name(const std::string& path, std::uint64_t pc) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  std::string name;
  for (Elf_Scn* section = nullptr;
       name.empty() && (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      name = name_in(elf, section, header, pc);
  }
  elf_end(elf);
  close(fd);
  return name;
}

}  // namespace plumb::dwarf
