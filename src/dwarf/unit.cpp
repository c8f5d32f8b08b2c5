// SPDX-License-Identifier: MIT
#include "dwarf/unit.hpp"

#include <dwarf.h>

namespace plumb::dwarf {

std::string text_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute memory;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(&die, name, &memory));
  return text == nullptr ? "" : text;
}

std::string name_of(Dwarf_Die& die) { return text_of(die, DW_AT_name); }

// Of several that contain the instruction, the one with the least code.
Dwarf_Die* Unit::function_at(std::uint64_t pc) {
  read();
  Function* best = nullptr;
  for (Function& f : functions_) {
    if (pc < f.begin || pc >= f.end) continue;
    if (best == nullptr || f.end - f.begin < best->end - best->begin) best = &f;
  }
  return best == nullptr ? nullptr : &best->die;
}

void Unit::read() {
  if (was_read_) return;
  was_read_ = true;
  read_children(die_);
}

// Functions may be in namespaces, classes and other functions.
void Unit::read_children(Dwarf_Die& parent) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram: add_function(die); [[fallthrough]];
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_lexical_block: read_children(die); break;
      default: break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

void Unit::add_function(Dwarf_Die& die) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
    functions_.push_back({begin, end, die});
}

}  // namespace plumb::dwarf
