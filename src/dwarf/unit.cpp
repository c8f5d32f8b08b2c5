// SPDX-License-Identifier: MIT
#include "dwarf/unit.hpp"

#include <dwarf.h>

#include <algorithm>
#include <string_view>

namespace plumb::dwarf {

std::string text_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute memory;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(&die, name, &memory));
  return text == nullptr ? "" : text;
}

std::string name_of(Dwarf_Die& die) { return text_of(die, DW_AT_name); }

std::optional<std::uint64_t> number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(&die, name, &attribute), &number) != 0) return std::nullopt;
  return number;
}

namespace {

bool is_name_of_library(std::string_view name) { return name == "std" || name == "__gnu_cxx"; }

// In a unit that has little but this type.
bool is_in_library(Dwarf_Die& type, Dwarf_Die& unit) {
  Dwarf_Die die;
  if (dwarf_child(&unit, &die) != 0) return false;
  bool is_inside = false;
  const Dwarf_Off at = dwarf_dieoffset(&type);
  do {
    if (dwarf_dieoffset(&die) > at) break;
    is_inside = dwarf_tag(&die) == DW_TAG_namespace && is_name_of_library(name_of(die));
  } while (dwarf_siblingof(&die, &die) == 0);
  return is_inside;
}

}  // namespace

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

const std::vector<Unit::Variable>& Unit::variables() {
  read();
  return variables_;
}

bool Unit::is_of_library(Dwarf_Die& type) {
  read();
  // It may be defined outside of the namespace that declares it.
  Dwarf_Attribute attribute;
  Dwarf_Die declared;
  if (dwarf_formref_die(dwarf_attr(&type, DW_AT_specification, &attribute), &declared) != nullptr)
    return is_of_library(declared);
  Dwarf_Die other;
  if (!contains(type))
    return dwarf_diecu(&type, &other, nullptr, nullptr) != nullptr && is_in_library(type, other);
  const Dwarf_Off at = dwarf_dieoffset(&type);
  return std::ranges::any_of(
      library_, [at](const auto& range) { return at >= range.first && at < range.second; });
}

bool Unit::is_base(Dwarf_Die& type) {
  read();
  return !contains(type) || std::ranges::find(bases_, dwarf_dieoffset(&type)) != bases_.end();
}

// Types may be in units of their own.
bool Unit::contains(Dwarf_Die& die) const { return die.cu == die_.cu; }

void Unit::read() {
  if (was_read_) return;
  was_read_ = true;
  read_children(die_, true);
}

// Functions may be in namespaces, classes and other functions.
void Unit::read_children(Dwarf_Die& parent, bool is_top) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_namespace: read_namespace(die, is_top); break;
      case DW_TAG_subprogram: add_function(die); [[fallthrough]];
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_lexical_block: read_children(die, false); break;
      case DW_TAG_variable: add_variable(die); [[fallthrough]];
      case DW_TAG_member: add_static(parent, die); break;
      case DW_TAG_inheritance: add_base(die); break;
      default: break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

// What is inside lies between the namespace and its next sibling.
void Unit::read_namespace(Dwarf_Die& die, bool is_top) {
  if (is_top && is_name_of_library(name_of(die))) {
    Dwarf_Die next;
    const bool is_last = dwarf_siblingof(&die, &next) != 0;
    library_.emplace_back(dwarf_dieoffset(&die), is_last ? ~Dwarf_Off{0} : dwarf_dieoffset(&next));
  }
  read_children(die, false);
}

void Unit::add_base(Dwarf_Die& inheritance) {
  Dwarf_Attribute attribute;
  Dwarf_Die base;
  if (dwarf_formref_die(dwarf_attr(&inheritance, DW_AT_type, &attribute), &base) != nullptr)
    bases_.push_back(dwarf_dieoffset(&base));
}

// A static member is declared in its class, and defined elsewhere.
void Unit::add_static(Dwarf_Die& parent, Dwarf_Die& die) {
  const int tag = dwarf_tag(&parent);
  const bool is_member = tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
  if (is_member && dwarf_hasattr(&die, DW_AT_declaration))
    statics_.emplace_back(dwarf_dieoffset(&die), parent);
}

std::string Unit::name_of_variable(const Variable& variable) {
  Dwarf_Die die = variable.die;
  std::string name = name_of(die);
  Dwarf_Attribute attribute;
  Dwarf_Die declared;
  if (dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute), &declared) == nullptr)
    return name;
  const Dwarf_Off at = dwarf_dieoffset(&declared);
  const auto found = std::ranges::find(statics_, at, &std::pair<Dwarf_Off, Dwarf_Die>::first);
  return found == statics_.end() ? name : name_of(found->second) + "::" + name;
}

// Only what lies at one address; its expression is looked at before libdw reads it.
void Unit::add_variable(Dwarf_Die& die) {
  Dwarf_Attribute location;
  Dwarf_Block block;
  if (dwarf_attr(&die, DW_AT_location, &location) == nullptr ||
      dwarf_formblock(&location, &block) != 0 || block.length == 0 ||
      (block.data[0] != DW_OP_addr && block.data[0] != DW_OP_addrx))
    return;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation(&location, &operations, &count) != 0 || count != 1) return;
  Dwarf_Addr address = operations[0].number;
  Dwarf_Attribute indexed;
  if (operations[0].atom == DW_OP_addrx &&
      (dwarf_getlocation_attr(&location, operations, &indexed) != 0 ||
       dwarf_formaddr(&indexed, &address) != 0))
    return;
  variables_.push_back({address, die});
}

void Unit::add_function(Dwarf_Die& die) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
    if (begin != 0) functions_.push_back({begin, end, die});  // else the linker dropped it
}

}  // namespace plumb::dwarf
