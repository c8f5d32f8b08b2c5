// SPDX-License-Identifier: MIT
// Types, as debug information describes them: which member lies at which byte.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

#include "dwarf/unit.hpp"

namespace plumb::dwarf {

/// A type without its typedefs, const and volatile. Requires: its unit lives.
class Type {
 public:
  /// What a DIE (a member, a variable, a pointer) says its type is. Nothing: void, or not known.
  static std::optional<Type> of(Dwarf_Die& die, Unit& unit);
  /// The first template parameter that is a type.
  static std::optional<Type> first_argument(Dwarf_Die& function, Unit& unit);

  std::uint64_t size() const;  // 0: not known
  std::string name() const;    // without namespaces and template arguments; may be empty
  bool is_class() const;       // or a union
  bool is_array() const;
  bool is_pointer() const;
  /// Of a pointer; nothing: it is none, or what it points to is not known.
  std::optional<Type> pointee() const;
  /// Do classes derive from it? Then a pointer to it may be one to something larger.
  bool is_base() const;

  /// Is it the same type, perhaps as another unit describes it?
  bool is_same(const Type& other) const;
  std::uint64_t id() const;  // of this description
  Dwarf_Die& die() const { return die_; }
  Unit& unit() const { return *unit_; }

 private:
  Type(const Dwarf_Die& die, Unit& unit) : die_(die), unit_(&unit) {}

  mutable Dwarf_Die die_;  // libdw takes no const
  Unit* unit_;
};

/// A part of an object.
struct Part {
  std::string path;          // ".next", "[1].first"; empty: the whole
  std::uint64_t offset = 0;  // of the bytes that were asked for, in this part
  std::optional<Type> type;  // what is innermost there
  bool is_whole = false;     // it is just what was asked for
};

/// The smallest part that contains these bytes. (`size` 0: not known.) What lies inside of types of
/// the C++ library is as users see it: std::array has elements, std::atomic and std::unique_ptr are
/// what they hold, of others the member is named, without the way there.
Part part_of(const Type& type, std::uint64_t offset, std::uint64_t size);
/// The part of this type that begins there. If there is none: what part_of() says.
Part part_of(const Type& type, std::uint64_t offset, const Type& wanted);

}  // namespace plumb::dwarf
