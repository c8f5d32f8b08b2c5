// SPDX-License-Identifier: MIT
#include "dwarf/type.hpp"

#include <dwarf.h>

namespace plumb::dwarf {
namespace {

// The definition behind typedefs and qualifiers; nothing: void, or not known.
std::optional<Dwarf_Die> peel(Dwarf_Die die) {
  for (;;) {
    switch (dwarf_tag(&die)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type: break;
      default: {
        // Types may be in units of their own.
        Dwarf_Attribute signature;
        Dwarf_Die whole;
        if (dwarf_attr(&die, DW_AT_signature, &signature) != nullptr &&
            dwarf_formref_die(&signature, &whole) != nullptr)
          return whole;
        return die;
      }
    }
    Dwarf_Attribute type;
    Dwarf_Die next;
    if (dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &type), &next) == nullptr)
      return std::nullopt;
    die = next;
  }
}

}  // namespace

std::optional<Type> Type::of(Dwarf_Die& die, Unit& unit) {
  Dwarf_Attribute attribute;
  Dwarf_Die named;
  if (dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &named) == nullptr)
    return std::nullopt;
  const std::optional<Dwarf_Die> type = peel(named);
  if (!type) return std::nullopt;
  return Type(*type, unit);
}

std::optional<Type> Type::first_argument(Dwarf_Die& function, Unit& unit) {
  Dwarf_Die die;
  if (dwarf_child(&function, &die) == 0) {
    do {
      if (dwarf_tag(&die) == DW_TAG_template_type_parameter) return of(die, unit);
    } while (dwarf_siblingof(&die, &die) == 0);
  }
  for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_formref_die(dwarf_attr(&function, name, &attribute), &origin) == nullptr) continue;
    if (const std::optional<Type> found = first_argument(origin, unit)) return found;
  }
  return std::nullopt;
}

std::uint64_t Type::size() const {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&die_, &size) == 0 ? size : 0;
}

std::string Type::name() const {
  const std::string name = name_of(die_);
  return name.substr(0, name.find('<'));
}

bool Type::is_class() const {
  const int tag = dwarf_tag(&die_);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool Type::is_array() const { return dwarf_tag(&die_) == DW_TAG_array_type; }

bool Type::is_pointer() const {
  const int tag = dwarf_tag(&die_);
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type;
}

std::optional<Type> Type::pointee() const {
  if (!is_pointer()) return std::nullopt;
  const std::optional<Type> type = of(die_, *unit_);
  return type && type->size() > 0 ? type : std::nullopt;
}

bool Type::is_base() const { return unit_->is_base(die_); }

bool Type::is_same(const Type& other) const {
  if (id() == other.id()) return true;
  if (dwarf_tag(&die_) != dwarf_tag(&other.die_) || size() != other.size()) return false;
  if (!is_pointer()) return !is_array() && name_of(die_) == name_of(other.die_);
  const std::optional<Type> target = pointee();
  const std::optional<Type> other_target = other.pointee();
  return target && other_target && target->is_same(*other_target);
}

std::uint64_t Type::id() const { return reinterpret_cast<std::uint64_t>(die_.addr); }

}  // namespace plumb::dwarf
