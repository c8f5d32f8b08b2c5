// SPDX-License-Identifier: MIT
#include "dwarf/frames.hpp"

#include <cxxabi.h>
#include <dwarf.h>

#include <cstdlib>

namespace plumb::dwarf {
namespace {

std::string function_name(Dwarf_Die& die) {
  const std::string linkage = text_of(die, DW_AT_linkage_name);
  if (linkage.empty()) {
    const std::string name = name_of(die);
    return name.empty() ? "??" : name;
  }
  int status = -1;
  char* const demangled = abi::__cxa_demangle(linkage.c_str(), nullptr, nullptr, &status);
  std::string name = demangled == nullptr ? linkage : demangled;
  std::free(demangled);
  return name;
}

// The function that was inlined below this DIE, and contains the instruction.
bool find_inlined(Dwarf_Die& parent, std::uint64_t pc, Dwarf_Die& found) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return false;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block) {  // one that is all of its parent need not say where it is
      if (find_inlined(die, pc, found)) return true;
    } else if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, pc) > 0) {
      found = die;
      return true;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

// libdw leaves a name as the compiler had it, relative to where that ran.
std::string whole_path(const char* name, Dwarf_Die& unit) {
  if (name == nullptr || name[0] == '/') return name == nullptr ? "" : name;
  const std::string folder = text_of(unit, DW_AT_comp_dir);
  return folder.empty() ? name : folder + "/" + name;
}

Frame call_of(Dwarf_Die& inlined, Dwarf_Die& unit) {
  Frame frame;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t index = number_of(inlined, DW_AT_call_file).value_or(0);
  if (dwarf_getsrcfiles(&unit, &files, &count) == 0 && index < count)
    frame.file = whole_path(dwarf_filesrc(files, index, nullptr, nullptr), unit);
  frame.line = static_cast<int>(number_of(inlined, DW_AT_call_line).value_or(0));
  return frame;
}

Frame line_at(Dwarf_Die& unit, std::uint64_t pc) {
  Frame frame;
  Dwarf_Line* const line = dwarf_getsrc_die(&unit, pc);
  if (line == nullptr) return frame;
  frame.file = whole_path(dwarf_linesrc(line, nullptr, nullptr), unit);
  dwarf_lineno(line, &frame.line);
  return frame;
}

}  // namespace

std::vector<Frame> frames_at(DebugFile& file, std::uint64_t pc) {
  Unit* const unit = file.unit_at(pc);
  if (unit == nullptr) return {};
  Frame frame = line_at(unit->die(), pc);
  frame.function = "??";
  std::vector<Frame> frames;
  if (Dwarf_Die* const function = unit->function_at(pc)) {
    std::vector<Dwarf_Die> dies = {*function};  // outermost first
    for (Dwarf_Die inlined; find_inlined(dies.back(), pc, inlined);) dies.push_back(inlined);
    for (; !dies.empty(); dies.pop_back()) {
      frame.function = function_name(dies.back());
      frames.push_back(frame);
      frame = call_of(dies.back(), unit->die());
    }
  } else {
    frames.push_back(frame);
  }
  std::erase_if(frames, [](const Frame& f) { return f.file.empty(); });
  return frames;
}

}  // namespace plumb::dwarf
